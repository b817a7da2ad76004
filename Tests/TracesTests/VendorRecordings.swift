import CZlib
import Care
import Foundation
import Motion
import Traces

/// One walk, written as the programs and devices of the field write it.
enum VendorRecordings {
  /// A minute of walking with five seconds of standing before and after, at 50 samples a second.
  static let walk = GaitModel().samples(seconds: 60)

  /// 2026-11-20T09:00:00 in microseconds since 1970.
  static let start: Int64 = 1_795_165_200_000_000

  // MARK: Text

  /// Each layout of text with its name.
  static let texts: [(name: String, text: String)] = [
    ("OmGui without a header", lines { "\(date($0)),\(axes($0, 1, 6))" }),
    (
      "OmGui",
      "Time,Accel-X (g), Accel-Y (g), Accel-Z (g)\r\n"
        + lines(end: "\r\n") { "\(date($0)),\(axes($0, 1, 6))" }
    ),
    ("UK Biobank", "time,x,y,z\n" + lines { "\(date($0))+0000 [Europe/London],\(axes($0, 1, 6))" }),
    (
      "ActiGraph with times",
      banner(epoch: "00:00:00") + "Timestamp,Accelerometer X,Accelerometer Y,Accelerometer Z\n"
        + lines { "11/20/2026 \(date($0).suffix(12)),\(axes($0, 1, 3))" }
    ),
    (
      "ActiGraph without times",
      banner(epoch: "00:00:00") + "Accelerometer X,Accelerometer Y,Accelerometer Z\n"
        + lines { axes($0, 1, 3) }
    ),
    ("ActiGraph without a header", banner(epoch: "00:00:00") + lines { axes($0, 1, 3) }),
    ("phyphox with commas", phyphox(",", ".")),
    ("phyphox with semicolons", phyphox(";", ",")),
    ("phyphox with tabs", phyphox("\t", ",")),
    (
      "Sensor Logger",
      "time,seconds_elapsed,z,y,x\n"
        + lines { sample in
          let axes = numbers(sample, 9.80665, 9).reversed().joined(separator: ",")
          return "\((start + sample.time) * 1000),\(seconds(sample, 9)),\(axes)"
        }
    ),
    (
      "MetaWear",
      "epoc (ms),timestamp (+0100),elapsed (s),x-axis (g),y-axis (g),z-axis (g)\n"
        + lines { sample in
          "\((start + sample.time) / 1000),\(date(sample).replacing(" ", with: "T")),"
            + "\(seconds(sample, 3)),\(axes(sample, 1, 3))"
        }
    ),
    (
      "Movesense",
      "timestamp,x,y,z\n" + lines { "\(70_000 + $0.time / 1000),\(axes($0, 9.80665, 6))" }
    ),
  ]

  /// The walk as a plain file.
  static let plain = "t,x,y,z\n" + lines { "\(seconds($0, 6)),\(axes($0, 1, 6))" }

  /// The lines with which ActiLife begins a file.
  static func banner(epoch: String) -> String {
    """
    ------------ Data File Created By ActiGraph GT3X+ ActiLife v6.13.4 Firmware v3.2.1 date format \
    M/d/yyyy at 50 Hz  Filter Normal -----------
    Serial Number: NEO1F00000000
    Start Time 09:00:00
    Start Date 11/20/2026
    Epoch Period (hh:mm:ss) \(epoch)
    Download Time 12:00:00
    Download Date 11/21/2026
    Current Memory Address: 0
    Current Battery Voltage: 4.21     Mode = 12
    --------------------------------------------------

    """
  }

  private static func phyphox(_ separator: String, _ point: String) -> String {
    let header = ["Time (s)"] + ["x", "y", "z"].map { "Acceleration \($0) (m/s^2)" }
    return (header + ["Absolute acceleration (m/s^2)"]).map { "\"\($0)\"" }
      .joined(separator: separator) + "\n"
      + lines { sample in
        ([seconds(sample, 9)] + numbers(sample, 9.80665, 9) + ["9.81"]).map { number in
          (number + "E0").replacing(".", with: point)
        }.joined(separator: separator)
      }
  }

