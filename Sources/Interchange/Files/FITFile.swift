package import Care
import Foundation

/// One person's weighings or pressures as a FIT file, which Garmin Connect takes.
///
/// A file is of one type, so weighings and pressures are two files. Only what was stored is in it: no
/// figure is computed for it. Source: FIT Protocol and Profile, messages `file_id` (0), `weight_scale`
/// (30) and `blood_pressure` (51).
package struct FITFile: Sendable {
  /// The kind of measurements in a file.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// Weighings.
    case weight = 9
    /// Pressures.
    case bloodPressure = 14

    /// The quantities of its measurements.
    package var quantities: Set<Quantity> { Set(message.fields.map(\.quantity)) }

    fileprivate var message: Message {
      switch self {
      case .weight: .weightScale
      case .bloodPressure: .bloodPressure
      }
    }
  }

  /// The file; `nil` if it would have no measurement.
  package let bytes: [UInt8]?
  /// How many measurements are in it.
  package let count: Int

  /// Writes a file.
  ///
  /// A value beyond what a field can have is left out; so is a measurement before 1990 or after 2126,
  /// one without a weight or without both pressures. The same samples give the same bytes.
  ///
  /// - Parameters:
  ///   - kind: What it has.
  ///   - samples: The samples of one person.
  package init(_ kind: Kind, of samples: [Sample]) {
    let message = kind.message
    var records: [UInt8] = []
    var (count, latest) = (0, UInt32(0))
    for group in SampleGroup.groups(of: samples) {
      guard let time = Self.time(group.start), let record = message.record(of: group, at: time)
      else {
        continue
      }
      records += record
      (count, latest) = (count + 1, max(latest, time))
    }
    self.count = count
    guard count > 0 else {
      bytes = nil
      return
    }
    bytes = Self.framed(Self.identification(kind, at: latest) + message.definition + records)
  }

  /// Seconds since 1989-12-31 00:00:00 UTC; what is smaller than 0x10000000 would be a time since the
  /// device was switched on.
  private static func time(_ date: Date) -> UInt32? {
    let seconds = date.microseconds.flooredDivision(by: 1_000_000).quotient - 631_065_600
    guard let time = UInt32(exactly: seconds), time != .max, time >= 0x1000_0000 else { return nil }
    return time
  }

  /// The message that begins a file: its type, and who made it.
  private static func identification(_ kind: Kind, at time: UInt32) -> [UInt8] {
    // 255 is the manufacturer of programs without a number of their own.
    let fields: [(number: UInt8, type: UInt8, bytes: [UInt8])] = [
      (0, 0x00, [kind.rawValue]), (1, 0x84, UInt16(255).fitBytes), (2, 0x84, UInt16(0).fitBytes),
      (4, 0x86, time.fitBytes),
    ]
    var definition: [UInt8] = [0x40, 0, 0, 0, 0, UInt8(fields.count)]
    for field in fields { definition += [field.number, UInt8(field.bytes.count), field.type] }
    return definition + [0] + fields.flatMap(\.bytes)
  }

  /// Puts the header before the messages, and the check after both.
  private static func framed(_ messages: [UInt8]) -> [UInt8] {
    // Protocol 1.0, profile 21.00.
    var header: [UInt8] = [14, 0x10] + UInt16(2_100).fitBytes
    header += UInt32(clamping: messages.count).fitBytes + Array(".FIT".utf8)
    header += check(header).fitBytes
    return header + messages + check(header + messages).fitBytes
  }

  /// CRC-16 with the polynomial 0x8005, reflected, from 0.
  static func check(_ bytes: [UInt8]) -> UInt16 {
    bytes.reduce(UInt16(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte)) { rest, _ in
        rest & 1 == 1 ? rest >> 1 ^ 0xA001 : rest >> 1
      }
    }
  }

  /// A message of measurements: its number, and what stands in which field.
  fileprivate struct Message {
    /// A number that is stored as a whole one.
    struct Field {
      var number: UInt8
      var quantity: Quantity
      /// The stored number of one unit of the quantity.
      var scale: Double
      /// Whether it has one byte instead of two.
      var isShort = false
      var isNeeded = false

      /// The bytes of a value; those of "no value" for none, or for one that the field cannot have.
      func bytes(of value: Double?) -> [UInt8]? {
        // The greatest number means no value; the one before it, of a weight, that it is not settled.
        let most = isShort ? Double(UInt8.max) - 2 : Double(UInt16.max) - 2
        let scaled = value.map { ($0 * scale).rounded() }.flatMap {
          (0...most).contains($0) ? $0 : nil
        }
        guard let scaled else { return isNeeded ? nil : isShort ? [.max] : UInt16.max.fitBytes }
        return isShort ? [UInt8(saturating: scaled)] : UInt16(saturating: scaled).fitBytes
      }
    }

    var number: UInt16
    var fields: [Field]

    static let weightScale = Message(
      number: 30,
      fields: [
        Field(number: 0, quantity: .bodyMass, scale: 100, isNeeded: true),
        Field(number: 1, quantity: .bodyFatPercentage, scale: 100),
        Field(number: 2, quantity: .bodyWaterPercentage, scale: 100),
        Field(number: 4, quantity: .boneMass, scale: 100),
        Field(number: 5, quantity: .muscleMass, scale: 100),
        // Four for a kilocalorie a day.
        Field(number: 7, quantity: .basalMetabolicRate, scale: 4 / 4.184),
        Field(number: 11, quantity: .visceralFat, scale: 1, isShort: true),
        Field(number: 13, quantity: .bodyMassIndex, scale: 10),
      ])

    static let bloodPressure = Message(
      number: 51,
      fields: [
        Field(number: 0, quantity: .bloodPressureSystolic, scale: 1, isNeeded: true),
        Field(number: 1, quantity: .bloodPressureDiastolic, scale: 1, isNeeded: true),
        Field(number: 2, quantity: .bloodPressureMean, scale: 1),
        Field(number: 6, quantity: .pulseRate, scale: 1, isShort: true),
      ])

    /// The definition of the records' fields; every record has the local number 1.
    var definition: [UInt8] {
      let head: [UInt8] = [0x41, 0, 0] + number.fitBytes + [UInt8(fields.count + 1), 253, 4, 0x86]
      return fields.reduce(head) { $0 + [$1.number] + ($1.isShort ? [1, 0x02] : [2, 0x84]) }
    }

    /// The record of a measurement; `nil` if it lacks what makes it one.
    func record(of group: SampleGroup, at time: UInt32) -> [UInt8]? {
      var record: [UInt8] = [1] + time.fitBytes
      for field in fields {
        guard let bytes = field.bytes(of: group[field.quantity]) else { return nil }
        record += bytes
      }
      return record
    }
  }
}

extension FixedWidthInteger {
  /// The bytes, the least first.
  fileprivate var fitBytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
  }
}
