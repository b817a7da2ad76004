import Care
import Foundation
import Interchange
import Testing
import TestSupport

/// Files that are damaged by chance: no trap, and every value is a number.
///
/// `MEASURED_LAYOUT=medTimer` begins with the layout of that name, as a long run does that was stopped.
struct HistoryMutationTests {
  /// A file of each layout.
  struct Whole: CustomTestStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]

    var testDescription: String { name }
  }

  static let files = {
    let first = ProcessInfo.processInfo.environment["MEASURED_LAYOUT"]
    return first.map { first in Array(all.drop { $0.name != first }) } ?? all
  }()

  private static let all =
    HistorySamples.all.map { Whole(name: $0.name, bytes: Array($0.text.utf8)) }
    + [
      Whole(name: "Health Connect", bytes: (try? HealthConnectTests.database()) ?? []),
      Whole(name: "Health Connect's archive", bytes: HealthConnectTests.archive),
    ]

  @Test(arguments: files)
  func `a damaged file ends in values, skips or an error`(_ file: Whole) {
    let whole = file.bytes
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
        let file = try HistoryFile(
          MemoryBytes(bytes, name: "file"), copy: HealthConnectTests.copy)
        try file.read { batch in
          for entry in batch.entries {
            #expect(entry.value.isFinite)
            #expect(!entry.source.isEmpty)
            _ = entry.time.span(in: .gmt)
          }
          for answer in batch.answers { #expect(!answer.name.isEmpty) }
        }
      } catch {
        #expect(error is HistoryError)
      }
    }
  }
}