  private static func lines(end: String = "\n", _ row: (MotionSample) -> String) -> String {
    walk.map { row($0) + end }.joined()
  }

  private static func seconds(_ sample: MotionSample, _ digits: Int) -> String {
    String(format: "%.\(digits)f", Double(sample.time) / 1_000_000)
  }

  private static func numbers(_ sample: MotionSample, _ unit: Double, _ digits: Int) -> [String] {
    [sample.acceleration.x, sample.acceleration.y, sample.acceleration.z].map {
      String(format: "%.\(digits)f", Double($0) / 1_000_000 * unit)
    }
  }

  private static func axes(_ sample: MotionSample, _ unit: Double, _ digits: Int) -> String {
    numbers(sample, unit, digits).joined(separator: ",")
  }

  /// `2026-11-20 09:00:00.000`.
  private static func date(_ sample: MotionSample) -> String {
    let time = sample.time
    return String(
      format: "2026-11-20 09:%02d:%02d.%03d", Int(time / 60_000_000),
      Int(time / 1_000_000 % 60), Int(time / 1000 % 1000))
  }

  // MARK: CWA

  /// A recording of an AX3 or AX6.
  ///
  /// - Parameters:
  ///   - packing: The byte that says how samples are stored: 0x30, 0x32 or 0x62.
  ///   - rate: The byte of the rate; 50 samples a second unless given.
  /// - Returns: The file.
  static func cwa(packing: UInt8, rate: UInt8 = 0x49) -> [UInt8] {
    var file: [UInt8] = [0x4D, 0x44, 0xFC, 0x03] + [UInt8](repeating: 0, count: 1020)
    let size = [0x30: 120, 0x32: 80, 0x62: 40][packing] ?? 1
    for first in stride(from: 0, to: walk.count, by: size) {
      let samples = Array(walk[first..<min(first + size, walk.count)])
      file += block(samples, number: first / size, packing: packing, rate: rate)
    }
    // The part that was never written.
    return file + [UInt8](repeating: 0xFF, count: 512)
  }

  private static func block(
    _ samples: [MotionSample], number: Int, packing: UInt8, rate: UInt8
  ) -> [UInt8] {
    let time = samples[0].time
    // The stamp is of the next whole second.
    let second = (time + 999_999) / 1_000_000
    let index = Int16(truncatingIfNeeded: (second * 1_000_000 - time) / 20_000)
    let ofDay = 9 * 3600 + second
    let stamp =
      UInt32(26) << 26 | 11 << 22 | 20 << 17 | UInt32(ofDay / 3600) << 12
      | UInt32(ofDay / 60 % 60) << 6 | UInt32(ofDay % 60)
    // An AX6 measures to ±8 g and ±1000 deg/s.
    let scale: UInt16 = packing == 0x62 ? 4 << 13 | 3 << 10 : 0
    let perG: Double = packing == 0x62 ? 4096 : 256
    var bytes: [UInt8] = [0x41, 0x58, 0xFC, 0x01, 0x01, 0x00]
    bytes += little(UInt32(7)) + little(UInt32(number)) + little(stamp) + little(scale)
    bytes += [0, 0, 0, 200, rate, packing] + little(UInt16(bitPattern: index))
    bytes += little(UInt16(samples.count))
    for sample in samples {
      let axes = [sample.acceleration.x, sample.acceleration.y, sample.acceleration.z].map {
        Int(saturating: (Double($0) / 1_000_000 * perG).rounded())
      }
      if packing == 0x30 {
        // The exponent shifts what does not fit into ten bits.
        let shift = axes.contains { !(-512...511).contains($0) } ? 1 : 0
        let word = axes.enumerated().reduce(UInt32(shift) << 30) { word, axis in
          word | UInt32(truncatingIfNeeded: axis.element >> shift & 0x3FF)
            << (10 * UInt32(axis.offset))
        }
        bytes += little(word)
      } else {
        if packing == 0x62 { bytes += little(UInt16(328)) + [0, 0, 0, 0] }
        for axis in axes { bytes += little(UInt16(truncatingIfNeeded: axis)) }
      }
    }
    bytes += [UInt8](repeating: 0, count: 510 - bytes.count)
    let sum = stride(from: 0, to: 510, by: 2).reduce(UInt16(0)) {
      $0 &+ (UInt16(bytes[$1]) | UInt16(bytes[$1 + 1]) << 8)
    }
    return bytes + little(0 &- sum)
  }

