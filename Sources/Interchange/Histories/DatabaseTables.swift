/// Tables of an SQLite database, found without an engine.
///
/// An export is read as the file's description says (<https://www.sqlite.org/fileformat2.html>), from its first page
/// to its last: no statement, view or trigger of another program ever runs, and one page is in memory at a
/// time. Of a tree the interior pages alone are kept, some bytes for each page.
struct DatabaseTables {
  private static let magic = Array("SQLite format 3\0".utf8)
  /// More pages than this are no phone's.
  private static let mostPages = 1 << 19
  private static let deepest = 20

  /// A table that was asked for.
  struct Table {
    var name: String
    /// Its columns, in small letters, in the order of a record.
    var columns: [String]
  }

  let tables: [Table]
  /// The table that a page has rows of.
  private let leaves: [UInt32: UInt8]

  /// Whether bytes begin as a database does.
  static func isOne(_ head: [UInt8]) -> Bool { head.starts(with: magic) }

  /// Finds tables by their names.
  ///
  /// - Returns: `nil` for a database that has none of them, or is damaged.
  init?(_ source: BlockSource, named names: Set<String>) throws(HistoryError) {
    var pages = DatabasePages(source)
    var interior: [UInt32: [UInt32]] = [:]
    var schema: Set<UInt32> = [1]
    var (count, roots): (Int, [(table: Table, root: UInt32)]) = (0, [])
    while let page = try pages.next() {
      let isSchema = schema.contains(page.number)
      if page.isInterior {
        let children = page.children
        count += children.count
        guard count <= Self.mostPages else { return nil }
        interior[page.number] = children
        if isSchema { schema.formUnion(children) }
      } else if isSchema {
        for row in page.rows {
          // type, name, tbl_name, rootpage, sql
          guard row.text(1, of: page) == "table", roots.count < names.count,
            let name = row.text(2, of: page)?.lowercased(), names.contains(name),
            let root = row.number(4, of: page).flatMap({ UInt32(exactly: $0) }),
            let statement = row.text(5, of: page)
          else { continue }
          roots.append((Table(name: name, columns: Self.columns(statement)), root))
        }
      }
    }
    guard !roots.isEmpty else { return nil }
    var leaves: [UInt32: UInt8] = [:]
    for (index, root) in roots.map(\.root).enumerated() {
      var level: Set = [root]
      for _ in 0..<Self.deepest where !level.isEmpty {
        var next: Set<UInt32> = []
        for page in level {
          if let children = interior.removeValue(forKey: page) {
            next.formUnion(children)
          } else {
            leaves[page] = UInt8(truncatingIfNeeded: index)
          }
        }
        level = next
      }
    }
    self.leaves = leaves
    tables = roots.map(\.table)
  }

  /// The table of which a page has rows; `nil` for any other page.
  func table(of page: DatabasePage) -> Table? {
    guard page.isLeaf, let index = leaves[page.number] else { return nil }
    return tables[Int(index)]
  }

  /// The columns that a statement makes: `CREATE TABLE t (row_id INTEGER PRIMARY KEY, "weight" REAL)`.
  private static func columns(_ statement: String) -> [String] {
    guard let open = statement.firstIndex(of: "(") else { return [] }
    var (depth, parts): (Int, [String]) = (0, [""])
    for character in statement[open...].dropFirst() {
      if character == "," && depth == 0 {
        parts.append("")
        continue
      }
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      guard depth >= 0 else { break }
      parts[parts.count - 1].append(character)
    }
    let names = parts.map { part in
      part.split(whereSeparator: \.isWhitespace).first.map {
        $0.filter { !"\"`[]".contains($0) }.lowercased()
      } ?? ""
    }
    let constraints: Set = ["primary", "foreign", "unique", "check", "constraint"]
    return Array(names.prefix { !constraints.contains($0) })
  }
}

/// The pages of a database, in their order.
struct DatabasePages {
  private var source: BlockSource
  private var buffer: [UInt8] = []
  private var place = 0
  private var number: UInt32 = 0
  private var size = 0
  private var reserved = 0

  init(_ source: BlockSource) {
    self.source = source
  }

  var bytesRead: Int { source.bytesRead }

  /// The next page; `nil` at the end, where a part of one is left out.
  mutating func next() throws(HistoryError) -> DatabasePage? {
    if number == 0 {
      guard try fill(100) else { return nil }
      size = Int(buffer[16]) << 8 | Int(buffer[17])
      if size == 1 { size = 1 << 16 }
      reserved = Int(buffer[20])
      guard DatabaseTables.isOne(buffer), size >= 512, size & (size - 1) == 0 else { return nil }
    }
    guard number < UInt32.max, try fill(size) else { return nil }
    number += 1
    defer { place += size }
    return DatabasePage(
      number: number, bytes: Array(buffer[place..<place + size]), usable: size - reserved)
  }

  /// Reads on until `count` bytes are there.
  private mutating func fill(_ count: Int) throws(HistoryError) -> Bool {
    while buffer.count - place < count {
      let block = try source.next()
      guard !block.isEmpty else { return false }
      buffer.removeFirst(place)
      place = 0
      buffer += block
    }
    return true
  }
}

