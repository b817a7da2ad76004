package import Access
package import Care
package import Foundation

/// One thing that a person, a program or a rule can do: its values, who may, its rule and what
/// follows from it, in the transaction of `writer`.
///
/// Command line, page, interface and rules perform the same actions; none of them writes to the
/// store by itself.
package protocol Action<Result>: Sendable {
  /// The result, for the caller.
  associatedtype Result: Sendable

  /// Performs the action.
  ///
  /// - Parameters:
  ///   - writer: The store, in one transaction.
  ///   - performer: Who performs it.
  ///   - now: The current time.
  /// - Returns: The result.
  /// - Throws: ``AccessDenied``, ``EntryRefusal``, `StoreError`; nothing is then changed.
  func perform(in writer: any StoreWriter, by performer: Performer, now: Date) throws -> Result
}

/// Who performs an action, as far as it matters to the action: what they may do.
package struct Performer: Sendable {
  /// The performer's permissions, and the patients that they are for.
  package var grant: Grant
  /// Takes note of a patient whom the action concerns, for the audit log.
  package var note: @Sendable (String) -> Void

  /// Makes a performer.
  package init(grant: Grant, note: @escaping @Sendable (String) -> Void = { _ in }) {
    self.grant = grant
    self.note = note
  }

  /// Who has the store's file in their hands: the command line, and the box's own rules.
  package static let owner = Performer(grant: .everything)

  /// Demands a permission.
  ///
  /// - Throws: ``AccessDenied``.
  package func demand(_ permission: Permission, on target: Target) throws(AccessDenied) {
    if case .patient(let patient) = target { note(patient) }
    guard grant.permits(permission, on: target) else { throw AccessDenied() }
  }
}

/// The performer may not do this.
package struct AccessDenied: Error, Hashable {
  /// Makes the refusal.
  package init() {}
}
