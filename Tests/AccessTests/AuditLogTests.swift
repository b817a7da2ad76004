import Foundation
import PrivateFiles
import TestSupport
import Testing

@testable import Access

struct AuditLogTests {
  let box: TestBox
  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  init() throws { box = try TestBox() }

  func open(
    _ limits: AuditLog.Limits = .standard
  ) throws(PrivateFileError) -> AuditLog {
    try AuditLog(file: box.file("audit"), limits: limits)
  }

  func entry(
    _ action: AuditEntry.Action = .change, _ id: String = "42", at seconds: TimeInterval = 0
  ) -> AuditEntry {
    AuditEntry(
      time: Self.start.addingTimeInterval(seconds), subject: .account("mary"), action: action,
      object: .sample, id: id, patient: "john", client: "10.0.0.1", outcome: .done)
  }

  func text(_ name: String = "audit") throws -> String {
    try String(contentsOfFile: box.directory + "/" + name, encoding: .utf8)
  }

  @Test
  func `an entry is one line of JSON in a file of its owner's`() async throws {
    let log = try open()
    try await log.append(entry())
    try await log.append(entry(.read))
    #expect(
      try text() == """
        {"action":"change","client":"10.0.0.1","id":"42","object":"sample","outcome":"done",\
        "patient":"john","subject":"account mary","time":"2027-01-15T08:00:00Z"}

        """)
    #expect(try box.names == ["audit", "audit.reads"])
    #expect(try box.mode("audit") == 0o600)
    #expect(try box.mode("audit.reads") == 0o600)
    #expect(try await log.lastChanges(10) == [entry()])
    #expect(try await log.lastReads(10) == [entry(.read)])
  }

  @Test
  func `ids contain no secret, and are cut behind 128 bytes`() async throws {
    let token = try #require(Secret(.token, bytes: [UInt8](repeating: 3, count: 32))).text
    let cookie = try #require(Secret(.session, bytes: [UInt8](repeating: 4, count: 32))).text
    let log = try open()
    try await log.append(
      AuditEntry(
        time: Self.start, subject: nil, action: .signIn, object: .session,
        id: "a\(token)/\(cookie)", patient: cookie, client: token, outcome: .failed))
    try await log.append(entry(.change, String(repeating: "é\n", count: 10_000)))
    let text = try text()
    #expect(!text.contains(token.dropFirst(3)))
    #expect(!text.contains(cookie.dropFirst(3)))
    let entries = try await log.lastChanges(2)
    #expect(entries.map(\.id) == ["asecret/secret", String(repeating: "é\n", count: 42) + "é"])
    #expect(entries[0].subject == nil)
    #expect(text.split(separator: "\n").count == 2)
  }

  @Test
  func `a repeated read within a minute is one line; another sender's is its own`() async throws {
    let log = try open()
    for second in 0..<150 { try await log.append(entry(.read, at: Double(second))) }
    try await log.append(entry(.read, "43", at: 150))
    // The clock is set back.
    try await log.append(entry(.read, at: 10))
    #expect(
      try await log.lastReads(10).map { $0.time.timeIntervalSince(Self.start) }
        == [0, 60, 120, 150, 10])
    for second in 0..<5 { try await log.append(entry(.change, at: Double(second))) }
    #expect(try await log.lastChanges(10).count == 5)
  }

  @Test
  func `the files are bounded, and many reads displace no change`() async throws {
    let log = try open(AuditLog.Limits(fileSize: 4096, fileCount: 3))
    try await log.append(entry())
    for index in 0..<500 { try await log.append(entry(.read, "\(index)")) }
    #expect(try box.names == ["audit", "audit.reads", "audit.reads.1", "audit.reads.2"])
    for name in try box.names {
      #expect(try text(name).utf8.count <= 4096)
      #expect(try box.mode(name) == 0o600)
    }
    #expect(try await log.lastChanges(10) == [entry()])
    #expect(try await log.lastReads(40).compactMap(\.id) == (460..<500).map(String.init))
    let all = try await log.lastReads(1000).compactMap(\.id)
    #expect(all == (500 - all.count..<500).map(String.init))
    #expect(all.count > 50)
    // The next program continues.
    let next = try open(AuditLog.Limits(fileSize: 4096, fileCount: 3))
    try await next.append(entry(.read, "500"))
    #expect(try await next.lastReads(2).compactMap(\.id) == ["499", "500"])
  }

  @Test
  func `refused attempts displace no change, and are written once a minute`() async throws {
    let log = try open(AuditLog.Limits(fileSize: 4096, fileCount: 2))
    try await log.append(entry())
    for index in 0..<200 {
      for _ in 0..<3 {
        try await log.append(
          AuditEntry(
            time: Self.start, subject: nil, action: .signIn, object: .session,
            client: "10.0.0.\(index)", outcome: .refused))
      }
    }
    #expect(try await log.lastChanges(10) == [entry()])
    #expect(
      try await log.lastReads(3).compactMap(\.client) == ["10.0.0.197", "10.0.0.198", "10.0.0.199"])
  }

  @Test
  func `an interrupted rotation loses no older file`() async throws {
    let log = try open(AuditLog.Limits(fileSize: 4096, fileCount: 3))
    for index in 0..<40 { try await log.append(entry(.change, "\(index)")) }
    let oldest = try text("audit.1")
    // The program ended between the renaming and the new file.
    try FileManager.default.moveItem(
      atPath: box.directory + "/audit.1", toPath: box.directory + "/audit.2")
    try FileManager.default.moveItem(
      atPath: box.directory + "/audit", toPath: box.directory + "/audit.1")
    let next = try open(AuditLog.Limits(fileSize: 4096, fileCount: 3))
    try await next.append(entry(.change, "40"))
    #expect(try text("audit.2") == oldest)
    #expect(try await next.lastChanges(100).compactMap(\.id) == (0...40).map(String.init))
  }

  @Test
  func `a rotation that fails again and again loses no older file`() async throws {
    let log = try open(AuditLog.Limits(fileSize: 4096, fileCount: 3))
    for index in 0..<70 { try await log.append(entry(.read, "\(index)")) }
    box.failSynchronizing(EIO)
    var failures = 0
    for index in 70..<110 {
      do { try await log.append(entry(.read, "\(index)")) } catch { failures += 1 }
    }
    #expect(failures > 0)
    box.failSynchronizing(0)
    for index in 110..<115 { try await log.append(entry(.read, "\(index)")) }
    let ids = try await log.lastReads(1000).compactMap(\.id).compactMap { Int($0) }
    #expect(ids == ids.sorted())
    #expect(ids.suffix(5) == [110, 111, 112, 113, 114])
    #expect(ids.count > 60)
  }

  @Test
  func `one file alone is rotated by starting again`() async throws {
    let log = try open(AuditLog.Limits(fileSize: 4096, fileCount: 1))
    for index in 0..<100 { try await log.append(entry(.change, "\(index)")) }
    #expect(try box.names == ["audit", "audit.reads"])
    #expect(try text().utf8.count <= 4096)
    #expect(try await log.lastChanges(1).compactMap(\.id) == ["99"])
  }

  @Test
  func `a torn last line is removed, or ended if it is whole`() async throws {
    let first = try open()
    try await first.append(entry(.change, "1"))
    try await first.append(entry(.change, "2"))
    let whole = try text()
    let firstLine = try #require(whole.split(separator: "\n").first).utf8.count + 1
    let ends = [firstLine, whole.utf8.count].flatMap { [$0 - 2, $0 - 1, $0] } + [firstLine + 1]
    for count in Array(stride(from: 0, to: whole.utf8.count, by: 7)) + ends {
      try box.put(String(whole.prefix(count)), name: "audit")
      let log = try open()
      let lines = count < firstLine - 1 ? 0 : count < whole.utf8.count - 1 ? 1 : 2
      #expect(try text() == whole.prefix(lines == 0 ? 0 : lines == 1 ? firstLine : whole.count))
      try await log.append(entry(.change, "3"))
      #expect(try await log.lastChanges(5).compactMap(\.id) == ["1", "2"].prefix(lines) + ["3"])
    }
  }

  @Test
  func `a file of other bytes is repaired, and its lines are left out`() async throws {
    for content in ["\u{0}\u{0}\u{0}", "{}\n[]\nnull\n", String(repeating: "x", count: 10_000)] {
      try box.put(content, name: "audit")
      let log = try open()
      try await log.append(entry())
      #expect(try await log.lastChanges(10).last == entry())
    }
  }

  @Test
  func `on a full disk the file has whole lines, and later entries follow`() async throws {
    let log = try open()
    try await log.append(entry(.change, "1"))
    let path = box.directory + "/audit"
    box.failWriting(ENOSPC)
    await #expect(throws: PrivateFileError(path: path, cause: .unwritable(code: ENOSPC))) {
      try await log.append(entry(.change, "2"))
    }
    box.failWriting(0)
    box.failSynchronizing(EIO)
    await #expect(throws: PrivateFileError(path: path, cause: .unwritable(code: EIO))) {
      try await log.append(entry(.change, "3"))
    }
    // A read does not wait for the disk.
    try await log.append(entry(.read))
    box.failSynchronizing(0)
    try await log.append(entry(.change, "4"))
    #expect(try await log.lastChanges(5).compactMap(\.id) == ["1", "4"])
  }

  @Test
  func `a link, a directory and a file that others may read are refused`() throws {
    let path = box.directory + "/audit"
    try box.put("", mode: 0o644, name: "audit")
    #expect(throws: PrivateFileError(path: path, cause: .openToOthers(mode: 0o644))) {
      _ = try open()
    }
    try FileManager.default.moveItem(atPath: path, toPath: path + "-target")
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: path + "-target")
    #expect(throws: PrivateFileError(path: path, cause: .unreadable(code: ELOOP))) {
      _ = try open()
    }
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(throws: PrivateFileError.self) { _ = try open() }
  }
}
