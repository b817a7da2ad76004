import Care
import Foundation
import Interchange
import Localization
import Terminal

extension [PlanConflict] {
  /// Prints the conflicts, for people or as JSON Lines.
  func print(isJSON: Bool, in timeZone: TimeZone) throws {
    for conflict in self {
      guard !isJSON else {
        try Console.json(ConflictOutput(conflict, in: timeZone))
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
  func print(isJSON: Bool, in timeZone: TimeZone) throws {
    for numbered in self {
      guard !isJSON else {
        try Console.json(
          ConflictOutput(numbered.conflict, occurrence: numbered.occurrence, in: timeZone))
        continue
      }
      Console.out(numbered.conflict.text(occurrence: numbered.occurrence, in: timeZone))
    }
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
      LocalizedText("command.conflict.noVersion", ["version": "\(name)"])
        .followed(by: .verbatim(conflict.lines(in: zone).joined(separator: "\n"))))
  }
}
