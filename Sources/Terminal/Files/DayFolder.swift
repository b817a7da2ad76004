import Care
import CareStore
import Foundation
import Glibc
import Outlets
import PrivateFiles

/// A folder with a file for each day of each person.
struct DayFolder: Sendable {
  let path: String
  let files: DayFiles

  /// Writes the files of a person's day as the store has it now; a day without anything has none.
  func write(_ patient: String, on date: Date, from store: SQLStore?) async -> DeliveryResult {
    guard let store else { return .later(.folder(path, detail: "the store"), after: nil) }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = files.zone
    guard let day = calendar.dateInterval(of: .day, for: date) else { return .delivered }
    let written: [DayFile]
    do {
      written = try await store.read { [files] in try files.content(patient, day, in: $0).files }
    } catch {
      return .later(.folder(path, detail: "\(error)"), after: nil)
    }
    let name = String(day.start.rfc3339(in: files.zone).prefix(10))
    let folder = path + "/" + Self.name(of: patient)
    do throws(Failure) {
      for file in written {
        let bytes = file.isEmpty ? nil : file.bytes
        try replace(folder + "/" + name + file.end, in: folder, with: bytes)
      }
      return .delivered
    } catch {
      return result(error)
    }
  }

  /// Writes a file and removes it.
  func probe() -> DeliveryResult {
    do throws(Failure) {
      try replace(path + "/.measured", in: path, with: [])
      try replace(path + "/.measured", in: path, with: nil)
      return .delivered
    } catch {
      return result(error)
    }
  }

  /// The folder of a person: the id, as far as a name may have its characters.
  static func name(of patient: String) -> String {
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
    return patient.utf8.map { byte in
      plain.contains(byte)
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  // MARK: Files

  /// A call of the system that failed.
  private struct Failure: Error {
    var code: CInt
  }

  private func result(_ failure: Failure) -> DeliveryResult {
    let detail = unsafe String(cString: strerror(failure.code))
    let isFull = [ENOSPC, EDQUOT].contains(failure.code)
    return .later(isFull ? .full(detail: detail) : .folder(path, detail: detail), after: nil)
  }

  /// Puts a file in place of the one of that name, as a whole; `nil` removes it.
  private func replace(
    _ file: String, in folder: String, with bytes: [UInt8]?
  ) throws(Failure) {
    guard let bytes else {
      guard unsafe unlink(file) == 0 || errno == ENOENT || errno == ENOTDIR else {
        throw Failure(code: errno)
      }
      return
    }
    try Self.make(folder)
    let draft = file + ".new"
    unsafe unlink(draft)
    let mode = mode_t(FileAudience(ofFilesIn: folder).mode)
    let handle = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard handle >= 0 else { throw Failure(code: errno) }
    do throws(Failure) {
      defer { close(handle) }
      // The mask of the process must not keep a group from its files.
      _ = fchmod(handle, mode)
      try Self.write(bytes, to: handle)
      guard fsync(handle) == 0 else { throw Failure(code: errno) }
    } catch {
      unsafe unlink(draft)
      throw error
    }
    guard unsafe rename(draft, file) == 0 else {
      let code = errno
      unsafe unlink(draft)
      throw Failure(code: code)
    }
  }

  private static func write(_ bytes: [UInt8], to file: CInt) throws(Failure) {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Foundation.write(file, buffer.baseAddress?.advanced(by: start), bytes.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(code: count < 0 ? errno : EIO) }
      start += count
    }
  }

  /// Makes a folder and those above it, whose group, if they are shared, is also its own.
  private static func make(_ folder: String) throws(Failure) {
    let above = (folder as NSString).deletingLastPathComponent
    var code = create(folder)
    if code == ENOENT, above != folder, !above.isEmpty {
      try make(above)
      code = create(folder)
    }
    switch code {
    case 0: _ = unsafe chmod(folder, FileAudience(ofFilesIn: above) == .group ? 0o2770 : 0o700)
    case EEXIST: return
    default: throw Failure(code: code)
    }
  }

  /// Makes a folder in one that is there; 0 or the error.
  private static func create(_ folder: String) -> CInt {
    unsafe mkdir(folder, 0o2770) == 0 ? 0 : errno
  }
}
