import Care
import CareStore
import Foundation
import Interchange
import Outlets

/// The files of a person's day, for a folder or a mail.
struct DayFiles: Sendable {
  /// The format of the files.
  enum Format: String, Sendable {
    /// As `measured samples export` writes it.
    case csv
    /// For Garmin Connect: weighings and pressures, a file each.
    case fit
    /// Open mHealth, a data point a line.
    case omh
  }

  let format: Format
  let scope: OutletScope
  let zone: TimeZone

  /// The most values of a day that are written.
  static let most = 500_000

  /// The files of a day as the store has it now.
  ///
  /// - Throws: ``StoreError``, `EncodingError`.
  func content(
    _ patient: String, _ day: DateInterval, in reader: any StoreReader
  ) throws -> DayContent {
    let samples = try samples(of: patient, day, in: reader)
    let quantities = format.quantities
    return DayContent(
      files: try files(of: samples, in: reader),
      counts: Dictionary(
        samples.map(\.quantity).filter { quantities?.contains($0) ?? true }.map { ($0, 1) },
        uniquingKeysWith: +))
  }

  private func samples(
    of patient: String, _ day: DateInterval, in reader: any StoreReader
  ) throws -> [Sample] {
    guard scope.people?.contains(patient) ?? true, try reader.consent(of: patient).permitsLeaving
    else { return [] }
    return try reader.samples(
      SampleQuery(
        owner: .patient(patient), from: day.start, to: day.end, limit: Self.most, states: [.live])
    ).filter { sample in
      sample.start >= day.start && sample.start < day.end
        && scope.quantities?.contains(sample.quantity) ?? true
        && scope.since.map { sample.start >= $0 } ?? true
    }
  }

  private func files(of samples: [Sample], in reader: any StoreReader) throws -> [DayFile] {
    switch format {
    case .csv:
      var text = SampleOutput.csvHeading + "\n"
      for sample in samples {
        let numbered = try NumberedSample(sample, in: reader)
        text += SampleOutput(numbered, reason: nil, in: zone).csv + "\n"
      }
      return [
        DayFile(
          end: ".csv", type: "text/csv; charset=utf-8", bytes: Array(text.utf8),
          isEmpty: samples.isEmpty)
      ]
    case .omh:
      let points = OpenMHealth(in: zone).dataPoints(of: samples)
      let lines = try points.map { try JSONText.of($0) + Data("\n".utf8) }
      return [
        DayFile(
          end: ".ndjson", type: "application/x-ndjson", bytes: Array(Data(lines.joined())),
          isEmpty: lines.isEmpty)
      ]
    case .fit:
      return [(FITFile.Kind.weight, "-weight.fit"), (.bloodPressure, "-pressure.fit")].map {
        let bytes = FITFile($0, of: samples).bytes
        return DayFile(
          end: $1, type: "application/vnd.ant.fit", bytes: bytes, isEmpty: bytes == nil)
      }
    }
  }
}

extension DayFiles.Format {
  /// The quantities that its files can have; `nil` for all.
  fileprivate var quantities: Set<Quantity>? {
    switch self {
    case .csv: nil
    case .omh: OpenMHealth.quantities
    case .fit: FITFile.Kind.weight.quantities.union(FITFile.Kind.bloodPressure.quantities)
    }
  }
}
