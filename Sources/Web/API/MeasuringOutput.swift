import Assessments
import Care
import Foundation

/// A session as JSON.
struct MeasuringOutput: Encodable, Hashable {
  var id: String
  var event: String
  var patient: String
  var task: String
  var type: String
  var state: String
  var proposed: Bool
  var sensors: [String]
  /// Seconds until the start or the end.
  var secondsLeft: Int?
  /// The fixed time in seconds.
  var seconds: Int?
  var figure: Figure?
  var signal: Signal
  var cues: [Cue]
  var values: [Value]?
  var quality: String?
  var refusal: String?

  struct Figure: Encodable, Hashable {
    var kind: String
    var value: Int
    var minimum: Int?
    var maximum: Int?
  }

  struct Signal: Encodable, Hashable {
    var unit: String
    /// How many values there were until now.
    var count: Int
    /// The latest of them.
    var values: [Int]
  }

  struct Cue: Encodable, Hashable {
    var number: Int
    var cue: String
    /// Of a countdown.
    var seconds: Int?
  }

  struct Value: Encodable, Hashable {
    var kind: String
    var value: Scalar
    var unit: String?
  }

  /// A number, truth or word.
  enum Scalar: Encodable, Hashable {
    case number(Double)
    case truth(Bool)
    case text(String)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let number): try container.encode(number)
      case .truth(let truth): try container.encode(truth)
      case .text(let text): try container.encode(text)
      }
    }
  }

  /// A session with the part of its signal and cues that a client does not know.
  init(_ status: MeasuringStatus, afterSignal known: Int = 0, afterCue cue: Int = 0) {
    id = status.id
    event = status.event
    patient = status.patient
    task = status.task
    type = status.activeTask.type.rawValue
    state = status.state.rawValue
    proposed = status.isProposed
    sensors = status.sensors.map(\.text)
    secondsLeft = status.secondsLeft
    seconds = status.seconds
    figure = status.figure.map {
      Figure(
        kind: $0.kind.rawValue, value: $0.value, minimum: $0.range?.lowerBound,
        maximum: $0.range?.upperBound)
    }
    signal = Signal(
      unit: status.signal.unit.rawValue, count: status.signal.count,
      values: Array(status.signal.values(after: known)))
    cues = status.cues.filter { $0.number > cue }.map { numbered in
      var seconds: Int?
      if case .countdown(let left) = numbered.cue { seconds = left }
      return Cue(number: numbered.number, cue: numbered.cue.name, seconds: seconds)
    }
    values = status.result?.values.map { value in
      let scalar: Scalar =
        switch value.value {
        case .boolean(let truth): .truth(truth)
        case .text(let text): .text(text)
        default: .number(value.value.number ?? 0)
        }
      return Value(kind: value.figure.kind, value: scalar, unit: value.figure.unit?.code)
    }
    quality = status.result.map { $0.quality.isGood ? "good" : "low" }
    refusal = status.refusal?.code
  }
}
