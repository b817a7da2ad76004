import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Outlets

/// `measured outlet`.
struct OutletCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outlet",
    abstract: "Shows what leaves by itself: messages and measurements, what waits or was refused.",
    discussion: """
      Each person to whom messages go is an outlet (nora, or john/ for a patient), and so is each \
      receiver of measurements in the settings (clinic).

      Example:
        measured outlet list
        measured outlet refused nora --retry
      """,
    subcommands: [
      List.self, Test.self, Pause.self, Resume.self, Backfill.self, Refused.self,
    ], defaultSubcommand: List.self)

  /// `measured outlet list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the outlets, with what waits and what was refused.",
      discussion: "Example:\n  measured outlet list --json")

    @OptionGroup var file: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let store = try file.openExisting()
        var (outlets, zone) = try await store.readMessages { reader in
          (try OutletOutput.all(in: reader, now: Date()), try reader.zone())
        }
        outlets += try await OutletOutput.receivers(in: store)
        for outlet in outlets where json { try Console.json(outlet.inZone(zone)) }
        guard !json else { return }
        guard !outlets.isEmpty else {
          return Console.out(LocalizedText("command.outlet.none").message)
        }
        var table = TextTable([
          "command.outlet.name", "command.outlet.kind", "command.outlet.state",
          "command.outlet.oldestUnsent", "command.outlet.lastSuccess", "command.outlet.refused",
        ])
        for outlet in outlets {
          table.add([
            outlet.name, outlet.kind, outlet.state.rawValue,
            outlet.oldestUnsent?.rfc3339(in: zone).minutes ?? "–",
            outlet.lastSuccess?.rfc3339(in: zone).minutes ?? "–", String(outlet.refused),
          ])
        }
        table.lines.forEach(Console.out)
      }
    }
  }

  /// `measured outlet pause`.
  struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stops an outlet; what is due waits, for a week at most.",
      discussion: "Example:\n  measured outlet pause nora")

    @OptionGroup var target: OutletTarget

    func run() async throws {
      try await target.pause(true)
    }
  }

  /// `measured outlet resume`.
  struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Goes on with an outlet, at once.",
      discussion: "Example:\n  measured outlet resume nora")

    @OptionGroup var target: OutletTarget

    func run() async throws {
      try await target.pause(false)
    }
  }

  /// `measured outlet refused`.
  struct Refused: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows what an outlet was refused, and tries it again.",
      discussion: "Example:\n  measured outlet refused nora --retry")

    @OptionGroup var target: OutletTarget

    @Flag(help: "Try all of it again.")
    var retry = false

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        if try await target.isReceiver {
          return try await refusedByReceiver()
        }
        guard !retry else {
          return try await target.change { outbox, recipient in
            let count = outbox.retryRefused(recipient, now: Date())
            return LocalizedText(
              "command.outlet.retried", ["count": .init(count)], count: count)
          }
        }
        let recipient = try target.recipient
        let (items, zone) = try await target.file.openExisting().readMessages { reader in
          let outbox = try Outbox(reader, now: Date(), since: .distantPast)
          try outbox.require(recipient)
          let items = outbox.items.values
            .filter { $0.recipient == recipient && $0.state == .refused && $0.within == nil }
            .sorted { ($0.due, $0.id) < ($1.due, $1.id) }
          return (items, try reader.zone())
        }
        for item in items {
          let due = item.due.rfc3339(in: zone)
          let reason = item.fault.map { Console.language.text(of: $0) }
          if json {
            try Console.json(
              RefusedOutput(
                id: item.id.text, kind: item.key.kind.rawValue, due: due, reason: reason))
          } else {
            let why = reason ?? LocalizedText("command.outlet.triedForAWeek").message
            Console.out("\(due.minutes)  \(item.key.kind.rawValue)  \(why)")
          }
        }
        if items.isEmpty, !json { Console.out(LocalizedText("command.outlet.noneRefused").message) }
      }
    }
  }

  private struct RefusedOutput: Encodable {
    var id: String
    var kind: String?
    var due: String
    var reason: String?
  }
}

/// Which outlet of which store a command changes.
struct OutletTarget: ParsableArguments {
  @OptionGroup var file: StoreFileOptions

  @Argument(help: "The outlet's name, as ‘measured outlet list’ prints it.")
  var name: String

