package import Care
import Digests
package import Foundation
import Interchange

/// The hours of one quantity of one person, as Home Assistant keeps long-term statistics.
///
/// Home Assistant's own entity has another id: what is imported under that would compete with what
/// it computes each hour. A statistic of its own is ours alone, so that it can be compared and mended.
///
/// Source: home-assistant/core, `components/recorder/models/statistics.py` and `statistics.py`.
package struct HomeAssistantStatistic: Hashable, Sendable {
  /// Its id in Home Assistant, for ever.
  package var id: String
  package var patient: String
  package var quantity: Quantity
  package var name: String
  package var unit: String?
  /// The family of units among which Home Assistant may convert; `nil` for none.
  package var unitClass: String?
  /// Whether its hours add up.
  package var isSum: Bool

  /// The part before the colon of each id.
  package static let source = "measured"

  /// Makes the statistic of a person's quantity; `nil` for a quantity that is none.
  package init?(_ quantity: Quantity, of patient: Patient, box: String, name: String) {
    guard let sensor = HomeAssistantSensor(quantity) else { return nil }
    let words = [patient.id, quantity.rawValue].map(Self.slug)
    let mark = Self.mark([patient.id, quantity.rawValue])
    id = ([Self.prefix(of: box)] + words.filter { !$0.isEmpty } + [mark]).joined(separator: "_")
    (self.patient, self.quantity, self.name) = (patient.id, quantity, name)
    (unit, isSum) = (sensor.unit, sensor.isSum)
    unitClass = Self.unitClass(of: sensor)
  }

  /// The beginning of the ids of a box's statistics, which no other box's have.
  package static func prefix(of box: String) -> String {
    "\(source):" + [slug(box), mark([box])].filter { !$0.isEmpty }.joined(separator: "_")
  }

  /// Whether an id is that of a statistic of a box.
  package static func isOwn(_ id: String, of box: String) -> Bool {
    id.hasPrefix(prefix(of: box) + "_")
  }

  /// Lower-case letters and digits of a text, with one `_` between its words; for people to read.
  private static func slug(_ text: String) -> String {
    var words: [String] = []
    var word = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "0"..."9": word.unicodeScalars.append(scalar)
      case "A"..."Z":
        if let last = word.last, last.isLowercase {
          words.append(word)
          word = ""
        }
        word += scalar.properties.lowercaseMapping
      default:
        words.append(word)
        word = ""
      }
    }
    return (words + [word]).filter { !$0.isEmpty }.joined(separator: "_")
  }

  /// A mark that tells texts apart which read alike.
  private static func mark(_ parts: [String]) -> String {
    String(ItemID(of: ["statistic"] + parts).text.prefix(8))
  }

  private static func unitClass(of sensor: HomeAssistantSensor) -> String? {
    switch sensor.deviceClass {
    case "weight": "mass"
    case "distance", "duration", "speed", "power", "temperature", "voltage",
      "blood_glucose_concentration":
      sensor.deviceClass
    default: nil
    }
  }

  /// The description of it for a version of Home Assistant.
  package func metadata(for version: HomeAssistantVersion) -> Metadata {
    let isOld = version < .meanType
    return Metadata(
      statisticId: id, source: Self.source, name: name, unitOfMeasurement: unit, hasSum: isSum,
      hasMean: isOld ? !isSum : nil, meanType: isOld ? nil : (isSum ? 0 : 1),
      unitClass: isOld ? nil : .some(unitClass))
  }

  /// The metadata of a statistic; a version of Home Assistant refuses keys that came later.
  package struct Metadata: Encodable, Hashable, Sendable {
    var statisticId: String
    var source: String
    var name: String
    var unitOfMeasurement: String?
    var hasSum: Bool
    var hasMean: Bool?
    var meanType: Int?
    /// Left out where it is not known yet, else a text or null.
    var unitClass: String??

    private enum CodingKeys: String, CodingKey {
      case statisticId = "statistic_id"
      case source, name
      case unitOfMeasurement = "unit_of_measurement"
      case hasSum = "has_sum"
      case hasMean = "has_mean"
      case meanType = "mean_type"
      case unitClass = "unit_class"
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(statisticId, forKey: .statisticId)
      try container.encode(source, forKey: .source)
      try container.encode(name, forKey: .name)
      // Null says that it has none.
      try container.encode(unitOfMeasurement, forKey: .unitOfMeasurement)
      try container.encode(hasSum, forKey: .hasSum)
      try container.encodeIfPresent(hasMean, forKey: .hasMean)
      try container.encodeIfPresent(meanType, forKey: .meanType)
      if let unitClass { try container.encode(unitClass, forKey: .unitClass) }
    }
  }
}

