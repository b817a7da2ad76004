import Foundation
import Measurement
import Motion
import Traces

/// Prints how fast a day of a 100 Hz sensor goes through, read from a file and counted.
///
/// The file is made up: walks of ten minutes, with rests between them, 8.64 million rows.
func printLongFile() throws {
  let url = FileManager.default.temporaryDirectory.appending(path: "measured-day.csv")
  defer { try? FileManager.default.removeItem(at: url) }
  let rows = try writeDay(to: url)
  let bytes = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
  print("a day at 100 Hz: \(rows) rows, \(bytes / 1_000_000) MB of CSV")

  let raw = try time { try readBytes(url) }
  let reading = try time { try read(url) { $0.count } }
  var steps = 0
  let whole = try time {
    var counter = StepCounter()
    let credited = try read(url) { counter.add(contentsOf: $0).count }
    steps = credited + counter.finish().count
    return steps
  }
  func line(_ name: String, _ seconds: Double) {
    print(
      column(name, width: 32), column(seconds, digits: 2), "s",
      column(Double(rows) / seconds / 1e6, digits: 2), "million rows/s")
  }
  line("the bytes alone (reference)", raw)
  line("reading", reading)
  line("counting (the difference)", max(1e-9, whole - reading))
  line("reading and counting", whole)
  print("\(steps) steps; at most \(peakMemory() ?? "?") of memory in use\n")
}

private func time(_ work: () throws -> Int) throws -> Double {
  let clock = ContinuousClock()
  var checksum = 0
  let took = try clock.measure { checksum = try work() }
  guard checksum >= 0 else { return 0 }
  return Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
}

private func read(_ url: URL, _ take: ([MotionSample]) -> Int) throws -> Int {
  var reader = try MotionFileReader(try FileStream(path: url.path))
  var sum = 0
  while case let block = try reader.next(), !block.isEmpty { sum += take(block) }
  return sum
}

private func readBytes(_ url: URL) throws -> Int {
  var stream = try FileStream(path: url.path)
  var sum = 0
  while case let block = try stream.read(upTo: 1 << 17), !block.isEmpty {
    for byte in [UInt8](block) { sum &+= Int(byte) }
  }
  return sum
}

/// Writes the day and returns its rows.
private func writeDay(to url: URL) throws -> Int {
  try Data("t,x,y,z\n".utf8).write(to: url)
  let file = try FileHandle(forWritingTo: url)
  defer { try? file.close() }
  try file.seekToEnd()
  // An hour: three walks of ten minutes, each with five minutes of standing before and after.
  let walk = GaitModel(cadence: 108, rate: 100, margin: 300).samples(seconds: 600)
  var rows = 0
  while rows < 8_640_000 {
    var text = ""
    for sample in walk.prefix(8_640_000 - rows) {
      let hundredths = rows
      text += "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
      for component in [sample.acceleration.x, sample.acceleration.y, sample.acceleration.z] {
        let sign = component < 0 ? "-" : ""
        let tenths = component.magnitude / 100
        let digits = String(tenths % 10_000)
        text += ",\(sign)\(tenths / 10_000)."
        text += String(repeating: "0", count: 4 - digits.count) + digits
      }
      text += "\n"
      rows += 1
    }
    try file.write(contentsOf: Data(text.utf8))
  }
  return rows
}

/// The most memory that the process has had in use, as the kernel says it.
private func peakMemory() -> String? {
  let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  return status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    .map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) }
}
