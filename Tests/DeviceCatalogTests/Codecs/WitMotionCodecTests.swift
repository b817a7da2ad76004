import Care
import Motion
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

struct WitMotionCodecTests {
  /// A packet whose x acceleration is `count` / 2048 g.
  private func packet(_ count: Int16) -> [UInt8] {
    let bits = UInt16(bitPattern: count)
    return [0x55, 0x61, UInt8(bits & 0xFF), UInt8(bits >> 8)] + [UInt8](repeating: 0, count: 16)
  }

  private func xs(_ contents: [FrameContent]) -> [Int32] {
    contents.flatMap { $0.motion?.samples ?? [] }.map(\.acceleration.x)
  }

  @Test func `reads the packet of a sensor at rest`() throws {
    var codec = WitMotionCodec()
    let content = try codec.decode(
      bytes("5561 35ff 59ff 0a08 1000 f0ff 0000 0000 0000 0000"))
    #expect(
      content.motion?.samples == [
        MotionSample(
          time: 0, acceleration: Vector3(x: -99_121, y: -81_543, z: 1_004_883),
          angularRate: Vector3(x: 977, y: -977, z: 0))
      ])
  }

  @Test(arguments: 1...60)
  func `notifications may end at any byte`(size: Int) throws {
    let stream = (1...20 as ClosedRange<Int16>).flatMap { packet($0 * 64) }
    var codec = WitMotionCodec()
    let contents = try stride(from: 0, to: stream.count, by: size).map {
      try codec.decode(Array(stream[$0..<min($0 + size, stream.count)]))
    }
    #expect(xs(contents) == (1...20).map { $0 * 31_250 })
  }

  @Test func `finds the packets again`() throws {
    var codec = WitMotionCodec()
    // The end of a packet, a reply to a command, and the beginning of a packet in two parts.
    let contents = [
      try codec.decode([1, 2, 3, 0x55]), try codec.decode([0x71] + packet(2048)),
      try codec.decode([0x55]), try codec.decode(Array(packet(1024).dropFirst())),
    ]
    #expect(xs(contents) == [1_000_000, 500_000])
  }

  @Test func `drops a partial packet after a link`() throws {
    let data = "0000ffe4-0000-1000-8000-00805f9a34fb"
    var bench = try SessionBench("witmotion-bwt901ble")
    #expect(try bench.value(data, "5561 0008 0000") == [])
    _ = bench.handle(.disconnected(SessionBench.address), at: 1)
    #expect(try bench.value(data, "0000 0000 0000 0000 0000 0000 0000", at: 2) == [])
    let batch = try #require(
      try bench.value(data, "5561 0008 0000 0000 0000 0000 0000 0000 0000 0000", at: 3)
        .batches.first)
    #expect(batch.samples.map(\.acceleration.x) == [1_000_000])
    #expect(batch.timeBase == .arrival)
    #expect(batch.samples.map(\.time) == [SessionBench.time(3).date.microseconds])
  }

  @Test func `refuses an oversized notification`() throws {
    let data = "0000ffe4-0000-1000-8000-00805f9a34fb"
    var bench = try SessionBench("witmotion-bwt901ble")
    let outputs = try bench.value(data, String(repeating: "55", count: 513))
    #expect(
      outputs.rejections == [
        RejectedFrame(
          address: SessionBench.address, source: .characteristic(try uuid(data)),
          bytes: [UInt8](repeating: 0x55, count: 513), defect: .oversized(count: 513))
      ])
  }
}
