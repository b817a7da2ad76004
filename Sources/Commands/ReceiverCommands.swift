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
  /// `measured outlet add`.
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sets a receiver of measurements up; the daemon begins at once.",
      discussion: """
        The keys are those of the settings, as docs/outlets.md has them, each as KEY=VALUE; several \
        people or quantities are parted by commas (records=4711:john,4712:anna). What leads to a file of this machine stands in the \
        settings alone, but for a secret, which is kept beside the store, and is in no export.

        Example:
          measured outlet add hook webhook address=https://example.org/in people=all --secret hook.txt
          measured outlet add days file people=john format=fit
          measured outlet add doctor file people=john mail=practice@example.org
        """)

    @Argument(help: "The name, such as hook.")
    var name: String

    @Argument(help: "What it is: webhook, influxDB, fhir, mqtt or file.")
    var kind: String

    @Argument(help: "The keys and their values: people=all.")
    var keys: [String] = []

    @OptionGroup var storage: StoreFileOptions

    @Option(help: "The file whose first line is the secret; - reads the input.")
    var secret: String?

    @Option(help: "Of mqtt: the file with the token of Home Assistant; - reads the input.")
    var token: String?

    @Option(help: "The settings file. Default: \(ServiceSettings.path), if it exists.")
    var settings: String?

    func run() async throws {
      try await reporting(isJSON: false) {
        do {
          guard let meant = OutletKind(rawValue: kind) else {
            throw OutletFlaw(
              "kind", .choice(kind, known: OutletKind.allCases.map(\.rawValue)))
          }
          let definition = OutletDefinition(meant, try values(of: meant))
          var secrets: [String: Secret<String>] = [:]
          secrets["secretFile"] = try await TypedSecret.read(secret).map { Secret($0) }
          secrets["tokenFile"] = try await TypedSecret.read(token).map { Secret($0) }
          let reserved = Set(OutletSettings.ofSettings(settings).map(\.name))
          let action = AddOutlet(name, definition, secrets: secrets, reserved: reserved)
          try await storage.openExisting().writeMessages { [action] in
            try action.perform(in: $0, by: .owner, now: Console.now)
          }
        } catch let flaw as OutletFlaw {
          throw CommandFailure(.refused, flaw.localized)
        }
        Console.out(LocalizedText("command.outlet.added", ["name": .verbatim(name)]).message)
      }
    }

    private func values(of kind: OutletKind) throws(OutletFlaw) -> [String: [String]] {
      var values: [String: [String]] = [:]
      for text in keys {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
          .map(String.init)
        guard let key = kind.typedKeys.first(where: { $0.name == parts[0] && $0.form != .secret }),
          parts.count == 2, values[key.name] == nil
        else { throw OutletFlaw(parts[0], .unknownKey) }
        values[key.name] =
          [.people, .quantities, .records].contains(key.form)
          ? parts[1].split(separator: ",").map {
            key.form == .records ? String($0).replacing(":", with: " ") : String($0)
          } : [parts[1]]
      }
      return values
    }
  }

  /// `measured outlet remove`.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Takes a receiver away that was added here or on the page.",
      discussion: """
        What a broker keeps is taken back first; said once more, nothing is waited for. One of the \
        settings is taken out there.

        Example:
          measured outlet remove graphs
        """)

    @OptionGroup var target: OutletTarget

    func run() async throws {
      try await reporting(isJSON: false) {
        try await target.perform(RemoveOutlet(target.name))
        Console.out(
          LocalizedText("command.outlet.removed", ["name": .verbatim(target.name)]).message)
      }
    }
  }

  /// `measured outlet test`.
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Asks a receiver of measurements whether it answers, and sends none.",
      discussion: """
        The daemon tries it, with its secret and through its sandbox; without a daemon, and with \
        --settings, this command does. A mailbox gets a mail that says that it is a test.

        Example:
          measured outlet test clinic
        """)

    @Argument(help: "The outlet's name.")
    var name: String

    @OptionGroup var storage: StoreFileOptions

    @Option(help: "The settings file. Default: \(ServiceSettings.path), if it exists.")
    var settings: String?

    func run() async throws {
      try await reporting(isJSON: false) {
        let result = try await self.result()
        Console.out(
          Console.language.text(
            LocalizedText(
              "delivery.line",
              ["channel": .verbatim(name), "result": .text(result.localized)])))
        guard result == .delivered else { throw CommandFailure(.failed, isJSON: false) }
      }
    }

    private func result() async throws -> DeliveryResult {
      let authorities = Console.variables["SSL_CERT_FILE"]
      let mail = ServiceSettings.readable(settings ?? ServiceSettings.path).settings.mail
      let path = try storage.path
      if let outlet = OutletSettings.ofSettings(settings).first(where: { $0.name == name }) {
        // Only the service tells whether its sandbox lets something out; it owns the folders that it makes,
        // and has the password of the mail.
        if settings == nil || outlet.kind == .file,
          let result = try DaemonSocket.tryOutlet(name, of: path)
        {
          return result
        }
        return try await outlet.test(
          in: nil, folder: StoreLocation.folder(of: path), authorities: authorities, mail: mail,
          now: { Console.now })
      }
      guard try StoreFileOptions.isPresent(path) else { throw OutletSettings.unknown(name) }
      let outlet = try await OutletSettings.named(
        name, in: [], store: try storage.openExisting())
      if let result = try DaemonSocket.tryOutlet(name, of: path) { return result }
      return try await outlet.test(
        in: try storage.openExisting(), folder: StoreLocation.folder(of: path),
        authorities: authorities, mail: mail, now: { Console.now })
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
          measured outlet key /var/lib/measured/clinic.key
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
        let store = try target.file.openExisting()
        if let outlet = try? await OutletSettings.named(
          target.name, in: OutletSettings.ofSettings(settings), store: store),
          let home = outlet.homeAssistant
        {
          return try await sendStatistics(to: home, of: outlet, in: store)
        }
        guard try await target.isReceiver else {
          throw CommandFailure(
            .unknown, LocalizedText("command.outlet.unknown", ["name": "\(target.name)"]))
        }
        let zone = try await store.read { try $0.zone() }
        let from = try self.from?.instant(in: zone, now: Console.now)
        try await target.changeReceiver { course, _ in
          course.sendPast(from: from, isForced: true)
        }
        Console.out(
          LocalizedText("command.outlet.backfills", ["name": "\(target.name)"]).message)
      }
    }

    private func sendStatistics(
      to home: HomeAssistantSettings, of outlet: OutletSettings, in store: SQLStore
    ) async throws {
      let (zone, words) = try await store.read { (try $0.zone(), try home.words(in: $0)) }
      let from = try self.from?.instant(in: zone, now: Date())
      do {
        let authorities = home.broker.authorities ?? Console.variables["SSL_CERT_FILE"]
        guard
          let session = try await home.session(
            token: try outlet.secret("tokenFile", in: store), authorities: authorities)
        else {
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
  /// Shows what a receiver was refused.
  func refusedByReceiver() async throws {
    let (name, store) = (target.name, try target.file.openExisting())
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
  static func receivers(in store: SQLStore, settings: String?) async throws -> [OutletOutput] {
    let settings = OutletSettings.ofSettings(settings).map { ($0.name, $0.definition) }
    return try await store.readOutlets { reader in
      try ReceiverStatus.all(
        in: reader, settings: Dictionary(settings, uniquingKeysWith: { first, _ in first })
      ).filter { $0.definition != nil || $0.lastSuccess != nil || $0.refusedCount > 0 }
        .map { receiver in
          OutletOutput(
            name: receiver.name, kind: receiver.definition?.kind.rawValue ?? "–",
            state: receiver.state, oldestUnsent: receiver.oldestUnsent,
            lastSuccess: receiver.lastSuccess, refused: receiver.refusedCount)
        }
    }
  }
}
