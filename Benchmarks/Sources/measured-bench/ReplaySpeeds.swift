import Foundation
import Traces

/// Prints the processor time of `measured replay` for a motion sensor's packets, beside that of reading
/// the same trace alone.
///
/// Everything of the hub has its part in it: sessions, recordings, an exercise that is due, the store.
/// A packet's time must not grow with the packets before it, so it is measured for two lengths.
///
/// - Parameter program: The program, built for release.
/// - Throws: What keeps the traces from being written, or the program from replaying them.
func printReplaySpeeds(_ program: String = "../.build/release/measured") throws {
  print("\nreplay, μs of processor time a packet")
  guard FileManager.default.isExecutableFile(atPath: program) else {
    print("left out: there is no \(program) (make release)")
    return
  }
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "measured-replay-\(ProcessInfo.processInfo.processIdentifier)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let plan = folder.appending(path: "plan.yaml")
  try Data(PacketTrace.plan.utf8).write(to: plan)
  print(column("packets", width: 12), column("replay"), column("  reading alone"), separator: "")
  func replay(_ count: Int) throws -> Double {
    let trace = folder.appending(path: "\(count).jsonl")
    try PacketTrace.text(count).write(to: trace, atomically: false, encoding: .utf8)
    return try processorTime(of: program, ["replay", trace.path, "--plan", plan.path])
  }
  // Start, plan and store.
  let start = try replay(0)
  for count in [6_000, 60_000] {
    let whole = try replay(count)
    let reading = try readingTime(folder.appending(path: "\(count).jsonl"))
    print(
      column("\(count)", width: 12), column((whole - start) / Double(count) * 1e6, digits: 1),
      column(reading / Double(count) * 1e6, digits: 1, width: 15), separator: "")
  }
}

/// The least processor time of five runs of a program, in seconds.
private func processorTime(of program: String, _ arguments: [String]) throws -> Double {
  var best = Double.infinity
  for _ in 0..<5 {
    let before = processorTime(RUSAGE_CHILDREN)
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ReplayFailed(arguments: arguments, status: process.terminationStatus)
    }
    best = min(best, processorTime(RUSAGE_CHILDREN) - before)
  }
  return best
}

private struct ReplayFailed: Error {
  var arguments: [String]
  var status: Int32
}

/// The least processor time of five readings of a trace, in seconds.
private func readingTime(_ trace: URL) throws -> Double {
  var best = Double.infinity
  for _ in 0..<5 {
    let before = processorTime(RUSAGE_SELF)
    var reader = try RadioTraceReader(FileStream(path: trace.path))
    while try reader.next() != nil {}
    best = min(best, processorTime(RUSAGE_SELF) - before)
  }
  return best
}

func processorTime(_ whose: __rusage_who) -> Double {
  var usage = rusage()
  getrusage(whose.rawValue, &usage)
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// A sensor on a shank that sends 100 packets a second while an exercise of the knee is due.
private enum PacketTrace {
  private static let address = "C4:12:34:56:78:04"
  private static let packets = "0000ffe4-0000-1000-8000-00805f9a34fb"
  private static let commands = "0000ffe9-0000-1000-8000-00805f9a34fb"
  private static let service = "0000ffe5-0000-1000-8000-00805f9a34fb"

  static let plan = """
    timeZone: America/Los_Angeles
    patients:
      - {id: john}
    tasks:
      - id: knee
        title: Bend the left knee
        schedule:
          - {start: 2026-11-01T09:00, interval: {days: 1}, duration: 1h}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
    devices:
      - address: "\(address)"
        definition: witmotion-bwt901ble
        patient: john
        placement: {joint: knee, side: left, segment: shank}

    """

  /// The trace of so many packets.
  static func text(_ count: Int) -> String {
    var lines = [
      #"{"measured-trace":1,"start":"2026-11-20T09:05:00-08:00"}"#,
      #"{"t":1,"type":"connected","address":"\#(address)"}"#,
      #"{"t":1.2,"type":"services","address":"\#(address)","services":[{"uuid":"\#(service)","#
        + #""characteristics":[{"uuid":"\#(packets)","properties":["notify"]},"#
        + #"{"uuid":"\#(commands)","properties":["writeWithoutResponse"]}]}]}"#,
    ]
    lines += (0..<count).map { number in
      #"{"t":\#(2 + Double(number) / 100),"type":"value","address":"\#(address)","#
        + #""service":"\#(service)","characteristic":"\#(packets)","data":"\#(packet(number))"}"#
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The shank, turned by 60° and back in ten seconds.
  private static func packet(_ number: Int) -> String {
    let phase = 2 * Double.pi * Double(number) / 1000
    let angle = Double.pi / 6 * (1 - cos(phase))
    let rate = 30 * sin(phase) * 2 * Double.pi / 10
    let counts = [cos(angle) * 2048, 0, sin(angle) * 2048, 0, rate * 16.384, 0, 0, 0, 0]
    let bytes = counts.map { Int16($0.rounded()) }.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    return "5561" + bytes.map { String(format: "%02x", $0) }.joined()
  }
}
