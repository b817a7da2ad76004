import ArgumentParser
import Care
import CareStore
import Foundation
import Hub
import Web

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
      throw ValidationError("Name samples by their ids, or a device with --device.")
    }
    guard device != nil || span.from == nil && span.to == nil else {
      throw ValidationError("--from and --to belong to --device.")
    }
  }

  /// Changes the samples, and prints each of them.
  func run(_ body: @Sendable (any StoreReader) throws -> SampleChange) async throws {
    do {
      let now = Date()
      let result = try await file.openExisting().write { writer in
        let zone = try writer.zone()
        let change = try body(writer)
        var changed: [Sample] = []
        var streamedCount = 0
        for selection in try selections(writer, in: zone, now: now) {
          let result = try apply(change, to: selection, in: writer, now: now)
          changed += result.samples
          streamedCount += result.streamedCount
        }
        // Whose a weighing is says more about those that wait.
        let review =
          try changed.contains { $0.quantity == .bodyMass }
          ? WeighingReview.update(in: writer, after: "a change by hand", now: now) : nil
        let samples = try changed.uniqued().map { try NumberedSample($0, in: writer) }
        let more = try ((review?.assigned ?? []) + (review?.returned ?? [])).uniqued().map {
          try NumberedSample($0, in: writer)
        }
        return Result(
          change: change, samples: samples, attributed: more,
          contradictions: review?.contradictions ?? [], streamedCount: streamedCount, zone: zone,
          units: try writer.preferredUnits())
      }
      let (change, zone, streamedCount) = (result.change, result.zone, result.streamedCount)
      for sample in result.samples + result.attributed where json {
        Console.json(SampleOutput(sample, in: zone))
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
            + (patient == nil ? ", which is not clear any longer" : ", which is clear now"))
      }
      result.contradictions.moves(for: result.units).forEach(Console.out)
      if streamedCount > 0 || samples.isEmpty {
        Console.out(
          (samples.isEmpty ? "" : "and ")
            + "\(streamedCount) sample(s) of a stream: \(change.text)")
      }
    } catch {
      throw CommandFailure(error, isJSON: json)
    }
  }

  /// What was changed.
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

  private func apply(
    _ change: SampleChange, to selection: SampleSelection, in writer: any StoreWriter, now: Date
  ) throws -> SampleChangeResult {
    do {
      return try writer.change(selection, change, reason: reason, now: now)
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
