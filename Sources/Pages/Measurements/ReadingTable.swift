package import Care
package import Foundation
import Localization

/// The readings of a person, or of everybody, as the lines of a table: all of them, or none.
package struct ReadingTable: Sendable {
  private let query: SampleQuery

  /// The most readings of a table.
  package static let most = 60_000
  /// How many samples are in memory at a time.
  private static let part = 4000

  /// Makes a table.
  ///
  /// - Parameters:
  ///   - patient: Whose readings; everybody's for `nil`.
  ///   - quantity: The quantity; any for `nil`.
  ///   - from: The beginning; that of time for `nil`.
  ///   - to: The end, exclusive; that of time for `nil`.
  package init(patient: String?, quantity: Quantity? = nil, from: Date? = nil, to: Date? = nil) {
    query = SampleQuery(
      owner: patient.map { .patient($0) } ?? .anyone, quantity: quantity, from: from, to: to)
  }

  /// How many readings it has, about: those that begin before its span count, too.
  package func count(in reader: any StoreReader) throws -> Int { try reader.sampleCount(query) }

  /// Calls `body` with the readings, oldest first, some at a time.
  ///
  /// The span is halved until a half can be held: counting costs next to nothing.
  package func forEach(
    in reader: any StoreReader, _ body: ([Sample]) throws -> Void
  ) throws {
    let span = query.from?.microseconds ?? .min
    let end = query.to?.microseconds ?? .max
    var left = [max(span, Self.times.lowerBound)..<max(span, min(end, Self.times.upperBound))]
    while let span = left.popLast() {
      guard !span.isEmpty else { continue }
      var half = query
      (half.from, half.to) = (
        Date(microseconds: span.lowerBound), Date(microseconds: span.upperBound - 1)
      )
      let count = try reader.sampleCount(half)
      if count == 0 { continue }
      let middle = span.lowerBound + (span.upperBound - span.lowerBound) / 2
      if count > Self.part, middle > span.lowerBound {
        left += [middle..<span.upperBound, span.lowerBound..<middle]
        continue
      }
      let samples = try reader.samples(half).filter { span.contains($0.start.microseconds) }
      if !samples.isEmpty { try body(samples) }
    }
  }

  /// The years 1 to 9999, in which samples are.
  private static let times = Int64(-62_135_596_800_000_000)..<Int64(253_402_300_800_000_000)

  /// The table's address; `nil` for one that has nothing, or too much.
  static func address(
    of patient: String, _ quantity: Quantity? = nil, from: Date? = nil, in reader: any StoreReader
  ) throws -> String? {
    let table = ReadingTable(patient: patient, quantity: quantity, from: from)
    guard try (1...most).contains(table.count(in: reader)) else { return nil }
    return LocalAddress(
      "measurements.csv",
      items: [
        ("patient", patient), ("quantity", quantity?.rawValue),
        ("from", from.map { $0.rfc3339(in: .gmt) }),
      ]
    ).description
  }
}
