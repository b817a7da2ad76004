/// Something about the radio itself that a person may have to know.
package struct RadioNotice: Hashable, Sendable, CustomStringConvertible {
  /// How much it matters.
  package enum Severity: Hashable, Sendable, Comparable {
    /// All is well, or well again.
    case info
    /// Something does not work for now.
    case warning
  }

  package var severity: Severity
  /// What happened, to what, why, and what to do, for people.
  package var text: String

  package init(_ severity: Severity, _ text: String) {
    self.severity = severity
    self.text = text
  }

  package var description: String { text }
}
