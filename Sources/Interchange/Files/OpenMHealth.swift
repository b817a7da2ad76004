package import Care
import Digests
package import Foundation

/// Measurements as data points of Open mHealth and IEEE 1752.1, a JSON object each.
///
/// Its schemas name no person: that stands in the header's extension by the one who collects, so a file
/// is of one person. What has no schema there is not written.
package struct OpenMHealth: Sendable {
  private let zone: TimeZone

  /// Makes a writer of data points whose times are in a zone.
  package init(in zone: TimeZone) { self.zone = zone }

  /// The data points of a person's samples, in the order of their times.
  package func dataPoints(of samples: [Sample]) -> [DataPoint] {
    let pressures = SampleGroup.groups(of: samples).compactMap { pressure($0) }
    return (pressures + samples.compactMap { single($0) }).sorted { $0.start < $1.start }
  }

  /// The name, version and unit of the schema of a quantity.
  private struct Schema {
    var name: String
    var version: String
    var key: String
    var unit: String
    /// The value there of one unit of the quantity.
    var scale = 1.0
    var isInterval = false
    var isIEEE = false
  }

  private static let schemas: [Quantity: Schema] = [
    .bodyMass: Schema(name: "body-weight", version: "3.0", key: "body_weight", unit: "kg"),
    .height: Schema(name: "body-height", version: "2.0", key: "body_height", unit: "m"),
    .heartRate: Schema(name: "heart-rate", version: "2.0", key: "heart_rate", unit: "beats/min"),
    .pulseRate: Schema(name: "heart-rate", version: "2.0", key: "heart_rate", unit: "beats/min"),
    .rrInterval: Schema(
      name: "rr-interval", version: "1.0", key: "rr_interval", unit: "ms", scale: 1_000),
    .oxygenSaturation: Schema(
      name: "oxygen-saturation", version: "2.0", key: "oxygen_saturation", unit: "%"),
    .bodyTemperature: Schema(
      name: "body-temperature", version: "4.0", key: "body_temperature", unit: "C"),
    .bloodGlucose: Schema(
      name: "blood-glucose", version: "4.0", key: "blood_glucose", unit: "mmol/L"),
    .bloodGlucoseMass: Schema(
      name: "blood-glucose", version: "4.0", key: "blood_glucose", unit: "mg/dL"),
    .interstitialGlucose: Schema(
      name: "blood-glucose", version: "4.0", key: "blood_glucose", unit: "mg/dL"),
    .stepCount: Schema(
      name: "physical-activity", version: "1.0", key: "base_movement_quantity", unit: "steps",
      isInterval: true, isIEEE: true),
  ]

  /// The quantities that it has schemas for.
  package static let quantities: Set<Quantity> = Set(schemas.keys).union([
    .bloodPressureSystolic, .bloodPressureDiastolic,
  ])

  // MARK: One data point

  /// The pressures of a measurement, which are one data point.
  private func pressure(_ group: SampleGroup) -> DataPoint? {
    guard let systolic = group.samples[.bloodPressureSystolic],
      let diastolic = group.samples[.bloodPressureDiastolic]
    else { return nil }
    return point(
      systolic, in: Schema(name: "blood-pressure", version: "4.0", key: "", unit: "mmHg"),
      [
        "systolic_blood_pressure": .init(value: systolic.value, unit: "mmHg"),
        "diastolic_blood_pressure": .init(value: diastolic.value, unit: "mmHg"),
      ])
  }

  private func single(_ sample: Sample) -> DataPoint? {
    guard let schema = Self.schemas[sample.quantity],
      !schema.isInterval || sample.end > sample.start
    else { return nil }
    return point(
      sample, in: schema,
      [schema.key: .init(value: (sample.value * schema.scale).saturated, unit: schema.unit)])
  }

  private func point(
    _ sample: Sample, in schema: Schema, _ values: [String: DataPoint.UnitValue]
  ) -> DataPoint {
    var words: [String: String] = [:]
    if schema.isIEEE { words["activity_name"] = "walking" }
    if sample.quantity == .interstitialGlucose { words["specimen_source"] = "interstitial fluid" }
    let identity = sample.corrects ?? sample.identity
    return DataPoint(
      header: .init(
        // A correction keeps the name of what it corrects; the same value of another person has its own.
        uuid: UUID(of: ["open-mhealth", schema.name, sample.patient ?? "", identity.text]),
        schema: .init(
          namespace: schema.isIEEE ? "ieee" : "omh", name: schema.name, version: schema.version),
        created: sample.arrival.rfc3339(in: zone),
        modality: sample.provenance == .manual ? "self-reported" : "sensed"),
      body: .init(
        values: values, words: words,
        frame: sample.end > sample.start
          ? .interval(from: sample.start.rfc3339(in: zone), to: sample.end.rfc3339(in: zone))
          : .moment(sample.start.rfc3339(in: zone))),
      start: sample.start)
  }

  /// One data point.
  package struct DataPoint: Encodable, Sendable {
    let header: Header
    let body: Body
    let start: Date

    private enum CodingKeys: String, CodingKey { case header, body }

    /// The header: IEEE 1752.1, header 1.0.
    struct Header: Encodable {
      var uuid: UUID
      var schema: SchemaID
      var created: String
      var modality: String

      private enum CodingKeys: String, CodingKey {
        case uuid
        case schema = "schema_id"
        case created = "source_creation_date_time"
        case modality
      }
    }

    /// The schema of the body.
    struct SchemaID: Encodable {
      var namespace: String
      var name: String
      var version: String
    }

    /// A number and its unit.
    struct UnitValue: Encodable {
      var value: Double
      var unit: String
    }

    /// When it holds.
    enum TimeFrame: Encodable {
      case moment(String)
      case interval(from: String, to: String)

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .moment(let date): try container.encode(date, forKey: "date_time")
        case .interval(let from, let to):
          try container.encode(
            ["start_date_time": from, "end_date_time": to], forKey: "time_interval")
        }
      }
    }

    /// The values.
    struct Body: Encodable {
      var values: [String: UnitValue]
      var words: [String: String]
      var frame: TimeFrame

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (key, value) in values { try container.encode(value, forKey: Key(key)) }
        for (key, word) in words { try container.encode(word, forKey: Key(key)) }
        try container.encode(frame, forKey: "effective_time_frame")
      }
    }

    fileprivate struct Key: CodingKey, ExpressibleByStringLiteral {
      let stringValue: String
      var intValue: Int? { nil }

      init(_ text: String) { stringValue = text }
      init(stringLiteral text: String) { stringValue = text }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }
}
