/// One line of `measured doctor`.
struct DoctorFinding: Hashable {
  /// How bad it is.
  enum Verdict: String, Encodable {
    case good
    /// It works, with a drawback.
    case warning
    /// Measuring does not work like this.
    case problem
  }

  var subject: String
  var verdict: Verdict
  /// What was found.
  var finding: String
  /// What to do about it; `nil` where there is nothing to do.
  var advice: String?
}
