import TestSupport
import Testing

@testable import CareStore

@Suite("StoreHeader")
struct StoreHeaderTests {
  /// A header with the magic, one page size and what `fields` say, each four bytes big-endian.
  private func header(pageSize: [UInt8] = [0x10, 0], _ fields: [Int: UInt8]) -> [UInt8] {
    var bytes = bytes("53 51 4C 69 74 65 20 66 6F 72 6D 61 74 20 33 00") + pageSize
    bytes += [UInt8](repeating: 0, count: StoreHeader.length - bytes.count)
    for (offset, value) in fields { bytes[offset + 3] = value }
    return bytes
  }

  @Test("It reads the version, whose file it is, and how long it should be")
  func fields() {
    let read = StoreHeader(header([24: 9, 28: 5, 60: 7, 68: 3, 92: 9]))
    #expect(read?.version == 7)
    #expect(read?.applicationID == 3)
    #expect(read?.expectedSize == 5 * 4096)
  }

  @Test("A page size of 65536 is written as 1")
  func largePages() {
    #expect(StoreHeader(header(pageSize: [0, 1], [28: 2]))?.expectedSize == 131_072)
  }

  @Test("A page count that is not of the last change says nothing")
  func staleCount() {
    #expect(StoreHeader(header([24: 9, 28: 5, 92: 8]))?.expectedSize == nil)
  }

  @Test("Anything else is no header", arguments: 0..<50 as Range<UInt64>)
  func random(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let length = Int.random(in: 0...200, using: &random)
    #expect(StoreHeader(random.bytes(length)) == nil)
    #expect(StoreHeader(Array(header([:]).prefix(Int(seed) * 2 - (seed == 50 ? 1 : 0)))) == nil)
  }
}
