import ArgumentParser
import CareStore
import DeviceCatalog
import Foundation
import Localization
import Logging
import Terminal
import Web

/// `measured serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves the page of a store on this machine, until Ctrl-C.",
    discussion: """
      The daemon serves it by itself (see page: in its settings); this is for a store without one, \
      and a store has one at a time. \
      Only this machine reaches it, unless --page names another address, where people sign in. \
      From another machine without that, tunnel: ssh -L 8473:127.0.0.1:8473 HOST.

      Example:
        measured serve
        measured serve --store week.sqlite --page 8080
        measured serve --centre
      """)

  @OptionGroup var file: StoreFileOptions
  @OptionGroup var catalog: CatalogOptions

  @Option(
    help: "The port, or address and port. Default: 8473.", transform: PageAddress.init(entered:))
  var page: PageAddress?

  @Flag(help: "Let boxes join, and exchange rows with the store (measured centre).")
  var centre = false

  func run() async throws {
    try await reporting(isJSON: false) {
      let path = try file.path
      if try !StoreFileOptions.isPresent(path) {
        Console.error(LocalizedText("command.page.newStore", ["store": "\(path)"]).message)
      }
      let lock = try Self.lock(path)
      defer { withExtendedLifetime(lock) {} }
      let environment = WebEnvironment(
        store: try file.open(), path: path, catalog: try DeviceCatalog.load(catalog),
        isCentre: centre, authorities: Console.variables["SSL_CERT_FILE"])
      try await PageServing(
        environment: environment, address: page ?? .standard, files: AccessFiles(store: path),
        beside: { served, logger in
          var quiet = logger
          quiet.logLevel = .warning
          return [
            SocketService(environment, store: path, page: served, variables: [:], logger: quiet)
          ]
        }
      ).untilInterrupted()
    }
  }

  /// Keeps a second page, and a daemon, from the store; one on a server takes several.
  ///
  /// - Throws: ``CommandFailure`` that says where the page is, if there is one.
  private static func lock(_ store: String) throws(CommandFailure) -> StoreLock? {
    guard !SQLStore.isOnServer(store) else { return nil }
    do throws(StoreLock.Failure) {
      return try StoreLock(store: store)
    } catch .taken(let store) {
      let facts = DaemonSocket.holding(store)?.facts
      throw CommandFailure(
        .failed,
        facts.map { $0.occupation(of: store) } ?? StoreLock.Failure.taken(store: store).localized)
    } catch {
      // A store in a folder that cannot be written is shown all the same.
      return nil
    }
  }
}

extension LocalDoor.Facts {
  /// Why the page of a store is not served a second time, and what to do.
  fileprivate func occupation(of store: String) -> LocalizedText {
    switch (radio != nil, page) {
    case (true, let page?):
      LocalizedText("command.page.ofDaemon", ["store": "\(store)", "page": "\(page)"])
    case (true, nil): LocalizedText("command.page.daemonWithout", ["store": "\(store)"])
    case (false, let page?):
      LocalizedText("command.page.ofOther", ["store": "\(store)", "page": "\(page)"])
    case (false, nil): StoreLock.Failure.taken(store: store).localized
    }
  }
}
