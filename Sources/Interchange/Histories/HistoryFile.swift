import Care
import ForeignTables
import Foundation

/// The file of another program, recognised by its content.
package struct HistoryFile {
  /// How much of a file decides what it is.
  private static let headSize = 1 << 14
  /// The kinds of its parts, in the order in which they were found.
  package var kinds: [HistoryKind] {
    parts.reduce(into: []) { if !$0.contains($1.kind) { $0.append($1.kind) } }
  }
  /// The name for messages.
  package let name: String
  /// How many bytes are read, of its archive the packed ones.
  package var size: Int {
    parts.reduce(0) { $0 + ($1.part.entry?.packedSize ?? $1.part.bytes.size) }
  }
  fileprivate var parts: [Recognised]

  fileprivate struct Recognised {
    var part: HistoryPart
    var kind: HistoryKind
    var layout: Layout

    /// How many bytes are read of it.
    var size: Int { part.entry?.packedSize ?? part.bytes.size }
  }

  fileprivate enum Layout {
    case table(any TableHistory, TableDialect)
    case records(any JSONHistory)
    case appleHealth
    case database(ForeignTables)
  }

  /// Some entries and answers, and the rows between them that were left out.
  package struct Batch {
    package var kind: HistoryKind
    package var entries: [HistoryEntry]
    package var answers: [HistoryAnswer]
    package var skips: [HistorySkip]
    /// How many bytes of the file have been read.
    package var bytesRead: Int
  }

  /// Recognises a file.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - columns: What the command says of the columns of a table that is none of a known program.
  ///   - copy: Where a copy of a database may be for a moment; `nil` to read none.
  /// - Throws: ``HistoryError`` if it is none of a known program, with what it looks like.
  package init(
    _ bytes: any HistoryBytes, columns: [HistoryColumn] = [], copy: String?
  ) throws(HistoryError) {
    name = bytes.name
    parts = []
    let whole = HistoryPart(bytes: bytes)
    let head = try whole.head(Self.headSize)
    guard !head.isEmpty else { throw HistoryError(file: name, .empty) }
    guard ZipDirectory.isOne(head) else {
      parts = [try Self.recognise(whole, columns, copy)]
      return
    }
    let directory = try ZipDirectory(bytes)
    if directory.entries.contains(where: { $0.name == "[Content_Types].xml" }) {
      throw HistoryError(file: name, .unknownLayout(.spreadsheet))
    }
    guard !directory.entries.contains(where: \.isEncrypted) else {
      throw HistoryError(file: name, .archive(.encrypted))
    }
    var fault: HistoryError?
    for entry in directory.entries where Self.mayBeKnown(entry.name) {
      do throws(HistoryError) {
        parts.append(try Self.recognise(HistoryPart(bytes: bytes, entry: entry), columns, copy))
      } catch {
        // Beside the files with measurements an export has others.
        if case .unknownLayout = error.problem { continue }
        if case .empty = error.problem { continue }
        fault = fault ?? error
      }
    }
    guard !parts.isEmpty else {
      throw fault ?? HistoryError(file: name, .unknownLayout(.archive))
    }
    // A table of any program is guessed only where nothing is known for certain.
    if parts.contains(where: { $0.kind != .table }) { parts.removeAll { $0.kind == .table } }
  }

  /// Whether the beginning of a file is that of a known program's history; for the messages of
  /// commands that read other files.
  package static func kind(of bytes: any HistoryBytes, copy: String?) -> HistoryKind? {
    guard let file = try? HistoryFile(bytes, copy: copy), let kind = file.kinds.first,
      kind != .table
    else { return nil }
    return kind
  }

  private static func mayBeKnown(_ name: String) -> Bool {
    let name = name.lowercased()
    return [".csv", ".json", ".xml", ".txt", ".tsv", ".db"].contains { name.hasSuffix($0) }
      && !name.contains("__macosx/") && !name.hasSuffix("_cda.xml")
  }

  private static func recognise(
    _ part: HistoryPart, _ columns: [HistoryColumn], _ copy: String?
  ) throws(HistoryError) -> Recognised {
    func unknown(_ look: HistoryError.Look) -> HistoryError {
      HistoryError(file: part.name, .unknownLayout(look))
    }
    let raw = try part.head(headSize)
    guard !raw.isEmpty else { throw HistoryError(file: part.name, .empty) }
    if ForeignTables.isOne(raw) {
      guard let copy, let tables = try HealthConnectScanner.tables(part, at: copy) else {
        throw unknown(.database)
      }
      return Recognised(part: part, kind: .healthConnect, layout: .database(tables))
    }
    if let look = HistoryError.Look(magic: raw) { throw unknown(look) }
    let text = HistoryPart(bytes: MemoryBytes(raw, name: part.name))
    var source = TextSource(try text.open())
    var head: [UInt8] = []
    while case let block = try source.next(), !block.isEmpty { head += block }
    let start = String(decoding: head.prefix(4096), as: UTF8.self).trimmed
    if start.hasPrefix("<") {
      guard start.contains("<!DOCTYPE HealthData") || start.contains("<HealthData") else {
        throw unknown(.text)
      }
      return Recognised(part: part, kind: .appleHealth, layout: .appleHealth)
    }
    if start.hasPrefix("{") || start.hasPrefix("[") {
      let json = JSONHead(TextSource(try text.open()))
      for type in HistoryKind.texts {
        if let layout = type.init(json) {
          return Recognised(part: part, kind: type.kind, layout: .records(layout))
        }
      }
      if json.paths.contains("measured-trace") || json.paths.contains("advertisement") {
        throw unknown(.recording)
      }
      throw unknown(
        .json(members: String(json.paths.sorted().prefix(12).joined(separator: ", ").prefix(200))))
    }
    let dialect = TableDialect(of: head)
    var reader = TableReader(TextSource(try text.open()), dialect)
    var rows: [TableRow] = []
    while rows.count < 40, let row = try reader.next() { rows.append(row) }
    // The last row of a long file is cut.
    if raw.count == headSize, rows.count > 1, rows.count < 40 { rows.removeLast() }
    let table = TableHead(rows: rows, dialect: dialect, columns: columns)
    if columns.isEmpty {
      for type in HistoryKind.tables {
        if let layout = type.init(table) {
          var dialect = dialect
          dialect.hasQuotes = type.hasQuotes
          return Recognised(part: part, kind: type.kind, layout: .table(layout, dialect))
        }
      }
    } else if let layout = try AnyTable(table, file: part.name) {
      return Recognised(part: part, kind: .table, layout: .table(layout, dialect))
    }
    let names = rows.first?.fields ?? []
    let lower = Set(names.map { $0.lowercased() })
    if !lower.isDisjoint(with: ["x", "ax", "acc_x", "accx"]) { throw unknown(.recording) }
    throw unknown(
      names.count > 1
        ? .table(columns: String(names.prefix(12).joined(separator: ", ").prefix(200))) : .text)
  }

  /// Reads the file from its beginning, a batch at a time.
  package func reader() -> HistoryReader { HistoryReader(self) }

  /// Reads the file from its beginning.
  ///
  /// - Parameter consume: Takes a batch; what it throws ends the reading.
  /// - Throws: ``HistoryError``, or what `consume` throws.
  package func read(_ consume: (Batch) throws -> Void) throws {
    var reader = reader()
    while let batch = try reader.next() { try consume(batch) }
  }
}

