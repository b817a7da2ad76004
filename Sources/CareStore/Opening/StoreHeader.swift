/// What the first 100 bytes of a SQLite file say, read without opening a database, which could
/// already write beside it.
///
/// Source: SQLite Database File Format, §1.3, <https://www.sqlite.org/fileformat2.html>.
struct StoreHeader: Hashable {
  /// The length of a header.
  static let length = 100

  /// Whose file it is: ``Schema/applicationID`` for a store.
  let applicationID: Int
  /// The schema version, `user_version`.
  let version: Int
  /// How long the file should be, in bytes; `nil` where a program that does not keep count wrote it
  /// last.
  let expectedSize: Int?

  /// Reads a header; `nil` where `bytes` do not start a SQLite file.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.length, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      return nil
    }
    func word(_ offset: Int) -> Int {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    applicationID = word(68)
    version = word(60)
    // A page size of 65536 does not fit its two bytes and is written as 1. The page count holds
    // only where the counter beside it is that of the last change.
    let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    expectedSize = word(24) == word(92) ? word(28) * (pageSize == 1 ? 65_536 : pageSize) : nil
  }
}
