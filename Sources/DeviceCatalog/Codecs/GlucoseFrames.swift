import Care
import Foundation
import GATT

// The codecs of glucose contexts and continuous glucose sensors.

// Glucose Service 1.0 §3.2.
extension GlucoseMeasurementContext: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    var content = FrameContent(
      [
        // Whatever unit a person thinks in, the profile sends kg.
        DecodedValue(.carbohydrates, carbohydrates?.mass, .kilogram),
        DecodedValue(.haemoglobinA1c, hbA1c),
      ], context: context, otherwise: .noGlucoseResult)
    content.note = nil
    content.sequence = sequenceNumber
    content.complement = context
    return content
  }

  /// When and in what state the person measured.
  private var context: MeasurementContext {
    let meal: MeasurementContext =
      switch meal {
      case 1: .beforeMeal
      case 2: .afterMeal
      case 3: .fasting
      case 4: .casual
      case 5: .bedtime
      default: []
      }
    let health: MeasurementContext =
      switch testerAndHealth.map({ $0 >> 4 }) {
      case 1: .minorIllness
      case 2: .majorIllness
      case 3: .menses
      case 4: .stress
      default: []
      }
    return meal.union(health)
  }
}

/// Holds a glucose record until its context arrives, so that both are one measurement.
///
/// The context follows its record at once (Glucose Service §3.2); any other frame, the end of the
/// link and some seconds end the wait.
struct GlucosePairing: Sendable {
  /// A record that waits.
  struct Held: Sendable {
    var content: FrameContent
    var raw: [UInt8]
    var arrival: EventTime
  }

  private(set) var held: Held?

  /// The end of the wait.
  private(set) var wakeAt: SteadyTime?

  private static let patience: TimeInterval = 5
  static let record = FrameSource.characteristic(GlucoseMeasurement.uuid)

  /// The bytes of a record that name it: its number and the meter's base time.
  ///
  /// They are those of Glucose Service §3.1.1. The offset from that time changes when a person sets the meter's clock.
  static let name = 1..<10

  /// Holds a record that announces a context.
  ///
  /// - Returns: Whether it is held.
  mutating func hold(
    _ content: FrameContent, _ raw: [UInt8], from source: FrameSource, at arrival: EventTime
  ) -> Bool {
    guard source == Self.record, content.isComplemented, !content.values.isEmpty else {
      return false
    }
    held = Held(content: content, raw: raw, arrival: arrival)
    wakeAt = arrival.steady + Self.patience
    return true
  }

  /// The record that waits, with the context if that is what arrived.
  ///
  /// - Parameter content: The content that arrived; `nil` for nothing.
  /// - Returns: The record, and whether `content` is part of it.
  mutating func release(_ content: FrameContent?) -> (held: Held, isJoined: Bool)? {
    guard var released = held else { return nil }
    held = nil
    wakeAt = nil
    guard let content, let context = content.complement,
      content.sequence == released.content.sequence
    else { return (released, false) }
    let time = released.content.values.first?.time
    for index in released.content.values.indices {
      released.content.values[index].context.formUnion(context)
    }
    released.content.values += content.values.map { value in
      var value = value
      value.time = time
      return value
    }
    return (released, true)
  }
}

// MARK: - Continuous glucose

/// Decodes a continuous glucose sensor: its measurements, and the start that dates them.
///
/// Both arrive as bytes alone. A measurement begins with its own length, at most that of the frame. A
/// start of 9 or 11 bytes begins with the low byte of the year, which is that length in 2057 at the
/// earliest; a longer one is told by a year that is above its length.
struct ContinuousGlucoseCodec: Codec {
  private var start: LocalDateTime?

  mutating func decode(_ frame: [UInt8]) throws(FrameDefect) -> FrameContent {
    let first = frame.first.map(Int.init) ?? 0
    let isStart = [9, 11].contains(frame.count) ? first != frame.count : first > frame.count
    guard isStart, frame.count >= 9 else {
      return try ContinuousGlucoseMeasurement.decode(frame) { content(of: $0.records) }
    }
    return try ContinuousGlucoseSessionStart.decode(frame) { began in
      start = LocalDateTime(began.time)
      return FrameContent()
    }
  }

  private func content(of records: [ContinuousGlucoseMeasurement.Record]) -> FrameContent {
    var content = FrameContent()
    for record in records {
      content.sequence = record.timeOffset
      guard !record.annunciation.contains(.sessionStopped),
        var value = DecodedValue(
          .interstitialGlucose, record.concentration, .milligramPerDecilitre)
      else { continue }
      value.time = start?.adding(minutes: Int(record.timeOffset))
      value.context = record.annunciation.context
      content.values.append(value)
    }
    if content.values.isEmpty { content.note = .noGlucoseConcentration }
    return content
  }
}

extension ContinuousGlucoseMeasurement.Annunciation {
  /// The sensor's reports about itself.
  fileprivate var context: MeasurementContext {
    let parts: [(Self, MeasurementContext)] = [
      (.batteryLow, .batteryLow), (.wrongSensorType, .wrongSensorType),
      (.sensorMalfunction, .sensorFault), (.deviceFault, .deviceFault),
      (.timeSynchronizationNeeded, .timeFault), (.calibrationRecommended, .calibrationNeeded),
      (.calibrationRequired, .calibrationNeeded), (.temperatureTooHigh, .sensorTooWarm),
      (.temperatureTooLow, .sensorTooCold), (.resultTooHigh, .resultTooHigh),
      (.resultTooLow, .resultTooLow),
    ]
    return MeasurementContext(parts.filter { contains($0.0) }.map(\.1))
  }
}

// MARK: - Enhanced blood pressure

// Blood Pressure Service 1.1 §3.4.
extension EnhancedBloodPressureMeasurement: MeasuredCharacteristic {
  func content(isIntermediate: Bool) -> FrameContent {
    var content = measurement.content(isIntermediate: isIntermediate)
    let time = secondsSince1970.map {
      LocalDateTime(Date(timeIntervalSince1970: Double($0)), in: .gmt)
    }
    for index in content.values.indices { content.values[index].time = time }
    return content
  }
}
