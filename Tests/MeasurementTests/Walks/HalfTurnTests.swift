import Motion
import Testing

@testable import Measurement
@testable import TestSupport

struct HalfTurnTests {
  /// A sensor lying flat that turns by so many degrees in so many seconds, 5 s after the start.
  private func samples(_ angle: Double, in seconds: Double, rate: Double = 100) -> [MotionSample] {
    (0..<Int((10 + seconds) * rate)).map { index in
      let time = Double(index) / rate
      let isTurning = time >= 5 && time < 5 + seconds
      return MotionSample(
        time: Int64(time * 1e6), acceleration: .g(0, 0, 1),
        angularRate: .g(0, 0, isTurning ? angle / seconds / 1_000 : 0))
    }
  }

  @Test(arguments: [(180.0, 2.0), (-180, 2), (160, 5), (360, 4)])
  func `a turn back is one, either way round`(angle: Double, seconds: Double) throws {
    let turns = try #require(HalfTurn.find(in: samples(angle, in: seconds)))
    #expect(turns.count == 1)
    let turn = try #require(turns.first)
    #expect(abs(Double(turn.middle) / 1e6 - 5 - seconds / 2) < 0.05)
    #expect(abs(Double(turn.angle) / 1e3 - angle) < 8)
  }

  @Test(arguments: [(90.0, 1.5), (120, 2), (180, 20)])
  func `a corner and a slow drift are none`(angle: Double, seconds: Double) {
    #expect(HalfTurn.find(in: samples(angle, in: seconds)) == [])
  }

  @Test
  func `a sample without a rate leaves nothing to find`() {
    var samples = samples(180, in: 2)
    samples[700].angularRate = nil
    #expect(HalfTurn.find(in: samples) == nil)
    #expect(Heading(samples) == nil)
  }

  @Test
  func `the heading goes on beyond a whole turn and over lost samples`() throws {
    let whole = try #require(Heading(samples(720, in: 8)))
    #expect(abs((whole.angles.last ?? 0) - 720_000) < 1_000)
    let lossy = samples(720, in: 8).enumerated().filter { $0.offset % 5 != 0 }.map(\.element)
    #expect(abs((try #require(Heading(lossy)).angles.last ?? 0) - 720_000) < 3_000)
  }
}
