import ArgumentParser
import Care
import CareStore
import Foundation

/// `measured adherence`.
struct AdherenceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "adherence",
    abstract: "Shows how much of each day's plan was done.",
    discussion: """
      One line for each day in the plan's time zone: the mean progress of the events due, without \
      optional and read-only tasks. --from is inclusive, --to exclusive.

      Example:
        measured adherence --store week.sqlite --from 2026-11-01 --to 2026-11-08
      """)

  @OptionGroup var storage: StoreOptions

  @OptionGroup var span: SpanOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let (days, zone) = try await storage.openExisting().read { reader in
        try storage.checkPatient(reader)
        let zone = try reader.planTimeZone() ?? .gmt
        let range = try span.range(in: zone)
        let (start, end) = (range.lowerBound, range.upperBound)
        let days = Adherence.days(
          events: try reader.events(patient: storage.patient, task: nil, from: start, to: end),
          versions: try reader.taskVersions(patient: storage.patient), from: start, to: end,
          timeZone: zone)
        return (days, zone)
      }
      let outputs = days.map { DayOutput(day: $0.day, adherence: $0.adherence, in: zone) }
      guard !json else { return outputs.forEach { Console.json($0) } }
      var table = TextTable(["day", "done"])
      for day in outputs { table.add([day.day, day.text]) }
      table.lines.forEach(Console.out)
    }
  }

  /// A day as JSON.
  struct DayOutput: Encodable {
    var day: String
    /// `progress`, `noEvents` or `noTasks`.
    var adherence: String
    @Nullable var fraction: Double?

    init(day: Date, adherence: Adherence, in timeZone: TimeZone) {
      self.day = String(day.rfc3339(in: timeZone).prefix(10))
      switch adherence {
      case .noTasks: self.adherence = "noTasks"
      case .noEvents: self.adherence = "noEvents"
      case .progress(let value): (self.adherence, fraction) = ("progress", value)
      }
    }

    /// For people.
    var text: String {
      guard let fraction else { return adherence == "noTasks" ? "no tasks yet" : "nothing due" }
      return "\((fraction * 100).rounded().plainText) %"
    }
  }
}
