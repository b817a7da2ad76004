import Foundation
import GATT
import Radio

/// What only code can read: formats whose bytes depend on each other in ways that a definition's
/// fields cannot say.
protocol Codec: Sendable {
  /// What `frame` holds. A stream's codec keeps what is left of it for the next frame.
  ///
  /// - Throws: ``DecodeError/malformed(reason:)``; the codec can go on with the next frame.
  mutating func decode(_ frame: [UInt8]) throws(DecodeError) -> FrameContent
}

/// The built-in codecs, by the name that a definition's `codec:` says.
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
  case battery = "battery"
  case polarMotion = "polar-motion"
  case witMotion = "witmotion"
  case xiaomiScale = "xiaomi-scale"
}

extension CodecName {
  /// The codec of a characteristic of the Bluetooth SIG; `nil` for every other.
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
    case .battery: BatteryLevel.uuid
    case .polarMotion, .witMotion, .xiaomiScale: nil
    }
  }

  /// The codec, at the beginning of a stream of a device.
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
    case .battery: AdoptedCodec<BatteryLevel>()
    case .polarMotion: PolarMotionCodec()
    case .witMotion: WitMotionCodec()
    case .xiaomiScale: XiaomiScaleCodec(context)
    }
  }
}

/// What a codec may have to know beside the bytes: whose they are, and what opens them.
struct CodecContext: Sendable {
  /// The device's address.
  var address: DeviceAddress
  /// The plan's zone, in which device times without one are given.
  var timeZone: TimeZone
  /// What the plan holds to open the device's data.
  var credentials: DeviceCredentials

  /// A frame of no device in particular, which nothing opens.
  static let none = CodecContext(
    address: DeviceAddress(rawValue: 0), timeZone: .gmt, credentials: DeviceCredentials())
}
