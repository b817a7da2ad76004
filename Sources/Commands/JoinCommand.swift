import ArgumentParser
import Care
import CareStore
import Exchange
import Foundation
import Interchange
import Localization
import Outlets
import SystemBus
import Terminal

/// `measured join`.
struct JoinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Joins a centre, with which this store exchanges rows from then on.",
    discussion: """
      The code is what ‘measured centre invite’ prints there. The key is made here and kept beside the \
      store; no export and no backup has it. Over plain http only a centre on this machine is joined.

      Example:
        measured join https://centre.example 7K2M-9QXA-4T0D
        measured join --file invitation.txt
      """)

  @OptionGroup var storage: StoreFileOptions

  @Argument(help: "The centre’s address, and the code.")
  var invitation: [String] = []

  @Option(help: "The file of ‘measured centre invite --file’.")
  var file: String?

  func validate() throws {
    guard invitation.count == (file == nil ? 2 : 0) else {
      throw ValidationError("Give the centre’s address and the code, or --file.")
    }
  }

  func run() async throws {
    try await reporting(isJSON: false) {
      var words = invitation
      if let file {
        words = try TextFile.read(file).split(whereSeparator: \.isWhitespace).map(String.init)
      }
      let joined: CentreJoining.Joined
      do {
        guard words.count == 2 else {
          throw CentreJoining.Refusal.badAddress(words.first ?? "")
        }
        let address = try CentreJoining.address(words[0])
        let transport = CentreConversation.transport(
          authorities: Console.variables["SSL_CERT_FILE"], keeps: false)
        defer { transport.close() }
        joined = try await CentreJoining(
          store: try storage.open(), transport: transport, now: { Console.now }
        ).join(address, code: words[1])
      } catch let refusal as CentreJoining.Refusal {
        throw CommandFailure(refusal.exitCode, refusal.localized)
      }
      if let zone = joined.zone {
        Console.out(LocalizedText("command.join.zone", ["zone": "\(zone.identifier)"]).message)
      }
      let centre = joined.centre
      Console.out(
        LocalizedText(
          "command.join.joined",
          ["centre": "\(centre.address)", "box": "\(centre.box.prefix(8))"]
        ).message)
      if let address = WebAddress(centre.address), !HostName.isThisMachine(address.host),
        await Self.isKeptIn()
      {
        Console.out(Console.language.text(of: DeliveryFault.blocked))
      }
    }
  }

  /// Whether the service's packets reach no other machine, as systemd says.
  private static func isKeptIn() async -> Bool {
    guard let loop = try? EventLoop(name: "survey") else { return false }
    defer { loop.stop() }
    return await UnitSurvey.ask(on: loop)?.isKeptIn ?? false
  }
}

extension CentreJoining.Refusal {
  fileprivate var exitCode: Terminal.ExitCode {
    switch self {
    case .badAddress: .malformedArgument
    case .already, .unknownCode: .refused
    case .badKey, .noCentre, .later: .failed
    }
  }
}

/// `measured leave`.
struct LeaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Leaves a centre: nothing travels any more; what came from there stays.",
    discussion: "Example:\n  measured leave https://centre.example")

  @OptionGroup var storage: StoreFileOptions

  @Argument(help: "The centre’s address. Default: the only one.")
  var address: String?

  func run() async throws {
    try await reporting(isJSON: false) {
      let store = try storage.openExisting()
      let centre = try await store.joined(address)
      try await centre.leave(store)
      Console.out(
        LocalizedText(
          "command.join.left", ["centre": "\(centre.address)", "box": "\(centre.box.prefix(8))"]
        ).message)
    }
  }
}

extension SQLStore {
  /// The centre of an address that the store has joined; without an address, the only one.
  fileprivate func joined(_ address: String?) async throws -> JoinedCentre {
    let all = try await readingExchange { try JoinedCentre.all(in: $0) }
    let place = address.flatMap { WebAddress($0)?.base ?? $0 }
    let found = place.map { place in all.filter { $0.address == place } } ?? all
    guard let first = found.first, found.count == 1 else {
      throw CommandFailure(
        .unknown,
        all.isEmpty
          ? LocalizedText("command.sync.none")
          : LocalizedText("command.sync.several", ["known": .quoted(all.map(\.address))]))
    }
    return first
  }
}

