import Care
import Foundation
import Hub
import Radio
import TestSupport
import Testing

/// One record is one sample, however and whenever it is sent again.
@Suite struct SameRecordTests {
  private static let meter = DeviceAddress(rawValue: 0x6C_30_2A_00_00_01)
  private static let glucose = Plans.john(
    devices: #"  - {address: "6C:30:2A:00:00:01", definition: sig-glucose, patient: john}"#)

  /// A record of an Accu-Chek Guide, sent again after the meter's time was set.
  @Test func `a glucose record is its number and its base time`() async throws {
    let bench = try await Bench(Self.glucose)
    let start = time("2024-01-30T20:40:00Z")
    let frames = [
      "1b0f00e807011e053a1b53016fb0f80000", "1b0f00e807011e053a1b53016fb0f80000",
      "1b0f00e807011e053a1b8f016fb0f80000",
    ]
    let run = try await bench.play(
      frames.enumerated().map { index, frame in
        .value(0x2A18, of: 0x1808, frame, from: Self.meter, at: start + Double(index) * 3600)
      })
    #expect(run.stored.map { ($0.value * 1e6).rounded() / 1e6 } == [111])
    #expect(run.summary.duplicates == 2)
    // Another number, or another base time, is another record.
    let others = ["1b1000e807011e053a1b53016fb0f80000", "1b0f00e807011e063a1b53016fb0f80000"]
    let more = try await bench.play(
      others.enumerated().map { index, frame in
        .value(
          0x2A18, of: 0x1808, frame, from: Self.meter, at: start + 20_000 + Double(index) * 60)
      })
    #expect(more.stored.count == 2)
  }

  /// A Mi Scale 2 with a clock that was never set.
  private static func unset(_ seconds: Double, second: UInt8 = 0x13) -> TimedEvent {
    let clock: [UInt8] = [0xB2, 0x07, 0x01, 0x03, 0x13, 0x1A, second]
    return .serviceData(
      0x181B, [0x02, 0x26] + clock + [0xE6, 0x01, 0x60, 0x4A],
      at: time("2026-11-20T07:00:00-08:00") + seconds)
  }

  /// A clock that has run does not repeat a second.
  @Test func `a frame with a running clock is one weighing whenever it is heard again`()
    async throws
  {
    let bench = try await Bench(Plans.john(expects: "95 kg"))
    let frames = [Self.unset(0), Self.unset(3600)]
    let run = try await bench.play(frames)
    #expect(run.stored.map(\.value) == [486, 95.2] || run.stored.map(\.value) == [95.2, 486])
    let restarted = try await bench.play([Self.unset(7200)])
    #expect(restarted.stored.isEmpty)
    let next = try await bench.play([Self.unset(7300, second: 0x20)])
    #expect(next.stored.filter { $0.quantity == .bodyMass }.map(\.value) == [95.2])
  }
}
