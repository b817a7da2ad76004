import FixedPoint
import Motion

/// Estimates the bias of a gyroscope while the sensor moves.
///
/// Gravity is fixed in the room. If the filtered force nevertheless turns there, the gyroscope is
/// biased, except for the part about the vertical, which gravity does not show. As the sensor takes
/// other poses, other parts are shown. The turning lags as the force does: it is the low-pass of
/// the bias in the room's frame. The bias is the one that explains all turning so far with the
/// least squares, so that each second counts less the more there have been. (The measurement of
/// VQF's Kalman filter, Laidig and Seel 2023, solved as equations in the sensor's frame.)
///
/// Rates are in sixteenths of a thousandth of a degree a second, as `Rotation` takes them. Blocks
/// of 40 ms, a tenth of the shortest limb movement, keep it cheap.
struct TurningBias: Hashable, Sendable {
  /// The shortest block in microseconds.
  static let block: Int64 = 40_000
  /// A second, the unit of the sums, in Q20.
  private static let second: Int64 = 1 << 20
  /// The weight of the anchor in seconds, and of what was learnt at rest: a rest shows all three
  /// axes and no movement disturbs it.
  private static let anchorWeight: Int64 = 1
  private static let restWeight: Int64 = 20
  /// The seconds that the sums of all axes hold at the most: a bias drifts with temperature.
  private static let memory: Int64 = 100
  /// The fastest turning that is believed: 20 degrees a second, beyond any bias.
  private static let fastest: Int64 = 320_000
  /// The least filtered force in micro-g that is gravity.
  private static let weakest: UInt64 = 500_000
  /// Fractional bits of the low-passed bias and of the rotation's columns, whose one is 2^28.
  private static let biasBits: Int64 = 12
  private static let one: Int64 = 1 << 28

  /// The estimate.
  private(set) var bias = WideVector.zero
  /// Where the estimate stays as long as no turning shows otherwise.
  private var anchor = WideVector.zero
  /// The low-passed axes of the sensor as they stood in the room, in Q28, and the low-passed bias
  /// that was taken off the readings.
  private var x = CarriedLowPass()
  private var y = CarriedLowPass()
  private var z = CarriedLowPass()
  private var removed = CarriedLowPass()
  /// The open block: its turn in the rate's unit times microseconds, and its duration.
  private var turned = WideVector.zero
  private var elapsed: Int64 = 0
  /// The equations' matrix, whose diagonal and other elements are both symmetric sums in seconds,
  /// and their right side.
  private var diagonal = WideVector.zero
  private var beside = Beside()
  private var right = WideVector.zero

  private struct Beside: Hashable, Sendable {
    var xy: Int64 = 0
    var xz: Int64 = 0
    var yz: Int64 = 0
  }

  /// Forgets the room's frame after a gap; the estimate stays.
  mutating func restart() {
    (x, y, z, removed) = (CarriedLowPass(), CarriedLowPass(), CarriedLowPass(), CarriedLowPass())
    turned = .zero
    elapsed = 0
  }

  /// Begins anew from what a rest shows.
  mutating func rest(at bias: WideVector) {
    self.bias = bias
    anchor = bias
    let weight = Self.restWeight * Self.second
    diagonal = WideVector(x: weight, y: weight, z: weight)
    beside = Beside()
    right = bias.map { $0 &* weight }
  }

  /// Takes the rate of the next interval (1...250 000 µs) without its bias, and the filtered force
  /// after it.
  @inline(__always)
  mutating func add(rate: WideVector, interval: Int64, force: CarriedLowPass, isResting: Bool) {
    turned = turned + rate.map { $0 &* interval }
    elapsed &+= interval
    if elapsed >= Self.block { close(force, isResting: isResting) }
  }

