import Foundation
import Radio
import SystemBus

/// A file that only its owner may read, and that is replaced as a whole: a power failure leaves the
/// old file or the new one.
struct PrivateFile: Sendable {
  /// Its path; the folder has to exist.
  var path: String
  /// Waits until an open file or folder is on the disk; returns 0, or -1 with `errno` set.
  ///
  /// A value, so that a test sees the order of the steps.
  var synchronize: @Sendable (_ file: CInt) -> CInt = { fsync($0) }

  /// The text; `nil` if there is no file yet.
  ///
  /// - Throws: ``BondFileError`` if the file cannot be read, is accessible to other users, or is no
  ///   text of at most `limit` bytes.
  func text(atMost limit: Int) throws(BondFileError) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw BondFileError(path, "it cannot be opened: \(reason(errno))")
    }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw BondFileError(path, "it is no file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw BondFileError(path, "others than its owner may read it")
    }
    var bytes = [UInt8](repeating: 0, count: min(limit, Int(status.st_size)) + 1)
    var count = 0
    while count < bytes.count {
      let free = bytes.count - count
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Foundation.read(file, buffer.baseAddress?.advanced(by: count), free)
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw BondFileError(path, "it cannot be read: \(reason(errno))") }
      if read == 0 { break }
      count += read
    }
    guard count <= limit else {
      throw BondFileError(path, "it is longer than \(limit) bytes, which no such file is")
    }
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw BondFileError(path, "it is no text")
    }
    return text
  }

  /// Replaces the file; when this returns, the text survives a power failure.
  ///
  /// - Throws: ``BondFileError``; the old file is then unchanged.
  func replace(with text: String) throws(BondFileError) {
    let temporary = path + ".new"
    unsafe unlink(temporary)
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw BondFileError(path, "it cannot be written: \(reason(errno))", isWriteFailure: true)
    }
    do throws(BondFileError) {
      defer { close(file) }
      try keepOwner(file)
      try write(Array(text.utf8), to: file)
      guard synchronize(file) == 0 else {
        throw BondFileError(
          path, "it cannot be made durable: \(reason(errno))", isWriteFailure: true)
      }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    guard unsafe rename(temporary, path) == 0 else {
      let code = errno
      unsafe unlink(temporary)
      throw BondFileError(path, "it cannot be replaced: \(reason(code))", isWriteFailure: true)
    }
    try makeFolderDurable()
  }

  private func write(_ bytes: [UInt8], to file: CInt) throws(BondFileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe Foundation.write(file, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw BondFileError(path, "it cannot be written: \(reason(errno))", isWriteFailure: true)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Gives the new file the owner of the old one, or that of the folder if root writes the first
  /// one: pairing with `sudo` must not make the keys unreadable for the service.
  private func keepOwner(_ file: CInt) throws(BondFileError) {
    var owner = stat()
    if unsafe stat(path, &owner) != 0 {
      // A folder that others may write into, as /tmp, is no reason to refuse.
      guard geteuid() == 0 else { return }
      guard unsafe stat(folder, &owner) == 0 else {
        throw BondFileError(
          path, "its folder cannot be read: \(reason(errno))", isWriteFailure: true)
      }
    }
    guard owner.st_uid != geteuid() else { return }
    guard fchown(file, owner.st_uid, owner.st_gid) == 0 else {
      throw BondFileError(
        path, "it belongs to another user, and has to stay so: \(reason(errno))",
        isWriteFailure: true)
    }
  }

  private func makeFolderDurable() throws(BondFileError) {
    let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else {
      throw BondFileError(
        path, "its folder cannot be opened: \(reason(errno))", isWriteFailure: true)
    }
    defer { close(directory) }
    guard synchronize(directory) == 0 else {
      throw BondFileError(
        path, "its folder cannot be made durable: \(reason(errno))", isWriteFailure: true)
    }
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func reason(_ code: CInt) -> String { SystemError("", code).reason }
}
