import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

/// The flags of a command that changes samples.
struct SampleChangeOptions: ParsableArguments {
  @Argument(help: "The samples' ids, as listed.")
  var ids: [Int64] = []

  @Option(help: "Everything that this device measured: its address, or a recorded sensor's name.")
  var device: String?

  @OptionGroup var span: OptionalSpanOptions

  @Option(help: "Why they are changed.")
  var reason: String?

  @OptionGroup var file: StoreFileOptions

  @Flag(help: "Print JSON Lines: the changed samples, without those of a stream.")
  var json = false

  func validate() throws {
    guard ids.isEmpty != (device == nil) else {
      throw ValidationError(LocalizedText("command.sample.name").message)
    }
    guard device != nil || span.from == nil && span.to == nil else {
      throw ValidationError(LocalizedText("command.sample.span").message)
    }
  }

  /// Changes the samples, and prints each of them.
  func run(_ body: @Sendable (any StoreReader) throws -> SampleChange) async throws {
    do {
      let now = Console.now
      let result = try await file.openExisting().write { writer in
        let zone = try writer.zone()
        let change = try body(writer)
        let done = try perform(
          ChangeSamples(
            try selections(writer, in: zone, now: now), change, reason: reason),
          in: writer, now: now)
        return (change, try ChangedSamples(done, in: writer))
      }
      let (change, changed) = result
      try changed.report(isJSON: json, named: ids) { _ in change }
      let samples = changed.samplesForPeople
      if !json, changed.streamedCount > 0 || samples.isEmpty {
        Console.out(
          LocalizedText(
            samples.isEmpty ? "command.sample.streamed" : "command.sample.andStreamed",
            ["change": .text(change.localized)], count: changed.streamedCount
          ).message)
      }
    } catch {
      throw CommandFailure(error, isJSON: json)
    }
  }

  private func perform(
    _ action: ChangeSamples, in writer: any StoreWriter, now: Date
  ) throws -> ChangeSamples.Result {
    do {
      return try action.perform(in: writer, by: .owner, now: now)
    } catch StoreError.unknown(.device(let device)) {
      throw CommandFailure.unknownDevice(
        device, known: try writer.deviceBindings().map(\.address.text))
    }
  }

  private func selections(
    _ reader: any StoreReader, in zone: TimeZone, now: Date
  ) throws -> [SampleSelection] {
    guard let device else { return try ids.map { .sample(try reader.identity(ofNumber: $0)) } }
    let ends = try span.ends(in: zone, now: now)
    return [.span(device: DeviceID(device), from: ends.from, to: ends.to)]
  }
}

/// The samples that an action changed, and what that says of the other weighings.
struct ChangedSamples: Sendable {
  private var samples: [NumberedSample]
  /// Those that waited and are clear now, and those that are not clear any longer.
  private var attributed: [NumberedSample]
  /// Those that look like another person's.
  private var contradictions: [WeighingReview.Contradiction]
  var streamedCount: Int
  private var zone: TimeZone
  private var units: [String: PreferredUnits]

  init(_ done: ChangeSamples.Result, in reader: any StoreReader) throws {
    func numbered(_ samples: [Sample]) throws -> [NumberedSample] {
      try samples.uniqued().map { try NumberedSample($0, in: reader) }
    }
    let review = done.review
    samples = try numbered(done.samples)
    attributed = try numbered(review.assigned + review.disowned + review.returned)
    contradictions = review.contradictions
    streamedCount = done.streamedCount
    zone = try reader.zone()
    units = try reader.preferredUnits()
  }

  /// Prints each sample with the `change` that it underwent; `named` are those that a person named.
  func report(isJSON: Bool, named: [Int64], _ change: (Sample) -> SampleChange) throws {
    guard !isJSON else {
      for sample in samples + attributed { try Console.json(SampleOutput(sample, in: zone)) }
      return
    }
    for sample in samplesForPeople {
      Console.out(
        sample.text(after: change(sample.sample), in: zone, for: units)
          + sample.kinship(to: named))
    }
    for sample in attributed {
      let change = sample.sample.ownerChange
      Console.out(
        sample.text(after: change, in: zone, for: units)
          + Console.language.text(
            change == .unassign ? "command.sample.notClear" : "command.sample.clear"))
    }
    contradictions.moves(for: units).forEach(Console.out)
  }

  /// Without what another correction replaced long before: it neither counted nor counts.
  var samplesForPeople: [NumberedSample] {
    samples.filter { numbered in
      let sample = numbered.sample
      guard let origin = sample.corrects else { return true }
      let newest = samples.filter { $0.sample.corrects == origin }.max {
        $0.sample.arrival < $1.sample.arrival
      }
      return newest?.sample.identity == sample.identity
    }
  }
}
