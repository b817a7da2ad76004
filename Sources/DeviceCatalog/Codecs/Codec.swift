import Care
import Foundation
import GATT
import Radio

/// A decoder in code: for formats that the fields of a definition cannot describe.
protocol Codec: Sendable {
  /// The content of `frame`. The codec of a stream stores an incomplete packet for the next frame.
  ///
  /// - Throws: ``FrameDefect``; the codec stays usable for the next frame.
  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent
}

/// The built-in codecs by their name in a definition's `codec:`.
enum CodecName: String, Hashable, Sendable, CaseIterable {
  case weightMeasurement = "weight-measurement"
  case bodyComposition = "body-composition"
  case heartRate = "heart-rate"
  case bloodPressure = "blood-pressure"
  case cuffPressure = "cuff-pressure"
  case temperature = "temperature"
  case intermediateTemperature = "intermediate-temperature"
  case pulseOximeterSpotCheck = "pulse-oximeter-spot-check"
  case pulseOximeterContinuous = "pulse-oximeter-continuous"
  case glucose = "glucose"
  case glucoseContext = "glucose-context"
  case continuousGlucose = "continuous-glucose"
  case enhancedBloodPressure = "enhanced-blood-pressure"
  case runningSpeed = "running-speed"
  case cyclingSpeed = "cycling-speed"
  case cyclingPower = "cycling-power"
  case treadmill = "treadmill"
  case crossTrainer = "cross-trainer"
  case rower = "rower"
  case indoorBike = "indoor-bike"
  case stepCounter = "step-counter"
  case battery = "battery"
  case polarMotion = "polar-motion"
  case witMotion = "witmotion"
  case xiaomiScale = "xiaomi-scale"
  case xiaomiWeight = "xiaomi-weight"
  case huaweiScale = "huawei-scale"
}

extension CodecName {
  /// The codec of an adopted characteristic; `nil` for every other.
  init?(adopted characteristic: BluetoothUUID) {
    guard let found = Self.adopted[characteristic] else { return nil }
    self = found
  }

  private static let adopted = Dictionary(
    allCases.compactMap { name in name.facts.characteristic.map { ($0, name) } },
    uniquingKeysWith: { first, _ in first })

  /// A codec in its initial state.
  func codec(_ context: CodecContext) -> any Codec { facts.codec(context) }