  var recipient: Recipient {
    get throws {
      guard let recipient = Recipient(name) else {
        throw CommandFailure(
          .unknown, LocalizedText("command.outlet.unknown", ["name": "\(name)"]))
      }
      return recipient
    }
  }

  /// Changes the messages of the outlet, and says what was done.
  func change(
    _ body: @Sendable (inout Outbox, Recipient) throws -> LocalizedText
  ) async throws {
    let recipient = try recipient
    let text = try await file.openExisting().writeMessages { writer in
      var outbox = try Outbox(writer, now: Date(), since: .distantPast)
      try outbox.require(recipient)
      let text = try body(&outbox, recipient)
      try outbox.keep(in: writer)
      return text
    }
    Console.out(text.message)
  }

  /// Stops the outlet, or goes on with it.
  func pause(_ isPaused: Bool) async throws {
    if try await isReceiver {
      try await changeReceiver { course, _ in
        course.isPaused = isPaused
        course.retryNow()
      }
      return Console.out(
        LocalizedText(
          isPaused ? "command.outlet.paused" : "command.outlet.resumed", ["name": "\(name)"]
        ).message)
    }
    try await change { outbox, recipient in
      for way in outbox.ways(of: recipient) { outbox.pause(way, isPaused) }
      return LocalizedText(
        isPaused ? "command.outlet.paused" : "command.outlet.resumed",
        ["name": "\(recipient.text)"])
    }
  }
}

extension Outbox {
  /// Refuses a name to which nothing ever went.
  fileprivate func require(_ recipient: Recipient) throws(CommandFailure) {
    let known = recipients
    guard !known.contains(recipient) else { return }
    throw CommandFailure(
      .unknown,
      LocalizedText(
        known.isEmpty ? "command.outlet.unknown" : "command.outlet.unknownOf",
        ["name": "\(recipient.text)", "known": .init(known.map(\.text).joined(separator: ", "))]))
  }

  fileprivate var recipients: [Recipient] {
    Set(items.values.map(\.recipient) + ways.keys.map(\.recipient)).sorted()
  }

  /// The ways of a recipient that were tried, and the first one in any case.
  fileprivate func ways(of recipient: Recipient) -> [WayID] {
    Set(ways.keys.filter { $0.recipient == recipient } + [WayID(recipient, 0)]).sorted()
  }
}

/// An outlet, as the command prints it.
struct OutletOutput {
  /// The state of an outlet.
  enum State: String {
    /// Nothing waits, or it was not tried yet.
    case ready
    /// Every way failed last, and is tried again.
    case failing
    /// A person stopped it.
    case paused
  }

  var name: String
  var kind = "messages"
  var state: State
  var oldestUnsent: Date?
  var lastSuccess: Date?
  var refused: Int

  static func all(in reader: any MessageReader, now: Date) throws -> [OutletOutput] {
    let outbox = try Outbox(reader, now: now, since: .distantPast)
    let counts = try reader.messageCounts()
    return outbox.recipients.map { recipient in
      let ways = outbox.ways.filter { $0.key.recipient == recipient }.map(\.value)
      let waiting = outbox.items.values.filter {
        $0.recipient == recipient && $0.due <= now && ($0.state == .waiting || $0.state == .trying)
      }
      let state: State =
        if !ways.isEmpty, ways.allSatisfy(\.isPaused) {
          .paused
        } else if !ways.isEmpty, ways.allSatisfy({ $0.fault != nil }) {
          .failing
        } else {
          .ready
        }
      return OutletOutput(
        name: recipient.text, state: state, oldestUnsent: waiting.map(\.due).min(),
        lastSuccess: ways.compactMap(\.lastSuccess).max(),
        refused: counts[recipient.text]?[OutboxItem.State.refused.rawValue] ?? 0)
    }
  }

  /// Its JSON, with times in a zone.
  func inZone(_ zone: TimeZone) -> JSON {
    JSON(
      name: name, kind: kind, state: state.rawValue,
      oldestUnsent: oldestUnsent?.rfc3339(in: zone), lastSuccess: lastSuccess?.rfc3339(in: zone),
      refused: refused)
  }

  struct JSON: Encodable {
    var name: String
    var kind: String
    var state: String
    var oldestUnsent: String?
    var lastSuccess: String?
    var refused: Int
  }
}
