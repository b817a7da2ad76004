import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Measurement
import Motion
import Pages
import Terminal
import Traces

/// The option that draws what was measured.
struct PlotOptions: ParsableArguments {
  @Option(
    name: .customLong("plot"),
    help: ArgumentHelp(
      "Draw the signal, and what was found in it, into this SVG file.", valueName: "file"))
  var file: String?

  /// A signal that is drawn over time.
  enum Signal {
    /// The size of the acceleration, in g.
    case acceleration
    /// How far the sensor is from its first direction, in degrees.
    case angle

    /// The unit of the drawing.
    fileprivate var unit: String {
      switch self {
      case .acceleration: "g"
      case .angle: "°"
      }
    }
  }

  /// Refuses to draw several recordings into one file, and over a file that is no drawing.
  func check(_ files: [String]) throws {
    guard let file else { return }
    guard files.count == 1 else {
      throw ValidationError(LocalizedText("command.measure.plotFile").message)
    }
    guard file.lowercased().hasSuffix(".svg") else {
      throw ValidationError(
        LocalizedText("command.measure.plotName", ["file": "\(file)"]).message)
    }
    guard FileManager.default.fileExists(atPath: file) else { return }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    // A pipe would be waited for.
    let handle =
      attributes?[.type] as? FileAttributeType == .typeRegular
      ? FileHandle(forReadingAtPath: file) : nil
    let isDrawing = try handle?.read(upToCount: Self.beginning.count) == Self.beginning
    guard isDrawing else {
      throw ValidationError(
        LocalizedText("command.measure.plotExists", ["file": "\(file)"]).message)
    }
  }

  /// How a drawing begins.
  private static let beginning = Data("<svg".utf8)

  /// Draws samples that are all in memory.
  func draw(_ samples: [MotionSample], _ signal: Signal, of recording: String) async throws {
    guard file != nil else { return }
    var pen = PlotPen(signal)
    pen.add(samples)
    try await write(pen, of: recording, RecordingTimes())
  }

  /// Writes the drawing.
  func write(
    _ pen: PlotPen, of recording: String, _ times: RecordingTimes, log: StepLog = StepLog()
  ) async throws {
    guard let file else { return }
    var plot = SignalPlot(
      title: recording,
      summary: log.steps.isEmpty
        ? "" : "\(log.steps.count) steps, bouts of walking: \(log.bouts.count)",
      unit: pen.signal.unit, signal: pen.envelope)
    plot.marks = log.steps.map(\.time)
    plot.stretches = log.bouts.map { $0.begin...max($0.begin, $0.end) }
    plot.secondOfDay = times.secondOfDay
    let text = plot.svg
    try await OutputFile.write(text, to: file, id: .random())
  }
}

/// Gathers the signal of a drawing, in constant memory.
struct PlotPen {
  let signal: PlotOptions.Signal
  private(set) var envelope = SignalEnvelope()
  private var filter = InclinationFilter()
  private var first: Inclination?

  init(_ signal: PlotOptions.Signal) {
    self.signal = signal
  }

  /// Adds samples.
  mutating func add(_ samples: [MotionSample]) {
    for sample in samples {
      switch signal {
      case .acceleration:
        let a = sample.acceleration
        let square = [a.x, a.y, a.z].reduce(0.0) { $0 + Double($1) * Double($1) }
        envelope.add(square.squareRoot() / 1_000_000, at: sample.time)
      case .angle:
        let up = filter.add(sample)
        let first = self.first ?? up
        self.first = first
        envelope.add(Double(up.angle(to: first)) / 1000, at: sample.time)
      }
    }
  }
}

/// The times of a recording as people read them.
struct RecordingTimes {
  /// When it starts, by its device's clock; `nil` if it does not say.
  var start: RecordingStart?

  /// The time of day of its start, in seconds.
  var secondOfDay: Int? {
    start.map { Int($0.microseconds.flooredDivision(by: 86_400_000_000).remainder / 1_000_000) }
  }

  /// `2026-11-20T09:01:00` on the device's clock, with `Z` if that is UTC; `nil` without a start.
  func clock(_ time: Int64) -> String? {
    guard let start else { return nil }
    let seconds = (start.microseconds + time).flooredDivision(by: 1_000_000).quotient
    let (days, inDay) = seconds.flooredDivision(by: 86_400)
    return LocalDateTime(daysSince1970: days, secondOfDay: Int(inDay)).description
      + (start.isLocal ? "" : "Z")
  }

  /// Minutes and seconds of a duration: `2:26`, or `1:02:26`.
  static func text(_ microseconds: Int64) -> String {
    let seconds = (microseconds + 500_000) / 1_000_000
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return seconds < 3600
      ? "\(seconds / 60):\(two(seconds % 60))"
      : "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}