/// A page of a tree of rows.
struct DatabasePage {
  let number: UInt32
  let bytes: [UInt8]
  /// How many of its bytes are the tree's.
  let usable: Int

  /// Where its own header is: behind the file's on the first one.
  private var header: Int { number == 1 ? 100 : 0 }

  var isInterior: Bool { bytes[header] == 0x05 }
  var isLeaf: Bool { bytes[header] == 0x0D }

  private func u16(_ place: Int) -> Int { Int(number(place, 2)) }

  fileprivate func number(_ place: Int, _ count: Int) -> UInt64 {
    guard place >= 0, place + count <= bytes.count else { return 0 }
    return bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A number of one to nine bytes, and the place behind it.
  private func variable(_ place: Int) -> (value: UInt64, next: Int)? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard place + index < bytes.count else { return nil }
      let byte = bytes[place + index]
      if index == 8 { return (value << 8 | UInt64(byte), place + 9) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return (value, place + index + 1) }
    }
    return nil
  }

  /// Where its cells are.
  private var cells: [Int] {
    let first = header + (isInterior ? 12 : 8)
    let count = min(u16(header + 3), max(0, usable - first) / 2)
    return (0..<count).map { u16(first + 2 * $0) }
  }

  /// The pages below an interior one.
  var children: [UInt32] {
    (cells + [header + 8]).map { UInt32(truncatingIfNeeded: number($0, 4)) }
  }

  /// The rows of a leaf, as far as they lie on it.
  var rows: [DatabaseRow] {
    guard isLeaf else { return [] }
    var rows: [DatabaseRow] = []
    // Cells do not overlap.
    var left = bytes.count
    for cell in cells {
      guard let (payload, afterSize) = variable(cell),
        let (id, body) = variable(afterSize), let size = Int(exactly: payload)
      else { continue }
      let local = min(self.local(size), bytes.count - body)
      left -= local
      guard local > 0, left >= 0, let row = row(id, body, body + local) else { continue }
      rows.append(row)
    }
    return rows
  }

  /// How many bytes of a record are on its own page.
  private func local(_ size: Int) -> Int {
    guard size > usable - 35 else { return size }
    let least = (usable - 12) * 32 / 255 - 23
    let most = least + (size - least) % (usable - 4)
    return most <= usable - 35 ? most : least
  }

  private func row(_ id: UInt64, _ start: Int, _ end: Int) -> DatabaseRow? {
    guard let (size, first) = variable(start), let length = Int(exactly: size),
      length <= end - start
    else { return nil }
    var row = DatabaseRow(id: Int64(bitPattern: id), fields: [])
    var (place, value) = (first, start + length)
    while place < start + length, row.fields.count < 100, let (type, next) = variable(place) {
      let count: Int
      switch type {
      case 0, 8, 9: count = 0
      case 1...4: count = Int(type)
      case 5: count = 6
      case 6, 7: count = 8
      default:
        guard type >= 12, let bytes = Int(exactly: (type - 12) / 2) else { return nil }
        count = bytes
      }
      // The rest of a long record is on other pages.
      let here = min(count, max(0, end - value))
      row.fields.append(.init(type: type, place: value, count: here, isWhole: here == count))
      place = next
      value += here
    }
    return row
  }
}

/// A row of a table: where its fields are on the page.
struct DatabaseRow {
  var id: Int64
  fileprivate(set) var fields: [Field]

  fileprivate init(id: Int64, fields: [Field]) {
    (self.id, self.fields) = (id, fields)
  }

  struct Field {
    fileprivate var type: UInt64
    fileprivate var place: Int
    fileprivate var count: Int
    fileprivate var isWhole: Bool
  }

  /// A field by its number from 1; `nil` for one that is not there.
  private func field(_ number: Int) -> Field? {
    fields.indices.contains(number - 1) ? fields[number - 1] : nil
  }

  /// A whole number.
  func number(_ number: Int, of page: DatabasePage) -> Int64? {
    guard let field = field(number), field.isWhole else { return nil }
    switch field.type {
    case 8: return 0
    case 9: return 1
    case 1...6:
      let bits = 64 - 8 * field.count
      return Int64(bitPattern: page.number(field.place, field.count) << UInt64(bits)) >> bits
    default: return nil
    }
  }

  /// A number of either kind.
  func decimal(_ number: Int, of page: DatabasePage) -> Double? {
    guard let field = field(number), field.isWhole, field.type == 7 else {
      return self.number(number, of: page).map(Double.init)
    }
    let value = Double(bitPattern: page.number(field.place, 8))
    return value.isFinite ? value : nil
  }

  /// A text, as far as it is on the page.
  func text(_ number: Int, of page: DatabasePage) -> String? {
    guard let field = field(number), field.type >= 13, field.type % 2 == 1 else { return nil }
    return String(
      decoding: page.bytes[field.place..<field.place + field.count], as: UTF8.self)
  }

  /// Bytes, as hexadecimal digits.
  func hex(_ number: Int, of page: DatabasePage) -> String? {
    guard let field = field(number), field.isWhole, field.type >= 12, field.type % 2 == 0,
      field.count > 0, field.count <= 32
    else { return nil }
    let digits = Array("0123456789abcdef")
    return String(
      page.bytes[field.place..<field.place + field.count].flatMap {
        [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
      })
  }
}
