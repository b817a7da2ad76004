import Care
import Foundation
import Radio
import TestSupport
import Testing
import Traces

/// Events that were made rather than recorded.
private struct SyntheticTrace: TraceReader {
  var events: [TimedEvent]
  var bytesRead: Int { 0 }

  init(_ address: UInt64, at seconds: [Double]) {
    events = seconds.map {
      TimedEvent(
        time: Date(timeIntervalSinceReferenceDate: $0),
        event: .connected(DeviceAddress(rawValue: address)))
    }
  }

  mutating func next() throws(TraceError) -> TimedEvent? {
    events.isEmpty ? nil : events.removeFirst()
  }
}

@Suite struct TraceRadioTests {
  static func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  @Test func `merges by absolute time and keeps the order of the recordings`() async throws {
    let radio = TraceRadio([
      SyntheticTrace(1, at: [0, 5, 5, 9]), SyntheticTrace(2, at: [1, 5, 8]),
      SyntheticTrace(3, at: []),
    ])
    var received: [String] = []
    while case .event(let event) = try await radio.next(until: nil) {
      guard case .connected(let address) = event.event else { continue }
      received.append(
        "\(address.rawValue)@\(Int(saturating: event.time.timeIntervalSinceReferenceDate))")
    }
    #expect(received == ["1@0", "2@1", "1@5", "1@5", "2@5", "2@8", "1@9"])
  }

  @Test func `fires a deadline before the next event and runs on a minute`() async throws {
    let radio = TraceRadio([SyntheticTrace(1, at: [10, 20])])
    let steps = [
      try await radio.next(until: Self.at(12)), try await radio.next(until: Self.at(12)),
      try await radio.next(until: Self.at(20)), try await radio.next(until: Self.at(60)),
      try await radio.next(until: Self.at(80)), try await radio.next(until: Self.at(80.5)),
      try await radio.next(until: nil),
    ]
    let connected = RadioEvent.connected(DeviceAddress(rawValue: 1))
    #expect(
      steps == [
        .event(TimedEvent(time: Self.at(10), event: connected)), .deadline(Self.at(12)),
        .deadline(Self.at(20)), .event(TimedEvent(time: Self.at(20), event: connected)),
        .deadline(Self.at(80)), .end(Self.at(20)), .end(Self.at(20)),
      ])
  }

  /// A device that is spoken to each second, and years without a word of it.
  @Test func `years between two events have few deadlines`() async throws {
    let radio = TraceRadio([SyntheticTrace(1, at: [0, 1e9])])
    var (now, deadlines) = (0.0, 0)
    while true {
      let step = try await radio.next(until: Self.at(now + 1))
      guard case .deadline(let date) = step, deadlines < 10_000 else {
        guard case .event(let event) = step else { break }
        now = event.time.timeIntervalSinceReferenceDate
        if now == 1e9 { break }
        continue
      }
      (now, deadlines) = (date.timeIntervalSinceReferenceDate, deadlines + 1)
    }
    #expect(now == 1e9)
    #expect((TraceRadio.mostDeadlines...TraceRadio.mostDeadlines + 61).contains(deadlines))
  }

  @Test func `ends at once without events`() async throws {
    #expect(try await TraceRadio([]).next(until: Self.at(1)) == .end(nil))
  }

  @Test func `reads the events before the damage then its position`() async throws {
    let text =
      RadioTraceTests.header + "\n" + #"{"t":0,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#
      + "\n" + #"{"t":1,"type":"conn"# + "\n"
    let radio = TraceRadio([
      try RadioTraceReader(MemoryStream(name: "cut.jsonl", bytes: Array(text.utf8)))
    ])
    guard case .event = try await radio.next(until: nil) else {
      Issue.record("the first event is lost")
      return
    }
    await #expect {
      _ = try await radio.next(until: nil)
    } throws: { error in
      (error as? RadioError)?.description.hasPrefix("cut.jsonl:3: ") == true
    }
  }
}
