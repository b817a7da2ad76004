import ArgumentParser
import Care
import CareStore
import Foundation
import Measurement

/// `measured calibrate`.
struct Calibrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds what a sensor's accelerometer reads wrong, and keeps it for that sensor.",
    discussion: """
      Lay the sensor still on a level surface for two seconds: that gives its offset. Lay it on each \
      of its six sides in turn, in one recording or six, and its scale is found as well. From then on \
      the sensor's motion is put right before anything is measured with it.

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

    @Option(help: "The sensor: its Bluetooth address, or the name that recordings give it.")
    var sensor: String

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func validate() throws {
      guard sensor.contains(where: { !$0.isWhitespace }) else {
        throw ValidationError("Name the sensor with --sensor.")
      }
      guard motion.calibration.file == nil else {
        throw ValidationError("A sensor is calibrated by what it reads; leave --calibration out.")
      }
    }

    func run() async throws {
      try await reporting(isJSON: json) {
        let recordings = try motion.files.map(motion.samples)
        let fit = try CalibrationFit.find(in: recordings)
        let calibration = SensorCalibration(fit, of: DeviceID(sensor), at: Date())
        let zone = try await storage.open().write { writer in
          try writer.setCalibration(calibration)
          return try writer.planTimeZone() ?? .gmt
        }
        let line = CalibrationOutput(calibration, fit, in: zone)
        if json { Console.json(line) } else { line.text.forEach(Console.out) }
      }
    }
  }

  /// `measured calibrate list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the sensors that are calibrated.",
      discussion: "Example:\n  measured calibrate list --store week.sqlite")

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let (calibrations, zone) = try await storage.openExisting().read { reader in
          (try reader.calibrations(), try reader.planTimeZone() ?? .gmt)
        }
        for line in calibrations.map({ CalibrationOutput($0, in: zone) }) {
          if json { Console.json(line) } else { line.text.forEach(Console.out) }
        }
      }
    }
  }

  /// `measured calibrate delete`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forgets a sensor's calibration; its motion is then taken as it reads.",
      discussion: "Example:\n  measured calibrate delete left-thigh --store week.sqlite")

    @Argument(help: "The sensor's address or name.")
    var sensor: String

    @OptionGroup var storage: StoreOptions

    func run() async throws {
      try await storage.openExisting().write { try $0.deleteCalibration(of: DeviceID(sensor)) }
      Console.out("\(sensor) is not calibrated any more")
    }
  }
}

extension SensorCalibration {
  /// The calibration that was found for a sensor.
  init(_ fit: CalibrationFit, of sensor: DeviceID, at date: Date) {
    self.init(
      address: sensor, method: fit.positions > 1 ? .sixPositions : .atRest,
      calibration: fit.calibration, createdDate: date)
  }
}
