import Access
package import Care
package import Foundation
package import Outlets

/// Notes what Home Assistant says of who is at home, from now on, where that is something new.
package struct SayHomeAssistantPresence: Action {
  package var presence: HomeAssistantPresence

  /// Makes the action.
  package init(_ presence: HomeAssistantPresence) { self.presence = presence }

  /// - Returns: The effect on the owners of the weighings from now on; `nil` if it was known.
  /// - Throws: As ``SayPresence``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> WeighingReview.Outcome? {
    let last = try writer.presences(since: now).last { $0.patient == presence.patient }
    // After every start the broker says it again.
    if let last, last.isHome == presence.isHome, last.contains(now), last.to == nil {
      try performer.demand(.answer, on: .patient(presence.patient))
      return nil
    }
    return try SayPresence(
      Presence(patient: presence.patient, isHome: presence.isHome, from: now, to: nil)
    ).perform(in: writer, by: performer, now: now)
  }
}
