import Care
import CareStore
import Foundation
import Radio
import Testing

@testable import Hub

/// A hub notices that its store cannot be used while no device sends.
@Suite struct StoreCheckTests {
  /// A radio without devices: it tells the time only.
  private final class SilentRadio: Radio {
    static let start = Date(timeIntervalSince1970: 1_790_000_000)
    private(set) var times: [TimeInterval] = []
    let hasNext = false

    func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
      guard let deadline, times.count < 10 else { return .end(nil) }
      times.append(deadline.timeIntervalSince(Self.start))
      return .deadline(deadline)
    }

    func send(_ command: RadioCommand) async throws(RadioError) {}
  }

  @Test func `checks at the start and every minute`() async throws {
    let radio = SilentRadio()
    let failure = StoreError.failed(.deleted, store: "care.sqlite")
    var checks = 0
    var isUsable = true
    var hub = try await Hub(
      radio: radio, store: try SQLStore.inMemory(makeUUID: { UUID() }),
      catalog: try Catalog.shipped(),
      desk: nil,
      storeCheck: Hub.StoreCheck(from: SilentRadio.start) {
        checks += 1
        guard isUsable, checks % 3 != 0 else { throw failure }
      }, report: { _ in })
    await #expect(throws: failure) { try await hub.run() }
    #expect(radio.times == [0, 60, 120])
    isUsable = false
    await #expect(throws: failure) { try await hub.recover() }
    #expect(checks == 4)
    isUsable = true
    try await hub.recover()
    await #expect(throws: failure) { try await hub.run() }
    #expect(radio.times == [0, 60, 120, 180])
  }
}
