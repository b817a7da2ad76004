import Motion
import TestSupport
import Testing

@testable import DeviceCatalog

struct MotionRuleTests {
  private func rule(stride: Int? = nil, hasGyroscope: Bool = false) -> MotionRule {
    MotionRule(
      acceleration: AxesRule(type: .s16le, at: 1, scale: Ratio(1, 1000)),
      angularRate: hasGyroscope ? AxesRule(type: .s16le, at: 7, scale: Ratio(1, 32)) : nil,
      stride: stride)
  }

  @Test func `reads one sample`() throws {
    let frame = try rule(hasGyroscope: true).read(
      bytes("ff e803 18fc 0000 2000 e0ff 1000"))
    #expect(
      frame.samples == [
        MotionSample(
          time: 0, acceleration: Vector3(x: 1_000_000, y: -1_000_000, z: 0),
          angularRate: Vector3(x: 1000, y: -1000, z: 500))
      ])
  }

  @Test func `reads floating point numbers`() throws {
    let rule = MotionRule(
      acceleration: AxesRule(type: .f32le, at: 0, scale: Ratio(1, 2)), angularRate: nil, stride: nil
    )
    // 2, -0.5 and 2e-6.
    #expect(
      try rule.read(bytes("00000040 000000bf bd370636")).samples.map(\.acceleration)
        == [Vector3(x: 1_000_000, y: -250_000, z: 1)])
  }

  /// No number, infinity, and more than 32 bits have.
  @Test(arguments: ["0000c07f", "0000807f", "00002041 000080ff", "00407f45"])
  func `refuses what is no acceleration`(hex: String) {
    let rule = MotionRule(
      acceleration: AxesRule(type: .f32le, at: 0, scale: .one), angularRate: nil, stride: nil)
    let frame = (bytes(hex) + Array(repeating: 0, count: 12)).prefix(12)
    #expect(throws: FrameDefect.motionOutOfRange) { try rule.read(Array(frame)) }
  }

  @Test func `reads samples to the end`() throws {
    let frame = try rule(stride: 6).read(
      bytes("ff 0100 0200 0300 0400 0500 0600"))
    #expect(
      frame.samples.map(\.acceleration)
        == [Vector3(x: 1000, y: 2000, z: 3000), Vector3(x: 4000, y: 5000, z: 6000)])
  }

  @Test(arguments: [
    (nil as Int?, "ff 0100 0200 03"), (6, "ff 0100 0200 0300 04"), (6, "ff"), (nil, ""),
  ])
  func `refuses parts of a sample`(stride: Int?, hex: String) {
    #expect(throws: FrameDefect.self) {
      try rule(stride: stride).read(bytes(hex))
    }
  }

  @Test func `refuses too many samples`() {
    let frame = [UInt8](repeating: 0, count: 1 + 6 * 129)
    #expect(
      throws: FrameDefect.tooManySamples(count: 129, limit: 128)
    ) { try rule(stride: 6).read(frame) }
  }
}
