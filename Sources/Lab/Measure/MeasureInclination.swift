import ArgumentParser
import Foundation
import Measurement
import Motion
import Terminal
import Traces

/// `measured measure inclination`.
struct MeasureInclination: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inclination",
    abstract: "Prints which way is up for a sensor, at every row of a motion file.",
    discussion: """
      Prints CSV: t,ux,uy,uz, the unit vector that points up in the sensor's own frame, one row for \
      each row of the file.

      Example:
        measured measure inclination thigh.csv > up.csv
      """)

  @Argument(help: "A motion file; - is standard input.")
  var file: String

  @OptionGroup var format: MotionFormatOptions

  @OptionGroup var calibration: CalibrationOptions

  @OptionGroup var plot: PlotOptions

  @Flag(help: "Pass over the gyroscope's columns.")
  var accOnly = false

  @Flag(help: "Use what comes after a row as well; the whole file is held in memory.")
  var smooth = false

  func run() async throws {
    try await reporting(isJSON: false) {
      let calibration = try calibration.load()
      var reader = try MotionFileReader(try CommandFiles.stream(file), format.format)
      var rows = InclinationRows()
      var pen = PlotPen(.angle)
      Console.out("t,ux,uy,uz")
      if smooth {
        var samples: [MotionSample] = []
        while case let block = try reader.next(), !block.isEmpty {
          samples += calibration.apply(block)
        }
        let up = InclinationFilter.smooth(samples, usesGyroscope: !accOnly).inclinations
        rows.add(zip(samples, up))
        if plot.file != nil { pen.add(samples) }
      } else {
        var filter = InclinationFilter(usesGyroscope: !accOnly)
        while case let block = try reader.next(), !block.isEmpty {
          let samples = calibration.apply(block)
          rows.add(samples.lazy.map { ($0, filter.add($0)) })
          if plot.file != nil { pen.add(samples) }
        }
      }
      rows.flush()
      reader.noteCut(in: file)
      try await plot.write(pen, of: file, RecordingTimes(start: reader.start))
    }
  }
}

/// Gathers rows of CSV, to write them in large pieces.
struct InclinationRows {
  private var text: [UInt8] = []

  /// Adds a row for each sample.
  mutating func add(_ pairs: some Sequence<(MotionSample, Inclination)>) {
    for (sample, inclination) in pairs {
      append(sample.time, decimals: 6)
      for component in [inclination.up.x, inclination.up.y, inclination.up.z] {
        text.append(UInt8(ascii: ","))
        // Q30 to billionths, rounded.
        let product = Int64(component) * 1_000_000_000
        append((product + (1 << 29)) >> 30, decimals: 9)
      }
      text.append(UInt8(ascii: "\n"))
    }
    if text.count > 1 << 16 { flush() }
  }

  /// Writes what was gathered.
  mutating func flush() {
    guard !text.isEmpty else { return }
    Console.write(String(decoding: text, as: UTF8.self), to: .standardOutput)
    text.removeAll(keepingCapacity: true)
  }

  /// Adds `value` / 10^`decimals` with all its decimals.
  private mutating func append(_ value: Int64, decimals: Int) {
    if value < 0 { text.append(UInt8(ascii: "-")) }
    let digits = Array(String(value.magnitude).utf8)
    let padded =
      [UInt8](repeating: UInt8(ascii: "0"), count: max(0, decimals + 1 - digits.count)) + digits
    text += padded.dropLast(decimals)
    text.append(UInt8(ascii: "."))
    text += padded.suffix(decimals)
  }
}
