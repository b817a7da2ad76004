import Care
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// Huawei's scales, whose frames are masked by their address, and whose results are encrypted.
struct HuaweiScaleTests {
  private func bench() throws -> SessionBench {
    var bench = try SessionBench("huawei-ah100")
    #expect(try bench.connect(["FAA1", "FAA2"]).commands.count == 1)
    return bench
  }

  private func written(_ outputs: [SessionOutput]) -> [String] {
    outputs.commands.compactMap { command in
      guard case .write(_, let uuid, let data, _) = command else { return nil }
      #expect(uuid == BluetoothUUID(0xFAA1))
      return data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }

  @Test func `is told who measures after it knows the token`() throws {
    var bench = try bench()
    #expect(written(try bench.value("FAA2", "bd0100")) == ["db08244de8e03481b25d"])
    #expect(
      written(try bench.value("FAA2", "bd02265d")) == [
        "db02025d",
        // 2027-01-15T08:00:00, a Friday.
        "db0908b7cdd27fdca25ccf",
        "dc0e09ef62796ed91ba5427f98bb7f8f76ba10",
        "db010c",
        "db070b4de8e03481b25dca",
      ])
    #expect(
      written(try bench.value("FAA2", "bd012000")) == ["dc0e09ef62796ed91ba5427f98bb7f8f76ba10"])
  }

  @Test func `is given a token that it does not know`() throws {
    var bench = try bench()
    #expect(written(try bench.value("FAA2", "bd02265c")) == ["db08254de8e03481b25d"])
    #expect(written(try bench.value("FAA2", "bd02275d")) == ["db08244de8e03481b25d"])
    #expect(written(try bench.value("FAA2", "bd022600")) == [])
  }

  @Test func `acknowledges results after they are given out`() throws {
    var bench = try bench()
    let live = try bench.value("FAA2", "bc100eff8a49328de1a364c6900b5c7295a4f2")
    #expect(live.readings.map(\.quantity) == [.bodyMass, .impedance])
    #expect(live.readings.map(\.value) == [97, 540])
    #expect(
      live.readings.map(\.deviceTime?.description)
        == Array(repeating: "2026-05-19T08:12:33", count: 2))
    #expect(written(live) == ["db02135c"])
    if case .reading = live.first {} else { Issue.record("the reading comes first") }
    let stored = try bench.value("FAA2", "bc1010ff8a49328de1a364c6900b5c7295a4f2", at: 1)
    #expect(stored.readings.map(\.value) == [97, 540])
    #expect(written(stored) == ["db02135c", "db020b5d"])
    #expect(try bench.value("FAA2", "bc108e00112233445566778899aabbccddeeff", at: 2) == [])
  }

  /// The other half is lost with the link, and not needed.
  @Test func `reads a result before a link breaks`() throws {
    var bench = try bench()
    #expect(
      try bench.value("FAA2", "bc100eff8a49328de1a364c6900b5c7295a4f2").readings.count == 2)
    #expect(bench.handle(.disconnected(SessionBench.address), at: 1).readings == [])
    _ = try bench.connect(["FAA1", "FAA2"], at: 60)
    #expect(written(try bench.value("FAA2", "bd0100", at: 61)) == ["db08244de8e03481b25d"])
  }

  /// Nothing authenticates a result; no single damaged bit of the user or the day goes unnoticed.
  @Test func `refuses what is damaged`() throws {
    var bench = try bench()
    let sound = bytes("bc100eff8a49328de1a364c6900b5c7295a4f2")
    for place in [3] + Array(8...11) + [15] {
      for bit in 0..<8 {
        var damaged = sound
        damaged[place] ^= 1 << UInt8(bit)
        let hex = damaged.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let outputs = try bench.value("FAA2", hex)
        #expect(outputs.readings == [], "bit \(bit) of byte \(place)")
        #expect(outputs.rejections.count == 1)
        #expect(outputs.commands == [], "what is refused is not acknowledged")
      }
    }
    for count in 3..<18 {
      let hex = sound.prefix(count).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      let outputs = try bench.value("FAA2", hex.joined())
      #expect(outputs.readings == [] && outputs.commands == [])
    }
  }

  /// A result for another address is another key's.
  @Test func `refuses the result of another scale`() throws {
    var bench = try bench()
    let outputs = try bench.value("FAA2", "bc100edef702c9bbf2176c755b6eccdd5b92b0")
    #expect(outputs.readings == [] && outputs.rejections.count == 1 && outputs.commands == [])
  }
}
