import Actions
import Agenda
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Logging
import Terminal

extension PlanCommand {
  /// `measured plan rules`.
  struct Rules: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows the plan's rules and what they did, or would have done.",
      discussion: """
        A rule changes a target or sends a message when a task's results say so. Without --since: \
        the rules, and every alert and rule that fired, with its number. With --since: what they \
        would have done since then, if they had been in force as they are now; nothing is changed.

        Example:
          measured plan rules
          measured plan rules --since 2026-11-01
          measured plan rules undo 3
        """, subcommands: [Show.self, Undo.self], defaultSubcommand: Show.self)

    /// `measured plan rules show`.
    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Shows the rules and what they did.",
        discussion: """
          Example:
            measured plan rules
            measured plan rules --since 2026-11-01
          """)

      @OptionGroup var storage: StoreOptions

      @Option(
        help: ArgumentHelp(
          "Show what the rules would have done since this day or time.", valueName: "date"),
        transform: TimeArgument.init(entered:))
      var since: TimeArgument?

      @Flag(help: "Print JSON Lines: the firings.")
      var json = false

      func run() async throws {
        try await reporting(isJSON: json) {
          let now = Console.now
          let store = try storage.openExisting()
          let isAlive = DaemonSocket.holding(try storage.file.path) != nil
          if since == nil, isAlive {
            // The daemon's next look may be a second ahead. What is due is recorded once.
            await AgendaService(
              store: store,
              logger: Logger(label: "measured") { _ in
                SwiftLogNoOpLogHandler()
              }
            ).look()
          }
          let lines = try await store.read { reader in
            let patient = try storage.patient(in: reader)
            let zone = try reader.zone()
            if let since {
              return try rehearsal(
                reader, patient: patient, since: try since.instant(in: zone, now: now), now: now)
            }
            return try overview(reader, patient: patient, now: now, isAlive: isAlive)
          }
          lines.forEach(json ? Console.data : Console.out)
        }
      }

      private static func text(_ firing: FiringOutput) throws -> String {
        String(decoding: try JSONText.of(firing), as: UTF8.self)
      }

      /// The lines of a rehearsal.
      private func rehearsal(
        _ reader: any StoreReader, patient: String?, since: Date, now: Date
      ) throws -> [String] {
        let zone = try reader.zone()
        let firings = try Agenda.rehearsal(reader, patient: patient, since: since, now: now)
        if json { return try firings.map { try Self.text(FiringOutput($0, in: zone)) } }
        let words = try FiringWords(reader, in: Console.language, now: now)
        let lines = firings.map { firing in
          "\(firing.due.rfc3339(in: zone).minutes)  \(words.line(of: firing))"
        }
        return lines + [
          lines.isEmpty
            ? "No rule would have fired since \(since.rfc3339(in: zone).minutes)."
            : "Nothing was changed: this is what would have happened."
        ]
      }

      /// The lines of the rules and of what they did.
      private func overview(
        _ reader: any StoreReader, patient: String?, now: Date, isAlive: Bool
      ) throws -> [String] {
        let zone = try reader.zone()
        let firings = try reader.firings(FiringQuery(patient: patient, kinds: [.alert, .rule]))
        if json { return try firings.map { try Self.text(FiringOutput($0, in: zone)) } }
        let words = try FiringWords(reader, in: Console.language, now: now)
        var lines: [String] = []
        for history in try reader.histories(patient: patient) {
          guard let task = history.current(at: now), !task.isEnded else { continue }
          lines += task.rules.map {
            "\(task.title): \(Console.language.rule($0, of: task.planned))"
          }
        }
        if lines.isEmpty {
          lines.append("The plan has no rules.")
        } else if !isAlive {
          Console.error("Rules act while the daemon or `measured serve` runs on this store.")
        }
        lines += firings.map { stored in
          "\(stored.number)  \(stored.firing.date.rfc3339(in: zone).minutes)  "
            + words.line(of: stored.firing)
        }
        return lines
      }
    }

    /// `measured plan rules undo`.
    struct Undo: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Takes back what a rule did.",
        discussion: """
          The target is again what it was. The same results do not make the rule fire again.

          Example:
            measured plan rules undo 3
          """)

      @Argument(help: "The number in measured plan rules.")
      var number: Int64

      @OptionGroup var storage: StoreFileOptions

      @Flag(help: "Print the firing as JSON.")
      var json = false

      func run() async throws {
        try await reporting(isJSON: json) {
          let now = Console.now
          let (stored, words, zone) = try await storage.openExisting().write { writer in
            guard
              let id = try writer.firings(FiringQuery()).first(where: { $0.number == number })?.id
            else {
              throw CommandFailure(
                .unknown, LocalizedText("store.unknown.firing", ["id": .init(number)]))
            }
            let stored = try UndoFiring(id).perform(in: writer, by: .owner, now: now)
            return (
              stored, try FiringWords(writer, in: Console.language, now: now), try writer.zone()
            )
          }
          guard !json else { return try Console.json(FiringOutput(stored, in: zone)) }
          Console.out(words.line(of: stored.firing))
        }
      }
    }
  }
}
