import Care
import Foundation
import Measurement

/// A measurement that a person performs with sensors on, as a task asks for it.
///
/// One conforming type for each kind of active task: which sensors show it, and what to keep of it.
protocol PerformedMeasurement: Sendable {
  /// The recordings that show it, those of a joint from the trunk outwards; `nil` where none does,
  /// and the motion was not meant for it.
  func recordings(of performance: Performance) -> [ExerciseRecording]?

  /// What it comes to, the result first and what goes with it after.
  func measure(
    _ recordings: [ExerciseRecording], amid surroundings: Surroundings
  ) throws(PerformanceRefusal) -> [PerformedValue]
}

/// What is known besides the motion.
struct Surroundings: Sendable {
  /// Until when nothing came any more.
  var end: Date
  /// The person's heart rates meanwhile.
  var heartRates: [HeartRateSample] = []
}

/// Why a measurement was performed in vain, for people.
struct PerformanceRefusal: Error, CustomStringConvertible {
  let description: String

  /// What `measure` gives; where it refuses, its reason is this one's.
  static func orReason<Result, Reason: Error & CustomStringConvertible>(
    _ measure: () throws(Reason) -> Result
  ) throws(PerformanceRefusal) -> Result {
    do throws(Reason) {
      return try measure()
    } catch {
      throw PerformanceRefusal(description: error.description)
    }
  }
}

/// One value of what a performed measurement came to.
struct PerformedValue: Hashable, Sendable {
  /// Which value it is: `range`, `total`.
  var kind: String
  /// The value.
  var value: Value
  /// The unit, for a number.
  var unit: UnitOfMeasure?
  /// What it is a sample of; `nil` for what is kept beside the result only.
  var quantity: Quantity?

  /// A result, in the quantity's unit, which is stored as a sample as well.
  static func result(_ kind: String, _ value: Double, _ quantity: Quantity) -> PerformedValue {
    PerformedValue(kind: kind, value: .double(value), unit: quantity.unit, quantity: quantity)
  }

  /// A figure that goes with a result.
  static func figure(_ kind: String, _ value: Double, _ unit: UnitOfMeasure) -> PerformedValue {
    PerformedValue(kind: kind, value: .double(value), unit: unit)
  }

  /// A number of things that goes with a result.
  static func count(_ kind: String, _ count: Int) -> PerformedValue {
    PerformedValue(kind: kind, value: .integer(Int64(count)), unit: .one)
  }

  /// How far a result may be believed: `good` or `low`.
  static func confidence(_ quality: SignalQuality) -> PerformedValue {
    PerformedValue(
      kind: "confidence", value: .text(quality.verdict == .good ? "good" : "low"))
  }
}

extension Int64 {
  /// Microseconds in seconds, micrometres in metres.
  var millionths: Double { Double(self) / 1_000_000 }
  /// Millimetres in metres, thousandths of a hertz in hertz.
  var thousandths: Double { Double(self) / 1_000 }
}
