import Measurement
import Motion

extension MotionSample {
  /// A sample of a made-up course in integers alone, at 100 Hz: a triangle of pitch about x between
  /// 0° and 36° or so, in whole steps of a table, with noise from a small generator.
  static func golden(_ index: Int) -> Self {
    // Sine and cosine of 0° to 36° in steps of 4°, in micro-g.
    let table: [(sine: Int32, cosine: Int32)] = [
      (0, 1_000_000), (69_756, 997_564), (139_173, 990_268), (207_912, 978_148),
      (275_637, 961_262), (342_020, 939_693), (406_737, 913_545), (469_472, 882_948),
      (529_919, 848_048), (587_785, 809_017),
    ]
    // Two seconds at rest, then up and down by 0.4° a sample.
    let phase = max(0, index - 200) % 180
    let place = phase < 90 ? phase : 180 - phase
    let (row, part) = (min(place / 10, 8), Int32(place - min(place / 10, 8) * 10))
    let sine = table[row].sine + (table[row + 1].sine - table[row].sine) / 10 * part
    let cosine = table[row].cosine + (table[row + 1].cosine - table[row].cosine) / 10 * part
    let noise = Int32(index * 7_919 % 201 - 100) * 40
    let rate: Int32 = index < 200 ? 0 : phase < 90 ? 40_000 : -40_000
    return MotionSample(
      time: Int64(index) * 10_000,
      acceleration: Vector3(x: noise, y: sine - noise, z: cosine + noise),
      angularRate: Vector3(x: rate + noise / 20 + 500, y: 300, z: -200))
  }
}
