import ArgumentParser
import Terminal

/// `measured measure`.
struct Measure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Computes measurements from motion files, with nothing stored.",
    discussion: """
      A motion file is CSV with a header: t (s) and x,y,z or ax,ay,az (g), optionally gx,gy,gz \
      (deg/s); other columns are ignored.

      Example:
        measured measure steps walk.csv --json
      """,
    subcommands: [
      MeasureSteps.self, MeasureInclination.self, MeasureRangeOfMotion.self,
      MeasureExercise.self, MeasureTimedUpAndGo.self, MeasureChairStand.self, MeasureWalk.self,
      MeasureTremor.self, MeasureSway.self, MeasureHeartRateVariability.self,
      MeasureHeartRateRecovery.self,
    ])
}
