import Care
import Foundation
import Localization

/// The readings of some days that wait until somebody says whose they are.
///
/// No chart, mean, trend or finding has them, so every page that shows one says how many there are.
struct WaitingReadings {
  /// How many wait of each quantity of which some do.
  private let counts: [(quantity: Quantity, count: Int)]

  /// Counts those of one quantity, or of all that say something by themselves.
  ///
  /// - Throws: ``StoreError``.
  init(_ reader: any StoreReader, on days: DayGrid, of quantity: Quantity? = nil) throws {
    counts = try reader.quantities(of: .unassigned).filter { candidate in
      quantity.map { candidate == $0 } ?? candidate.saysSomething
    }.compactMap { quantity in
      let query = SampleQuery(
        owner: .unassigned, quantity: quantity, from: days.start,
        to: Date(microseconds: days.end.microseconds - 1))
      let count = try reader.sampleCount(query)
      return count > 0 ? (quantity, count) : nil
    }
  }

  /// `2 wait`; `nil` if none of the quantity does.
  func tag(of quantity: Quantity, in words: Language) -> String? {
    counts.first { $0.quantity == quantity }.map { words.text("tracks.waiting", count: $0.count) }
  }

  /// The sentence that names them; `nil` if there are none.
  func sentence(in words: Language) -> String? {
    guard !counts.isEmpty else { return nil }
    return words.text(
      "insights.waiting",
      [
        "readings": words.list(
          counts.map { quantity, count in
            words.text(
              "insights.waitingOf", ["quantity": words.title(of: quantity), "count": String(count)])
          })
      ])
  }
}

extension Quantity {
  /// Whether it says something by itself: an impedance is of use in other computations, and the
  /// intervals of beats are the heart rate.
  var saysSomething: Bool { isPersonal && ![.impedance, .rrInterval].contains(self) }
}