  /// Everything that the catalogue knows of the codec.
  var facts: CodecFacts {
    switch self {
    case .weightMeasurement:
      CodecFacts(WeightMeasurement.self, [.bodyMass, .bodyMassIndex, .height], tellsTime: true)
    case .bodyComposition:
      CodecFacts(
        BodyCompositionMeasurement.self,
        [
          .bodyFatPercentage, .basalMetabolicRate, .musclePercentage, .muscleMass, .fatFreeMass,
          .softLeanMass, .bodyWaterMass, .impedance, .bodyMass, .height,
        ], tellsTime: true)
    case .heartRate:
      CodecFacts(HeartRateMeasurement.self, [.heartRate, .energyExpended, .rrInterval])
    case .bloodPressure:
      CodecFacts(
        BloodPressureMeasurement.self,
        [.bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .pulseRate],
        tellsTime: true)
    case .cuffPressure:
      CodecFacts(BloodPressureMeasurement.intermediateUUID, [.cuffPressure]) { _ in
        AdoptedCodec<BloodPressureMeasurement>(isIntermediate: true)
      }
    case .temperature:
      CodecFacts(TemperatureMeasurement.self, [.bodyTemperature], tellsTime: true)
    case .intermediateTemperature:
      CodecFacts(TemperatureMeasurement.intermediateUUID, [.bodyTemperature]) { _ in
        AdoptedCodec<TemperatureMeasurement>(isIntermediate: true)
      }
    case .pulseOximeterSpotCheck:
      CodecFacts(
        PLXSpotCheckMeasurement.self, [.oxygenSaturation, .pulseRate, .pulseAmplitudeIndex],
        tellsTime: true)
    case .pulseOximeterContinuous:
      CodecFacts(
        PLXContinuousMeasurement.self, [.oxygenSaturation, .pulseRate, .pulseAmplitudeIndex])
    case .glucose:
      CodecFacts(GlucoseMeasurement.self, [.bloodGlucose, .bloodGlucoseMass], tellsTime: true)
    case .glucoseContext:
      CodecFacts(GlucoseMeasurementContext.self, [.carbohydrates, .haemoglobinA1c])
    case .continuousGlucose:
      CodecFacts(
        ContinuousGlucoseMeasurement.uuid, [.interstitialGlucose], tellsTime: true
      ) { _ in ContinuousGlucoseCodec() }
    case .enhancedBloodPressure:
      CodecFacts(
        EnhancedBloodPressureMeasurement.self,
        [.bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .pulseRate],
        tellsTime: true)
    case .runningSpeed:
      CodecFacts(
        FlaggedMeasurement<RunningSpeedAndCadence>.self, [.speed, .cadence, .distanceWalked])
    case .cyclingSpeed:
      CodecFacts(CyclingSpeedAndCadence.uuid, [.wheelRevolutions, .cadence]) { _ in
        CyclingCodec(.speedAndCadence)
      }
    case .cyclingPower:
      CodecFacts(CyclingPower.uuid, [.power, .wheelRevolutions, .cadence]) { _ in
        CyclingCodec(.power)
      }
    case .treadmill:
      CodecFacts(
        FlaggedMeasurement<Treadmill>.self,
        [.speed, .distanceWalked, .power, .energyExpended, .heartRate, .exerciseTime])
    case .crossTrainer:
      CodecFacts(
        FlaggedMeasurement<CrossTrainer>.self,
        [.speed, .power, .energyExpended, .heartRate, .exerciseTime, .cadence])
    case .rower:
      CodecFacts(
        FlaggedMeasurement<Rower>.self, [.power, .energyExpended, .heartRate, .exerciseTime])
    case .indoorBike:
      CodecFacts(
        FlaggedMeasurement<IndoorBike>.self,
        [.speed, .distanceCycled, .power, .energyExpended, .heartRate, .exerciseTime, .cadence])
    case .stepCounter:
      CodecFacts(StepCounterSummary.uuid, [.stepCount, .distanceWalked]) { _ in
        StepCounterCodec()
      }
    case .battery: CodecFacts(BatteryLevel.self, [.batteryLevel])
    case .polarMotion: CodecFacts(nil, [], streamsMotion: true) { _ in PolarMotionCodec() }
    case .witMotion: CodecFacts(nil, [], streamsMotion: true) { _ in WitMotionCodec() }
    case .xiaomiScale:
      CodecFacts(
        nil, [.bodyMass, .heartRate, .impedance, .impedanceHighFrequency], needsKey: true,
        tellsTime: true
      ) { XiaomiScaleCodec($0) }
    case .xiaomiWeight:
      CodecFacts(nil, [.bodyMass], needsKey: true) { XiaomiScaleCodec($0) }
    case .huaweiScale:
      CodecFacts(nil, [.bodyMass, .impedance], tellsTime: true) { HuaweiScaleCodec($0) }
    }
  }
}

/// Everything that the catalogue knows of a codec.
struct CodecFacts: Sendable {
  /// The adopted characteristic that it reads; `nil` for a vendor's format.
  var characteristic: BluetoothUUID?
  /// The quantities that its values can have.
  var quantities: [Quantity]
  /// Whether its frames are encrypted with a key in the plan.
  var needsKey: Bool
  /// Whether its values may have the time of the device's clock.
  var tellsTime: Bool
  /// Whether it streams acceleration.
  var streamsMotion: Bool
  /// Makes a codec in its initial state.
  var codec: @Sendable (CodecContext) -> any Codec

  init(
    _ characteristic: BluetoothUUID?, _ quantities: [Quantity], needsKey: Bool = false,
    tellsTime: Bool = false, streamsMotion: Bool = false,
    codec: @escaping @Sendable (CodecContext) -> any Codec
  ) {
    self.characteristic = characteristic
    self.quantities = quantities
    self.needsKey = needsKey
    self.tellsTime = tellsTime
    self.streamsMotion = streamsMotion
    self.codec = codec
  }

  /// The facts of a codec that reads each frame by itself.
  init<Measured: MeasuredCharacteristic>(
    _ type: Measured.Type, _ quantities: [Quantity], tellsTime: Bool = false
  ) {
    self.init(Measured.uuid, quantities, tellsTime: tellsTime) { _ in AdoptedCodec<Measured>() }
  }
}

/// The facts beside the bytes that a codec may need.
struct CodecContext: Sendable {
  /// The device's address.
  var address: DeviceAddress
  /// The plan's zone, for device times without one.
  var timeZone: TimeZone
  /// The credentials for the device's data.
  var credentials: DeviceCredentials

  /// The context of an unknown device without credentials.
  static let none = CodecContext(
    address: DeviceAddress(rawValue: 0), timeZone: .gmt, credentials: DeviceCredentials())
}