/// The version of a Home Assistant: year and month.
package struct HomeAssistantVersion: Hashable, Sendable, Comparable {
  package var year: Int
  package var month: Int

  /// The first that takes `mean_type` and `unit_class`; an older one demands `has_mean`.
  package static let meanType = HomeAssistantVersion(year: 2025, month: 11)

  package init(year: Int, month: Int) { (self.year, self.month) = (year, month) }

  /// Reads `2026.2.3`; `nil` for what is no version.
  package init?(_ text: String) {
    let parts = text.split(separator: ".")
    guard parts.count >= 2, let year = Int(parts[0]), let month = Int(parts[1]) else { return nil }
    self.init(year: year, month: month)
  }

  package static func < (one: Self, other: Self) -> Bool {
    (one.year, one.month) < (other.year, other.month)
  }
}

/// One hour of a statistic.
package struct HomeAssistantHour: Hashable, Sendable {
  /// Counted from 1970, in UTC.
  package var hour: Int64
  package var values: Values

  package enum Values: Hashable, Sendable {
    case mean(Double, least: Double, greatest: Double)
    /// The sum of the hour, and everything until its end.
    case sum(Double, total: Double)
  }

  /// Makes an hour.
  package init(_ hour: Int64, _ values: Values) { (self.hour, self.values) = (hour, values) }

  package static let length: TimeInterval = 3_600

  /// The hour in which a date is.
  package static func hour(of date: Date) -> Int64 {
    Int64(saturating: (date.timeIntervalSince1970 / length).rounded(.down))
  }

  /// When it begins.
  package var start: Date { Self.start(of: hour) }

  package static func start(of hour: Int64) -> Date {
    Date(timeIntervalSince1970: Double(hour) * length)
  }
}

extension HomeAssistantStatistic {
  /// The most samples that are read at once, unless one hour has more.
  private static let mostSamples = 20_000

  /// The statistics of everything that may leave, by person and quantity.
  ///
  /// - Throws: ``StoreError``.
  package static func all(
    in reader: any StoreReader, scope: OutletScope, box: String, _ words: HomeAssistantWords
  ) throws -> [HomeAssistantStatistic] {
    var statistics: [HomeAssistantStatistic] = []
    for patient in try reader.patients() {
      guard scope.people?.contains(patient.id) ?? true,
        try reader.consent(of: patient.id).permitsLeaving
      else { continue }
      for quantity in try reader.quantities(of: .patient(patient.id))
      where quantity.isPersonal && (scope.quantities?.contains(quantity) ?? true) {
        let name = "\(patient.displayName): \(words.text(.quantity(quantity)))"
        guard let one = HomeAssistantStatistic(quantity, of: patient, box: box, name: name) else {
          continue
        }
        statistics.append(one)
      }
    }
    return statistics
  }

  /// Every hour before `end` that has a value, by time.
  ///
  /// A sample belongs to the hour in which it starts. The memory that it takes is that of the hours, and of
  /// the samples of one hour.
  ///
  /// - Throws: ``StoreError``.
  package func hours(in reader: any StoreReader, before end: Int64) throws -> [HomeAssistantHour] {
    let query = SampleQuery(owner: .patient(patient), quantity: quantity, limit: 1)
    guard try !reader.samples(query).isEmpty else { return [] }
    var hours: [HomeAssistantHour] = []
    var total = 0.0
    // No sample is of before 1900.
    try read(-613_608..<end, reader) { hour, samples in
      hours.append(HomeAssistantHour(hour, values(of: samples, total: &total)))
    }
    return hours
  }

  private func read(
    _ span: Range<Int64>, _ reader: any StoreReader,
    _ body: (_ hour: Int64, _ samples: [Sample]) -> Void
  ) throws {
    guard !span.isEmpty else { return }
    let (from, to) = (
      HomeAssistantHour.start(of: span.lowerBound), HomeAssistantHour.start(of: span.upperBound)
    )
    let query = SampleQuery(owner: .patient(patient), quantity: quantity, from: from, to: to)
    let count = try reader.sampleCount(query)
    guard count > 0 else { return }
    guard count <= Self.mostSamples || span.count == 1 else {
      let middle = span.lowerBound + (span.upperBound - span.lowerBound) / 2
      try read(span.lowerBound..<middle, reader, body)
      return try read(middle..<span.upperBound, reader, body)
    }
    let samples = Dictionary(
      grouping: try reader.samples(query), by: { HomeAssistantHour.hour(of: $0.start) })
    for hour in samples.keys.sorted() where span.contains(hour) { body(hour, samples[hour] ?? []) }
  }

  private func values(of samples: [Sample], total: inout Double) -> HomeAssistantHour.Values {
    if isSum {
      var counts = SpanCounts()
      for sample in samples { counts.add(sample) }
      let sum = (counts.reached?.sum ?? 0).data(of: quantity)
      total = (total + sum).data(of: quantity)
      return .sum(sum, total: total)
    }
    let values = samples.map { $0.value.data(of: quantity) }.sorted()
    let mean = values.reduce(0, +) / Double(max(values.count, 1))
    let (least, greatest) = (values.first ?? 0, values.last ?? 0)
    // The mean of equal values is that value, however it rounds.
    return .mean(min(max(mean, least), greatest), least: least, greatest: greatest)
  }
}
