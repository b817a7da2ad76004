import Foundation
import SystemBus

/// The file that keeps the bonds of kernel mode.
///
/// Only its owner may read it; it is replaced as a whole, so that a power failure leaves the old
/// one or the new one. Nothing else ever reads or exports it.
struct KeyFile: Hashable, Sendable {
  /// Where it is; its folder has to be there.
  var path: String

  /// Reads the keys; there are none where there is no file yet.
  ///
  /// - Throws: ``KeyFileError`` where the file cannot be read, is open to others, or is not one of
  ///   keys.
  func read() throws(KeyFileError) -> KeyRing {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else {
      if errno == ENOENT { return KeyRing() }
      throw KeyFileError(path, "it cannot be opened: \(reason(errno))")
    }
    defer { close(file) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw KeyFileError(path, "it is no file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw KeyFileError(path, "others than its owner may read it. Make it private: chmod 600")
    }
    let limit = KeyRing.maximumFileLength
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let free = bytes.count - count
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Foundation.read(file, buffer.baseAddress?.advanced(by: count), free)
      }
      if read < 0, errno == EINTR { continue }
      guard read >= 0 else { throw KeyFileError(path, "it cannot be read: \(reason(errno))") }
      if read == 0 { break }
      count += read
    }
    guard count <= limit else {
      throw KeyFileError(path, "it is longer than \(limit) bytes, which no file of keys is")
    }
    guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
      throw KeyFileError(path, "it is no text")
    }
    do throws(KeyTextError) {
      return try KeyRing(text: text)
    } catch {
      throw KeyFileError(path, "line \(error.line): \(error.reason)")
    }
  }

  /// Replaces the file; when this returns, the keys survive a power failure.
  ///
  /// - Throws: ``KeyFileError``; the old file is then as it was.
  func write(_ ring: KeyRing) throws(KeyFileError) {
    let temporary = path + ".new"
    unsafe unlink(temporary)
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw KeyFileError(path, "it cannot be written: \(reason(errno))") }
    do throws(KeyFileError) {
      defer { close(file) }
      try keepOwner(file)
      try write(Array(ring.text.utf8), to: file)
      guard fsync(file) == 0 else {
        throw KeyFileError(path, "it cannot be made durable: \(reason(errno))")
      }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    guard unsafe rename(temporary, path) == 0 else {
      let code = errno
      unsafe unlink(temporary)
      throw KeyFileError(path, "it cannot be replaced: \(reason(code))")
    }
    try makeFolderDurable()
  }

  private func write(_ bytes: [UInt8], to file: CInt) throws(KeyFileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe Foundation.write(file, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw KeyFileError(path, "it cannot be written: \(reason(errno))") }
      rest = rest.dropFirst(count)
    }
  }

  /// Gives the new file to the owner of the old one, or of the folder: a person who pairs with
  /// `sudo` must not take the keys away from the service.
  private func keepOwner(_ file: CInt) throws(KeyFileError) {
    var owner = stat()
    guard unsafe stat(path, &owner) == 0 || stat(folder, &owner) == 0 else {
      throw KeyFileError(path, "its folder cannot be read: \(reason(errno))")
    }
    guard owner.st_uid != geteuid() else { return }
    guard fchown(file, owner.st_uid, owner.st_gid) == 0 else {
      throw KeyFileError(path, "it belongs to another user, and has to stay so: \(reason(errno))")
    }
  }

  private func makeFolderDurable() throws(KeyFileError) {
    let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else {
      throw KeyFileError(path, "its folder cannot be opened: \(reason(errno))")
    }
    defer { close(directory) }
    guard fsync(directory) == 0 else {
      throw KeyFileError(path, "its folder cannot be made durable: \(reason(errno))")
    }
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func reason(_ code: CInt) -> String { SystemError("", code).reason }
}

/// Why the keys of bonded devices cannot be read or kept.
struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  var path: String
  var reason: String

  init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  /// The file and what is wrong with it, in a sentence for people.
  var description: String { "The keys of bonded devices in \(path): \(reason)." }
}
