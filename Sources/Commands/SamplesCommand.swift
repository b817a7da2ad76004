import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Hub
import Interchange
import Localization
import Plans
import StrictYAML
import Terminal

/// `measured samples`.
struct SamplesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "samples",
    abstract: "Lists measurements; assigns, corrects, deletes and restores them.",
    discussion: """
      What was measured never changes: each change is kept with its date and reason, and the latest \
      one holds.

      Example:
        measured samples --store week.sqlite --unassigned
        measured samples assign 12 --patient john
        measured samples assign --device A0:9E:1A:00:00:02 --from 2026-11-20 --patient john
      """,
    subcommands: [
      List.self, Add.self, Assign.self, Weigher.self, Unassign.self, Delete.self, Restore.self,
      Correct.self, Export.self,
    ], defaultSubcommand: List.self)

  /// `measured samples list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists samples, oldest first.",
      discussion: """
        Prints the latest twenty, unless --last or a span says otherwise; --json and --csv print \
        all. Samples of a stream (a heart rate each second) have no id: they are changed with \
        --device, --from and --to.

        Example:
          measured samples --store week.sqlite --quantity bodyMass --json
          measured samples list --summary --from 2026-11-01
        """)

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Only unassigned samples.")
    var unassigned = false

    @Option(help: "Only this quantity, such as bodyMass.")
    var quantity: String?

    @OptionGroup var span: OptionalSpanOptions

    @Option(help: "Only so many, the latest.")
    var last: Int?

    @Flag(help: "The least, the mean and the most of each day. Default span: the latest 30 days.")
    var summary = false

    @Flag(help: "The deleted samples, instead of those that count.")
    var deleted = false

    @Flag(help: "Print CSV.")
    var csv = false

    @Flag(help: "Print JSON Lines.")
    var json = false

    /// How many are printed for people.
    private static let shownCount = 20

    func validate() throws {
      guard !unassigned || storage.patient == nil else {
        throw ValidationError(LocalizedText("command.sample.noPatient").message)
      }
      guard !csv || !json else {
        throw ValidationError(LocalizedText("command.sample.csvOrJSON").message)
      }
      guard last ?? 1 > 0 else {
        throw ValidationError(LocalizedText("command.sample.last").message)
      }
    }

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Console.now
        let quantity = try quantity.map { try Quantity(entered: $0) }
        try await storage.openExisting().read { reader in
          let patient = try storage.patient(in: reader)
          let zone = try reader.zone(of: patient, at: now)
          let ends = try span.ends(in: zone, now: now)
          let owner: SampleQuery.Owner =
            unassigned ? .unassigned : patient.map { .patient($0) } ?? .anyone
          let query = SampleQuery(
            owner: owner, quantity: quantity, from: ends.from, to: ends.to, limit: last,
            states: deleted ? [.deleted, .disowned] : summary ? [.live] : [.live, .notTaken])
          if summary {
            try printSummary(query, reader, in: zone)
          } else {
            try printSamples(query, reader, in: zone)
          }
        }
      }
    }

    private func printSamples(
      _ query: SampleQuery, _ reader: any StoreReader, in zone: TimeZone
    ) throws {
      var query = query
      if csv { Console.out(SampleOutput.csvHeading) }
      guard json || csv else {
        let isLimited = query.limit == nil && query.from == nil && query.to == nil
        // One more tells whether there are more.
        if isLimited { query.limit = Self.shownCount + 1 }
        let samples = try reader.samples(query).within(query)
        let shown = isLimited ? samples.suffix(Self.shownCount) : samples[...]
        guard !shown.isEmpty else { return Console.out(nothingFound) }
        if shown.count < samples.count {
          Console.error(
            LocalizedText("command.sample.latest", ["number": .init(Self.shownCount)]).message)
        }
        try printTable(
          shown.map { try NumberedSample($0, in: reader) }, in: zone, for: reader.preferredUnits())
        if unassigned, let message = try WeighingReview.contradictions(in: reader).swapped?.message
        {
          Console.error(message)
        }
        if unassigned, let message = try WeighingQuestion(reader)?.message(reader) {
          Console.error(message)
        }
        return
      }
      try SamplePages(query: query).forEach(in: reader) { sample in
        let output = SampleOutput(try NumberedSample(sample, in: reader), in: zone)
        if csv { Console.out(output.csv) } else { try Console.json(output) }
      }
    }

    private var nothingFound: String {
      let isNarrowed =
        storage.patient != nil || quantity != nil || span.from != nil || span.to != nil
      let key =
        switch (isNarrowed, deleted, unassigned) {
        case (false, true, _): "command.sample.noneDeleted"
        case (false, false, true): "command.sample.noneUnassigned"
        case (false, false, false): "command.sample.none"
        case (true, true, _): "command.sample.noneDeletedOfSelection"
        case (true, false, true): "command.sample.noneUnassignedOfSelection"
        case (true, false, false): "command.sample.noneOfSelection"
        }
      return Console.language.text(key)
    }

    private func printTable(
      _ samples: [NumberedSample], in zone: TimeZone, for units: [String: PreferredUnits]
    ) throws {
      var table = TextTable([
        "command.head.id", "command.head.time", "command.head.patient", "command.head.measured",
        "command.head.device", "command.head.remark",
      ])
      for numbered in samples {
        let sample = numbered.sample
        table.add([
          numbered.number.map(String.init) ?? "–", sample.start.toTheSecond(in: zone),
          sample.patient ?? "–", sample.summary(for: units), sample.device.address.text,
          numbered.remark(for: units),
        ])
      }
      table.lines.forEach(Console.out)
      if samples.contains(where: { $0.number == nil }) {
        Console.error(LocalizedText("command.sample.ofStream").message)
      }
    }

    private func printSummary(
      _ query: SampleQuery, _ reader: any StoreReader, in zone: TimeZone
    ) throws {
      var query = query
      if query.from == nil, !json, !csv {
        // The latest thirty days that have samples, of whichever year.
        var latest = query
        latest.limit = 1
        guard let last = try reader.samples(latest).last else {
          return Console.out(nothingFound)
        }
        query.from =
          Adherence.Period.day.span(around: last.start - 29 * 86_400, in: zone)
          .lowerBound
      }
      var days = SampleDays(timeZone: zone)
      try SamplePages(query: query).forEach(in: reader) { days.add($0) }
      let outputs = days.outputs
      if csv { Console.out(SampleDays.Output.csvHeading) }
      for day in outputs where csv { Console.out(day.csv) }
      for day in outputs where json { try Console.json(day) }
      guard !json, !csv else { return }
      guard !outputs.isEmpty else { return Console.out(nothingFound) }
      let units = try reader.preferredUnits()
      var table = TextTable([
        "command.head.day", "command.head.patient", "command.head.quantity", "command.head.count",
        "command.head.least", "command.head.mean", "command.head.most", "command.head.sum",
      ])
      for day in outputs { table.add(day.cells(for: units)) }
      table.lines.forEach(Console.out)
    }
  }

  /// `measured samples add`.
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds what a person read from an instrument that no task asks for.",
      discussion: """
        A pressure is written 120/80. The value counts for the tasks of its time like any other. The \
        same value of the same time is added once.

        Example:
          measured samples add bodyMass "64 kg" --patient john
          measured samples add bloodPressureSystolic 120/80 --at 2026-11-20T07:10 --patient john
        """)

    @Argument(help: "The quantity, such as bodyMass.")
    var quantity: String

    @Argument(help: "The value, also with its unit: \"64 kg\", \"12 st 13 lb\", 120/80.")
    var value: String

    @Option(help: "Its unit. Default: the one that the person reads.")
    var unit: String?

    @Option(
      help: "When it was measured, such as 8:15 or 2026-11-20T08:15. Default: now.",
      transform: TimeArgument.init(entered:))
    var at: TimeArgument?

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Print JSON Lines: the samples.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Console.now
        let quantity = try Quantity(entered: quantity)
        let unit = try unit.map { try UnitOfMeasure(entered: $0) }
        let (result, added, zone, units) = try await storage.openExisting().write { writer in
          let people = try writer.patients()
          guard
            let patient = try storage.patient(in: writer)
              ?? (people.count == 1 ? people.first?.id : nil)
          else { throw CommandFailure(.failed, LocalizedText("command.sample.addedOfWhom")) }
          let zone = try writer.zone(of: patient, at: now)
          let result = try AddSample(
            quantity, value, unit: unit, of: patient, at: at?.instant(in: zone, now: now),
            isTyped: true
          ).perform(in: writer, by: .owner, now: now)
          return (
            result, try result.samples.map { try NumberedSample($0, in: writer) }, zone,
            try writer.preferredUnits()
          )
        }
        for sample in added {
          guard !json else {
            try Console.json(SampleOutput(sample, in: zone))
            continue
          }
          Console.out(
            LocalizedText(
              "command.sample.added",
              [
                "sample": .init(sample.sample.summary(for: units)),
                "time": .init(sample.sample.start.toTheSecond(in: zone)),
                "number": .init(sample.number ?? 0),
              ]
            ).message)
        }
        if !json { result.review.contradictions.moves(for: units).forEach(Console.out) }
      }
    }
  }

  /// `measured samples assign`.
  struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Assigns samples to a patient, from the tray or from another one.",
      discussion: """
        What the same device measured with a sample (the impedance of a weighing) goes along. Tasks \
        follow: they complete for the one, and reopen for the other. --nobody says that the samples \
        are of no patient of this plan.

        Example:
          measured samples assign 12 13 --patient john
          measured samples assign --device A0:9E:1A:00:00:02 --from 2026-11-20 --patient john
          measured samples assign 14 --nobody --reason "a visitor"
        """)

    @OptionGroup var change: SampleChangeOptions

    @Option(help: "The patient whose samples they are, by id or unique name.")
    var patient: String?

    @Flag(help: "They belong to no patient of this plan.")
    var nobody = false

    func validate() throws {
      guard (patient == nil) == nobody else {
        throw ValidationError(LocalizedText("command.sample.whose").message)
      }
    }

    func run() async throws {
      try await change.run { [patient] reader in
        try patient.map { .assign(patient: try reader.patientID(named: $0)) } ?? .disown
      }
    }
  }

  /// `measured samples weigher`.
  struct Weigher: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says which of those who use the scales is the plan's only patient.",
      discussion: """
        The others are then somebody else, past and future: nothing of them waits any more. \
        measured samples --unassigned asks it, with a weighing of each.

        Example:
          measured samples weigher 14 --patient ann
          measured samples weigher --none --patient ann
        """)

    @Argument(help: "The id of a weighing of the patient's, as listed.")
    var id: Int64?

    @Flag(help: "The patient is none of them.")
    var none = false

    @Option(help: "The patient, by id or unique name.")
    var patient: String

    @OptionGroup var file: StoreFileOptions

    @Flag(help: "Print JSON Lines: the changed samples.")
    var json = false

    func validate() throws {
      guard (id == nil) == none else {
        throw ValidationError(LocalizedText("command.sample.weigher").message)
      }
    }

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Console.now
        let changed = try await file.openExisting().write { writer in
          try ChangedSamples(
            try NameWeigher(
              try writer.patientID(named: patient),
              weighing: try id.map { try writer.identity(ofNumber: $0) }
            ).perform(in: writer, by: .owner, now: now), in: writer)
        }
        try changed.report(isJSON: json, named: id.map { [$0] } ?? []) { $0.ownerChange }
      }
    }
  }

  /// `measured samples unassign`.
  struct Unassign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Puts samples back into the tray of unassigned ones; tasks that they completed reopen.",
      discussion: "Example:\n  measured samples unassign 12 --reason \"not sure whose\"")

    @OptionGroup var change: SampleChangeOptions

    func run() async throws { try await change.run { _ in .unassign } }
  }

  /// `measured samples delete`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deletes samples; tasks that they completed reopen. They are not stored again.",
      discussion: """
        What the same device measured with a sample (the impedance of a weighing) is deleted with it, \
        and listed. measured samples restore takes it back; measured samples --deleted lists them.

        Example:
          measured samples delete 12 --reason "weighed with a suitcase"
        """)

    @OptionGroup var change: SampleChangeOptions

    func run() async throws { try await change.run { _ in .delete } }
  }

  /// `measured samples restore`.
  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lets deleted samples count again, with what was measured with them.",
      discussion: "Example:\n  measured samples restore 12")

    @OptionGroup var change: SampleChangeOptions

    func run() async throws { try await change.run { _ in .restore } }
  }

  /// `measured samples correct`.
  struct Correct: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Puts a value in the place of a measured one, which stays visible as its origin.",
      discussion:
        "Example:\n  measured samples correct 12 --value 63.9 --unit kg --reason \"wore boots\"")

    @Argument(help: "The sample's id, as listed.")
    var id: Int64

    @OptionGroup var file: StoreFileOptions

    @Option(
      parsing: .unconditional,
      help: "The right value, also with its unit: \"64 kg\", \"12 st 13 lb\".")
    var value: String

    @Option(help: "Its unit. Default: the one that the person reads, in which it is listed.")
    var unit: String?

    @Option(help: "Why it is corrected.")
    var reason: String?

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Console.now
        let unit = try unit.map { try UnitOfMeasure(entered: $0) }
        let (result, correction, zone, units) = try await file.openExisting().write { writer in
          let units = try writer.preferredUnits()
          let result = try CorrectSample(
            try writer.identity(ofNumber: id), to: .text(value), unit: unit, units: units,
            reason: reason
          ).perform(in: writer, by: .owner, now: now)
          return (
            result, try NumberedSample(result.correction, in: writer), try writer.zone(), units
          )
        }
        let origin = result.origin
        if json {
          try Console.json(SampleOutput(correction, in: zone))
        } else {
          let value = correction.sample.quantity.text(
            correction.sample.value, for: origin.patient.flatMap { units[$0] })
          Console.out(
            LocalizedText(
              correction.number == nil ? "command.sample.corrected" : "command.sample.correctedAs",
              [
                "sample": .init(origin.summary(for: units)), "value": "\(value)",
                "time": .init(origin.start.toTheSecond(in: zone)),
                "number": .init(correction.number ?? 0),
              ]
            ).message)
          result.review.contradictions.moves(for: units).forEach(Console.out)
        }
      }
    }
  }
}

extension Quantity {
  /// The quantity of that name.
  ///
  /// - Throws: ``CommandFailure`` with those there are.
  fileprivate init(entered name: String) throws(CommandFailure) {
    guard let quantity = Quantity(rawValue: name) else {
      let titled = Quantity.all.first { $0.title.lowercased() == name.lowercased() }
      throw CommandFailure(
        .unknown,
        LocalizedText(
          "command.sample.noQuantity",
          [
            "name": "\(name)", "known": .init(Quantity.allNames.joined(separator: ", ")),
            "suggestion": .suggestion(
              of: titled.map { [$0.rawValue] } ?? Quantity.suggestion(for: name).words),
          ]))
    }
    self = quantity
  }
}
