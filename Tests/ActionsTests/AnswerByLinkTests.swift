import Access
import Care
import CareStore
import Foundation
import Outlets
import Plans
import Testing

@testable import Actions

/// The answers that a link of a message gives, and those that it does not.
@Suite struct AnswerByLinkTests {
  private let store: SQLStore
  private let now = Date(timeIntervalSince1970: 1_795_172_400)
  private let eight: Date
  private static let scale: DeviceID = "5C:CA:D3:70:D4:A2"

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    eight = try #require(Date(rfc3339: "2026-11-20T08:00:00+01:00"))
    let plan = try PlanFile.parse(
      """
      timeZone: Europe/Berlin
      patients: [{id: ann, name: {given: Ann}}, {id: bob}]
      contacts: [{id: nora, name: {given: Nora}}]
      tasks:
        - {id: pills, patient: ann, title: Pills, schedule: [{start: 2026-11-02T08:00, interval: {days: 1}, duration: 1h}]}
        - {id: weigh, patient: ann, title: Weigh, linkage: {quantity: bodyMass}, schedule: [{start: 2026-11-02T08:00, interval: {days: 1}, duration: 1h}]}
        - {id: pills, patient: bob, title: Pills, schedule: [{start: 2026-11-02T08:00, interval: {days: 1}, duration: 1h}]}
      """, file: "plan.yaml", activeTasks: [])
    let begin = now - 18 * 86_400
    _ = try await store.write { try $0.importPlan(plan, now: begin) }
  }

  private static let nora = Recipient(contact: "nora")
  private static let ann = Recipient(patient: "ann")

  private func missed(_ task: String, of patient: String = "ann") -> Occasion.Key {
    .init(.missed, patient: patient, task: task, subject: "0", occurrence: eight)
  }

  /// A message that has arrived, and a link of it.
  private func link(
    _ answer: TapAnswer, _ key: Occasion.Key, to recipient: Recipient = nora, seed: UInt64 = 1
  ) async throws -> String {
    var random = SeededTaps(state: seed)
    let token = TapToken(using: &random)
    let id = ItemID(of: [key.id.text, recipient.text])
    var item = OutboxItem(
      id: id, occasion: key.id, key: key, recipient: recipient, happened: now, due: now)
    (item.state, item.way, item.finished) = (.sent, 0, now)
    let (sent, expires) = (item, now + TapToken.lifetime)
    try await store.writeMessages { writer in
      try writer.put(
        StoredMessage(
          id: id.text, patient: key.patient, recipient: recipient.text, state: "sent",
          isActive: false, finished: sent.finished,
          content: String(decoding: try JSONEncoder().encode(sent), as: UTF8.self)))
      try writer.put(
        StoredLink(
          digest: token.digest, message: id.text, recipient: recipient.text,
          patient: key.patient ?? recipient.patient, channel: "ntfy", answer: answer.rawValue,
          expires: expires))
    }
    return token.text.revealed
  }

  /// Chance of its own, so that a token is known to nobody.
  private struct SeededTaps: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state
    }
  }

  @discardableResult
  private func take(
    _ token: String, _ step: AnswerByLink.Step, after seconds: Double = 60
  ) async throws -> TapResult {
    let time = now + seconds
    return try await store.writeMessages {
      try AnswerByLink(token, step).perform(in: $0, now: time)
    }
  }

  private func state(_ task: String = "pills", of patient: String = "ann") async throws -> String {
    let (key, now) = (
      EventKey(patient: patient, task: task, start: eight, ordinal: 0), now
    )
    let event = try await store.read { try $0.event(key, now: now) }
    let outcome = try #require(event).outcome
    return outcome.map { "\($0.answer.state) \($0.answer.reason ?? "")" } ?? "open"
  }

  @Test func `shows, answers once, and says who answered`() async throws {
    let token = try await link(.done, missed("pills"))
    #expect(try await take(token, .show).state == .open)
    #expect(try await state() == "open")
    let first = try await take(token, .answer(reason: nil))
    #expect(first.isChanged && first.state == .answered(by: Self.nora, at: now + 60))
    #expect(first.auditText == "done by ntfy: pills" && first.patient == "ann")
    #expect(try await state() == "done ")
    let second = try await take(token, .answer(reason: nil), after: 90)
    #expect(!second.isChanged && second.state == .answered(by: Self.nora, at: now + 60))
    // The same occasion by the link of another reader.
    let other = try await link(.notDone, missed("pills"), to: Self.ann, seed: 2)
    let late = try await take(other, .answer(reason: "no"), after: 120)
    #expect(!late.isChanged && late.state == .answered(by: Self.nora, at: now + 60))
    #expect(try await state() == "done ")
  }

  @Test func `answers one event of one person`() async throws {
    let token = try await link(.notDone, missed("pills", of: "bob"))
    try await take(token, .answer(reason: "asleep"))
    #expect(try await state(of: "bob") == "notDone asleep")
    #expect(try await state() == "open")
    #expect(try await state("weigh") == "open")
  }

  @Test func `a link that is altered, expired or of somebody who is gone gives no answer`()
    async throws
  {
    let token = try await link(.done, missed("pills"))
    let altered = (token.hasPrefix("0") ? "1" : "0") + token.dropFirst()
    for wrong in [altered, "", token.uppercased() + "f", String(token.dropLast())] {
      await #expect(throws: TapRefusal.unknown) { try await take(wrong, .answer(reason: nil)) }
    }
    for step in [AnswerByLink.Step.show, .answer(reason: nil)] {
      await #expect(throws: TapRefusal.expired) { try await take(token, step, after: 86_400) }
    }
    let time = now
    try await store.write {
      try $0.delete(ThingReference(.contact, patient: "", id: "nora"), now: time)
    }
    await #expect(throws: TapRefusal.gone) { try await take(token, .answer(reason: nil)) }
    #expect(try await state() == "open")
  }

  @Test func `an answer can be taken back for a day, unless somebody changed it`() async throws {
    let token = try await link(.done, missed("pills"))
    await #expect(throws: TapRefusal.notTakenBack) { try await take(token, .takeBack) }
    #expect(try await take(token, .answer(reason: nil)).mayTakeBack)
    #expect(try await take(token, .show, after: 86_459).mayTakeBack)
    #expect(try await !take(token, .show, after: 86_460).mayTakeBack)
    await #expect(throws: TapRefusal.notTakenBack) {
      try await take(token, .takeBack, after: 86_460)
    }
    #expect(try await take(token, .takeBack, after: 3_600).state == .takenBack)
    #expect(try await state() == "open")
    // It was of one use.
    #expect(try await take(token, .answer(reason: nil), after: 3_700).state == .takenBack)
    #expect(try await state() == "open")

    let next = try await link(.notDone, missed("pills", of: "bob"))
    try await take(next, .answer(reason: nil))
    let (key, time) = (EventKey(patient: "bob", task: "pills", start: eight), now + 100)
    try await store.write { writer in
      let event = try #require(try writer.event(key, now: time))
      _ = try AnswerEvent(event, answer: Answer(state: .done)).perform(
        in: writer, by: .owner, now: time)
    }
    await #expect(throws: TapRefusal.notTakenBack) { try await take(next, .takeBack, after: 200) }
    #expect(try await state(of: "bob") == "done ")
  }

  @Test func `what was answered on the page needs no tap`() async throws {
    let token = try await link(.done, missed("pills"))
    let (key, time) = (EventKey(patient: "ann", task: "pills", start: eight), now + 10)
    try await store.write { writer in
      let event = try #require(try writer.event(key, now: time))
      _ = try AnswerEvent(event, answer: Answer(state: .notDone)).perform(
        in: writer, by: .owner, now: time)
    }
    let result = try await take(token, .answer(reason: nil))
    #expect(result.state == .settled && !result.isChanged)
    #expect(try await state() == "notDone ")
  }

  @Test func `whoever has seen it ends the messages of the occasion`() async throws {
    let key = Occasion.Key(.alert, patient: "ann", task: "weigh", subject: "x", occurrence: eight)
    let token = try await link(.seen, key)
    _ = try await link(.seen, key, to: Self.ann, seed: 2)
    #expect(try await take(token, .answer(reason: nil)).isChanged)
    let time = now + 60
    let states = try await store.readMessages { reader in
      try Outbox(reader, now: time).items.values.map(\.state)
    }
    #expect(states == [.withdrawn, .withdrawn])
    await #expect(throws: TapRefusal.notTakenBack) { try await take(token, .takeBack) }
  }

  @Test(arguments: [TapAnswer.mine, .guest])
  func `a weighing becomes the reader's or nobody's, and goes back`(answer: TapAnswer) async throws
  {
    let (start, device) = (now - 600, Self.scale)
    let identity = SampleIdentity(text: "scale|1")
    _ = try await store.write { writer in
      try writer.insert(
        Sample(
          identity: identity,
          reading: Reading(
            quantity: .bodyMass, value: 71, arrival: start, device: DeviceIdentity(address: device)),
          unassignedReason: "unclear", start: start, end: start))
    }
    let key = Occasion.Key(.question, subject: device.text, occurrence: start)
    let token = try await link(answer, key, to: Self.ann)
    #expect(try await take(token, .show).state == .open)
    try await take(token, .answer(reason: nil))
    let owner = try await store.read { try $0.sample(identity) }
    #expect(owner?.patient == (answer == .mine ? "ann" : nil))
    #expect(owner?.state == (answer == .mine ? .live : .disowned))
    try await take(token, .takeBack, after: 90)
    let after = try await store.read { try $0.sample(identity) }
    #expect(after?.patient == nil && after?.state == .live)
  }

  @Test func `offers what one tap can say`() async throws {
    let now = now
    func offered(_ key: Occasion.Key, to recipient: Recipient) async throws -> [TapAnswer] {
      let item = OutboxItem(
        id: key.id, occasion: key.id, key: key, recipient: recipient, happened: now, due: now)
      return try await store.read { try item.tapAnswers(in: $0, now: now) }
    }
    #expect(try await offered(missed("pills"), to: Self.nora) == [.done, .notDone, .seen])
    #expect(try await offered(missed("weigh"), to: Self.ann) == [.notDone, .seen])
    #expect(try await offered(missed("gone"), to: Self.ann) == [.seen])
    let question = Occasion.Key(.question, subject: Self.scale.text, occurrence: now)
    #expect(try await offered(question, to: Self.ann) == [.mine, .guest])
    #expect(try await offered(question, to: Self.nora) == [.seen])
    #expect(
      try await offered(.init(.machine, subject: "radio", occurrence: now), to: Self.nora)
        == [.seen])
  }

  @Test func `an erased person leaves no link, a renamed one keeps theirs`() async throws {
    let token = try await link(.done, missed("pills"))
    let time = now + 1
    try await store.write { try $0.renamePatient("ann", to: "anna", now: time) }
    #expect(try await take(token, .answer(reason: nil)).patient == "anna")
    try await store.erase(patient: "anna", now: now + 100)
    await #expect(throws: TapRefusal.unknown) { try await take(token, .show, after: 200) }
  }
}
