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
      guard words.count == 2, let address = WebAddress(words[0]), !address.text.contains("?"),
        address.isEncrypted || HostName.isThisMachine(address.host)
      else {
        throw CommandFailure(
          .malformedArgument,
          LocalizedText("command.join.badAddress", ["address": "\(words.first ?? "")"]))
      }
      let store = try storage.open()
      let box = try await join(address.base, words[1], store)
      Console.out(
        LocalizedText(
          "command.join.joined", ["centre": "\(address.base)", "box": "\(box.prefix(8))"]
        ).message)
      if !HostName.isThisMachine(address.host), await Self.isKeptIn() {
        Console.out(Console.language.text(of: DeliveryFault.blocked))
      }
    }
  }

  /// Makes a key, has it registered, and notes the centre.
  ///
  /// - Returns: The box's name there.
  private func join(_ address: String, _ code: String, _ store: SQLStore) async throws -> String {
    guard let place = WebAddress(address)?.appending(CentreDoor.joinPath) else {
      throw CommandFailure(
        .malformedArgument, LocalizedText("command.join.badAddress", ["address": "\(address)"]))
    }
    let joined = try await store.readingExchange { try JoinedCentre.all(in: $0) }
    guard !joined.contains(where: { $0.address == address }) else {
      throw CommandFailure(
        .refused, LocalizedText("command.join.already", ["centre": "\(address)"]))
    }
    // An answer that was lost is asked for again, with the same key.
    let key = store.key(ofCentre: address) ?? Secret(AccessFiles.random(32))
    try store.keep([.centre(CentreSecret(address: address, key: key))])
    guard let publicKey = JoinedCentre.publicKey(of: key) else {
      throw CommandFailure(.failed, LocalizedText("command.join.badKey"))
    }
    let message = try JSONText.of(JoinMessage(code: code, key: publicKey.text))
    let transport = CentreConversation.transport(
      authorities: Console.variables["SSL_CERT_FILE"], keeps: false)
    let result = await transport.send(
      HTTPRequest(
        "POST", place, headers: [.init("Content-Type", "application/json")], body: message))
    switch result {
    case .answered(200, _, let body):
      guard let answer = try? PackedMessage.read(JoinedMessage.self, json: Array(body)),
        answer.box == publicKey.name
      else {
        throw CommandFailure(
          .failed, LocalizedText("command.join.noCentre", ["centre": "\(address)"]))
      }
      let centre = JoinedCentre(address: address, box: publicKey.name, joined: Console.now)
      try await store.exchanging { try centre.keep(in: $0) }
      try await take(answer.timeZone, in: store)
      return publicKey.name
    case .answered(403, _, _):
      try forget(address, in: store)
      throw CommandFailure(.refused, LocalizedText("command.join.unknownCode"))
    case .answered(404, _, _), .answered(405, _, _):
      try forget(address, in: store)
      throw CommandFailure(
        .failed, LocalizedText("command.join.noCentre", ["centre": "\(address)"]))
    case .answered(let status, let retryAfter, let body):
      let detail = String(decoding: body.prefix(200), as: UTF8.self)
      throw CommandFailure(
        .failed,
        DeliveryResult(status: status, retryAfter: retryAfter, detail: detail).localized)
    case .ended(let result):
      throw CommandFailure(.failed, result.localized)
    case .taken:
      throw CommandFailure(
        .failed, LocalizedText("command.join.noCentre", ["centre": "\(address)"]))
    }
  }

  /// Gives a plan without a zone the centre's, so that its days begin where the people live.
  private func take(_ identifier: String?, in store: SQLStore) async throws {
    guard let zone = identifier.flatMap(TimeZone.init(identifier:)) else { return }
    let isNew = try await store.write { writer in
      guard try writer.planTimeZone() == nil else { return false }
      try writer.setPlanTimeZone(zone, now: Console.now)
      return true
    }
    guard isNew else { return }
    Console.out(LocalizedText("command.join.zone", ["zone": "\(zone.identifier)"]).message)
  }

  private func forget(_ address: String, in store: SQLStore) throws {
    try store.keep([.centre(CentreSecret(address: address, key: nil))])
  }

  /// Whether the service's packets reach no other machine, as systemd says.
  private static func isKeptIn() async -> Bool {
    guard let loop = try? EventLoop(name: "survey") else { return false }
    defer { loop.stop() }
    return await UnitSurvey.ask(on: loop)?.isKeptIn ?? false
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
      try await store.exchanging { try centre.leave(in: $0) }
      try store.keep([.centre(CentreSecret(address: centre.address, key: nil))])
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
