import Foundation
import Testing

@testable import Care

@Suite struct RandomIDTests {
  @Test(arguments: [
    (0, 0, "00000000-0000-4000-8000-000000000000"),
    (UInt64.max, UInt64.max, "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF"),
    (1, 2, "01000000-0000-4000-8200-000000000000"),
  ])
  func `has version and variant`(low: UInt64, high: UInt64, text: String) {
    #expect(UUID(randomBits: low, high).uuidString == text)
  }

  @Test func differs() {
    #expect(Set((0..<1000).map { _ in UUID.random() }).count == 1000)
  }
}
