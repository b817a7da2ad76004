import ArgumentParser
import Care
import CareStore
import Foundation

/// `measured samples`.
struct SamplesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "samples",
    abstract: "Lists measurements; assigns or deletes them.",
    discussion: """
      Example:
        measured samples --store week.sqlite --unassigned
        measured samples assign 12 --store week.sqlite --patient john
      """,
    subcommands: [List.self, Assign.self, Delete.self], defaultSubcommand: List.self)

  /// `measured samples list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists samples, oldest first.",
      discussion: "Example:\n  measured samples --store week.sqlite --quantity bodyMass --json")

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Only unassigned samples.")
    var unassigned = false

    @Option(help: "Only this quantity, such as bodyMass.")
    var quantity: String?

    @Option(help: "Only from this time on (inclusive).")
    var from: TimeArgument?

    @Option(help: "Only up to this time (exclusive).")
    var to: TimeArgument?

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let quantity = try quantity.map { name in
          guard let quantity = Quantity(rawValue: name) else {
            throw CommandFailure(
              .unknown,
              "there is no quantity ‘\(name)’; it is one of "
                + Quantity.allNames.joined(separator: ", "))
          }
          return quantity
        }
        let (samples, zone) = try await storage.openExisting().read { reader in
          try storage.checkPatient(reader)
          let zone = try reader.planTimeZone() ?? .gmt
          let owner: SampleQuery.Owner =
            unassigned ? .unassigned : storage.patient.map { .patient($0) } ?? .anyone
          let query = SampleQuery(
            owner: owner, quantity: quantity, from: from?.date(in: zone), to: to?.date(in: zone))
          return (try NumberedSample.all(query, in: reader), zone)
        }
        for sample in samples where json { Console.json(SampleOutput(sample, in: zone)) }
        guard !json, !samples.isEmpty else { return }
        var table = TextTable(["id", "time", "patient", "measured", "device", ""])
        for (number, sample) in samples.map({ ($0.number, $0.sample) }) {
          table.add([
            number.map(String.init) ?? "", sample.start.rfc3339(in: zone),
            sample.patient ?? "–", sample.summary, sample.device.address.text,
            sample.unassignedReason ?? (sample.isClockTrusted ? "" : "clock not trusted"),
          ])
        }
        table.lines.forEach(Console.out)
      }
    }
  }

  /// `measured samples assign`.
  struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Assigns an unassigned sample to a patient; it then completes tasks.",
      discussion: "Example:\n  measured samples assign 12 --store week.sqlite --patient john")

    @Argument(help: "The sample's id, as listed.")
    var id: Int64

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func validate() throws {
      guard storage.patient != nil else {
        throw ValidationError("Name the patient with --patient.")
      }
    }

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Date()
        let patient = storage.patient ?? ""
        let (sample, zone) = try await storage.openExisting().write { writer in
          try storage.checkPatient(writer)
          let sample = try writer.assign(
            try writer.identity(ofNumber: id), to: patient, now: now)
          return (NumberedSample(number: id, sample: sample), try writer.planTimeZone() ?? .gmt)
        }
        if json {
          Console.json(SampleOutput(sample, in: zone))
        } else {
          Console.out(
            "\(sample.sample.summary) of \(sample.sample.start.rfc3339(in: zone)) is assigned to \(patient)"
          )
        }
      }
    }
  }

  /// `measured samples delete`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deletes a sample; tasks that it completed reopen. It is not stored again.",
      discussion: "Example:\n  measured samples delete 12 --store week.sqlite")

    @Argument(help: "The sample's id, as listed.")
    var id: Int64

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Date()
        let (sample, zone) = try await storage.openExisting().write { writer in
          let sample = try writer.deleteSample(try writer.identity(ofNumber: id), now: now)
          return (NumberedSample(number: id, sample: sample), try writer.planTimeZone() ?? .gmt)
        }
        if json {
          Console.json(SampleOutput(sample, in: zone))
        } else {
          Console.out(
            "\(sample.sample.summary) of \(sample.sample.start.rfc3339(in: zone)) is deleted")
        }
      }
    }
  }
}

/// A sample with its number in the store.
struct NumberedSample: Sendable {
  var number: Int64?
  var sample: Sample

  /// The samples that match `query`.
  static func all(_ query: SampleQuery, in reader: any StoreReader) throws -> [NumberedSample] {
    try reader.samples(query).map { sample in
      NumberedSample(number: try reader.number(of: sample.identity), sample: sample)
    }
  }
}

/// A sample as JSON.
struct SampleOutput: Encodable {
  var id: Int64?
  var quantity: String
  var value: Double
  var unit: String
  var kind: String?
  var time: String
  var end: String?
  var arrival: String
  var patient: String?
  var reason: String?
  var device: String
  var definition: String?
  var userIndex: Int?
  var deviceTime: String?
  var clock: String
  var provenance: String
  var raw: String

  init(_ numbered: NumberedSample, in timeZone: TimeZone) {
    let sample = numbered.sample
    id = numbered.number
    quantity = sample.quantity.rawValue
    value = sample.value
    unit = sample.quantity.unit.code
    kind = sample.kind
    time = sample.start.rfc3339(in: timeZone)
    end = sample.end == sample.start ? nil : sample.end.rfc3339(in: timeZone)
    arrival = sample.arrival.rfc3339(in: timeZone)
    patient = sample.patient
    reason = sample.unassignedReason
    device = sample.device.address.text
    definition = sample.device.definition
    userIndex = sample.userIndex
    deviceTime = sample.deviceTime?.description
    clock = sample.isClockTrusted ? "trusted" : "untrusted"
    provenance = sample.provenance.rawValue
    raw = sample.raw.hexString
  }
}
