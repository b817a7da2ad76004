import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization

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
      let now = Date()
      let result = try await file.openExisting().write { writer in
        let zone = try writer.zone()
        let change = try body(writer)
        let done = try perform(
          ChangeSamples(
            try selections(writer, in: zone, now: now), change, reason: reason),
          in: writer, now: now)
        let review = done.review
        let samples = try done.samples.uniqued().map { try NumberedSample($0, in: writer) }
        let more = try (review.assigned + review.returned).uniqued().map {
          try NumberedSample($0, in: writer)
        }
        return Result(
          change: change, samples: samples, attributed: more,
          contradictions: review.contradictions, streamedCount: done.streamedCount, zone: zone,
          units: try writer.preferredUnits())
      }
      let (change, zone, streamedCount) = (result.change, result.zone, result.streamedCount)
      for sample in result.samples + result.attributed where json {
        try Console.json(SampleOutput(sample, in: zone))
      }
      guard !json else { return }
      let samples = result.samplesForPeople
      for sample in samples {
        Console.out(
          sample.text(after: change, in: zone, for: result.units) + sample.kinship(to: ids))
      }
      for sample in result.attributed {
        let patient = sample.sample.patient
        Console.out(
          sample.text(
            after: patient.map { .assign(patient: $0) } ?? .unassign, in: zone, for: result.units)
            + Console.language.text(
              patient == nil ? "command.sample.notClear" : "command.sample.clear"))
      }
      result.contradictions.moves(for: result.units).forEach(Console.out)
      if streamedCount > 0 || samples.isEmpty {
        Console.out(
          LocalizedText(
            samples.isEmpty ? "command.sample.streamed" : "command.sample.andStreamed",
            ["change": .text(change.localized)], count: streamedCount
          ).message)
      }
    } catch {
      throw CommandFailure(error, isJSON: json)
    }
  }

  /// The changed samples, with the change.
  private struct Result: Sendable {
    var change: SampleChange
    var samples: [NumberedSample]
    /// Those that waited and are clear now, and those that are not clear any longer.
    var attributed: [NumberedSample]
    /// Those that look like another person's.
    var contradictions: [WeighingReview.Contradiction]
    var streamedCount: Int
    var zone: TimeZone
    var units: [String: PreferredUnits]

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
