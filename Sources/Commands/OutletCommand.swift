import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Outlets
import Terminal

/// `measured outlet`.
struct OutletCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outlet",
    abstract: "Shows what leaves by itself: messages and measurements, what waits or was refused.",
    discussion: """
      Each person to whom messages go is an outlet (nora, or john/ for a patient), and so is each \
      receiver of measurements (clinic): in the settings, on the page, or added here.

      Example:
        measured outlet list
        measured outlet add graphs influxDB address=http://127.0.0.1:8086 database=health people=all
        measured outlet refused nora --retry
      """,
    subcommands: [
      List.self, Add.self, Remove.self, Test.self, Pause.self, Resume.self, Backfill.self,
      Refused.self, Calendar.self, Key.self,
    ], defaultSubcommand: List.self)

  /// `measured outlet list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the outlets, with what waits and what was refused.",
      discussion: "Example:\n  measured outlet list --json")

    @OptionGroup var file: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    @Option(help: "The settings file. Default: \(ServiceSettings.path), if it exists.")
    var settings: String?

    func run() async throws {
      try await reporting(isJSON: json) {
        let store = try file.openExisting()
        var (outlets, zone) = try await store.readMessages { reader in
          (
            try OutletStatus.all(in: reader, now: Console.now).map(OutletOutput.init),
            try reader.zone()
          )
        }
        outlets += try await OutletOutput.receivers(in: store, settings: settings)
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
      try await reporting(isJSON: false) { try await target.pause(true) }
    }
  }

  /// `measured outlet resume`.
  struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Goes on with an outlet, at once.",
      discussion: "Example:\n  measured outlet resume nora")

    @OptionGroup var target: OutletTarget

    func run() async throws {
      try await reporting(isJSON: false) { try await target.pause(false) }
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
        let isReceiver = try await target.isReceiver
        guard !retry else {
          let count = try await target.perform(RetryRefused(target.name))
          let key = isReceiver ? "command.outlet.retriedValues" : "command.outlet.retried"
          return Console.out(LocalizedText(key, ["count": .init(count)], count: count).message)
        }
        guard !isReceiver else { return try await refusedByReceiver() }
        let name = target.name
        let (items, zone) = try await target.file.openExisting().readMessages { reader in
          let all = try OutletStatus.all(in: reader, now: Console.now)
          let meant = all.map(\.recipient).named(name)
          guard let outlet = all.first(where: { $0.recipient == meant }) else {
            throw UnknownOutlet(name: name, known: all.map(\.recipient.text))
          }
          return (outlet.refused, try reader.zone())
        }
        for item in items {
          let due = item.due.rfc3339(in: zone)
          let reason = item.fault.map { Console.language.text(of: $0) }
          if json {
            try Console.json(
              RefusedOutput(
                id: item.id.text, kind: item.kind.rawValue, due: due, reason: reason))
          } else {
            let why = reason ?? LocalizedText("command.outlet.triedForAWeek").message
            Console.out("\(due.minutes)  \(item.kind.rawValue)  \(why)")
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

  @Argument(help: "The outlet's name, as ‘measured outlet list’ prints it, or the person's id.")
  var name: String

  /// Performs an action with the messages of the store.
  func perform<A: MessageAction>(_ action: A) async throws -> A.Result {
    try await file.openExisting().writeMessages {
      try action.perform(in: $0, by: .owner, now: Console.now)
    }
  }

  /// Stops the outlet, or goes on with it.
  func pause(_ isPaused: Bool) async throws {
    try await perform(PauseOutlet(name, isPaused))
    Console.out(
      LocalizedText(
        isPaused ? "command.outlet.paused" : "command.outlet.resumed", ["name": .verbatim(name)]
      ).message)
  }
}

/// An outlet, as the command prints it.
struct OutletOutput {
  var name: String
  var kind: String
  var state: OutletStatus.State
  var oldestUnsent: Date?
  var lastSuccess: Date?
  var refused: Int

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

extension OutletOutput {
  /// How the messages to a person do.
  init(_ outlet: OutletStatus) {
    self.init(
      name: outlet.recipient.text, kind: outlet.kind, state: outlet.state,
      oldestUnsent: outlet.oldestUnsent, lastSuccess: outlet.lastSuccess,
      refused: outlet.refused.count)
  }
}