  // MARK: GT3X

  /// The records of `log.bin`.
  ///
  /// - Parameter isPacked: Whether samples have 12 bits (ACTIVITY), else 16 (ACTIVITY2).
  /// - Returns: The content of `log.bin`.
  static func log(isPacked: Bool) -> [UInt8] {
    var log = record(type: 6, second: 0, Array("{}".utf8))
    // ACCEL_SCALE: 256.
    if !isPacked { log += record(type: 21, second: 0, [0, 0, 55, 0, 0, 0, 0x40, 9]) }
    for first in stride(from: 0, to: walk.count, by: 50) {
      let samples = walk[first..<min(first + 50, walk.count)]
      let perG: Double = isPacked ? 341 : 256
      let counts = samples.map { sample in
        [sample.acceleration.x, sample.acceleration.y, sample.acceleration.z].map {
          Int(saturating: (Double($0) / 1_000_000 * perG).rounded())
        }
      }
      var payload: [UInt8] = []
      if isPacked {
        let numbers = counts.flatMap { [$0[1], $0[0], $0[2]] }.map { $0 & 0xFFF }
        for pair in stride(from: 0, to: numbers.count, by: 2) {
          let low = pair + 1 < numbers.count ? numbers[pair + 1] : 0
          payload += [
            UInt8(numbers[pair] >> 4), UInt8(numbers[pair] & 15) << 4 | UInt8(low >> 8),
            UInt8(low & 255),
          ]
        }
      } else {
        for number in counts.joined() { payload += little(UInt16(truncatingIfNeeded: number)) }
      }
      log += record(type: isPacked ? 0 : 26, second: first / 50, payload)
      // A few zeros may stand between records, and a byte reports a connection.
      if first == 500 { log += [0, 0, 0] + record(type: isPacked ? 0 : 26, second: 10, [1]) }
    }
    return log
  }

  /// A record of `log.bin`.
  static func record(type: UInt8, second: Int, _ payload: [UInt8]) -> [UInt8] {
    let bytes =
      [0x1E, type] + little(UInt32(start / 1_000_000 + Int64(second)))
      + little(UInt16(payload.count)) + payload
    return bytes + [bytes.reduce(0, ^) ^ 0xFF]
  }

  /// `info.txt` of a device.
  static func info(serial: String = "NEO1C16110020", rate: String = "50") -> [UInt8] {
    Array("Serial Number: \(serial)\r\nFirmware: 3.2.1\r\nSample Rate: \(rate)\r\n".utf8)
  }

  /// An archive of files, in their order.
  static func archive(_ files: [(name: String, content: [UInt8])], isStored: Bool = false)
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    for file in files {
      let content = isStored ? file.content : deflated(file.content)
      let sum = unsafe crc32_z(0, file.content, file.content.count)
      bytes += [0x50, 0x4B, 3, 4, 20, 0, 0, 0] + little(UInt16(isStored ? 0 : 8)) + [0, 0, 0, 0]
      bytes += little(UInt32(truncatingIfNeeded: sum)) + little(UInt32(content.count))
      bytes += little(UInt32(file.content.count)) + little(UInt16(file.name.utf8.count)) + [0, 0]
      bytes += Array(file.name.utf8) + content
    }
    return bytes + [0x50, 0x4B, 1, 2] + [UInt8](repeating: 0, count: 42)
  }

  /// A recording in the usual form.
  static func gt3x(isPacked: Bool) -> [UInt8] {
    archive([("info.txt", info()), ("log.bin", log(isPacked: isPacked))])
  }

  /// A raw deflate stream: that of zlib without its header and checksum.
  static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var length = UInt(bytes.count + bytes.count / 100 + 100)
    var result = [UInt8](repeating: 0, count: Int(length))
    guard unsafe compress2(&result, &length, bytes, UInt(bytes.count), 9) == Z_OK else { return [] }
    return Array(result[2..<(Int(length) - 4)])
  }

  private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<(T.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> (8 * T($0))) }
  }
}
