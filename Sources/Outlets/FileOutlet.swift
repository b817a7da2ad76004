import Care
package import Foundation

/// A file for each day of a person, in a folder, or noted for a mail.
///
/// A change of a day writes its file anew as the store has it then, so that a value that comes twice, a
/// correction and an erasure need nothing of their own, and a file that was lost is there again.
package struct FileOutlet: DataOutlet {
  package let isNote: Bool
  private let zone: TimeZone
  private let write: @Sendable (_ patient: String, _ date: Date) async -> DeliveryResult
  private let probe: @Sendable () async -> DeliveryResult

  /// Makes an outlet.
  ///
  /// - Parameters:
  ///   - zone: The zone of the days.
  ///   - isNote: Whether it only notes which days are to go.
  ///   - write: Writes the file of a person's day anew, or removes it where the day has nothing.
  ///   - probe: Writes nothing that stays, to find out whether it could.
  package init(
    in zone: TimeZone, isNote: Bool = false,
    write: @escaping @Sendable (_ patient: String, _ date: Date) async -> DeliveryResult,
    probe: @escaping @Sendable () async -> DeliveryResult
  ) {
    (self.zone, self.isNote, self.write, self.probe) = (zone, isNote, write, probe)
  }

  package var takesHoursWhole: Bool { true }

  package func send(_ batch: [OutletPiece]) async -> OutletAnswer {
    struct Day: Hashable {
      var patient: String
      var day: String
    }
    var written: Set<Day> = []
    for piece in batch {
      let (patient, date) =
        switch piece.change {
        case .put(let item, _, _): (item.patient, item.start)
        case .remove(let item): (item.patient, item.start)
        }
      let day = String(date.rfc3339(in: zone).prefix(10))
      guard written.insert(Day(patient: patient, day: day)).inserted else { continue }
      let result = await write(patient, date)
      // A folder refuses nothing that it would take in another file.
      guard result == .delivered else { return OutletAnswer(result.ofNoItem) }
    }
    return OutletAnswer(.delivered)
  }

  package func test() async -> DeliveryResult { await probe() }
}
