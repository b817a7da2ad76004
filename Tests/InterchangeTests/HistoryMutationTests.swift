import Care
import Foundation
import Interchange
import Testing
import TestSupport

/// Files that are damaged by chance: no trap, and every value is a number.
struct HistoryMutationTests {
  @Test(arguments: HistorySamples.all)
  func `a damaged file ends in values, skips or an error`(_ sample: HistorySamples.Case) {
    let whole = Array(sample.text.utf8)
    let pieces: [[UInt8]] = [
      [0], [0xFF], Array("\"".utf8), Array("\n".utf8), Array(",".utf8), Array(";".utf8),
      Array("[[".utf8), Array("{".utf8), Array("}".utf8), Array("<".utf8), Array("e999".utf8),
      Array("-".utf8), Array("99999999999999999999".utf8), Array("\\u".utf8),
      Array("\u{202F}".utf8),
      Array("nan".utf8),
    ]
    for seed in Rounds.seeds(1000) {
      var random = SeededGenerator(seed: seed)
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        guard !bytes.isEmpty else { break }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 9))
        case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? [], at: place)
        case 3: bytes.removeLast(min(bytes.count, place / 3))
        default:
          let end = min(bytes.count, place + 60)
          bytes.insert(contentsOf: bytes[place..<end], at: place)
        }
      }
      do {
        let file = try HistoryFile(MemoryBytes(bytes, name: "file"))
        try file.read { batch in
          for entry in batch.entries {
            #expect(entry.value.isFinite)
            #expect(!entry.source.isEmpty)
            _ = entry.time.span(in: .gmt)
          }
        }
      } catch {
        #expect(error is HistoryError)
      }
    }
  }
}