/// Reads a history a batch at a time.
///
/// Each part is read twice, but for Apple Health's and databases, whose records say everything by themselves:
/// first for what its rows say together.
package struct HistoryReader {
  /// How many entries are given at a time.
  private static let batchSize = 2000

  private let parts: [HistoryFile.Recognised]
  private var index = 0
  private var pass: Pass?
  /// The bytes of the parts that were read.
  private var before = 0
  /// The error that ended the reading, once everything before it was given.
  private var failure: HistoryError?

  fileprivate init(_ file: HistoryFile) {
    parts = file.parts
  }

  /// The next entries; `nil` at the end.
  ///
  /// - Throws: ``HistoryError``; what was given before it is whole.
  package mutating func next() throws(HistoryError) -> HistoryFile.Batch? {
    while index < parts.count {
      if let failure { throw failure }
      let part = parts[index]
      if pass == nil { pass = try Self.begin(part) }
      guard var pass else { return nil }
      do throws(HistoryError) {
        while pass.sink.count < Self.batchSize {
          guard try pass.step() else {
            pass.end()
            break
          }
        }
      } catch {
        failure = error
      }
      let batch = HistoryFile.Batch(
        kind: part.kind, entries: pass.sink.entries, answers: pass.sink.answers,
        skips: pass.sink.skips, bytesRead: before + pass.bytesRead)
      pass.sink.entries.removeAll(keepingCapacity: true)
      pass.sink.answers.removeAll(keepingCapacity: true)
      pass.sink.skips.removeAll(keepingCapacity: true)
      self.pass = pass
      if pass.isAtEnd {
        before += part.size
        index += 1
        self.pass = nil
      }
      if !batch.entries.isEmpty || !batch.answers.isEmpty || !batch.skips.isEmpty {
        return batch
      }
    }
    return nil
  }

  private static func begin(_ part: HistoryFile.Recognised) throws(HistoryError) -> Pass {
    switch part.layout {
    case .appleHealth, .database: return try Pass(part, HistorySink(part.kind))
    case .table, .records: break
    }
    var sink = HistorySink(part.kind)
    sink.isSurvey = true
    var pass = try Pass(part, sink)
    do throws(HistoryError) {
      while try pass.step() { pass.sink.entries.removeAll(keepingCapacity: true) }
    } catch {
      // The second reading comes to the damaged place again, and gives what is before it.
    }
    return try Pass(part, HistorySink(part.kind, pass.sink.survey))
  }

  /// One reading of a part.
  private struct Pass {
    var sink: HistorySink
    private var state: State
    private(set) var isAtEnd = false

    private enum State {
      /// With the number of rows that come before the records.
      case table(any TableHistory, TableReader, headerRows: Int)
      case records(any JSONHistory, JSONRecords)
      case appleHealth(AppleHealthScanner)
      case database(HealthConnectScanner, name: String)
    }

    init(_ part: HistoryFile.Recognised, _ sink: HistorySink) throws(HistoryError) {
      self.sink = sink
      func source() throws(HistoryError) -> TextSource { TextSource(try part.part.open()) }
      switch part.layout {
      case .table(let layout, let dialect):
        self.sink.hasDecimalComma = dialect.hasDecimalComma
        state = .table(
          layout, TableReader(try source(), dialect), headerRows: layout.headerRows)
      case .records(let layout):
        state = .records(layout, JSONRecords(try source(), at: type(of: layout).path))
      case .appleHealth: state = .appleHealth(AppleHealthScanner(try source()))
      case .database(let tables):
        do throws(ForeignTables.Fault) {
          state = .database(try HealthConnectScanner(tables, size: part.size), name: part.part.name)
        } catch {
          throw HistoryError(file: part.part.name, error)
        }
      }
    }

    var bytesRead: Int {
      switch state {
      case .table(_, let reader, _): reader.bytesRead
      case .records(_, let records): records.bytesRead
      case .appleHealth(let scanner): scanner.bytesRead
      case .database(let scanner, _): scanner.bytesRead
      }
    }

    /// Reads the next rows.
    ///
    /// - Returns: Whether there may be more.
    mutating func step() throws(HistoryError) -> Bool {
      switch state {
      case .table(var layout, var reader, var headerRows):
        defer { state = .table(layout, reader, headerRows: headerRows) }
        for _ in 0..<200 {
          guard let row = try reader.next(keepsBlank: true) else {
            layout.end(into: &sink)
            return false
          }
          if row.isOpenQuoted {
            sink.skip(row.line, .openQuote)
          } else if row.isBlank, !layout.readsBlankRows {
            continue
          } else if headerRows > 0 {
            headerRows -= 1
          } else {
            layout.read(row, into: &sink)
          }
        }
        return true
      case .records(var layout, var records):
        defer { state = .records(layout, records) }
        for _ in 0..<200 {
          guard let item = try records.next() else { return false }
          switch item {
          case .record(let record): layout.read(record, into: &sink)
          case .end(let position, let members): layout.end(position, members, into: &sink)
          }
        }
        return true
      case .appleHealth(var scanner):
        defer { state = .appleHealth(scanner) }
        return try scanner.scan(into: &sink)
      case .database(var scanner, let name):
        defer { state = .database(scanner, name: name) }
        do throws(ForeignTables.Fault) {
          return try scanner.scan(into: &sink)
        } catch {
          throw HistoryError(file: name, error)
        }
      }
    }

    /// Says what was left out as a whole.
    mutating func end() {
      isAtEnd = true
      sink.skips += sink.unsupported.sorted { $0.key < $1.key }.map {
        HistorySkip(line: nil, reason: .unsupported($0.key), count: $0.value)
      }
    }
  }
}

extension HistoryError.Look {
  /// The kind of a file that is no text, by its first bytes.
  fileprivate init?(magic head: [UInt8]) {
    let known: [(magic: [UInt8], look: Self)] = [
      (Array("%PDF-".utf8), .document),
      ([0xD0, 0xCF, 0x11, 0xE0], .spreadsheet), ([0x89, 0x50, 0x4E, 0x47], .picture),
      ([0xFF, 0xD8, 0xFF], .picture), (Array("btsnoop\0".utf8), .recording),
      ([0x0A, 0x0D, 0x0D, 0x0A], .recording), ([0x1F, 0x8B], .binary),
    ]
    if let found = known.first(where: { head.starts(with: $0.magic) }) {
      self = found.look
      return
    }
    let isUTF16 = head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF])
    let zeros = head.prefix(512).count { $0 == 0 }
    // UTF-16 without a mark has zeros in every second byte alone.
    let ordered = [0, 1].contains { parity in
      head.prefix(512).enumerated().allSatisfy { $0.offset % 2 != parity || $0.element == 0 }
    }
    guard zeros > 0, !isUTF16, !ordered else { return nil }
    self = .binary
  }
}
