import Care
import Foundation
import Testing
import TestSupport

@testable import Outlets

/// Single steps of the outbox, whose years `OutboxSimulationTests` lives.
@Suite final class OutboxStepTests {
  private static let nora = Recipient(contact: "nora")
  private static let tom = Recipient(contact: "tom", of: "john")
  private static let noon = Date(timeIntervalSince1970: 1_795_000_000)

  private var outbox = Outbox()
  private var random = SeededGenerator(seed: 1)

  private static func readers(
    quiet: QuietHours? = nil, ways: Int = 1, knowsNames: Bool = true
  ) -> [Recipient: Reader] {
    let reader = Reader(
      ways: (0..<ways).map { _ in .init(knowsNames: knowsNames) }, quiet: quiet, timeZone: .gmt)
    return [nora: reader, tom: reader]
  }

  private static func alert(
    _ subject: String = "a", at date: Date = noon, noticed: Date? = nil,
    steps: [Occasion.Step] = [.init(nora), .init(tom, after: 1_800)]
  ) -> Occasion {
    Occasion(
      .init(.alert, patient: "john", task: "weigh", subject: subject, occurrence: date),
      happened: date, noticed: noticed ?? date, steps: steps)
  }

  /// Lets everything go that is due, and says to whom.
  private func step(
    _ occasions: [Occasion], at seconds: TimeInterval, offs: [Range<Date>] = [],
    readers: [Recipient: Reader] = readers(), toldUntil: Date? = nil,
    result: DeliveryResult = .delivered
  ) -> [String] {
    let now = Self.noon + seconds
    let facts = OutboxFacts(
      occasions: occasions, readers: readers, toldUntil: toldUntil ?? now, offs: offs)
    var said: [String] = []
    for _ in 0..<10 {
      let attempts = outbox.step(facts, now: now).attempts
      if attempts.isEmpty { break }
      for attempt in attempts {
        said.append(
          "\(attempt.takesBack ? "-" : "")\(attempt.way.recipient.text).\(attempt.way.index)"
            + " \(attempt.item.key.kind.rawValue)")
        outbox.end(attempt, result, readers: readers, now: now, using: &random)
      }
    }
    return said
  }

  @Test func `who has not answered is followed by the next`() {
    #expect(step([Self.alert()], at: 0) == ["nora.0 alert"])
    #expect(step([Self.alert()], at: 1_799) == [])
    #expect(step([Self.alert()], at: 1_800) == ["john/tom.0 alert"])
    #expect(step([Self.alert()], at: 1_801) == [])
    // Answered: taken back everywhere.
    #expect(Set(step([], at: 1_900)) == ["-nora.0 alert", "-john/tom.0 alert"])
    #expect(step([], at: 2_000) == [])
    #expect(outbox.items.values.allSatisfy { $0.state == .withdrawn && $0.isTakenBack == true })
  }

  @Test func `an answer stops the escalation`() throws {
    #expect(step([Self.alert()], at: 0) == ["nora.0 alert"])
    let item = try #require(outbox.items.values.first { $0.recipient == Self.nora })
    let isKnown = outbox.answer(item.id, now: Self.noon + 60)
    #expect(isKnown)
    // It still holds, and nobody is told any more.
    #expect(step([Self.alert()], at: 1_800) == ["-nora.0 alert"])
    let isOther = outbox.answer(ItemID(of: ["none"]), now: Self.noon)
    #expect(!isOther)
  }

