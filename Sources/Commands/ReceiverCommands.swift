import Actions
import ArgumentParser
import Care
import CareStore
import Digests
import Foundation
import Localization
import Outlets
import PrivateFiles
import Terminal

// Subcommands of `measured outlet` for receivers of measurements.

extension OutletCommand {
  /// `measured outlet test`.
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Asks a receiver of measurements whether it answers, and sends none.",
      discussion: "Example:\n  measured outlet test clinic")

    @Argument(help: "The outlet's name in the settings.")
    var name: String

    @Option(help: "The settings file. Default: \(ServiceSettings.path), if it exists.")
    var settings: String?

    func run() async throws {
      try await reporting(isJSON: false) {
        let result = try await Self.test(try OutletSettings.named(name, in: settings))
        Console.out(
          Console.language.text(
            LocalizedText(
              "delivery.line",
              ["channel": .verbatim(name), "result": .text(result.localized)])))
        guard result == .delivered else { throw CommandFailure(.failed, isJSON: false) }
      }
    }

    private static func test(_ settings: OutletSettings) async throws -> DeliveryResult {
      let authorities = Console.variables["SSL_CERT_FILE"]
      if var home = settings.homeAssistant {
        home.broker.authorities = home.broker.authorities ?? authorities
        return await home.test(password: try settings.secret())
      }
      let transport = Transport(authorities: authorities)
      let outlet = try settings.outlet(
        zone: .gmt, now: { Console.now }, send: { await transport.send($0) })
      return await outlet?.test() ?? .later(.unexpected(detail: settings.kind.rawValue), after: nil)
    }
  }

  /// `measured outlet key`.
  struct Key: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes the key by which this box proves itself to a FHIR server.",
      discussion: """
        The file gets a private key (P-384, for ES384) that nobody else may read, unless it has one. \
        The public key is printed as a JSON Web Key Set: the server's administrator registers it with \
        the client's name (SMART Backend Services).

        Example:
          measured outlet key /etc/measured/clinic.key
        """)

    @Argument(help: "The file of the private key.")
    var file: String

    func run() async throws {
      try await reporting(isJSON: false) {
        let place = PrivateFile(path: file)
        let key: ClientKey
        if let bytes = try place.read(limit: 8_192) {
          guard let found = ClientKey(pem: Secret(String(decoding: bytes, as: UTF8.self))) else {
            throw CommandFailure(
              .failed, LocalizedText("command.outlet.noKey", ["file": "\(file)"]))
          }
          key = found
          Console.error(LocalizedText("command.outlet.keyOf", ["file": "\(file)"]).message)
        } else {
          guard let pem = ES384.makeKey(), let made = ClientKey(pem: Secret(pem)) else {
            throw CommandFailure(.failed, "command.outlet.noRandomness")
          }
          try place.replace(with: Array(pem.utf8))
          key = made
          Console.error(LocalizedText("command.outlet.keyMade", ["file": "\(file)"]).message)
        }
        try Console.json(KeySet(keys: [key.publicKey]))
      }
    }

    /// A JSON Web Key Set (RFC 7517 §5).
    private struct KeySet: Encodable {
      var keys: [ClientKey.PublicKey]
    }
  }

  /// `measured outlet backfill`.
  struct Backfill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sends the past to a receiver of measurements, once more where it has it.",
      discussion: """
        To Home Assistant it sends hourly statistics, compares them with what is there, and sends what \
        differs: again after a correction, an erasure, or an end in between.

        Example:
          measured outlet backfill clinic --from 2026-01-01
        """)

    @OptionGroup var target: OutletTarget

    @Option(
      help: "The day from which values are sent. Default: all.",
      transform: TimeArgument.init(entered:))
    var from: TimeArgument?

    @Option(help: "The settings file. Default: \(ServiceSettings.path), if it exists.")
    var settings: String?

    func run() async throws {
      try await reporting(isJSON: false) {
        let all = ServiceSettings.readable(settings ?? ServiceSettings.path).settings.outlets
        if let outlet = all.first(where: { $0.name == target.name }),
          let home = outlet.homeAssistant
        {
          return try await sendStatistics(to: home, of: outlet)
        }
        guard try await target.isReceiver else {
          throw CommandFailure(
            .unknown, LocalizedText("command.outlet.unknown", ["name": "\(target.name)"]))
        }
        let zone = try await target.file.openExisting().read { try $0.zone() }
        let from = try self.from?.instant(in: zone, now: Console.now)
        try await target.changeReceiver { course, _ in
          course.sendPast(from: from, isForced: true)
        }
        Console.out(
          LocalizedText("command.outlet.backfills", ["name": "\(target.name)"]).message)
      }
    }

    private func sendStatistics(
      to home: HomeAssistantSettings, of outlet: OutletSettings
    ) async throws {
      let store = try target.file.openExisting()
      let (zone, words) = try await store.read { (try $0.zone(), try home.words(in: $0)) }
      let from = try self.from?.instant(in: zone, now: Date())
      do {
        let authorities = home.broker.authorities ?? Console.variables["SSL_CERT_FILE"]
        guard let session = try await home.session(authorities: authorities) else {
          throw CommandFailure(
            .refused, LocalizedText("command.outlet.noServer", ["name": "\(target.name)"]))
        }
        var bar: ProgressBar?
        defer { bar?.finish() }
        let report = try await HomeAssistantPast(
          box: home.topics.box, scope: outlet.scope, words: words, from: store, to: session,
          now: { Date() }
        ).send(from: from) { done, total in
          if bar == nil { bar = ProgressBar(target.name, total: total, isOfBytes: false) }
          bar?.update(done)
        }
        await session.close()
        bar?.finish()
        Console.out(
          LocalizedText(
            "command.outlet.statistics",
            [
              "statistics": .init(report.statistics), "sent": .init(report.sent),
              "known": .init(report.known), "cleared": .init(report.cleared),
            ]
          ).message)
      } catch let fault as DeliveryFault {
        throw CommandFailure(
          .failed,
          LocalizedText(
            "delivery.line",
            ["channel": .verbatim(target.name), "result": .text(fault.localized)]))
      }
    }
  }
}

