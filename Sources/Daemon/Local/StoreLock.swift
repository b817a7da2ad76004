import Foundation
import Localization
import PrivateFiles
import Terminal

/// Keeps a second daemon, or page, from a store; it ends with the process at the latest.
final class StoreLock: Sendable {
  private let lock: FileLock

  /// Why a store is not locked.
  enum Failure: Error, Hashable {
    /// Another daemon has it.
    case taken(store: String)
    /// The lock's file cannot be opened, for the system's reason.
    case unusable(path: String, code: Int32)
  }

  /// Locks a store by a file beside it.
  init(store: String) throws(Failure) {
    let path = DaemonSocket.realPath(of: store) + ".lock"
    do throws(FileLock.Failure) {
      lock = try FileLock(path: path)
    } catch {
      switch error {
      case .taken: throw .taken(store: store)
      case .unusable(let code): throw .unusable(path: path, code: code)
      }
    }
  }
}

extension StoreLock.Failure: Localizable, PresentableError {
  var localized: LocalizedText {
    switch self {
    case .taken(let store): LocalizedText("command.store.taken", ["store": "\(store)"])
    case .unusable(let path, let code):
      LocalizedText("command.store.noLock", ["path": "\(path)", "reason": .system(code)])
    }
  }
}
