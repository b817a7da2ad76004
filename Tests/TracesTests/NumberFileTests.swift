import TestSupport
import Testing
import Traces

@Suite struct NumberFileTests {
  static func rows(_ text: String, _ columns: [String]) throws -> [[Int64]] {
    var reader = try NumberFileReader(
      MemoryStream(name: "n.csv", bytes: Array(text.utf8)), columns: columns)
    var rows: [[Int64]] = []
    while let row = try reader.next() { rows.append(row) }
    return rows
  }

  @Test func readsTheNamedColumnsInTheOrderOfTheNames() throws {
    let rows = try Self.rows("\u{FEFF}note,rate, T \nx,72,0.5\n\n,73.5,1\r\n", ["t", "rate"])
    #expect(rows == [[500_000_000, 72_000_000_000], [1_000_000_000, 73_500_000_000]])
  }

  @Test(
    arguments: [
      ("", nil, "the file is empty"), ("a,b\n1,2\n", 1, "no column ‘rr’"),
      ("rr,rr\n", 1, "two columns ‘rr’"), ("rr\n0.8\nfast\n", 3, "no number in column ‘rr’"),
      ("a,rr\n1\n", 2, "no number in column ‘rr’"),
    ] as [(String, Int?, String)])
  func refusesWithLineAndReason(text: String, line: Int?, reason: String) {
    #expect {
      _ = try Self.rows(text, ["rr"])
    } throws: { error in
      guard let error = error as? TraceError else { return false }
      return error.line == line && error.reason.contains(reason)
    }
  }

  @Test func bearsRandomBytes() {
    var generator = SeededGenerator(seed: 11)
    let pool = generator.bytes(1 << 16)
    let characters = Array("0123456789.-+eE, \n".utf8)
    for index in 0..<100_000 {
      let start = Int.random(in: 0..<(1 << 15), using: &generator)
      var bytes = Array(pool[start..<(start + Int.random(in: 1...60, using: &generator))])
      if index.isMultiple(of: 2) { bytes = bytes.map { characters[Int($0) % characters.count] } }
      do throws(TraceError) {
        var reader = try NumberFileReader(
          MemoryStream(name: "r.csv", bytes: Array("rr,x\n".utf8) + bytes), columns: ["x", "rr"])
        while let row = try reader.next() { #expect(row.count == 2) }
      } catch {
        #expect(error.line != nil && !error.reason.isEmpty)
      }
    }
  }
}
