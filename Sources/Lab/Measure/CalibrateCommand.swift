import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Measurement
import Motion
import Terminal

/// `measured calibrate`.
struct CalibrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Calibrates a sensor's accelerometer.",
    discussion: """
      Lay the sensor still on a level surface for two seconds to find its offset. Lay it on each of \
      its six sides in turn, in one recording or six, to find its scale too. From then on the \
      sensor's motion is corrected before every measurement.

      Example:
        measured calibrate still.csv --sensor D2:4F:71:00:00:03 --store week.sqlite
      """,
    subcommands: [Find.self, List.self, Delete.self], defaultSubcommand: Find.self)

  /// `measured calibrate find`.
  struct Find: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Calibrates a sensor from motion files in which it lies still.",
      discussion: """
        Example:
          measured calibrate find six-sides.csv --sensor left-thigh --json
        """)

    @OptionGroup var motion: MotionOptions

    @Option(help: "The sensor's Bluetooth address, or its name in recordings.")
    var sensor: String

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func validate() throws {
      guard sensor.contains(where: { !$0.isWhitespace }) else {
        throw ValidationError(LocalizedText("command.measure.sensor").message)
      }
      guard motion.calibration.file == nil else {
        throw ValidationError(LocalizedText("command.measure.uncorrected").message)
      }
    }

    func run() async throws {
      try await reporting(isJSON: json) {
        let recordings = try motion.files.map(motion.samples)
        let fit = try CalibrationFit.find(in: recordings)
        let calibration = SensorCalibration(fit, of: DeviceID(sensor), at: Date())
        let store = try storage.store == nil ? storage.openExisting() : storage.open()
        let zone = try await store.write { writer in
          try writer.setCalibration(calibration)
          return try writer.planTimeZone() ?? .gmt
        }
        let line = CalibrationOutput(calibration, fit, in: zone)
        if json { try Console.json(line) } else { line.text.forEach(Console.out) }
      }
    }
  }

  /// `measured calibrate list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the calibrated sensors.",
      discussion: "Example:\n  measured calibrate list --store week.sqlite")

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let (calibrations, zone) = try await storage.openExisting().read { reader in
          (try reader.calibrations(), try reader.planTimeZone() ?? .gmt)
        }
        for line in calibrations.map({ CalibrationOutput($0, in: zone) }) {
          if json { try Console.json(line) } else { line.text.forEach(Console.out) }
        }
      }
    }
  }

  /// `measured calibrate delete`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deletes a sensor's calibration; its motion is no longer corrected.",
      discussion: "Example:\n  measured calibrate delete left-thigh --store week.sqlite")

    @Argument(help: "The sensor's address or name.")
    var sensor: String

    @OptionGroup var storage: StoreFileOptions

    func run() async throws {
      try await storage.openExisting().write { try $0.deleteCalibration(of: DeviceID(sensor)) }
      Console.out(LocalizedText("command.calibration.deleted", ["sensor": "\(sensor)"]).message)
    }
  }
}

extension SensorCalibration {
  /// The calibration of a sensor by a fit.
  init(_ fit: CalibrationFit, of sensor: DeviceID, at date: Date) {
    self.init(
      address: sensor, method: fit.positions > 1 ? .sixPositions : .atRest,
      calibration: fit.calibration, createdDate: date)
  }
}

// MARK: - Output

/// A calibration, as JSON and for people.
struct CalibrationOutput: Encodable {
  var sensor: String
  var method: String
  /// The readings of x, y and z without a force, in mg.
  var offset: [Double]
  /// The factors of x, y and z.
  var scale: [Double]
  var created: String
  var quality: Quality?

  /// How well it fits its recordings.
  struct Quality: Encodable {
    /// The number of still positions.
    var positions: Int
    /// The greatest deviation of the force from 1 g, before and after, in mg.
    var errorBefore: Double
    var errorAfter: Double
    /// The root mean square of the sensor's noise, in mg.
    var noise: Double
  }

  /// A stored calibration, without its quality; times in `timeZone`.
  init(_ calibration: SensorCalibration, in timeZone: TimeZone) {
    sensor = calibration.address.text
    method = calibration.method.rawValue
    offset = calibration.calibration.offset.components.map { Double($0) / 1_000 }
    scale = calibration.calibration.scale.components.map {
      Double($0) / Double(AccelerometerCalibration.unitScale)
    }
    created = calibration.createdDate.rfc3339(in: timeZone)
  }

  /// A new calibration, with its quality.
  init(_ calibration: SensorCalibration, _ fit: CalibrationFit, in timeZone: TimeZone) {
    self.init(calibration, in: timeZone)
    quality = Quality(
      positions: fit.positions, errorBefore: Double(fit.errorBefore) / 1_000,
      errorAfter: Double(fit.errorAfter) / 1_000, noise: Double(fit.noise) / 1_000)
  }

  /// Its lines for people.
  var text: [String] {
    let heading = LocalizedText(
      method == SensorCalibration.Method.atRest.rawValue
        ? "command.calibration.atRest" : "command.calibration.onSixSides",
      ["sensor": "\(sensor)", "time": "\(created)"])
    let figures = LocalizedText(
      "command.calibration.figures",
      [
        "offset": .init(Self.list(offset, digits: 1)), "scale": .init(Self.list(scale, digits: 4)),
      ])
    let fit = quality.map { quality in
      LocalizedText(
        "command.calibration.fit",
        [
          "before": .init(Self.list([quality.errorBefore], digits: 1)),
          "after": .init(Self.list([quality.errorAfter], digits: 1)),
          "noise": .init(Self.list([quality.noise], digits: 1)),
          "positions": .init(quality.positions),
        ])
    }
    return [heading.message] + [figures, fit].compactMap { $0.map { "  " + $0.message } }
  }

  private static func list(_ numbers: [Double], digits: Int) -> String {
    numbers.map { String(format: "%.\(digits)f", $0) }.joined(separator: " ")
  }
}

extension Vector3 {
  fileprivate var components: [Int32] { [x, y, z] }
}
