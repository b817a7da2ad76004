import Care
import GATT

// The codecs of the running, cycling and fitness-machine profiles.

extension DecodedValue {
  /// A streamed value; `nil` for none.
  fileprivate init?(
    streamed quantity: Quantity, _ number: Double?, _ unit: UnitOfMeasure? = nil,
    counter: RunningTotal? = nil
  ) {
    guard let number else { return nil }
    self.init(quantity, number, unit, isStreamed: true)
    self.counter = counter
  }
}

// Running Speed and Cadence Service 1.0 §3.1.
extension FlaggedMeasurement: MeasuredCharacteristic where Profile: MeasuredProfile {
  func content(isIntermediate: Bool) -> FrameContent {
    FrameContent(Profile.values(of: self), streamed: true, otherwise: .noActivity)
  }
}

/// A profile whose frames are measurements by themselves.
protocol MeasuredProfile: FlaggedProfile {
  /// The values of a frame.
  static func values(of frame: FlaggedMeasurement<Self>) -> [DecodedValue?]
}

extension RunningSpeedAndCadence: MeasuredProfile {
  static func values(of frame: FlaggedMeasurement<Self>) -> [DecodedValue?] {
    [
      DecodedValue(streamed: .speed, frame[.speed].map { Double($0) / 256 }),
      DecodedValue(streamed: .cadence, frame[.cadence].flatMap { $0 > 0 ? Double($0) : nil }),
      DecodedValue(
        streamed: .distanceWalked, frame[.totalDistance].map { Double($0) / 10 },
        counter: RunningTotal(.continuous, limit: 429_496_729.6)),
    ]
  }
}

// MARK: - Fitness machines

// Fitness Machine Service 1.0 §4.4 to 4.9.
extension FlaggedMeasurement where Profile.Field == FitnessMachineField {
  /// The values that every machine measures.
  fileprivate func machineValues(_ distance: Quantity?) -> [DecodedValue?] {
    [
      DecodedValue(streamed: .speed, self[.speed].map { Double($0) / 360 }),
      distance.flatMap { quantity in
        DecodedValue(
          streamed: quantity, self[.totalDistance].map(Double.init),
          counter: RunningTotal(.continuous, limit: 16_777_216))
      },
      DecodedValue(streamed: .power, self[.power].map(Double.init)),
      DecodedValue(
        streamed: .energyExpended,
        self[.totalEnergy].flatMap { $0 == 0xFFFF ? nil : Double($0) }, .kilocalorie),
      DecodedValue(
        streamed: .heartRate,
        self[.heartRate].flatMap { $0 == 0 || $0 == 0xFF ? nil : Double($0) }),
      DecodedValue(
        streamed: .exerciseTime, self[.elapsedTime].map(Double.init), .second,
        counter: RunningTotal(.continuous, limit: 65_536.0 / 60)),
    ]
  }
}

extension Treadmill: MeasuredProfile {
  static func values(of frame: FlaggedMeasurement<Self>) -> [DecodedValue?] {
    frame.machineValues(.distanceWalked)
  }
}

extension CrossTrainer: MeasuredProfile {
  static func values(of frame: FlaggedMeasurement<Self>) -> [DecodedValue?] {
    // Its distance is the machine's idea: nobody went anywhere.
    frame.machineValues(nil) + [
      DecodedValue(streamed: .cadence, frame[.stepRate].flatMap { $0 > 0 ? Double($0) : nil })
    ]
  }
}

extension Rower: MeasuredProfile {
  static func values(of frame: FlaggedMeasurement<Self>) -> [DecodedValue?] {
    frame.machineValues(nil)
  }
}

extension IndoorBike: MeasuredProfile {
  static func values(of frame: FlaggedMeasurement<Self>) -> [DecodedValue?] {
    frame.machineValues(.distanceCycled) + [
      DecodedValue(streamed: .cadence, frame[.cadence].flatMap { $0 > 0 ? Double($0) / 2 : nil })
    ]
  }
}

// MARK: - Steps

