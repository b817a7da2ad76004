package import Care
package import Foundation

/// A sample with its number in the store.
package struct NumberedSample: Sendable {
  /// `nil` for one of a stream.
  package var number: Int64?
  package var sample: Sample
  /// The number and the measured value of the sample that it corrects.
  package var origin: (number: Int64?, value: Double)?
  /// Why a person corrected or deleted it.
  package var reason: String?

  package init(_ sample: Sample, in reader: any StoreReader) throws {
    self.sample = sample
    if let corrected = sample.corrects, let measured = try reader.sample(corrected) {
      origin = (try reader.number(of: corrected), measured.value)
    }
    if sample.corrects != nil || sample.state != .live {
      reason = try reader.changes(of: sample.identity).last { $0.reason != nil }?.reason
    }
    // A plain sample of a stream has none, so it need not be searched.
    let isPlain = sample.kind == nil && sample.deviceTime == nil && sample.sourceValue == nil
    number =
      sample.reading.isStreamed && isPlain ? nil : try reader.number(of: sample.identity)
  }
}

/// A sample as JSON.
package struct SampleOutput: Encodable, Sendable {
  package var id: Int64?
  package var quantity: String
  package var value: Double
  package var unit: String
  package var kind: String?
  package var time: String
  package var end: String?
  package var arrival: String
  package var patient: String?
  package var reason: String?
  /// Whose it may be, for a weighing that waits.
  package var odds: [UnassignedWeighing.Odds]?
  package var device: String
  package var definition: String?
  package var userIndex: Int?
  package var deviceTime: String?
  package var clock: String
  package var provenance: String
  /// The device's remarks on the measurement: `irregularPulse`, `cuffTooLoose`; absent if none.
  package var context: [String]?
  /// Why it does not count: `deleted`, `corrected`, `duplicate`, `notTaken`; absent if it does.
  package var state: String?
  /// Whether it stands in the place of a measured value; absent if it does not.
  package var isCorrection: Bool?
  /// The id of the measured sample in whose place it stands.
  package var corrects: Int64?
  package var raw: String

  /// `reason` is why it is unassigned, for people.
  package init(
    _ numbered: NumberedSample, reason unassigned: String?, in timeZone: TimeZone
  ) {
    let sample = numbered.sample
    id = numbered.number
    quantity = sample.quantity.rawValue
    value = sample.value.data(of: sample.quantity)
    unit = sample.quantity.unit.code
    kind = sample.kind
    time = sample.start.rfc3339(in: timeZone)
    end = sample.end == sample.start ? nil : sample.end.rfc3339(in: timeZone)
    arrival = sample.arrival.rfc3339(in: timeZone)
    patient = sample.patient
    reason = unassigned ?? numbered.reason
    odds = UnassignedReason(sample)?.weighing?.odds
    device = sample.device.address.text
    definition = sample.device.definition
    userIndex = sample.userIndex
    deviceTime = sample.deviceTime?.description
    clock = sample.isClockTrusted ? "trusted" : "untrusted"
    provenance = sample.provenance.rawValue
    context = sample.context.isEmpty ? nil : sample.context.names
    state = sample.state == .live ? nil : sample.state.rawValue
    isCorrection = sample.corrects == nil ? nil : true
    corrects = numbered.origin?.number
    raw = sample.raw.hexString
  }

  private enum CodingKeys: String, CodingKey {
    case id, quantity, value, unit, kind, time, end, arrival, patient, reason, odds, device
    case definition, userIndex, deviceTime, clock, provenance, context, state
    case isCorrection = "correction"
    case corrects, raw
  }
}

// MARK: - Tables

extension SampleOutput {
  /// The first line of a table of samples.
  package static let csvHeading =
    "id,quantity,value,unit,kind,time,end,patient,device,definition,provenance,clock,state,reason,raw,context"

  /// The sample as a line of CSV.
  package var csv: String {
    CSVLine([
      id.map { String($0) } ?? "", quantity, String(value), unit, kind ?? "", time, end ?? "",
      patient ?? "", device, definition ?? "", provenance, clock, state ?? "live", reason ?? "",
      raw, (context ?? []).joined(separator: " "),
    ]).text
  }
}
