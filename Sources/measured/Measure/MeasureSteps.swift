import ArgumentParser
import Assessments
import Care
import Measurement

/// `measured measure steps`.
struct MeasureSteps: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "steps", abstract: "Counts the steps in motion files.",
    discussion: """
      Wear the sensor anywhere on the body, any way round; 25 samples a second or more.

      Example:
        measured measure steps walk-1.csv walk-2.csv --json
      """)

  @OptionGroup var motion: MotionOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    try motion.forEachFile(isJSON: json) { file in
      var counter = StepCounter()
      var steps = 0
      try motion.read(file) { steps += counter.add(contentsOf: $0).count }
      steps += counter.finish().count
      if case .refused(let refusal) = counter.quality.verdict {
        throw refusal
      }
      guard !json else {
        let quality = QualityOutput(AssessmentQuality(counter.quality))
        Console.json(Line(file: file, steps: steps, quality: quality))
        return
      }
      let minutes = Double(counter.quality.duration) / 60_000_000
      let flaw = counter.quality.verdict == .low ? "; parts of the recording are missing" : ""
      Console.out("\(file): \(steps) steps in \(minutes.plainText) min\(flaw)")
    }
  }

  struct Line: Encodable {
    var file: String
    var steps: Int
    var quality: QualityOutput
  }
}