extension OutletSettings {
  /// The outlet of a name in the settings.
  ///
  /// - Throws: ``CommandFailure`` if there is none.
  static func named(_ name: String, in settings: String?) throws -> OutletSettings {
    let all = ServiceSettings.readable(settings ?? ServiceSettings.path).settings.outlets
    guard let found = all.first(where: { $0.name == name }) else {
      throw CommandFailure(.unknown, LocalizedText("command.outlet.unknown", ["name": "\(name)"]))
    }
    return found
  }
}

extension OutletTarget {
  /// Whether it is a receiver of measurements, and no person.
  var isReceiver: Bool {
    get async throws {
      try await file.openExisting().readOutlets { [name] in try $0.outlet(name) != nil }
    }
  }

  /// Changes how far a receiver is.
  func changeReceiver(
    _ body: @Sendable (inout OutletCourse, any OutletWriter) throws -> Void
  ) async throws {
    try await file.openExisting().writeOutlets { [name] writer in
      var course = try OutletCourse(name, in: writer)
      try body(&course, writer)
      try course.keep(name, in: writer)
    }
  }
}

extension OutletCommand.Refused {
  /// Shows what a receiver was refused, or lets it be tried again.
  func refusedByReceiver() async throws {
    let (name, store) = (target.name, try target.file.openExisting())
    guard !retry else {
      let count = try await store.writeOutlets { writer in
        var course = try OutletCourse(name, in: writer)
        course.retryNow()
        try course.keep(name, in: writer)
        return try writer.retryRefused(by: name)
      }
      return Console.out(
        LocalizedText("command.outlet.retriedValues", ["count": .init(count)], count: count).message
      )
    }
    let (items, zone) = try await store.readOutlets { reader in
      (try reader.refused(by: name, isDue: false, limit: 1_000), try reader.zone())
    }
    for item in items {
      let date = item.date.rfc3339(in: zone)
      let fault = try? JSONDecoder().decode(DeliveryFault.self, from: Data(item.fault.utf8))
      let reason = fault.map { Console.language.text(of: $0) }
      if json {
        try Console.json(RefusedValue(id: item.name, date: date, reason: reason))
      } else {
        Console.out("\(date.minutes)  \(item.name)  \(reason ?? "")")
      }
    }
    if items.isEmpty, !json { Console.out(LocalizedText("command.outlet.noneRefused").message) }
  }
}

/// A value that a receiver did not take.
private struct RefusedValue: Encodable {
  var id: String
  var date: String
  var reason: String?
}

extension OutletOutput {
  /// The receivers of measurements, as the store knows them.
  static func receivers(in store: SQLStore) async throws -> [OutletOutput] {
    let settings = ServiceSettings.readable(ServiceSettings.path).settings.outlets
    return try await store.readOutlets { reader in
      try reader.outletNames().map { name in
        let course = try OutletCourse(name, in: reader)
        let found = settings.first { $0.name == name }
        let page = try reader.feed(
          after: course.cursor ?? 0, upTo: try reader.lastNumber(), openHour: 0, rows: 200,
          values: 200)
        let scope = found?.scope ?? OutletScope(people: nil)
        let waiting = page.entries.flatMap(\.items).first { scope.permits($0) }
        return OutletOutput(
          name: name, kind: found?.kind.rawValue ?? "–",
          state: course.isPaused ? .paused : course.fault == nil ? .ready : .failing,
          oldestUnsent: waiting?.samples.map(\.arrival).min(), lastSuccess: course.lastSuccess,
          refused: try reader.refusedCount(by: name))
      }
    }
  }
}
