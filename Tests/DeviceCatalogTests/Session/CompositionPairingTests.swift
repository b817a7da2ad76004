import Care
import Radio
import Testing

@testable import DeviceCatalog

struct CompositionPairingTests {
  /// 79.96 kg, user 1.
  let weight = "0e783eea07050c12353601ee002607"
  /// Fat 19.4 % and the rest, without time or user.
  let composition = "9803c200df1a9701cc2fca21a811"
  let clock = LocalDateTime(year: 2026, month: 5, day: 12, hour: 18, minute: 53, second: 54)

  @Test func `takes time and user of the weight`() throws {
    var bench = try SessionBench("sig-weight-scale")
    _ = try bench.value("2A9D", weight)
    let readings = try bench.value("2A9C", composition, at: 1).readings
    #expect(readings.count == 6)
    #expect(readings.allSatisfy { $0.deviceTime == clock && $0.userIndex == 1 })
  }

  @Test func `stays alone without a weight`() throws {
    var bench = try SessionBench("sig-weight-scale")
    let readings = try bench.value("2A9C", composition).readings
    #expect(readings.count == 6)
    #expect(readings.allSatisfy { $0.deviceTime == nil && $0.userIndex == nil })
  }

  @Test func `stays alone on another link`() throws {
    var bench = try SessionBench("sig-weight-scale")
    _ = try bench.value("2A9D", weight)
    _ = bench.handle(.disconnected(SessionBench.address))
    let readings = try bench.value("2A9C", composition).readings
    #expect(readings.allSatisfy { $0.deviceTime == nil })
  }

  @Test func `does not replace its own time`() throws {
    var bench = try SessionBench("sig-weight-scale")
    _ = try bench.value("2A9D", weight)
    // Flags: time stamp and weight (16.00 kg); a minute later.
    let readings = try bench.value("2A9C", "0204 c200 ea07050c123636 800c").readings
    #expect(readings.map(\.quantity) == [.bodyFatPercentage, .bodyMass])
    #expect(readings.allSatisfy { $0.deviceTime?.minute == 54 && $0.userIndex == nil })
  }

  @Test func `does not repeat the weight`() throws {
    var bench = try SessionBench("sig-weight-scale")
    _ = try bench.value("2A9D", weight)
    let readings = try bench.value("2A9C", "0204 c200 ea07050c123536 783e").readings
    #expect(readings.map(\.quantity) == [.bodyFatPercentage])
    #expect(readings.map(\.userIndex) == [1])
  }
}
