import Care
import Digests
import Foundation

@testable import CareStore
@testable import Exchange

/// A store with a row of every kind that travels, all of one person.
enum Household {
  static let start = Town.start

  /// Fills a store; `picture` has several parts.
  static func fill(
    _ store: SQLStore, of person: String = "p0",
    picture: [UInt8] = [UInt8](repeating: 7, count: 600)
  ) async throws {
    let digest = SHA256.digest(of: picture).hexString
    guard let attachment = Attachment(type: .png, byteCount: picture.count, sha256: digest) else {
      return
    }
    let day = start - start.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
    try await store.write { writer in
      _ = try writer.put(Patient(id: person, name: PersonName(given: "Ann")), now: start)
      let task = try writer.put(
        PlannedTask(
          id: "walk", patient: person, kind: .task, title: "Walk",
          schedule: try .daily(hour: 12, start: day, end: nil, timeZone: .gmt),
          survey: [try SurveyQuestion(kind: "picture", type: .photo)]), now: start)
      try writer.store(attachment) { part throws(StoreError) in
        let first = part * Attachment.partLength
        return Array(picture[first..<min(first + Attachment.partLength, picture.count)])
      }
      let event = EventReference(taskUUID: task.uuid, occurrence: 0)
      _ = try writer.setOutcome(
        [
          OutcomeValue(
            value: .attachment(attachment), kind: "picture", time: day + 46_800, provenance: .manual
          )
        ], of: event, now: day + 46_800)
      _ = try writer.put(Note(id: "note", patient: person, content: "first"), now: start)
      _ = try writer.put(Note(id: "note", patient: person, content: "second"), now: start + 1)
      _ = try writer.record(
        Firing(
          Firing.Key(.reminder, EventKey(patient: person, task: "walk", start: day + 43_200)),
          due: day + 43_200, date: day + 43_200), making: nil, now: day + 43_200)
      let weight = Sample.weight(3, of: person, at: start)
      _ = try writer.insert(weight)
      _ = try writer.change(.sample(weight.identity), .delete, reason: "shoes", now: start + 3)
      _ = try writer.change(.sample(weight.identity), .restore, reason: nil, now: start + 4)
      _ = try writer.insert(.weight(4, of: nil, at: start + 60))
      for second in 0..<5 {
        _ = try writer.insert(.beat(60, of: person, at: start + Double(second)))
      }
    }
    try await store.writing { try $0.packOpenBlocks(before: .max) }
  }

  /// The rows of a store that travel, by name.
  static func rows(_ store: SQLStore) async throws -> [RowName: TravellingRow] {
    try await store.exchanging { exchange in
      var rows: [RowName: TravellingRow] = [:]
      for stream in RowStream.allCases {
        _ = try exchange.travelling(stream, after: 0, for: .all) { row in
          rows[row.name] = row
          return true
        }
      }
      return rows
    }
  }
}
