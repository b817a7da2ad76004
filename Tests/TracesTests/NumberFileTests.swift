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

  @Test func `reads the named columns in the order of the names`() throws {
    let rows = try Self.rows("\u{FEFF}note,rate, T \nx,72,0.5\n\n,73.5,1\r\n", ["t", "rate"])
    #expect(rows == [[500_000_000, 72_000_000_000], [1_000_000_000, 73_500_000_000]])
  }

  @Test(
    arguments: [
      ("", nil, .empty(.numbers)), ("a,b\n1,2\n", 1, .missingColumn("rr", header: "a,b")),
      ("rr,rr\n", 1, .duplicateColumn("rr")),
      ("rr\n0.8\nfast\n", 3, .invalidNumber("fast", column: "rr")),
      ("rr\n\"0.8\"\n", 2, .invalidNumber("\"0.8\"", column: "rr")),
      ("t,rr\n1,0.8\n2,0,8\n", 3, .longRow(columns: 3, header: 2)),
      ("a,rr\n1\n", 2, .missingNumber(column: "rr")),
    ] as [(String, Int?, TraceError.Problem)])
  func `refuses with line and problem`(text: String, line: Int?, problem: TraceError.Problem) {
    #expect(throws: TraceError(file: "n.csv", line: line, problem)) {
      try Self.rows(text, ["rr"])
    }
  }

  @Test func `accepts random bytes`() {
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
        #expect(error.line != nil)
      }
    }
  }
}
