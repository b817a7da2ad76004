import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

extension SamplesCommand {
  /// `measured samples export`.
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a person's measurements to a file for another program.",
      discussion: """
        The name's end says the format: .fit for Garmin Connect (weighings; with --pressures the \
        pressures), .ndjson for Open mHealth (IEEE 1752.1), a data point a line, and .csv, as \
        samples list --csv prints it. FHIR is written by store export --fhir. Only what was measured \
        or entered is in the file: no figure is computed for it. Only its owner may read it.

        Example:
          measured samples export week.fit --patient john --from 2026-11-01 --store week.sqlite
        """)

    /// The format of a file.
    enum Format: String, CaseIterable {
      case fit, ndjson, csv

      init?(of path: String) {
        self.init(rawValue: (path as NSString).pathExtension.lowercased())
      }
    }

    @Argument(help: "The file to write: .fit, .ndjson or .csv.")
    var file: String

    @OptionGroup var storage: StoreOptions

    @OptionGroup var span: OptionalSpanOptions

    @Flag(help: "Of FIT: the pressures instead of the weighings.")
    var pressures = false

    @Flag(help: "Replace the file if it exists.")
    var force = false

    func validate() throws {
      guard let format = Format(of: file) else {
        throw ValidationError(LocalizedText("command.sample.noFormat", ["file": "\(file)"]).message)
      }
      guard !pressures || format == .fit else {
        throw ValidationError(LocalizedText("command.sample.pressuresOfFIT").message)
      }
    }

    func run() async throws {
      try await reporting(isJSON: false) {
        let now = Console.now
        guard let format = Format(of: file) else { return }
        let store = try storage.openExisting()
        try CommandFiles.requireRoom(at: file, force: force)
        let count = try await store.read { reader in
          let patient = try storage.patient(in: reader)
          let people = try reader.patients()
          guard let patient = patient ?? (people.count == 1 ? people.first?.id : nil) else {
            throw CommandFailure(.failed, LocalizedText("command.sample.fileOfWhom"))
          }
          let zone = try reader.zone(of: patient, at: now)
          let ends = try span.ends(in: zone, now: now)
          let pages = SamplePages(
            query: SampleQuery(
              owner: .patient(patient), from: ends.from, to: ends.to, limit: nil, states: [.live]))
          let output = try OutputFile.Replacement(of: file, id: UUID())
          let count =
            switch format {
            case .csv: try table(pages, reader, in: zone, to: output)
            case .ndjson: try dataPoints(pages, reader, in: zone, to: output)
            case .fit: try fit(pages, reader, to: output)
            }
          if count > 0 { try output.finish() }
          return count
        }
        guard count > 0 else {
          throw CommandFailure(.failed, LocalizedText("command.sample.noFile"))
        }
        Console.out(
          LocalizedText("command.sample.exported", ["path": "\(file)"], count: count).message)
      }
    }

    private func table(
      _ pages: SamplePages, _ reader: any StoreReader, in zone: TimeZone,
      to output: OutputFile.Replacement
    ) throws -> Int {
      var count = 0
      try output.write(Data((SampleOutput.csvHeading + "\n").utf8))
      try pages.forEach(in: reader) { sample in
        let line = SampleOutput(try NumberedSample(sample, in: reader), in: zone).csv
        try output.write(Data((line + "\n").utf8))
        count += 1
      }
      return count
    }

    private func dataPoints(
      _ pages: SamplePages, _ reader: any StoreReader, in zone: TimeZone,
      to output: OutputFile.Replacement
    ) throws -> Int {
      let writer = OpenMHealth(in: zone)
      var (count, together) = (0, [Sample]())
      func flush() throws {
        for point in writer.dataPoints(of: together) {
          try output.write(try JSONText.of(point) + Data("\n".utf8))
          count += 1
        }
        together = []
      }
      try pages.forEach(in: reader) { sample in
        // The pressures of one measurement start together.
        if let last = together.last, last.start != sample.start { try flush() }
        together.append(sample)
      }
      try flush()
      return count
    }

    private func fit(
      _ pages: SamplePages, _ reader: any StoreReader, to output: OutputFile.Replacement
    ) throws -> Int {
      let kind: FITFile.Kind = pressures ? .bloodPressure : .weight
      var samples: [Sample] = []
      try pages.forEach(in: reader) { sample in
        if kind.quantities.contains(sample.quantity) { samples.append(sample) }
      }
      let file = FITFile(kind, of: samples)
      if let bytes = file.bytes { try output.write(Data(bytes)) }
      return file.count
    }
  }
}
