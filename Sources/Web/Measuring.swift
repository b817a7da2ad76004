import Access
package import Assessments
package import Care

/// The sessions in which people measure, for the page and the interface.
package struct Measuring: Sendable {
  /// Begins the session of an event, or returns the one there is; it starts soon if so asked.
  package var open: @Sendable (Event, Bool, any StoreReader) throws -> MeasuringStatus
  /// Returns the status of a session; `nil` if there is none of that id.
  package var status: @Sendable (String) -> MeasuringStatus?
  /// Returns the status of the latest session of an event; `nil` if there is none.
  package var statusOfEvent: @Sendable (String) -> MeasuringStatus?
  /// Every session, oldest first.
  package var all: @Sendable () -> [MeasuringStatus]
  /// Performs a person's action on a session.
  package var perform: @Sendable (MeasuringAction, String) throws -> MeasuringStatus
  /// Stores a session's result.
  package var keep: @Sendable (String) async throws -> MeasuringStatus

  /// Makes a set of functions.
  package init(
    open: @escaping @Sendable (Event, Bool, any StoreReader) throws -> MeasuringStatus,
    status: @escaping @Sendable (String) -> MeasuringStatus?,
    statusOfEvent: @escaping @Sendable (String) -> MeasuringStatus?,
    all: @escaping @Sendable () -> [MeasuringStatus],
    perform: @escaping @Sendable (MeasuringAction, String) throws -> MeasuringStatus,
    keep: @escaping @Sendable (String) async throws -> MeasuringStatus
  ) {
    self.open = open
    self.status = status
    self.statusOfEvent = statusOfEvent
    self.all = all
    self.perform = perform
    self.keep = keep
  }
}

extension WebEnvironment {
  /// The sessions.
  ///
  /// - Throws: ``Fault`` without a radio.
  var sessions: Measuring {
    get throws(Fault) {
      guard let measuring else {
        throw Fault(
          .refused,
          "No sensor can be read here: this page is served without a radio. Ask the daemon's page.")
      }
      return measuring
    }
  }
}

extension WebContext {
  /// The session of an id, for what needs a permission.
  ///
  /// - Throws: ``Fault`` as for an unknown session if the sender may not read of its patient.
  func session(
    _ id: String, _ measuring: Measuring, for permission: Permission
  ) throws -> MeasuringStatus {
    guard let status = measuring.status(id), grant.permits(.read, on: .patient(status.patient))
    else { throw Fault(.unknown, "There is no session ‘\(id)’; it may be over.") }
    try demand(permission, on: .patient(status.patient))
    return status
  }
}
