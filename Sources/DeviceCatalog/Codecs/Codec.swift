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
    let found = Self.allCases.first { $0.characteristic == characteristic }
    guard let found else { return nil }
    self = found
  }

  /// The adopted characteristic that the codec reads; `nil` for a vendor's format.
  var characteristic: BluetoothUUID? {
    switch self {
    case .weightMeasurement: WeightMeasurement.uuid
    case .bodyComposition: BodyCompositionMeasurement.uuid
    case .heartRate: HeartRateMeasurement.uuid
    case .bloodPressure: BloodPressureMeasurement.uuid
    case .cuffPressure: BloodPressureMeasurement.intermediateUUID
    case .temperature: TemperatureMeasurement.uuid
    case .intermediateTemperature: TemperatureMeasurement.intermediateUUID
    case .pulseOximeterSpotCheck: PLXSpotCheckMeasurement.uuid
    case .pulseOximeterContinuous: PLXContinuousMeasurement.uuid
    case .glucose: GlucoseMeasurement.uuid
    case .glucoseContext: GlucoseMeasurementContext.uuid
    case .continuousGlucose: ContinuousGlucoseMeasurement.uuid
    case .enhancedBloodPressure: EnhancedBloodPressureMeasurement.uuid
    case .runningSpeed: RunningSpeedAndCadence.uuid
    case .cyclingSpeed: CyclingSpeedAndCadence.uuid
    case .cyclingPower: CyclingPower.uuid
    case .treadmill: Treadmill.uuid
    case .crossTrainer: CrossTrainer.uuid
    case .rower: Rower.uuid
    case .indoorBike: IndoorBike.uuid
    case .stepCounter: StepCounterSummary.uuid
    case .battery: BatteryLevel.uuid
    case .polarMotion, .witMotion, .xiaomiScale, .xiaomiWeight, .huaweiScale: nil
    }
  }

  /// Whether its frames are encrypted with a key in the plan.
  var needsKey: Bool { self == .xiaomiScale || self == .xiaomiWeight }

  /// Whether its values may have the time of the device's clock.
  var tellsTime: Bool {
    switch self {
    case .weightMeasurement, .bodyComposition, .bloodPressure, .temperature,
      .pulseOximeterSpotCheck, .glucose, .continuousGlucose, .enhancedBloodPressure, .xiaomiScale,
      .huaweiScale:
      true
    default: false
    }
  }

  /// A codec in its initial state.
  func codec(_ context: CodecContext) -> any Codec {
    switch self {
    case .weightMeasurement: AdoptedCodec<WeightMeasurement>()
    case .bodyComposition: AdoptedCodec<BodyCompositionMeasurement>()
    case .heartRate: AdoptedCodec<HeartRateMeasurement>()
    case .bloodPressure: AdoptedCodec<BloodPressureMeasurement>()
    case .cuffPressure: AdoptedCodec<BloodPressureMeasurement>(isIntermediate: true)
    case .temperature: AdoptedCodec<TemperatureMeasurement>()
    case .intermediateTemperature: AdoptedCodec<TemperatureMeasurement>(isIntermediate: true)
    case .pulseOximeterSpotCheck: AdoptedCodec<PLXSpotCheckMeasurement>()
    case .pulseOximeterContinuous: AdoptedCodec<PLXContinuousMeasurement>()
    case .glucose: AdoptedCodec<GlucoseMeasurement>()
    case .glucoseContext: AdoptedCodec<GlucoseMeasurementContext>()
    case .continuousGlucose: ContinuousGlucoseCodec()
    case .enhancedBloodPressure: AdoptedCodec<EnhancedBloodPressureMeasurement>()
    case .runningSpeed: AdoptedCodec<FlaggedMeasurement<RunningSpeedAndCadence>>()
    case .cyclingSpeed: CyclingCodec(.speedAndCadence)
    case .cyclingPower: CyclingCodec(.power)
    case .treadmill: AdoptedCodec<FlaggedMeasurement<Treadmill>>()
    case .crossTrainer: AdoptedCodec<FlaggedMeasurement<CrossTrainer>>()
    case .rower: AdoptedCodec<FlaggedMeasurement<Rower>>()
    case .indoorBike: AdoptedCodec<FlaggedMeasurement<IndoorBike>>()
    case .stepCounter: StepCounterCodec()
    case .battery: AdoptedCodec<BatteryLevel>()
    case .polarMotion: PolarMotionCodec()
    case .witMotion: WitMotionCodec()
    case .xiaomiScale, .xiaomiWeight: XiaomiScaleCodec(context)
    case .huaweiScale: HuaweiScaleCodec(context)
    }
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
