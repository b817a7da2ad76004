import Care
package import Foundation

/// A message of openScale-sync's webhook.
///
/// Source: oliexdev/openScale-sync, WebhookSync.kt at 1fb1270.
package enum ScaleMessage: Hashable, Sendable {
  /// Whether the receiver is there.
  case test
  /// Measurements, new or changed.
  case measurements([Measurement])
  /// Somebody deleted the measurement of a time.
  case deletion(user: Int, date: Date)
  /// Somebody emptied the history of a user. It is no word on any one measurement.
  case clearing(user: Int)

  /// A row of openScale.
  package struct Measurement: Hashable, Sendable {
    /// Its number in the phone's database.
    package var id: Int
    package var user: Int
    package var date: Date
    package var entries: [HistoryEntry]
    package var skips: [HistorySkip]
  }

  /// The most bytes of a message: a full synchronization sends batches.
  package static let largest = 8 << 20
  private static let mostMeasurements = 20_000
  /// The most values of a message, 20 for each measurement.
  private static let mostValues = 400_000

  /// The name of a phone's user among the sources of openScale.
  package static func source(ofUser user: Int) -> String { "user \(user)" }

  /// Reads a message.
  ///
  /// - Throws: ``ScaleRefusal``.
  package init(_ bytes: [UInt8]) throws(ScaleRefusal) {
    let value: FHIRValue
    do {
      value = try FHIRJSON.value(
        of: Data(bytes), largest: Self.largest, mostValues: Self.mostValues)
    } catch {
      throw error.reason == .tooMany(limit: Self.mostValues)
        ? .tooMany(limit: Self.mostValues) : .notJSON
    }
    guard let object = value.object else { throw .notJSON }
    guard let event = object["event"]?.text else { throw .member("event") }
    switch event {
    case "test": self = .test
    case "insert", "update":
      let rows: [FHIRObject]
      if let list = object["measurements"] {
        guard let elements = list.elements, elements.count <= Self.mostMeasurements else {
          throw .member("measurements")
        }
        rows = elements.compactMap(\.object)
        guard rows.count == elements.count else { throw .member("measurements") }
      } else {
        rows = [object]
      }
      var measurements: [Measurement] = []
      for (place, row) in rows.enumerated() {
        measurements.append(try Measurement(row, line: place + 1))
      }
      self = .measurements(measurements)
    case "delete":
      self = .deletion(user: try object.whole("userId"), date: try object.date("date"))
    case "clear": self = .clearing(user: try object.whole("userId"))
    default: throw .event(String(event.prefix(40)))
    }
  }
}

/// Why a message of openScale-sync is not taken.
package enum ScaleRefusal: Error, Hashable, Sendable {
  /// It is no JSON object.
  case notJSON
  /// A member is missing, or of another type.
  case member(String)
  /// No such event is known.
  case event(String)
  /// It has more than that many values.
  case tooMany(limit: Int)
}

extension ScaleMessage.Measurement {
  /// The quantities of the app's keys, and whether the app computes them.
  private static let quantities: [String: (quantity: Quantity, isDerived: Bool)] = [
    "weight": (.bodyMass, false), "body_fat": (.bodyFatPercentage, true),
    "water": (.bodyWaterPercentage, true), "muscle": (.musclePercentage, true),
    "bmi": (.bodyMassIndex, true), "bone": (.boneMass, true), "lbm": (.fatFreeMass, true),
    "visceral_fat": (.visceralFat, true), "bmr": (.basalMetabolicRate, true),
    "heart_rate": (.heartRate, false), "impedance": (.impedance, false),
  ]

  fileprivate init(_ row: FHIRObject, line: Int) throws(ScaleRefusal) {
    id = try row.whole("id")
    user = try row.whole("userId")
    date = try row.date("date")
    var sink = HistorySink(.openScale)
    var known: Set<Quantity> = []
    let facts = HistorySink.Facts(
      line: line, time: .instant(date), source: ScaleMessage.source(ofUser: user))
    func add(_ key: String, _ value: FHIRValue?, unit: UnitOfMeasure?, isDerived: Bool?)
      throws(ScaleRefusal)
    {
      guard let known = Self.quantities[key], let value, value != .null else { return }
      guard case .number(let decimal) = value, let number = Float(decimal.description) else {
        throw .member(key)
      }
      var facts = facts
      facts.isDerived = isDerived ?? known.isDerived
      // The app's numbers are of single precision: four decimals are what they mean.
      let exact = (Double(number) * 10_000).rounded() / 10_000
      guard exact.isFinite else { throw .member(key) }
      let digits = "\(exact)"
      let unit = unit ?? known.quantity.unit
      // Zero is what was not measured, and an app has overwritten weights with it.
      guard exact > 0 else {
        if known.quantity == .bodyMass { sink.skip(line, .number(digits, column: key)) }
        return
      }
      guard let kilograms = known.quantity.convert(exact, from: unit, to: known.quantity.unit),
        known.quantity.possible.contains(kilograms)
      else { return sink.skip(line, .number(digits, column: key)) }
      sink.add(exact, digits: digits, known.quantity, in: unit, column: key, facts)
    }
    for value in row["values"]?.elements ?? [] {
      guard let value = value.object, let key = value["key"]?.text,
        let quantity = Self.quantities[key]?.quantity, value["value"] != nil
      else { continue }
      let name = value["unit"]?.text ?? ""
      guard let unit = name.isEmpty ? quantity.unit : UnitOfMeasure(header: name) else {
        sink.skip(line, .unit(String(name.prefix(40)), column: key))
        continue
      }
      var isDerived: Bool?
      if case .boolean(let flag) = value["isDerived"] { isDerived = flag }
      try add(key, value["value"], unit: unit, isDerived: isDerived)
      known.insert(quantity)
    }
    for key in ["weight", "body_fat", "water", "muscle"] {
      guard let quantity = Self.quantities[key]?.quantity, !known.contains(quantity) else {
        continue
      }
      try add(key, row[key], unit: nil, isDerived: nil)
    }
    (entries, skips) = (sink.entries, sink.skips)
  }
}

extension FHIRObject {
  fileprivate func whole(_ name: String) throws(ScaleRefusal) -> Int {
    guard case .number(let decimal) = self[name], let number = Int(decimal.description) else {
      throw .member(name)
    }
    return number
  }

  /// An instant, `2026-03-02T06:04:31.000Z`.
  fileprivate func date(_ name: String) throws(ScaleRefusal) -> Date {
    guard let text = self[name]?.text, let clock = ClockText(text),
      case .instant(let date) = HistoryTime(clock)
    else { throw .member(name) }
    return date
  }
}
