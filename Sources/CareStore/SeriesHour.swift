import Care
import Foundation

/// A streamed sample with whose it was found to be, of the samples of one series and hour.
struct HourEntry: Hashable {
  var sample: StreamedSample
  var source: Int64
  var attributed: String?
  var reason: String?
}

/// The samples of one series and hour, however many blocks they are in.
struct SeriesHour {
  var series: Int64
  var hour: Int64
  var entries: [Place: HourEntry]

  /// The samples by start and ordinal.
  var sorted: [(key: Place, value: HourEntry)] {
    entries.sorted { ($0.key.start, $0.key.ordinal) < ($1.key.start, $1.key.ordinal) }
  }

  /// The identity of a sample in its series.
  struct Place: Hashable {
    var start: Int64
    var ordinal: Int
  }
}

extension SQLTransaction {
  /// The samples of a series and hour.
  func seriesHour(_ series: Int64, _ hour: Int64) throws -> SeriesHour {
    var result = SeriesHour(series: series, hour: hour, entries: [:])
    let blocks = try rows(
      "\(BlockRow.select) WHERE series = ? AND hour = ?", [series, hour], read: BlockRow.init)
    for block in blocks {
      for sample in try unpacked(block) {
        result.entries[.init(start: sample.start, ordinal: sample.ordinal)] = HourEntry(
          sample: sample, source: block.source, attributed: block.attributed,
          reason: block.reason)
      }
    }
    return result
  }

  /// Stores the samples of a series and hour in place of those that are stored.
  func replace(_ hour: SeriesHour) throws {
    let at: Arguments = [hour.series, hour.hour]
    try execute(
      "DELETE FROM recent WHERE block IN (SELECT number FROM block WHERE series = ? AND hour = ?)",
      at)
    try execute("DELETE FROM block WHERE series = ? AND hour = ?", at)
    state.unpacked = nil
    guard !hour.entries.isEmpty, let series = try seriesKey(hour.series) else { return }
    guard let quantity = Quantity(rawValue: series.quantity) else {
      throw ColumnError(column: "quantity", content: series.quantity)
    }
    let index = try changeIndex(of: series.device)
    var parts: [BlockKey: [StreamedSample]] = [:]
    for entry in hour.entries.values {
      let whole = entry.sample.whole(of: series, measuring: quantity)
      let effect = ChangeEffect(of: index.isEmpty ? [] : index.changes(of: whole))
      let key = BlockKey(
        series: hour.series, source: entry.source, quantity: series.quantity, hour: hour.hour,
        attributed: entry.attributed, reason: entry.reason,
        patient: effect.owner(attributed: entry.attributed),
        state: effect.state(of: whole, isCorrected: false))
      parts[key, default: []].append(entry.sample)
    }
    for (key, samples) in parts {
      let sorted = samples.sorted { ($0.start, $0.ordinal) < ($1.start, $1.ordinal) }
      for first in stride(from: 0, to: sorted.count, by: Self.mostInBlock) {
        try setSamples(
          of: try makeBlock(key),
          to: Array(sorted[first..<min(first + Self.mostInBlock, sorted.count)]), isPacked: true)
      }
    }
  }

  /// Changes the hours with blocks that were attributed to a patient, or are the patient's.
  func changeHours(
    attributedTo attributed: String? = nil, ownedBy owner: String? = nil,
    _ change: (inout SeriesHour) throws -> Void
  ) throws {
    let hours = try rows(
      "SELECT DISTINCT series, hour FROM block WHERE attributed = ? OR patient = ?",
      [attributed, owner]
    ) { (series: try $0.required("series") as Int64, hour: try $0.required("hour") as Int64) }
    for place in hours {
      var hour = try seriesHour(place.series, place.hour)
      try change(&hour)
      try replace(hour)
    }
  }

  /// The key of a series.
  func seriesKey(_ number: Int64) throws -> SeriesKey? {
    try row("SELECT * FROM series WHERE number = ?", [number]).map { row in
      SeriesKey(
        device: try row.text("device"), quantity: try row.text("quantity"),
        userIndex: try row.required("user_index"))
    }
  }
}

extension StreamedSample {
  /// The sample, as far as changes look at it.
  func whole(of series: SeriesKey, measuring quantity: Quantity) -> Sample {
    let (start, end) = (Date(microseconds: start), Date(microseconds: end))
    let reading = Reading(
      quantity: quantity, value: value,
      arrival: Date(microseconds: arrival),
      interval: start < end ? DateInterval(start: start, end: end) : nil,
      device: DeviceIdentity(address: DeviceID(series.device)),
      userIndex: series.userIndex < 0 ? nil : series.userIndex, ordinal: ordinal,
      isStreamed: true, raw: raw)
    return Sample(identity: SampleIdentity(reading), reading: reading, start: start, end: end)
  }
}
