import Care
import GRDB

extension StoreError {
  /// What to say of any error that came up in the store at a path, or of that name.
  init(_ error: any Error, in place: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as ScheduleError: self = .refused("This cannot be done: \(error).")
    case let error as SystemFailure:
      self = .failed("The store ‘\(place)’ cannot be used: \(error.reason).")
    case let error as DatabaseError:
      self = .failed("The store ‘\(place)’ \(Self.reason(error)).")
    default:
      self = .failed("The store ‘\(place)’ holds what this program cannot read: \(error).")
    }
  }

  private static func reason(_ error: DatabaseError) -> String {
    switch error.resultCode {
    case .SQLITE_FULL:
      "is on a full disk; nothing of this change was written, what was stored is safe. "
        + "Free some space"
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      "is in use by another program, which did not let go in time; try again"
    case .SQLITE_READONLY, .SQLITE_PERM:
      "cannot be written; check who owns it, and who is asking"
    case .SQLITE_CANTOPEN:
      "cannot be opened; check that its directory exists and may be written"
    case .SQLITE_MISUSE: "is closed; open it again"
    case .SQLITE_NOTADB, .SQLITE_CORRUPT:
      "is damaged (\(error.message ?? "no details")); restore it from a backup"
    case .SQLITE_IOERR:
      "cannot be reached: the disk reports an error (\(error.message ?? "no details")). "
        + "Check the disk"
    default:
      "refused a statement: \(error.message ?? "code \(error.resultCode.rawValue)")"
    }
  }
}
