import Access
import Care
import CareStore
import Exchange
import Foundation
import Testing

@testable import Actions

@Suite struct InviteBoxesTests {
  private let store: SQLStore
  private static let now = Date(timeIntervalSince1970: 1_796_000_000)
  private static let cuff = DeviceBinding(address: DeviceID("A0:9E:1A:00:00:02"), patient: "anna")

  init() throws { store = try SQLStore.inMemory(makeUUID: { UUID() }) }

  private func invite(_ action: InviteBoxes) async throws -> [InviteBoxes.Invited] {
    try await store.write { try action.perform(in: $0, by: .owner, now: Self.now) }
  }

  @Test func `each box of a cohort has its own code and its own people`() async throws {
    _ = try await store.write {
      try $0.put(Patient(id: "north-2", name: PersonName(given: "Otto")), now: Self.now)
    }
    let invited = try await invite(
      InviteBoxes(newPeople: 2, cohort: "north", days: 14, codes: ["AAAA", "BBBB"]))
    #expect(invited.map(\.people) == [["north-1", "north-3"], ["north-4", "north-5"]])
    #expect(invited.allSatisfy { $0.expires == Self.now + 14 * 86_400 })
    #expect(try await store.read { try $0.patients().count } == 5)
    let enrolment = Enrolment(Centre())
    for (code, people) in [
      ("AAAA", Set(["north-1", "north-3"])), ("BBBB", ["north-4", "north-5"]),
    ] {
      let key = SignedKey.public(code)
      let box = try await store.exchanging {
        try enrolment.join(
          code: code, publicKey: key, board: nil, now: Self.now + 13 * 86_400, in: $0)
      }
      let known = try await store.readingExchange { try enrolment.boxes(in: $0) }
      #expect(known.first { $0.name == box }?.membership.people == people)
      // A code is for one box.
      await #expect(throws: EnrolmentRefusal.unknownCode) {
        try await store.exchanging {
          try enrolment.join(
            code: code, publicKey: SignedKey.public("other"), board: nil, now: Self.now, in: $0)
        }
      }
    }
  }

  /// Keys of 32 bytes; whether they are points of the curve nobody asks here.
  private enum SignedKey {
    static func `public`(_ name: String) -> [UInt8] {
      Array(Array(repeating: Array(name.utf8), count: 32).joined().prefix(32))
    }
  }

  @Test(
    arguments: [
      (InviteBoxes(newPeople: 1, cohort: "A b", codes: ["A"]), InvitationRefusal.cohort),
      (InviteBoxes(newPeople: 1, cohort: "", codes: ["A"]), .cohort),
      (InviteBoxes(cohort: "home", codes: ["A"]), .nobody),
      (InviteBoxes(people: [""], cohort: "home", codes: ["A"]), .nobody),
      (InviteBoxes(newPeople: -1, cohort: "home", codes: ["A"]), .nobody),
      (InviteBoxes(newPeople: 1, cohort: "home", codes: []), .tooMany),
      (InviteBoxes(newPeople: 1, cohort: "home", days: 31, codes: ["A"]), .tooMany),
      (InviteBoxes(newPeople: 1, cohort: "home", days: 0, codes: ["A"]), .tooMany),
      (InviteBoxes(newPeople: 501, cohort: "home", codes: ["A", "B"]), .tooMany),
      (
        InviteBoxes(newPeople: 1, cohort: "home", codes: Array(repeating: "A", count: 101)),
        .tooMany
      ),
      (
        InviteBoxes(newPeople: 1, cohort: "home", codes: ["A", "B"], devices: [Self.cuff]),
        .severalKits
      ),
      (InviteBoxes(cohort: "home", codes: ["A", "B"], replaces: "box"), .severalKits),
      (InviteBoxes(newPeople: 1, cohort: "home", codes: ["A"], devices: [Self.cuff]), .kitOfOthers),
      (
        InviteBoxes(
          people: ["anna"], cohort: "home", codes: ["A"],
          devices: Array(repeating: Self.cuff, count: 65)), .longKit
      ),
    ])
  func `what is no invitation is refused, and makes nobody`(
    action: InviteBoxes, refusal: InvitationRefusal
  ) async throws {
    await #expect(throws: refusal) { try await invite(action) }
    #expect(try await store.read { try $0.patients() }.isEmpty)
  }
}
