import Access
import Care
import CareStore
import Foundation
import Plans
import Testing

@testable import Actions

/// Consent to the documents of care plans.
@Suite struct ConsentTests {
  private let store: SQLStore
  private let now = Date(timeIntervalSince1970: 1_773_000_000)

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    try await importPlan("consent: {version: 1, sections: [{text: We keep it here.}]}")
  }

  /// The care plan as its file says it.
  private func importPlan(_ consent: String) async throws {
    let text = """
      timeZone: Europe/Berlin
      patients: [{id: ann}, {id: bob}]
      carePlans:
        - {id: heart, patient: ann, title: Heart, \(consent)}
        - {id: knee, patient: ann, title: Knee}
      """
    let plan = try PlanFile.parse(text, file: "plan.yaml", activeTasks: [])
    _ = try await store.write { [now] in try $0.importPlan(plan, now: now) }
  }

  private var state: ConsentState {
    get async throws { try await store.read { try $0.consent(of: "ann") } }
  }

  private func entry(_ name: String = "Ann", signature: String? = nil) -> ConsentEntry {
    ConsentEntry(patient: "ann", carePlan: "heart", name: name, signature: signature)
  }

  @discardableResult
  private func agree(_ entry: ConsentEntry, after seconds: Double) async throws -> ConsentAnswer {
    let time = now + seconds
    return try await store.write {
      try AgreeToConsent(entry).perform(in: $0, by: .owner, now: time)
    }
  }

  @discardableResult
  private func withdraw(_ entry: ConsentEntry, after seconds: Double) async throws -> ConsentAnswer
  {
    let time = now + seconds
    return try await store.write {
      try WithdrawConsent(entry).perform(in: $0, by: .owner, now: time)
    }
  }

  @Test func `nothing leaves before it is agreed to, and another version asks again`() async throws
  {
    #expect(try await state == .open)
    #expect(try await store.read { try $0.consent(of: "bob") } == .agreed)
    try await agree(entry(), after: 10)
    #expect(try await state == .agreed)
    try await importPlan("consent: {version: 2, sections: [{text: We keep it here.}]}")
    #expect(try await state == .open)
    try await agree(entry("Ann"), after: 20)
    #expect(try await state == .agreed)
    try await withdraw(entry(), after: 30)
    #expect(try await state == .withdrawn)
    let consent = try #require(try await store.read { try $0.consents(of: "ann") }.first)
    #expect(consent.answers.map(\.state) == [.agreed, .agreed, .withdrawn])
    #expect(consent.answers.map(\.version) == ["1", "2", "2"])
    #expect(consent.answers.map(\.date) == [now + 10, now + 20, now + 30])
    #expect(consent.state == .withdrawn)
  }

  @Test func `a withdrawal outlives its document`() async throws {
    try await withdraw(entry(), after: 10)
    try await importPlan("effectiveDate: 2026-01-01")
    #expect(try await store.read { try $0.consents(of: "ann") }.isEmpty)
    #expect(try await state == .withdrawn)
  }

  @Test func `a plan without a document lets everything leave`() async throws {
    try await importPlan("effectiveDate: 2026-01-01")
    #expect(try await state == .agreed)
  }

  @Test func `the same answer twice is one`() async throws {
    let first = try await agree(entry(), after: 10)
    #expect(try await agree(entry(), after: 20) == first)
    // Another person's name is another answer.
    #expect(try await agree(entry("Bo"), after: 30) != first)
  }

  @Test(
    arguments: [
      (
        ConsentEntry(patient: "ann", carePlan: "knee", name: "Ann"),
        .noDocument("knee", known: ["heart"])
      ),
      (ConsentEntry(patient: "ann", carePlan: "heart", name: " \n"), .noName),
      (
        ConsentEntry(patient: "ann", carePlan: "heart", name: String(repeating: "x", count: 201)),
        .longName(most: 200)
      ),
      (ConsentEntry(patient: "ann", carePlan: "heart", name: "Ann", digest: "00"), .otherDocument),
      (
        ConsentEntry(patient: "ann", carePlan: "heart", name: "Ann", signature: "M0 0L601 0"),
        .noSignature
      ),
    ] as [(ConsentEntry, ConsentRefusal)])
  func `an answer that says nothing is refused`(
    entry: ConsentEntry, refusal: ConsentRefusal
  ) async throws {
    await #expect(throws: refusal) { try await agree(entry, after: 1) }
    await #expect(throws: refusal) { try await withdraw(entry, after: 1) }
    #expect(try await state == .open)
  }

  @Test func `who may not answer for a person does not agree for them`() async throws {
    let viewer = Performer(grant: Grant([.read], .all))
    await #expect(throws: AccessDenied()) {
      try await store.write { [now] in
        try AgreeToConsent(entry()).perform(in: $0, by: viewer, now: now)
      }
    }
  }

  @Test(
    arguments: [
      ("M0 0L600 200", true), ("M10 20L30 40L31 44M80 20L80 60", true), ("", false),
      ("M0 0", false),
      ("L0 0L1 1", false), ("M0 0L1 1Z", false), ("M0 0L1 201", false), ("M-1 0L1 1", false),
      ("M0 0L1 1\"/><script>", false), ("M0 0" + String(repeating: "L1 1", count: 5_000), false),
      ("m0 0l1 1", false), ("M٠ 0L1 1", false),
    ])
  func `a drawn name is lines in its field`(path: String, isOne: Bool) async throws {
    #expect((ConsentSignature(path) != nil) == isOne)
    guard isOne else { return }
    #expect(try await agree(entry(signature: path), after: 1).signature?.path == path)
  }
}
