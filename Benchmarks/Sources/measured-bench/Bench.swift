import Foundation

/// Prints the accuracy and the speed of the measurements, over the recordings with ground truth.
///
/// The folder of recordings is the first argument, else `data` in the folder named by
/// `MEASURED_SHARED`, else `shared/data` beside the checkout, whether this is run from there or from its
/// own folder. Without recordings, prints what needs none. With `steps-validation` before it, prints instead
/// what the step counter owes to the recordings that it was tuned on, with `speeds` only what a sample
/// costs. With `schedules` or `store`,
/// prints only the speed of schedules or of the store, which needs no recordings; with `engines` that of
/// the store in a file and on the server at the address that follows; with `decode` only
/// that of decoding frames, with the definitions in the folder that follows; with `replay` only that of
/// the whole program, at the path that follows; with `households` only whose weighings the attribution
/// takes for whose, and with `household-program` whether the program at the path that follows takes them
/// for the same people's.
@main
enum Bench {
  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    let validates = arguments.first == "steps-validation"
    let onlySpeeds = arguments.first == "speeds"
    if validates || onlySpeeds { arguments = arguments.dropFirst() }
    let named = ProcessInfo.processInfo.environment["MEASURED_SHARED"].map { [$0 + "/data"] }
    let beside = named ?? ["../shared/data", "../../shared/data"]
    let found = beside.first { FileManager.default.fileExists(atPath: $0 + "/steps/index.csv") }
    let folder = arguments.first ?? found ?? beside[0]
    do {
      if arguments.first == "households" {
        return printHouseholds(HouseholdOptions(arguments.dropFirst()))
      }
      if arguments.first == "household-program", let program = arguments.dropFirst().first {
        return try printHouseholds(by: program, HouseholdOptions(arguments.dropFirst(2)))
      }
      if arguments.first == "schedules" { return try printScheduleSpeeds() }
      if arguments.first == "decode" {
        return try printDecodeSpeeds(arguments.dropFirst().first ?? "../Devices")
      }
      if arguments.first == "replay" {
        return try printReplaySpeeds(arguments.dropFirst().first ?? "../.build/release/measured")
      }
      if arguments.first == "store" {
        return try await printStoreSpeeds(isQuick: arguments.contains("quick"))
      }
      if arguments.first == "engines", arguments.count == 2, let address = arguments.last {
        return try await printEngineSpeeds(address: address)
      }
      if arguments.first == "store-adherence", let path = arguments.last {
        return try await printAdherence(ofStoreAt: path)
      }
      // First, so that the memory it prints is its own.
      if !validates, !onlySpeeds { try printLongFile() }
      if arguments.first == nil, found == nil {
        print("There are no recordings in \(folder): their accuracy and speeds are left out.")
      } else if validates {
        return printStepsValidation(try StepRecording.all(in: folder))
      } else {
        let recordings = try StepRecording.all(in: folder)
        if onlySpeeds { return try printMotionSpeeds(recordings, in: folder) }
        printStepErrors(recordings)
        try printBoutTrials(recordings, in: folder)
        printMadeUpMovements()
        try printWalkErrors(in: folder)
        let trials = try BroadTrial.all(in: folder)
        printInclinationErrors(trials)
        printRounding(trials)
        try printUpAndGoErrors(in: folder)
        try printMotionSpeeds(recordings, in: folder)
      }
      if validates { return }
      try printScheduleSpeeds()
      try printDecodeSpeeds()
      try printReplaySpeeds()
      try await printStoreSpeeds()
      printHouseholds(HouseholdOptions())
    } catch {
      FileHandle.standardError.write(
        Data("cannot read the recordings in \(folder): \(error)\n".utf8))
      exit(1)
    }
  }
}

/// Prints what a sample costs in each measurement.
private func printMotionSpeeds(_ recordings: [StepRecording], in folder: String) throws {
  printSpeeds(
    recordings, try BroadTrial.all(in: folder),
    backs: try KnownWalk.all(in: folder).map { try $0.samples("lowback") })
}

/// A number with so many digits after the point, right-aligned in a column.
func column(_ value: Double, digits: Int, width: Int = 8) -> String {
  let text = String(format: "%.\(digits)f", value)
  return String(repeating: " ", count: max(0, width - text.count)) + text
}

/// A name, left-aligned in a column.
func column(_ name: String, width: Int = 12) -> String {
  name.padding(toLength: max(width, name.count), withPad: " ", startingAt: 0)
}
