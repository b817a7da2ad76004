import Motion
import Testing

@testable import Measurement

struct GyroscopeBiasTests {
  /// The bias after so many samples at 100 Hz with this rate about x and this force along z.
  private func bias(
    samples: Int, rate: (Int) -> Int64, force: (Int) -> Int32 = { _ in 1_000_000 }
  ) -> Int64 {
    var estimate = GyroscopeBias()
    for index in 0..<samples {
      estimate.add(
        rate: WideVector(x: rate(index), y: 0, z: 0),
        acceleration: Vector3(x: 0, y: 0, z: force(index)), interval: 10_000)
    }
    return estimate.bias.x >> Int64(Rotation.rateBits)
  }

  @Test
  func `what is read at rest is the bias, once the rest was long enough`() {
    #expect(bias(samples: 100, rate: { _ in 700 }) == 0)
    #expect(abs(bias(samples: 1_000, rate: { 700 + Int64($0 % 3) * 50 - 50 }) - 700) <= 30)
  }

  @Test
  func `movement is no bias`() {
    #expect(bias(samples: 2_000, rate: { $0 / 100 % 2 == 0 ? 9_000 : -9_000 }) == 0)
    #expect(bias(samples: 2_000, rate: { _ in 5_000 }) == 0)
    #expect(
      bias(samples: 2_000, rate: { _ in 500 }, force: { $0 % 40 < 20 ? 900_000 : 1_100_000 }) == 0)
  }
}
