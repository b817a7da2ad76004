package import Foundation
package import PrivateFiles

/// Who saw and changed what, as JSON Lines.
///
/// Changes have a file, reads and refusals another one, so that these, which a stranger can cause
/// in any number, displace no change. Each is bounded by rotation. A change is on the disk when
/// ``append(_:)`` returns; a read or a refusal may be lost in a power failure. An entry has no room
/// for values, and an id leaves out text that looks like a token or a session's secret.
package actor AuditLog {
  /// The sizes of the files.
  package struct Limits: Hashable, Sendable {
    /// Bytes of a file before it is rotated.
    package let fileSize: Int
    /// Files of each kind, the current one included.
    package let fileCount: Int

    /// Makes limits.
    package init(fileSize: Int, fileCount: Int) {
      self.fileSize = max(4096, fileSize)
      self.fileCount = max(1, fileCount)
    }

    /// 16 MiB together; some 40 000 changes and as many reads.
    package static let standard = Limits(fileSize: 2 << 20, fileCount: 4)
  }

  private var changes: AuditFile
  private var reads: AuditFile
  /// When a read or a refusal was last written; repeated ones within ``repetition`` are one entry.
  private var recent: [AuditEntry: Date] = [:]

  /// Seconds in which the same read or refusal of the same sender is written once: an open page
  /// asks again and again.
  package static let repetition: TimeInterval = 60
  /// Reads and refusals that are remembered; at more, all are forgotten, and written again.
  private static let maximumRecent = 1024

  /// Opens the files `PATH` and `PATH.reads`, which are made if missing, and repairs torn last
  /// lines.
  ///
  /// - Throws: ``PrivateFileError``, as for a file that others may read.
  package init(path: String, limits: Limits = .standard) throws(PrivateFileError) {
    try self.init(file: PrivateFile(path: path), limits: limits)
  }

  init(file: PrivateFile, limits: Limits) throws(PrivateFileError) {
    changes = try AuditFile(file, limits: limits)
    reads = try AuditFile(
      PrivateFile(path: file.path + ".reads", calls: file.calls), limits: limits)
  }

  /// Adds an entry.
  ///
  /// - Throws: ``PrivateFileError`` if it cannot be written; the files have whole lines
  ///   nevertheless.
  package func append(_ entry: AuditEntry) throws(PrivateFileError) {
    guard !entry.isChange else { return try changes.append(entry, isDurable: true) }
    var key = entry
    key.time = .distantPast
    if let last = recent[key] {
      let passed = entry.time.timeIntervalSince(last)
      // After a clock was set back, a read is written again.
      if passed >= 0, passed < Self.repetition { return }
    }
    try reads.append(entry, isDurable: false)
    if recent.count >= Self.maximumRecent { recent = [:] }
    recent[key] = entry.time
  }

  /// The last changes, the oldest first.
  ///
  /// - Complexity: Reads the files, at most ``Limits/fileSize`` × ``Limits/fileCount`` bytes.
  package func lastChanges(_ count: Int) throws(PrivateFileError) -> [AuditEntry] {
    try changes.last(count)
  }

  /// The last reads and refusals, the oldest first; complexity as in ``lastChanges(_:)``.
  package func lastReads(_ count: Int) throws(PrivateFileError) -> [AuditEntry] {
    try reads.last(count)
  }
}

/// One line of the audit log.
package struct AuditEntry: Hashable, Sendable, Codable {
  /// Kinds of actions.
  package enum Action: String, Hashable, Sendable, Codable, CaseIterable {
    case read, export
    case create, change, delete, restore, answer, undo, assign, `import`
    case signIn, signOut, claim
  }

  /// Kinds of objects of an action.
  package enum Object: String, Hashable, Sendable, Codable, CaseIterable {
    case event, outcome, task, plan, patient, contact, sample, tray, assessment, message, report
    case upload, device, account, token, session, passcode, setting, backup, auditLog
  }

  /// How it ended.
  package enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
    case done
    /// By the rules of access.
    case refused
    /// By another error.
    case failed
  }

  /// When.
  package internal(set) var time: Date
  /// `account mary`, `token Zk…`, `local 1000`, `link nora`; `nil` before a sign-in.
  package let subject: String?
  package let action: Action
  package let object: Object
  /// The object's id, at most 128 bytes.
  package let id: String?
  /// The patient that it concerns.
  package let patient: String?
  /// The client's address, at most 45 bytes; `nil` for the socket.
  package let client: String?
  package let outcome: Outcome

  /// Whether it may have changed or exported something.
  package var isChange: Bool { action != .read && outcome != .refused }

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - time: When; written to the second.
  ///   - subject: Who; `nil` for a sign-in that was refused: a person may have typed the passcode
  ///     into the field for the account.
  ///   - action: The kind of action.
  ///   - object: The kind of its object.
  ///   - id: The object's id; no text that a person typed.
  ///   - patient: The patient's id.
  ///   - client: The client's address.
  ///   - outcome: How it ended.
  package init(
    time: Date, subject: Identity.Subject?, action: Action, object: Object, id: String? = nil,
    patient: String? = nil, client: String?, outcome: Outcome
  ) {
    self.time = AccessControl.wholeSeconds(time)
    self.subject =
      switch subject {
      case .account(let id): "account \(id)"
      case .token(let id): "token \(id)"
      case .local(let user): "local \(user)"
      case .link(let reader): "link \(Self.plain(reader, limit: 128))"
      case nil: nil
      }
    self.action = action
    self.object = object
    self.id = id.map { Self.plain($0, limit: 128) }
    self.patient = patient.map { Self.plain($0, limit: 128) }
    self.client = client.map { Self.plain($0, limit: 45) }
    self.outcome = outcome
  }

  /// An id without what looks like a secret, cut behind its limit of bytes.
  private static func plain(_ text: String, limit: Int) -> String {
    let start = String(decoding: text.utf8.prefix(1024), as: UTF8.self)
    // Each request makes an entry, and few ids have an underscore.
    var plain =
      start.utf8.contains(UInt8(ascii: "_"))
      ? start.replacing(/m[ts]_[A-Za-z0-9_-]{16,}/, with: "secret") : start
    while plain.utf8.count > limit { plain.removeLast() }
    return plain
  }
}

