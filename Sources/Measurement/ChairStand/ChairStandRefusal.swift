/// Why a chair stand test could not be measured; no figure is made up instead.
public enum ChairStandRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stream cannot be measured at all.
  case stream(SignalQuality.Refusal)
  /// The sensor fell silent during the test for so many milliseconds.
  case dropout(milliseconds: Int64)
  /// The thigh was never still for half a second, so that nothing shows how it lies when seated.
  case noRest
  /// The thigh never rose further than so many degrees: nobody stood up, or it was not the thigh.
  case noStand(degrees: Int)
  /// Only so many of the five stands were made.
  case tooFewStands(Int)
  /// The recording ends so many seconds after the first movement, before the 30 s are over.
  case tooShort(seconds: Int64)

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .dropout: "dropout"
    case .noRest: "noRest"
    case .noStand: "noStand"
    case .tooFewStands: "tooFewStands"
    case .tooShort: "tooShort"
    }
  }

  /// What happened and what to do now, for people.
  public var description: String {
    switch self {
    case .stream(let refusal):
      "no chair stand: \(refusal)"
    case .dropout(let milliseconds):
      "no chair stand: the sensor was silent for \(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s "
        + "during the test; bring the receiver closer and repeat it"
    case .noRest:
      "no chair stand: the thigh was never still; sit still for a second before the first stand"
    case .noStand(let degrees):
      "no chair stand: the thigh rose by \(degrees)° at most, a stand takes 25° or more; "
        + "wear the sensor on the thigh, and note a 0 by hand if the person could not stand up"
    case .tooFewStands(let stands):
      "no five-times sit-to-stand: \(stands) of 5 stands were seen; note it as not completed, "
        + "or repeat the test"
    case .tooShort(let seconds):
      "no 30-second chair stand: the recording ends \(seconds) s after the first movement; "
        + "let it run until the 30 s are over"
    }
  }
}