  @Test func `nothing rings for the past, nor for what was known before`() {
    let old = Self.alert("memory", at: Self.noon - 7 * 86_400, noticed: Self.noon)
    #expect(step([old], at: 0) == [])
    // A rule that is added to the plan tells nothing of yesterday.
    let known = Self.alert("known", at: Self.noon - 7_200)
    #expect(step([known], at: 0) == [])
    #expect(
      step([known], at: 0, toldUntil: Self.noon - 86_400) == ["john/tom.0 alert", "nora.0 alert"])
  }

  @Test func `a clock that is set back rings nobody again`() {
    #expect(step([Self.alert()], at: 0) == ["nora.0 alert"])
    #expect(step([Self.alert()], at: -86_400) == [])
    // The next of the escalation waits for its time, not for a day more.
    let due = outbox.items.values.first { $0.recipient == Self.tom }?.due
    #expect(due == Self.noon - 86_400 + 1_800)
    #expect(step([Self.alert()], at: -86_400 + 1_800) == ["john/tom.0 alert"])
  }

  @Test func `a clock that is set moves what waits`() {
    #expect(step([Self.alert()], at: 0) == ["nora.0 alert"])
    outbox.clockWasSet(by: 3_600, now: Self.noon + 3_660)
    #expect(step([Self.alert()], at: 3_660) == [])
    #expect(step([Self.alert()], at: 5_400) == ["john/tom.0 alert"])
  }

  @Test func `quiet hours hold what can wait, in one message`() {
    // 1_795_000_000 is 11:06:40 UTC.
    let readers = Self.readers(quiet: QuietHours(from: 660, to: 720))
    let held = ["a", "b"].map { Self.alert($0, steps: [.init(Self.nora)]) }
    let urgent = Self.alert("c", steps: [.init(Self.nora, isUrgent: true)])
    #expect(step(held + [urgent], at: 0, readers: readers) == ["nora.0 alert"])
    #expect(step(held + [urgent], at: 3_199, readers: readers) == [])
    #expect(step(held + [urgent], at: 3_200, readers: readers) == ["nora.0 digest"])
    #expect(outbox.items.values.count { $0.state == .sent } == 4)
    // All of it is answered: the digest is taken back.
    #expect(step([urgent], at: 4_000, readers: readers) == ["-nora.0 digest"])
  }

  @Test func `what was due without power comes once, as one that says so`() {
    let off = Self.noon - 7_200..<Self.noon
    let missed = ["a", "b", "c"].enumerated().map { index, name in
      Self.alert(name, at: Self.noon - 3_600 + Double(index), steps: [.init(Self.nora)])
    }
    #expect(step(missed, at: 0, offs: [off], toldUntil: off.lowerBound) == [])
    #expect(step(missed, at: 60, offs: [off]) == ["nora.0 summary"])
    #expect(step(missed, at: 120, offs: [off]) == [])
  }

  @Test func `a way that refuses is followed by the next`() {
    let readers = Self.readers(ways: 2)
    let alert = [Self.alert(steps: [.init(Self.nora)])]
    let refusal = DeliveryResult.refused(.message(detail: "no"))
    #expect(
      step(alert, at: 0, readers: readers, result: refusal) == ["nora.0 alert", "nora.1 alert"])
    #expect(outbox.items.values.map(\.state) == [.refused])
    #expect(step(alert, at: 60, readers: readers) == [])
    let count = outbox.retryRefused(Self.nora, now: Self.noon + 120)
    #expect(count == 1)
    #expect(step(alert, at: 120, readers: readers) == ["nora.0 alert"])
  }

  @Test func `a way that loses its answers is tried again when the others refuse`() {
    let (alert, readers) = (Self.alert(steps: [.init(Self.nora)]), Self.readers(ways: 2))
    var attempts: [String] = []
    for (seconds, result) in [
      (0.0, DeliveryResult.unknown(.timeout)), (3_600, .unknown(.timeout)),
      (7_200, .unknown(.timeout)), (10_800, .refused(.message(detail: ""))), (14_400, .delivered),
    ] {
      // The second way will never take it, and the first has not said so.
      let now = Self.noon + seconds
      let facts = OutboxFacts(occasions: [alert], readers: readers, toldUntil: now)
      for attempt in outbox.step(facts, now: now).attempts {
        attempts.append("\(attempt.way.index)")
        outbox.end(attempt, result, readers: readers, now: now, using: &random)
      }
    }
    #expect(attempts == ["0", "0", "0", "1", "0"])
    #expect(outbox.items.values.map(\.state) == [.sent])
  }

  @Test func `ways that all lose their answers have their turns`() {
    let (alert, readers) = (Self.alert(steps: [.init(Self.nora)]), Self.readers(ways: 2))
    var attempts = ""
    for hour in 0..<12 {
      let now = Self.noon + Double(hour) * 3_600
      let facts = OutboxFacts(occasions: [alert], readers: readers, toldUntil: now)
      for attempt in outbox.step(facts, now: now).attempts {
        attempts += "\(attempt.way.index)"
        outbox.end(attempt, .unknown(.timeout), readers: readers, now: now, using: &random)
      }
    }
    #expect(attempts == "000111000111")
  }

  @Test func `a way that fails is followed at once, and tried again later`() {
    let readers = Self.readers(ways: 2)
    let alert = [Self.alert(steps: [.init(Self.nora)])]
    #expect(
      step(alert, at: 0, readers: readers, result: .later(.timeout, after: .seconds(600)))
        == ["nora.0 alert", "nora.1 alert"])
    #expect(step(alert, at: 599, readers: readers) == [])
    #expect(step(alert, at: 600, readers: readers) == ["nora.0 alert"])
  }

  @Test func `a lost answer is asked for under the same name, by the same way`() throws {
    let readers = Self.readers(ways: 2)
    let alert = [Self.alert(steps: [.init(Self.nora)])]
    #expect(step(alert, at: 0, readers: readers, result: .unknown(.timeout)) == ["nora.0 alert"])
    #expect(step(alert, at: 60, readers: readers, result: .unknown(.timeout)) == ["nora.0 alert"])
    #expect(
      step(alert, at: 120, readers: readers, result: .unknown(.timeout)).first == "nora.0 alert")
    // Three times: perhaps twice is better than perhaps never.
    #expect(step(alert, at: 240, readers: readers) == ["nora.1 alert"])
    #expect(outbox.items.count == 1)
  }

  @Test
  func `where a message would show twice, it goes again after a minute, and says so`() {
    let readers = Self.readers(knowsNames: false)
    let alert = [Self.alert(steps: [.init(Self.nora)])]
    #expect(step(alert, at: 0, readers: readers, result: .unknown(.timeout)) == ["nora.0 alert"])
    #expect(step(alert, at: 59, readers: readers) == [])
    #expect(step(alert, at: 60, readers: readers) == ["nora.0 alert"])
    #expect(outbox.items.values.map(\.state) == [.perhaps])
  }

  @Test func `what was answered while it was under way is not sent again after a kill`() {
    let facts = OutboxFacts(
      occasions: [Self.alert(steps: [.init(Self.nora)])], readers: Self.readers(),
      toldUntil: Self.noon)
    let begun = outbox.step(facts, now: Self.noon).attempts.count
    #expect(begun == 1)
    var answered = facts
    answered.occasions = []
    _ = outbox.step(answered, now: Self.noon + 1)
    outbox.recover(readers: facts.readers, now: Self.noon + 2)
    #expect(step([], at: 3) == ["-nora.0 alert"])
  }

  @Test func `a stopped way keeps what waits`() {
    let alert = [Self.alert(steps: [.init(Self.nora)])]
    outbox.pause(WayID(Self.nora, 0), true)
    #expect(step(alert, at: 0) == [])
    outbox.pause(WayID(Self.nora, 0), false)
    #expect(step(alert, at: 60) == ["nora.0 alert"])
  }

  @Test func `what waited for a week is refused, and stays to be seen`() {
    let alert = [Self.alert(steps: [.init(Self.nora)])]
    outbox.pause(WayID(Self.nora, 0), true)
    #expect(step(alert, at: 0) == [])
    #expect(step(alert, at: Outbox.patience + 1) == [])
    #expect(outbox.items.values.map(\.state) == [.refused])
  }

  @Test func `only what differs is stored, and it reads back as the same`() throws {
    var outbox = Outbox()
    let facts = OutboxFacts(
      occasions: [Self.alert()], readers: Self.readers(), toldUntil: Self.noon)
    _ = outbox.step(facts, now: Self.noon)
    let changes = outbox.takeChanges()
    #expect(changes.items.count == 2 && changes.ways.isEmpty)
    let later = outbox.takeChanges()
    #expect(later.isEmpty)
    for item in changes.items {
      let data = try JSONEncoder().encode(item)
      #expect(try JSONDecoder().decode(OutboxItem.self, from: data) == item)
    }
    var again = Outbox(items: changes.items)
    again.recover(readers: facts.readers, now: Self.noon + 1)
    let repeated = again.step(facts, now: Self.noon + 1).attempts.map(\.item.recipient)
    #expect(repeated == [Self.nora])
  }

  @Test(arguments: ["nora", "john/nora", "john/"])
  func `a recipient reads as its name`(text: String) throws {
    #expect(try #require(Recipient(text)).text == text)
  }

  @Test(arguments: ["", "/", "/nora"]) func `what names nobody is no recipient`(text: String) {
    #expect(Recipient(text) == nil)
  }
}