/// `measured sync`.
struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Shows how the exchange with a centre goes, or exchanges at once.",
    discussion: "Example:\n  measured sync status\n  measured sync now",
    subcommands: [Status.self, Now.self], defaultSubcommand: Status.self)

  /// `measured sync status`.
  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows the centres, when both sides last had the same, and what waits.",
      discussion: "Example:\n  measured sync status --json")

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let (all, zone) = try await storage.openExisting().readingExchange { exchange in
          let all = try JoinedCentre.all(in: exchange).map { centre in
            SyncOutput(
              centre: centre, status: try SyncStatus(centre.address, in: exchange),
              parked: try BoxSession(centre: centre.address, version: Centre.rowVersion)
                .parked(in: exchange))
          }
          return (all, try exchange.zone())
        }
        for output in all {
          if json {
            try Console.json(output.inZone(zone))
          } else {
            output.lines(zone).forEach(Console.out)
          }
        }
        if all.isEmpty, !json { Console.out(LocalizedText("command.sync.none").message) }
      }
    }
  }

  /// `measured sync now`.
  struct Now: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Exchanges with a centre at once.",
      discussion: "Example:\n  measured sync now")

    @OptionGroup var storage: StoreFileOptions

    @Argument(help: "The centre’s address. Default: the only one.")
    var address: String?

    func run() async throws {
      try await reporting(isJSON: false) {
        let store = try storage.openExisting()
        let centre = try await store.joined(address)
        guard let key = store.key(ofCentre: centre.address),
          let place = WebAddress(centre.address)
        else {
          // Only the service may read the key.
          try await store.exchanging { exchange in
            var status = try SyncStatus(centre.address, in: exchange)
            status.asked = Console.now
            try status.keep(centre.address, in: exchange)
          }
          return Console.out(LocalizedText("command.sync.asked").message)
        }
        var link = BoxLink(address: centre.address, key: key)
        let transport = CentreConversation.transport(
          authorities: Console.variables["SSL_CERT_FILE"])
        defer { transport.close() }
        let end = try await CentreConversation(store: store, transport: transport, address: place)
          .run(&link)
        switch end {
        case .level:
          Console.out(
            LocalizedText("command.sync.level", ["centre": "\(centre.address)"]).message)
        case .putOff:
          Console.out(
            LocalizedText("command.sync.putOff", ["centre": "\(centre.address)"]).message)
        case .later(let fault, _):
          throw CommandFailure(.failed, fault.localized)
        case .unknown:
          throw CommandFailure(
            .refused,
            LocalizedText("command.sync.unknownBox", ["centre": "\(centre.address)"]))
        }
      }
    }
  }
}

/// How the exchange with a centre goes, as the command prints it.
private struct SyncOutput: Sendable {
  var centre: JoinedCentre
  var status: SyncStatus
  var parked: [RowRefusal: Int]

  private var trouble: LocalizedText? {
    if status.isUnknown {
      return LocalizedText("command.sync.unknownBox", ["centre": "\(centre.address)"])
    }
    let fault = status.fault.flatMap {
      try? JSONDecoder().decode(DeliveryFault.self, from: Data($0.utf8))
    }
    return fault?.localized
  }

  /// The lines for people.
  func lines(_ zone: TimeZone) -> [String] {
    let level = status.level?.rfc3339(in: zone).minutes ?? "–"
    var lines = [
      LocalizedText(
        "command.sync.status", ["centre": "\(centre.address)", "level": "\(level)"]
      ).message
    ]
    if let trouble { lines.append("  " + trouble.message) }
    lines += status.events.map { "  " + $0.localized.message }
    lines += parked.sorted { $0.key.rawValue < $1.key.rawValue }.map { reason, count in
      "  "
        + LocalizedText(
          "command.sync.waiting", ["count": .init(count), "reason": .text(reason.localized)],
          count: count
        ).message
    }
    return lines
  }

  /// Its JSON, with times in a zone.
  func inZone(_ zone: TimeZone) -> JSON {
    JSON(
      centre: centre.address, box: centre.box, joined: centre.joined.rfc3339(in: zone),
      tried: status.tried?.rfc3339(in: zone), level: status.level?.rfc3339(in: zone),
      trouble: trouble?.message,
      waiting: Dictionary(
        parked.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { first, _ in first }))
  }

  struct JSON: Encodable {
    var centre: String
    var box: String
    var joined: String
    var tried: String?
    var level: String?
    var trouble: String?
    var waiting: [String: Int]
  }
}

extension ExchangeEvent {
  fileprivate var localized: LocalizedText {
    switch self {
    case .older(.box): "command.sync.olderBox"
    case .older(.centre): "command.sync.olderCentre"
    case .older(.both): "command.sync.olderBoth"
    case .older(.unknown): "command.sync.olderUnknown"
    case .twin: "command.sync.twin"
    }
  }
}

extension RowRefusal {
  fileprivate var localized: LocalizedText {
    switch self {
    case .foreign: "command.sync.foreign"
    case .newer: "command.sync.newer"
    case .damaged: "command.sync.damaged"
    case .long: "command.sync.long"
    case .loose: "command.sync.loose"
    case .consent: "command.sync.consent"
    }
  }
}
