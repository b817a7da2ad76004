import TestSupport
import Testing

@testable import GATT

@Suite("Every decoder")
struct DecoderPropertyTests {
  @Test("Its frames are decoded and encoded to the same bytes", arguments: DecoderSubject.all)
  func frames(subject: DecoderSubject) throws {
    for frame in subject.frames {
      #expect(try subject.decode(frame) == frame)
    }
  }

  @Test("Frames cut short give a whole value or name the field", arguments: DecoderSubject.all)
  func prefixes(subject: DecoderSubject) {
    for frame in subject.frames {
      for count in 0..<frame.count {
        do throws(GATTError) {
          let encoded = try subject.decode(Array(frame.prefix(count)))
          #expect(subject.endsInList)
          #expect(encoded.count <= count)
        } catch {
          guard case .truncated(let field, let needed, let available) = error else {
            Issue.record("\(error) for \(count) bytes of \(frame)")
            continue
          }
          #expect(!field.isEmpty)
          #expect(needed > available && available <= count)
        }
      }
    }
  }

  @Test("A byte too much is refused", arguments: DecoderSubject.all)
  func extended(subject: DecoderSubject) {
    for frame in subject.frames where !subject.endsInList {
      #expect(throws: GATTError.trailing(count: 1)) { try subject.decode(frame + [0]) }
    }
  }

  @Test("More than an attribute can hold is refused", arguments: DecoderSubject.all)
  func oversized(subject: DecoderSubject) {
    #expect(throws: GATTError.oversized(count: 513, limit: 512)) {
      try subject.decode([UInt8](repeating: 0, count: 513))
    }
  }

  @Test(
    "100 000 foreign inputs give a value that can be sent again, or a typed error",
    arguments: DecoderSubject.all)
  func foreign(subject: DecoderSubject) {
    var source = ForeignBytes(varying: subject.frames, seed: 2026)
    var tally: [DecoderSubject.Outcome: Int] = [:]
    var broken: [[UInt8]] = []
    for _ in 0..<100_000 {
      let input = source.next()
      let outcome = subject.outcome(input)
      tally[outcome, default: 0] += 1
      if outcome == .broken { broken.append(input) }
    }
    #expect(broken.prefix(3) == [])
    // Neither side of the property holds for want of examples.
    #expect(tally[.refused, default: 0] > 10_000)
    #expect(tally[.decoded(isExact: true), default: 0] > 1000)
  }
}
