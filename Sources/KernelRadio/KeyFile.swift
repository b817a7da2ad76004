import Foundation
import PrivateFiles
import Radio
import SystemBus

/// The file of the bonds of kernel mode.
///
/// No other code reads or exports it.
struct KeyFile: Sendable {
  private var file: PrivateFile

  /// Makes the file at `path`; the folder has to exist.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - synchronize: Waits until an open file or folder is on the disk; returns 0, or -1 with
  ///     `errno` set.
  init(
    path: String, synchronize: @escaping @Sendable (_ file: CInt) -> CInt = { fsync($0) }
  ) {
    file = PrivateFile(path: path)
    file.calls.synchronize = synchronize
  }

  /// Its path.
  var path: String { file.path }

  /// Reads the keys; empty if there is no file yet.
  ///
  /// - Throws: ``BondFileError`` if the file cannot be read, is accessible to other users, or is
  ///   not a file of keys.
  func read() throws(BondFileError) -> KeyRing {
    let bytes: [UInt8]?
    do throws(PrivateFileError) {
      bytes = try file.read(limit: KeyRing.maximumFileLength)
    } catch {
      throw BondFileError(error)
    }
    guard let bytes else { return KeyRing() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw BondFileError(path, "it is no text")
    }
    do throws(KeyTextError) {
      return try KeyRing(text: text)
    } catch {
      throw BondFileError(path, "line \(error.line): \(error.reason)")
    }
  }

  /// Replaces the file; when this returns, the keys survive a power failure.
  ///
  /// - Throws: ``BondFileError``; the file then has the old keys, or the new ones until a power
  ///   failure.
  func write(_ ring: KeyRing) throws(BondFileError) {
    do throws(PrivateFileError) {
      try file.replace(with: Array(ring.text.utf8))
    } catch {
      throw BondFileError(error)
    }
  }
}

extension BondFileError {
  init(_ error: PrivateFileError) {
    func reason(_ code: Int32) -> String { SystemError("", code).reason }
    let (path, cause) = (error.path, error.cause)
    switch cause {
    case .unreadable(let code): self.init(path, "it cannot be read: \(reason(code))")
    case .notAFile: self.init(path, "it is no file")
    case .openToOthers: self.init(path, "others than its owner may read or write it")
    case .foreign: self.init(path, "it belongs to another user than this program's")
    case .tooLong(let limit):
      self.init(path, "it is longer than \(limit) bytes, which no such file is")
    case .unwritable(let code):
      self.init(path, "it cannot be written: \(reason(code))", isWriteFailure: true)
    case .notDurable(let code):
      self.init(path, "it cannot be made durable: \(reason(code))", isWriteFailure: true)
    }
  }
}

extension FileLock {
  /// Excludes a second process that uses the kernel's Bluetooth with these keys: two would overwrite
  /// each other's loaded keys.
  ///
  /// - Parameter path: A separate file beside the keys; created if missing.
  /// - Throws: ``RadioError`` if another process holds it, or the file cannot be created.
  init(besideKeys path: String) throws(RadioError) {
    do throws(Failure) {
      try self.init(path: path)
    } catch {
      switch error {
      case .taken: throw .locked(path: path)
      case .unusable(let code): throw .lockFailed(path: path, code: code)
      }
    }
  }
}
