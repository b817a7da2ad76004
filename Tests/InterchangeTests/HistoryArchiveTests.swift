import Foundation
import Interchange
import Testing

/// Archives are read as they are.
struct HistoryArchiveTests {
  static let weights = "DATE,TIME,WEIGHT\n2026-03-02,07:04:31,81.95\n"

  /// A ZIP archive of stored files, as PKWARE's APPNOTE.TXT 6.3.10 says.
  static func archive(
    _ files: [(name: String, bytes: [UInt8])], flags: UInt16 = 0, method: UInt16 = 0,
    checksum: UInt32? = nil
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    func crc(_ bytes: [UInt8]) -> UInt32 {
      ~bytes.reduce(UInt32.max) { sum, byte in
        (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
          value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
        }
      }
    }
    var (body, directory): ([UInt8], [UInt8]) = ([], [])
    for (name, bytes) in files {
      let common =
        number(20, 2) + number(Int(flags), 2) + number(Int(method), 2) + number(0, 4)
        + number(Int(checksum ?? crc(bytes)), 4) + number(bytes.count, 4) + number(bytes.count, 4)
        + number(name.utf8.count, 2) + number(0, 2)
      let place = body.count
      body += number(0x0403_4B50, 4) + common + Array(name.utf8) + bytes
      directory +=
        number(0x0201_4B50, 4) + number(20, 2) + common + number(0, 10) + number(place, 4)
        + Array(name.utf8)
    }
    return body + directory + number(0x0605_4B50, 4) + number(0, 4) + number(files.count, 2)
      + number(files.count, 2) + number(directory.count, 4) + number(body.count, 4) + number(0, 2)
  }

  private func read(_ bytes: [UInt8]) throws -> [String] {
    try HistorySamples.read(bytes).says
  }

  @Test func `the known files of an archive are read, whatever their names`() throws {
    let bytes = Self.archive([
      ("../../etc/passwd.csv", Array(Self.weights.utf8)), ("photo.jpg", [0xFF, 0xD8, 0xFF]),
      ("readme.txt", Array("hello".utf8)),
    ])
    #expect(try read(bytes) == ["2026-03-02T07:04:31 bodyMass 81.95"])
  }

  static let faults: [([UInt8], HistoryError)] = [
    (
      archive([("a.csv", Array(weights.utf8))], flags: 1),
      HistoryError(file: "file", .archive(.encrypted))
    ),
    (
      archive([("a.csv", Array(weights.utf8))], method: 99),
      HistoryError(file: "file: a.csv", .archive(.method(99)))
    ),
    (
      archive([("a.csv", Array(weights.utf8))], checksum: 1),
      HistoryError(file: "file: a.csv", .archive(.checksum))
    ),
    (
      archive([("a.csv", Array(weights.utf8))], method: 8),
      HistoryError(file: "file: a.csv", .archive(.damaged))
    ),
    (
      archive([("a.bin", [1, 2, 3])]), HistoryError(file: "file", .unknownLayout(.archive))
    ),
    (
      archive([("[Content_Types].xml", [])]),
      HistoryError(file: "file", .unknownLayout(.spreadsheet))
    ),
    (
      Array(archive([("a.csv", Array(weights.utf8))]).dropLast(30)),
      HistoryError(file: "file", .archive(.cutOff))
    ),
  ]

  @Test(arguments: faults)
  func `a damaged archive says why`(_ bytes: [UInt8], _ fault: HistoryError) {
    #expect(throws: fault) { _ = try self.read(bytes) }
  }

  @Test func `a directory of more files than any program writes is refused`() throws {
    var bytes = Self.archive([("a.csv", Array(Self.weights.utf8))])
    let place = bytes.count - 22 + 10
    bytes[place] = 0xFE
    bytes[place + 1] = 0xFE
    #expect(throws: HistoryError(file: "file", .archive(.tooManyFiles))) {
      _ = try read(bytes)
    }
  }
}
