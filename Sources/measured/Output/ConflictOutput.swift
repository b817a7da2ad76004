import Care
import Foundation

extension [PlanConflict] {
  /// Prints the conflicts, for people or as JSON Lines.
  func print(isJSON: Bool, in timeZone: TimeZone) {
    for conflict in self {
      guard !isJSON else {
        Console.json(ConflictOutput(conflict, in: timeZone))
        continue
      }
      conflict.lines(in: timeZone).forEach(Console.out)
    }
  }
}

/// An event that several stores answered independently, with its occurrence.
struct NumberedConflict: Sendable {
  var conflict: OutcomeConflict
  /// `nil` if the task has no such event any longer.
  var occurrence: Int?

  var event: EventKey { conflict.event }
}

extension StoreReader {
  /// The events that several stores answered independently and differently.
  func numberedConflicts() throws -> [NumberedConflict] {
    let conflicts = try outcomeConflicts()
    guard !conflicts.isEmpty else { return [] }
    let histories = try histories(patient: nil)
    return conflicts.map { conflict in
      let key = conflict.event
      let task = TaskReference(patient: key.patient, task: key.task)
      let event = histories.first { $0.reference == task }?
        .event(startingAt: key.start, ordinal: key.ordinal)
      return NumberedConflict(conflict: conflict, occurrence: event?.occurrence.index)
    }
  }
}

extension [NumberedConflict] {
  /// Prints the conflicts, for people or as JSON Lines.
  func print(isJSON: Bool, in timeZone: TimeZone) {
    for numbered in self {
      guard !isJSON else {
        Console.json(ConflictOutput(numbered, in: timeZone))
        continue
      }
      Console.out(numbered.conflict.text(occurrence: numbered.occurrence, in: timeZone))
    }
  }
}

/// A conflict as JSON.
struct ConflictOutput: Encodable {
  /// The kind of thing, or `outcome`.
  var kind: String
  /// The thing's id; of an outcome the task's.
  var id: String
  var patient: String
  /// When the event of an outcome starts.
  var start: String?
  /// The occurrence of an outcome's event.
  var occurrence: Int?
  var shown: String
  var others: [String]
  /// All of them, the shown one first; `nil` for outcomes.
  var versions: [Version]?

  /// One of the versions.
  struct Version: Encodable {
    var version: String
    var title: String?
    var created: String
    var effective: String
    /// `plan` or `person`.
    var author: String
    /// Whether it was made in this store.
    var isHere: Bool
    var ended: Bool?
    var deleted: Bool?
    /// The keys in which it differs from the shown one.
    var differences: [String]

    private enum CodingKeys: String, CodingKey {
      case version, title, created, effective, author, ended, deleted, differences
      case isHere = "here"
    }
  }

  init(_ conflict: PlanConflict, in timeZone: TimeZone) {
    kind = conflict.thing.kind.rawValue
    id = conflict.thing.id
    patient = conflict.thing.patient
    shown = conflict.shown.uuidString
    others = conflict.others.map(\.uuidString)
    versions = conflict.versions.map { version in
      Version(
        version: version.id.uuidString, title: version.title,
        created: version.createdDate.rfc3339(in: timeZone),
        effective: version.effectiveDate.rfc3339(in: timeZone),
        author: version.isImported ? "plan" : "person", isHere: version.isOwn,
        ended: version.isEnded ? true : nil, deleted: version.isDeleted ? true : nil,
        differences: version.differences)
    }
  }

  init(_ numbered: NumberedConflict, in timeZone: TimeZone) {
    let conflict = numbered.conflict
    kind = "outcome"
    occurrence = numbered.occurrence
    id = conflict.event.task
    patient = conflict.event.patient
    start = conflict.event.start.rfc3339(in: timeZone)
    shown = conflict.shown.uuidString
    others = conflict.others.map(\.uuidString)
  }
}

extension StoreReader {
  /// The version of a conflict that a person names: by its number in the list, from 1, or its id.
  ///
  /// - Throws: `StoreError.refused(_:)` if there is no such conflict, and ``CommandFailure`` with the
  ///   list if it has no such version.
  func version(named name: String?, of thing: ThingReference) throws -> UUID? {
    guard let name else { return nil }
    guard let conflict = try conflicts().first(where: { $0.thing == thing }) else {
      throw StoreError.refused(.noConflict(thing))
    }
    let versions = conflict.versions
    if let number = Int(name), versions.indices.contains(number - 1) {
      return versions[number - 1].id
    }
    if let found = versions.first(where: { $0.id.uuidString == name.uppercased() }) {
      return found.id
    }
    let zone = try zone()
    throw CommandFailure(
      .unknown,
      "There is no version ‘\(name)’ to settle. "
        + conflict.lines(in: zone).joined(separator: "\n"))
  }
}
