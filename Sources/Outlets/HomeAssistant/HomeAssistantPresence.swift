package import Foundation

/// The state of a `person` of Home Assistant: whether somebody is at home.
package struct HomeAssistantPresence: Hashable, Sendable {
  package var patient: String
  package var isHome: Bool

  /// The longest name of a zone, in bytes.
  private static let longest = 255

  /// Reads a state; `nil` for one that says nothing.
  ///
  /// Home Assistant says `home`, `not_home`, or the name of another zone.
  package init?(_ payload: Data, of patient: String) {
    let state = String(decoding: payload, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard !state.isEmpty, payload.count <= Self.longest,
      !["unknown", "unavailable", "None"].contains(state)
    else { return nil }
    (self.patient, isHome) = (patient, state == "home")
  }
}