/// Decodes what a physical activity monitor counted in its session.
///
/// A frame may come in parts: the first byte of each says whether it is the first, and how many
/// follow. The energy that such a monitor estimates is in another characteristic, and is not read.
///
/// Source: Physical Activity Monitor Service 1.0 §3.
struct StepCounterCodec: Codec {
  /// The parts of a frame and how many follow.
  private var pending: (frame: [UInt8], missing: UInt8)?

  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent {
    guard let header = frame.first else {
      throw .malformed(.truncated(field: "header", needed: 1, available: 0))
    }
    let (isFirst, missing) = (header & 0x80 != 0, header & 0x7F)
    let begun = isFirst ? [] : pending?.frame
    let isNext = isFirst || pending.map { $0.missing == missing + 1 } ?? false
    pending = nil
    // Of a frame whose beginning was lost, nothing can be said.
    guard let begun, isNext else { return FrameContent() }
    let whole = begun + frame.dropFirst()
    guard whole.count <= AttributeProtocol.maximumValueLength else {
      throw .oversized(count: whole.count)
    }
    guard missing == 0 else {
      pending = (whole, missing)
      return FrameContent()
    }
    return try FlaggedMeasurement<StepCounterSummary>.decode(whole) { summary in
      let counts = [summary[.normalSteps], summary[.intensiveSteps]].compactMap(\.self)
      let steps = counts.isEmpty ? nil : Double(counts.reduce(0, +))
      return FrameContent(
        [
          DecodedValue(
            streamed: .stepCount, steps, counter: RunningTotal(.continuous, limit: 16_777_216)),
          DecodedValue(
            streamed: .distanceWalked, summary[.distance].map(Double.init),
            counter: RunningTotal(.continuous, limit: 16_777_216)),
        ], streamed: true, otherwise: .noActivity)
    }
  }
}

// MARK: - Cycling

/// Turns the revolutions of a crank into turns a minute.
///
/// A sensor sends how often the crank has turned and when it did last, both of 16 bits. While
/// nobody pedals, both stay; after some of these frames the time may have passed its limit unseen.
struct CrankCadence: Sendable {
  private var last: (revolutions: UInt16, time: UInt16)?
  private var unchanged = 0

  /// The frames without a turn after which the next turn tells no cadence.
  private static let longestPause = 20

  /// The turns a minute since the last frame; `nil` for the first one, and without a turn.
  mutating func offer(revolutions: UInt16, time: UInt16) -> Double? {
    guard let last else {
      self.last = (revolutions, time)
      return nil
    }
    let turns = revolutions &- last.revolutions
    guard turns > 0 else {
      unchanged += 1
      return nil
    }
    let isPause = unchanged >= Self.longestPause
    (self.last, unchanged) = ((revolutions, time), 0)
    let ticks = time &- last.time
    guard !isPause, ticks > 0 else { return nil }
    let cadence = Double(turns) * 60 * 1024 / Double(ticks)
    // A sensor that started again gives any number.
    return Quantity.cadence.plausible.contains(cadence) ? cadence : nil
  }
}

/// Decodes the two cycling profiles, whose cadence follows from two frames.
struct CyclingCodec: Codec {
  /// The profile.
  enum Profile: Sendable {
    case speedAndCadence, power
  }

  var profile: Profile
  private var crank = CrankCadence()

  init(_ profile: Profile) {
    self.profile = profile
  }

  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent {
    switch profile {
    case .speedAndCadence:
      // Cycling Speed and Cadence Service 1.0 §3.1.
      try FlaggedMeasurement<CyclingSpeedAndCadence>.decode(frame) { frame in
        content([wheel(frame[.wheelRevolutions])], frame[.crankRevolutions], frame[.crankTime])
      }
    case .power:
      // Cycling Power Service 1.1 §3.2.
      try FlaggedMeasurement<CyclingPower>.decode(frame) { frame in
        content(
          [
            DecodedValue(streamed: .power, frame[.power].map(Double.init)),
            wheel(frame[.wheelRevolutions]),
          ], frame[.crankRevolutions], frame[.crankTime])
      }
    }
  }

  /// How far a turn goes depends on the wheel, so the turns themselves are the measurement.
  private func wheel(_ revolutions: Int64?) -> DecodedValue? {
    DecodedValue(
      streamed: .wheelRevolutions, revolutions.map(Double.init),
      counter: RunningTotal(.continuous, limit: 4_294_967_296))
  }

  private mutating func content(
    _ values: [DecodedValue?], _ revolutions: Int64?, _ time: Int64?
  ) -> FrameContent {
    var cadence: Double?
    if let revolutions, let time {
      cadence = crank.offer(
        revolutions: UInt16(truncatingIfNeeded: revolutions), time: UInt16(truncatingIfNeeded: time)
      )
    }
    var content = FrameContent(
      values + [DecodedValue(streamed: .cadence, cadence)], streamed: true, otherwise: .noActivity)
    // A frame before the second turn has no value and no fault.
    if revolutions != nil { content.note = nil }
    return content
  }
}
