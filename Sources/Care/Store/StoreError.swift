/// Why a store did not do what it was asked.
///
/// The text of each case is for people: what happened, to what, why, and what to do now.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A rule forbids it; nothing changed.
  case refused(String)
  /// There is no such task, patient, event or sample.
  case unknown(String)
  /// The store was written by a newer version of this program; it was not touched.
  case newerSchema(String)
  /// The file cannot be read or written, or holds what it should not.
  case failed(String)

  /// The reason.
  public var description: String {
    switch self {
    case .refused(let reason), .unknown(let reason), .newerSchema(let reason),
      .failed(let reason):
      reason
    }
  }
}