  @inline(never)
  private mutating func close(_ force: CarriedLowPass, isResting: Bool) {
    let duration = elapsed
    let turn = Rotation(
      rate: turned.map { $0.roundedDivision(by: duration) }, interval: duration)
    turned = .zero
    elapsed = 0
    let gain = CarriedLowPass.gain(duration)
    x.add(WideVector(x: Self.one, y: 0, z: 0), turn: turn, gain: gain)
    y.add(WideVector(x: 0, y: Self.one, z: 0), turn: turn, gain: gain)
    z.add(WideVector(x: 0, y: 0, z: Self.one), turn: turn, gain: gain)
    removed.add(bias.map { $0 &<< Self.biasBits }, turn: turn, gain: gain)
    guard !isResting, let turning = Self.turning(of: force) else { return }
    learn(turning.rate + removed.value.map { $0 &>> Self.biasBits }, up: turning.up, duration)
    solve()
  }

  /// How fast the filtered force turns in the room, and its direction in Q14; `nil` in free fall.
  private static func turning(of force: CarriedLowPass) -> (rate: WideVector, up: WideVector)? {
    let length = Int64(force.value.map { $0 &>> 8 }.length)
    guard length >= weakest, let unit = force.value.unit else { return nil }
    // The direction in Q26 times 2^34; the product below 2^34 times 2^19.
    let rate = WideVector(unit).map { $0 &>> 4 }.cross(force.drift, shift: 26).map {
      ($0 &* CarriedLowPass.frequency / (length &<< 8)).clamped(to: fastest)
    }
    return (rate, WideVector(unit).map { $0 &>> 16 })
  }

  /// Adds a block to the equations: `turning` is the level part of the low-passed axes times the
  /// bias.
  private mutating func learn(_ turning: WideVector, up: WideVector, _ duration: Int64) {
    func level(_ axis: CarriedLowPass) -> WideVector {
      let column = axis.value.map { $0 &>> 14 }
      let height = column.dot(up) &>> 14
      return column - up.map { ($0 &* height) &>> 14 }
    }
    let (x, y, z) = (level(x), level(y), level(z))
    // Products in Q28 below 2^30, times a duration below 2^19, in Q20 seconds.
    func seconds(_ a: WideVector, _ b: WideVector) -> Int64 {
      (((a.dot(b)) &>> 8) &* duration).roundedDivision(by: 1_000_000)
    }
    // Q14 times a turning below 2^20: 2^36, times a duration below 2^19, to Q20.
    func share(_ a: WideVector) -> Int64 {
      ((a.dot(turning) &* duration) &<< 6).roundedDivision(by: 1_000_000)
    }
    diagonal = diagonal + WideVector(x: seconds(x, x), y: seconds(y, y), z: seconds(z, z))
    beside.xy &+= seconds(x, y)
    beside.xz &+= seconds(x, z)
    beside.yz &+= seconds(y, z)
    right = right + WideVector(x: share(x), y: share(y), z: share(z))
    if diagonal.x &+ diagonal.y &+ diagonal.z > Self.memory * Self.second { fade() }
  }

  /// Takes a 64th off all sums.
  private mutating func fade() {
    diagonal = diagonal.map { $0 &- $0 &>> 6 }
    right = right.map { $0 &- $0 &>> 6 }
    beside.xy &-= beside.xy &>> 6
    beside.xz &-= beside.xz &>> 6
    beside.yz &-= beside.yz &>> 6
  }

  /// One sweep of Gauss and Seidel: the equations change little from block to block, so the
  /// estimate is always close to their solution.
  private mutating func solve() {
    let weight = Self.anchorWeight * Self.second
    func solved(_ right: Int64, _ anchor: Int64, _ diagonal: Int64) -> Int64 {
      (right &+ anchor &* weight).roundedDivision(by: diagonal &+ weight)
        .clamped(to: GyroscopeBias.limit &<< Int64(Rotation.rateBits))
    }
    bias.x = solved(
      right.x &- beside.xy &* bias.y &- beside.xz &* bias.z, anchor.x, diagonal.x)
    bias.y = solved(
      right.y &- beside.xy &* bias.x &- beside.yz &* bias.z, anchor.y, diagonal.y)
    bias.z = solved(
      right.z &- beside.xz &* bias.x &- beside.yz &* bias.y, anchor.z, diagonal.z)
  }
}
