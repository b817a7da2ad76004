import Access
import Care
import CareStore
import Foundation
import Testing

@testable import Actions

@Suite struct SendMessageTests {
  /// Two programs at one store may write at the same instant, which a row has in microseconds.
  @Test func `messages of one instant are all kept`() async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let now = Date(timeIntervalSince1970: 1_773_000_000.123_456_4)
    for number in 1...3 {
      _ = try await store.write { writer in
        if number == 1 { _ = try writer.put(Patient(id: "ann"), now: now) }
        return try SendMessage("\(number)", patient: "ann").perform(
          in: writer, by: .owner, now: now)
      }
    }
    let texts = try await store.read { try $0.things(Message.self, patient: "ann").map(\.text) }
    #expect(texts.sorted() == ["1", "2", "3"])
  }
}
