import Care
import Foundation
import GRDB

extension Sample {
  /// Reads a row of the table `sample`.
  init(_ row: Row) throws {
    let quantity = try row.parsed("quantity", Quantity.init(rawValue:))
    var source: SourceValue?
    if let unit = try row.optionalParsed("source_unit", { UnitOfMeasure($0) }) {
      source = SourceValue(value: try row.required("source_value"), unit: unit)
    }
    let raw: Data = try row.required("raw")
    self.init(
      identity: SampleIdentity(rawValue: try row.text("identity")),
      patient: try row.optional("patient"),
      unassignedReason: try row.optional("unassigned_reason"),
      quantity: quantity, value: try row.required("value"), sourceValue: source,
      start: try row.date("start_date"), end: try row.date("end_date"),
      arrival: try row.date("arrival_date"),
      deviceTime: try row.optionalParsed("device_time", LocalDateTime.init(text:)),
      isClockTrusted: try row.required("is_clock_trusted"),
      device: DeviceIdentity(
        address: try row.text("device"), definition: try row.optional("definition")),
      userIndex: try row.optional("user_index"),
      provenance: try row.parsed("provenance", Provenance.init(rawValue:)),
      kind: try row.optional("kind"), raw: Array(raw))
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
      identity.rawValue, patient, unassignedReason, quantity.rawValue, value, sourceValue?.value,
      sourceValue?.unit.code, start.microseconds, end.microseconds, arrival.microseconds,
      deviceTime?.description, isClockTrusted, device.address, device.definition, userIndex,
      provenance.rawValue, kind, Data(raw),
    ]
  }
}
