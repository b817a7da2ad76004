import Care

/// The directory of a ZIP archive.
///
/// Local headers need not have sizes; the directory at the end has them. (PKWARE, APPNOTE.TXT 6.3.10,
/// §4.3.) Names are names only: nothing is ever written by one.
struct ZipDirectory {
  /// More files than this are refused: a yearly export of the most detailed program has some thousand.
  private static let mostFiles = 50_000
  /// The directory itself is read as a whole.
  private static let longest = 16 << 20

  struct Entry: Hashable {
    var name: String
    var method: Int
    var isEncrypted: Bool
    var packedSize: Int
    var size: Int
    var checksum: UInt32?
    /// Where the local header is.
    var header: Int
  }

  var entries: [Entry]

  /// Whether bytes begin as an archive does.
  static func isOne(_ head: [UInt8]) -> Bool {
    head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6])
  }

  /// Reads the directory of `bytes`.
  init(_ bytes: any HistoryBytes) throws(HistoryError) {
    func fault(_ fault: HistoryError.ArchiveFault) -> HistoryError {
      HistoryError(file: bytes.name, .archive(fault))
    }
    let tailStart = max(0, bytes.size - (1 << 16) - 22)
    let tail = LittleEndian(try bytes.read(at: tailStart, upTo: bytes.size - tailStart))
    let signature: UInt64 = 0x0605_4B50
    guard
      let end = stride(from: tail.count - 22, through: 0, by: -1).first(where: {
        tail.u32($0) == signature
      })
    else { throw fault(.cutOff) }
    var (count, length, start) = (tail.u16(end + 10), tail.u32(end + 12), tail.u32(end + 16))
    // ZIP64 keeps the numbers that have no room in a record of its own.
    if count == 0xFFFF || length == 0xFFFF_FFFF || start == 0xFFFF_FFFF {
      guard end >= 20, tail.u32(end - 20) == 0x0706_4B50,
        let place = Int(exactly: tail.u64(end - 12))
      else { throw fault(.damaged) }
      let record = LittleEndian(try bytes.read(at: place, upTo: 56))
      guard record.count == 56, record.u32(0) == 0x0606_4B50 else { throw fault(.damaged) }
      (count, length, start) = (record.u64(32), record.u64(40), record.u64(48))
    }
    guard count <= Self.mostFiles, length <= Self.longest else { throw fault(.tooManyFiles) }
    guard let offset = Int(exactly: start), offset <= bytes.size else { throw fault(.damaged) }
    let directory = LittleEndian(try bytes.read(at: offset, upTo: Int(length)))
    entries = []
    var place = 0
    for _ in 0..<count {
      guard place + 46 <= directory.count, directory.u32(place) == 0x0201_4B50 else {
        throw fault(.damaged)
      }
      let (name, extra, comment) = (
        Int(directory.u16(place + 28)), Int(directory.u16(place + 30)),
        Int(directory.u16(place + 32))
      )
      let end = place + 46 + name + extra + comment
      guard end <= directory.count else { throw fault(.damaged) }
      var (packed, size, header) = (
        directory.u32(place + 20), directory.u32(place + 24), directory.u32(place + 42)
      )
      // The fields that are too large follow each other in the extra field 1.
      var field = place + 46 + name
      while field + 4 <= place + 46 + name + extra {
        let (id, fieldLength) = (directory.u16(field), Int(directory.u16(field + 2)))
        var value = field + 4
        let fieldEnd = min(value + fieldLength, place + 46 + name + extra)
        if id == 1 {
          func large(_ number: inout UInt64) {
            guard number == 0xFFFF_FFFF, value + 8 <= fieldEnd else { return }
            number = directory.u64(value)
            value += 8
          }
          large(&size)
          large(&packed)
          large(&header)
        }
        field += 4 + fieldLength
      }
      guard let packedSize = Int(exactly: packed), let wholeSize = Int(exactly: size),
        let headerPlace = Int(exactly: header), packedSize <= bytes.size,
        headerPlace <= bytes.size
      else { throw fault(.damaged) }
      let flags = directory.u16(place + 8)
      let entry = Entry(
        name: String(decoding: directory.bytes[(place + 46)..<(place + 46 + name)], as: UTF8.self),
        method: Int(directory.u16(place + 10)), isEncrypted: flags & 0x2041 != 0,
        packedSize: packedSize, size: wholeSize,
        checksum: UInt32(truncatingIfNeeded: directory.u32(place + 16)), header: headerPlace)
      if !entry.name.hasSuffix("/") { entries.append(entry) }
      place = end
    }
  }

  /// Where the packed bytes of a file begin.
  static func content(
    of entry: Entry, in bytes: any HistoryBytes
  ) throws(HistoryError) -> Int {
    let header = LittleEndian(try bytes.read(at: entry.header, upTo: 30))
    guard header.count == 30, header.u32(0) == 0x0403_4B50 else {
      throw HistoryError(file: "\(bytes.name): \(entry.name)", .archive(.damaged))
    }
    return entry.header + 30 + Int(header.u16(26)) + Int(header.u16(28))
  }
}

/// Numbers in bytes, the least significant first.
private struct LittleEndian {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  private func number(_ place: Int, _ length: Int) -> UInt64 {
    guard place >= 0, place + length <= bytes.count else { return 0 }
    return bytes[place..<(place + length)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func u16(_ place: Int) -> UInt64 { number(place, 2) }
  func u32(_ place: Int) -> UInt64 { number(place, 4) }
  func u64(_ place: Int) -> UInt64 { number(place, 8) }
}
