public import ArgumentParser
import Assessments
import Localization
import Measurement
public import Motion
import Terminal

/// The option that says where a sensor was worn.
struct PlaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where the sensor was worn. A file's name says it, too: left-foot.csv.",
      valueName: "segment"))
  var on: Segment?

  /// The segment of the sensor of `file`: the one stated, or else the one that its name has.
  func segment(of file: String) -> Segment? {
    let name = file.split(separator: "/").last?.split(separator: ".").first
    return on ?? name.flatMap { Placement(sensorName: String($0)) }?.segment
  }
}

extension Segment: ExpressibleByArgument {}

/// The option that says how tall the person is.
struct HeightOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The person's height in metres, for the speed at the trunk; 1.70 if it is not stated.",
      valueName: "metres"))
  var height: Double?

  func validate() throws {
    guard let height else { return }
    guard height.isFinite, WalkingSpeed.heights.contains(Int64(millimetres: height)) else {
      throw ValidationError(LocalizedText("command.measure.height").message)
    }
  }

  /// In millimetres.
  var millimetres: Int64? { height.map { Int64(millimetres: $0) } }
}