// MARK: - File

/// A file of lines with the older files beside it: `PATH.1` is the latest of them.
private struct AuditFile {
  private let file: PrivateFile
  private let limits: AuditLog.Limits
  private var descriptor: Descriptor
  /// Bytes, all in whole lines.
  private var size: Int

  init(_ file: PrivateFile, limits: AuditLog.Limits) throws(PrivateFileError) {
    self.file = file
    self.limits = limits
    (descriptor, size) = try Self.open(file)
  }

  /// Adds a line; a line that cannot be written whole is taken back.
  mutating func append(_ entry: AuditEntry, isDurable: Bool) throws(PrivateFileError) {
    guard let line = Self.line(entry) else {
      throw file.failure(.unwritable(code: EILSEQ))
    }
    if size + line.count > limits.fileSize, size > 0 { try rotate() }
    do throws(PrivateFileError) {
      try file.write(line, to: descriptor.number)
      if isDurable { try file.synchronize(descriptor.number) }
      size += line.count
    } catch {
      _ = ftruncate(descriptor.number, size)
      throw error
    }
  }

  /// The last entries, the oldest first; lines that are no entries are left out.
  func last(_ count: Int) throws(PrivateFileError) -> [AuditEntry] {
    var entries: [AuditEntry] = []
    for index in 0..<limits.fileCount where entries.count < count {
      let older = PrivateFile(path: index == 0 ? file.path : "\(file.path).\(index)")
      // A file may be longer than a limit that was lowered.
      guard let bytes = try older.read(limit: 64 << 20) else { break }
      let lines = bytes.split(separator: 0x0A).suffix(count - entries.count)
      entries.insert(contentsOf: lines.compactMap { Self.entry(Array($0)) }, at: 0)
    }
    return entries
  }

  // MARK: - Rotation

  private mutating func rotate() throws(PrivateFileError) {
    // After a rotation that failed halfway, the names have moved already.
    let hasMoved = !isNamed
    // The names move from the oldest on, so that a failure in between loses no file.
    for index in stride(from: limits.fileCount - 1, through: 1, by: -1) where !hasMoved {
      let source = index == 1 ? file.path : "\(file.path).\(index - 1)"
      guard unsafe rename(source, "\(file.path).\(index)") == 0 || errno == ENOENT else {
        throw file.failure(.unwritable(code: errno))
      }
    }
    if limits.fileCount == 1, !hasMoved { unsafe unlink(file.path) }
    (descriptor, size) = try Self.open(file)
  }

  /// Whether the open file is the one with the name.
  private var isNamed: Bool {
    var opened = stat()
    var named = stat()
    guard unsafe fstat(descriptor.number, &opened) == 0, unsafe lstat(file.path, &named) == 0
    else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  /// Opens the file for appending, and makes it if missing.
  private static func open(_ file: PrivateFile) throws(PrivateFileError) -> (Descriptor, Int) {
    if let number = try file.openExisting(O_RDWR | O_APPEND) {
      let descriptor = Descriptor(number)
      return (descriptor, try repair(number, of: file))
    }
    let number = unsafe Foundation.open(
      file.path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw file.failure(.unwritable(code: errno)) }
    let descriptor = Descriptor(number)
    try file.keepOwner(number)
    try file.synchronizeDirectory()
    return (descriptor, 0)
  }

  /// Ends or removes a last line that a power failure left without its end.
  ///
  /// - Returns: The file's size in bytes.
  private static func repair(_ number: CInt, of file: PrivateFile) throws(PrivateFileError) -> Int {
    let size = Int(lseek(number, 0, SEEK_END))
    guard size > 0 else { return 0 }
    var tail = [UInt8](repeating: 0, count: min(size, maximumLine))
    let start = size - tail.count
    let count = unsafe tail.withUnsafeMutableBytes { buffer in
      unsafe pread(number, buffer.baseAddress, buffer.count, start)
    }
    guard count == tail.count else { throw file.failure(.unreadable(code: errno)) }
    guard tail.last != 0x0A else { return size }
    let lineStart = tail.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // Longer than any line of this program: what it is remains, as a line of its own.
    let isForeign = lineStart == 0 && start > 0
    if isForeign || entry(Array(tail[lineStart...])) != nil {
      try file.write([0x0A], to: number)
      return size + 1
    }
    guard ftruncate(number, start + lineStart) == 0 else {
      throw file.failure(.unwritable(code: errno))
    }
    return start + lineStart
  }

  // MARK: - Lines

  /// More bytes than any line has: four texts of 128 bytes, each byte escaped by six.
  private static let maximumLine = 4096

  private static func line(_ entry: AuditEntry) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(entry) else { return nil }
    return Array(data) + [0x0A]
  }

  private static func entry(_ line: [UInt8]) -> AuditEntry? {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try? decoder.decode(AuditEntry.self, from: Data(line))
  }

  /// An open file; closed when it is no longer used.
  private final class Descriptor: Sendable {
    let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close(number) }
  }
}
