import ArgumentParser
import Localization
import Motion
import Terminal

/// `--proximal`: a second sensor, on the segment above the joint.
struct ProximalOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of a second sensor on the segment above (the thigh, for a knee): the angle is then"
        + " the joint's own.", valueName: "file"))
  var proximal: String?

  /// Refuses a second sensor beside several recordings.
  func check(_ motion: MotionOptions) throws {
    guard proximal == nil || motion.files.count == 1 else {
      throw ValidationError(LocalizedText("command.measure.proximal").message)
    }
  }

  /// The recordings of both sensors, or of the distal one alone.
  func recordings(with file: String, of motion: MotionOptions) throws -> [[MotionSample]] {
    let distal = try motion.samples(file)
    return try (proximal.map { [try motion.samples($0)] } ?? []) + [distal]
  }
}
