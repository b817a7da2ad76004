import Agenda
import ArgumentParser
import Care
import CareStore
import Exchange
import Foundation
import Interchange
import Localization
import Terminal

extension CentreCommand {
  /// `measured centre morning`.
  struct ShowMorning: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "morning",
      abstract: "A line for each person, those who need somebody first.",
      discussion: """
        Alerts of the last three days, when the box last spoke, the last measurement, why nothing is \
        measured, and how much of the last seven days' plan was done. A device is late when it has \
        measured nothing for twice its longest pause of the last two months. The page shows the same.

        Example:
          measured centre morning
        """)

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    @Flag(help: "Print comma-separated values.")
    var csv = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Console.now
        guard !csv || !json else {
          throw ValidationError(LocalizedText("command.sample.csvOrJSON").message)
        }
        let (morning, zone) = try await storage.openExisting().readingExchange { exchange in
          let boxes = try Enrolment(Centre()).boxes(in: exchange)
          return (try Morning(exchange, boxes: boxes, now: now), try exchange.zone())
        }
        if csv { Console.out(MorningOutput.csvHeading) }
        guard !csv, !json else {
          for person in morning.people {
            let output = MorningOutput(person, zone, now: now)
            if csv { Console.out(output.csv) } else { try Console.json(output) }
          }
          return
        }
        guard !morning.people.isEmpty else {
          return Console.out(LocalizedText("command.centre.nobody").message)
        }
        var table = TextTable([
          "command.head.person", "command.centre.alerts", "command.centre.contact",
          "command.centre.measured", "command.centre.done",
        ])
        for person in morning.people {
          table.add([
            person.patient.displayName, person.alerts == 0 ? "–" : String(person.alerts),
            person.box?.contact?.rfc3339(in: zone).minutes ?? "–",
            person.measured?.rfc3339(in: zone).minutes ?? "–",
            person.week.due == 0 ? "–" : "\(person.week.performed)/\(person.week.due)",
          ])
        }
        table.lines.forEach(Console.out)
        for person in morning.people {
          guard let silence = person.silence else { continue }
          Console.out("\(person.patient.displayName): \(Console.language.silence(silence))")
        }
      }
    }
  }
}
