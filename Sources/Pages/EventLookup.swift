package import Care
package import Foundation

extension EventReference {
  /// Reads an event's id, `<version uuid>_<occurrence>`; `nil` for anything else.
  package init?(id: String) {
    let parts = id.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, let uuid = UUID(uuidString: String(parts[0])),
      let occurrence = Int(parts[1]), occurrence >= 0
    else { return nil }
    self.init(taskUUID: uuid, occurrence: occurrence)
  }
}

extension StoreReader {
  /// The event of an id, `<version uuid>_<occurrence>`, with its outcome; `nil` if there is none.
  package func event(id: String, now: Date? = nil) throws -> Event? {
    guard let reference = EventReference(id: id) else { return nil }
    for history in try histories(patient: nil) {
      guard let event = history.event(reference) else { continue }
      return try self.event(event.key, now: now) ?? event
    }
    return nil
  }
}
