import Care
import Foundation
import GRDB

extension Sample {
  /// Reads a row of the table `sample`.
  init(_ row: Row) throws {
    var source: SourceValue?
    if let unit = try row.optionalParsed("source_unit", { UnitOfMeasure($0) }) {
      source = SourceValue(value: try row.required("source_value"), unit: unit)
    }
    let start = try row.date("start_date")
    let end = try row.date("end_date")
    let raw: Data = try row.required("raw")
    let reading = Reading(
      quantity: try row.parsed("quantity", Quantity.init(rawValue:)),
      value: try row.required("value"), sourceValue: source,
      deviceTime: try row.optionalParsed("device_time", LocalDateTime.init(text:)),
      arrival: try row.date("arrival_date"),
      interval: start < end ? DateInterval(start: start, end: end) : nil,
      device: DeviceIdentity(
        address: DeviceID(try row.text("device")), definition: try row.optional("definition")),
      userIndex: try row.optional("user_index"), kind: try row.optional("kind"), raw: Array(raw))
    self.init(
      identity: SampleIdentity(rawValue: try row.text("identity")), reading: reading,
      patient: try row.optional("patient"),
      unassignedReason: try row.optional("unassigned_reason"), start: start, end: end,
      isClockTrusted: try row.required("is_clock_trusted"),
      provenance: try row.parsed("provenance", Provenance.init(rawValue:)))
  }

  /// The columns that ``arguments`` fills, in their order.
  static let columns = [
    "identity", "patient", "unassigned_reason", "quantity", "value", "source_value",
    "source_unit", "start_date", "end_date", "arrival_date", "device_time", "is_clock_trusted",
    "device", "definition", "user_index", "provenance", "kind", "raw",
  ]

  /// What the row of this sample holds, in the order of ``columns``.
  var arguments: [(any DatabaseValueConvertible)?] {
    [
      identity.rawValue, patient, unassignedReason, reading.quantity.rawValue, reading.value,
      reading.sourceValue?.value, reading.sourceValue?.unit.code, start.microseconds,
      end.microseconds, reading.arrival.microseconds, reading.deviceTime?.description,
      isClockTrusted, reading.device.address.text, reading.device.definition, reading.userIndex,
      provenance.rawValue, reading.kind, Data(reading.raw),
    ]
  }
}
