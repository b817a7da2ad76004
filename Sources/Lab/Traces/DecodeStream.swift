import Care
import DeviceCatalog
import Foundation
import GATT
import Interchange
import Localization
import Radio
import Terminal
import Traces

/// Decodes frames one after the other, and writes their readings as JSON Lines.
struct DecodeStream {
  private let catalog: DeviceCatalog
  private let device: String?
  private let address: DeviceAddress?
  private let timeZone: TimeZone?
  private var decoder: AdvertisementDecoder
  /// The definitions that read each characteristic that was met.
  private var readers: [BluetoothUUID: [String]] = [:]
  private var text = ReadingText()
  private var readings = 0
  private var reasons: [Reason: (count: Int, line: Int, detail: String?)] = [:]
  private var badLines: (count: Int, first: TraceError)?

  /// Why a frame has no reading.
  private enum Reason: Hashable {
    case unknownDevice
    case unknownCharacteristic(BluetoothUUID)
    /// It is no frame that the definitions describe.
    case unknownFrame(BluetoothUUID, definitions: [String])
    /// Definitions of several makers read the characteristic, each in its own way.
    case ambiguous(BluetoothUUID)
    case nothing(definition: String)
    case note(FrameNote, definition: String)
    case defect(definition: String)
  }

  /// How many reasons are told apart; there are fewer definitions than that.
  private static let mostReasons = 1000
  /// The limit of ``readers``: more characteristics than all definitions have.
  private static let mostCharacteristics = 4096

  init(
    _ catalog: DeviceCatalog, device: String?, key: Secret<[UInt8]>?, address: DeviceAddress?,
    timeZone: TimeZone?
  ) throws(DecodeError) {
    self.catalog = catalog
    self.device = device
    self.address = address
    self.timeZone = timeZone
    decoder = try AdvertisementDecoder(catalog, device: device, key: key)
  }

  /// Decodes all frames of `stream`.
  ///
  /// - Throws: `TraceError` if a capture is damaged, ``CommandFailure`` if a line was unreadable, or if
  ///   no frame had a reading because of a missing key or an unknown device.
  mutating func run(_ stream: any ByteStream) throws {
    var frames = try FrameReader(stream)
    while true {
      do throws(TraceError) {
        guard let (frame, date) = try frames.next() else { break }
        decode(frame, date)
      } catch {
        guard error.line != nil, !error.isOfReading else {
          text.flush()
          throw error
        }
        badLines = ((badLines?.count ?? 0) + 1, badLines?.first ?? error)
      }
    }
    text.flush()
    report(isCapture: frames.isCapture, frames.skipped)
    try finish()
  }

  /// The values of one advertisement.
  ///
  /// - Throws: ``CommandFailure`` as ``run(_:)``, with the reason on standard error.
  mutating func values(of advertisement: [UInt8]) throws -> [DecodedValue] {
    let frame = FrameLine(address: address, data: advertisement)
    let outcome = decoder.decode(advertisement, from: address)
    guard let reason = Self.reason(outcome) else { return outcome.values }
    if let defect = outcome.defect { throw DecodeError.malformed(defect, of: outcome.source) }
    count(reason, frame)
    Console.error("measured: \(Self.message(reason))")
    try finish()
    return []
  }

  /// Why an advertisement has no reading; `nil` if it has.
  private static func reason(_ outcome: AdvertisementDecoder.Outcome) -> Reason? {
    guard let definition = outcome.definition else { return .unknownDevice }
    if outcome.defect != nil { return .defect(definition: definition) }
    guard outcome.values.isEmpty else { return nil }
    return outcome.note.map { .note($0, definition: definition) }
      ?? .nothing(definition: definition)
  }

  private mutating func decode(_ frame: FrameLine, _ date: Date?) {
    let sender = frame.address ?? address
    guard let characteristic = frame.characteristic else {
      let outcome = decoder.decode(frame.data, from: sender)
      guard let definition = outcome.definition else { return count(.unknownDevice, frame) }
      if let defect = outcome.defect {
        return count(.defect(definition: definition), frame, defect)
      }
      if outcome.values.isEmpty {
        return count(
          outcome.note.map { .note($0, definition: definition) }
            ?? .nothing(definition: definition),
          frame)
      }
      return write(outcome.values, frame, date, definition, sender)
    }
    let readers = definitions(reading: characteristic)
    let heard = sender.flatMap { decoder.definition(heardFrom: $0) }
    let known = device ?? heard.flatMap { readers.contains($0) ? $0 : nil }
    let isAdopted = catalog.isAdopted(characteristic)
    guard known != nil || isAdopted || readers.count < 2 else {
      return count(.ambiguous(characteristic), frame)
    }
    let definition = known ?? (isAdopted ? nil : readers.first)
    do throws(DecodeError) {
      let decoded = try catalog.frame(
        of: characteristic, bytes: frame.data, device: definition, from: sender)
      let name = definition ?? characteristic.description
      guard !decoded.values.isEmpty else {
        return count(
          decoded.note.map { .note($0, definition: name) } ?? .nothing(definition: name), frame)
      }
      write(decoded.values, frame, date, definition, sender)
    } catch {
      switch error {
      case .unknownFrame(let uuid, let ids):
        count(.unknownFrame(uuid, definitions: ids), frame)
      case .malformed(let defect, _):
        count(.defect(definition: definition ?? characteristic.description), frame, defect)
      default: count(.unknownCharacteristic(characteristic), frame)
      }
    }
  }

  private mutating func definitions(reading characteristic: BluetoothUUID) -> [String] {
    if let known = readers[characteristic] { return known }
    let found = catalog.definitions(reading: characteristic)
    if readers.count < Self.mostCharacteristics { readers[characteristic] = found }
    return found
  }

  /// Counts a frame without a reading, with what is wrong with the first.
  private mutating func count(
    _ reason: Reason, _ frame: FrameLine, _ defect: FrameDefect? = nil
  ) {
    if reasons[reason] == nil {
      guard reasons.count < Self.mostReasons else { return }
      reasons[reason] = (0, frame.number, defect?.description)
    }
    reasons[reason]?.count += 1
  }

  private mutating func write(
    _ values: [DecodedValue], _ frame: FrameLine, _ date: Date?, _ definition: String?,
    _ sender: DeviceAddress?
  ) {
    readings += values.count
    for value in values { text.add(value, frame, date, definition, sender, timeZone) }
  }

  // MARK: Reasons

  private func report(isCapture: Bool, _ skipped: [CaptureSkip: Int]) {
    for (reason, found) in reasons.sorted(by: { $0.value.line < $1.value.line }) {
      let detail = found.detail.map { ": \($0)" } ?? ""
      let frames = LocalizedText(
        isCapture ? "command.decode.framesOfCapture" : "command.decode.framesOfLines",
        ["reason": "\(Self.message(reason))\(detail)", "first": .init(found.line)],
        count: found.count)
      Console.error("measured: \(frames.message)")
    }
    CaptureLoss.report(skipped, of: nil)
    if let (count, first) = badLines {
      let text =
        count > 1
        ? LocalizedText(
          "command.decode.moreLines", ["problem": .text(first.localized)], count: count - 1)
        : first.localized
      Console.error("measured: \(text.message)")
    }
  }

  private static func message(_ reason: Reason) -> String {
    switch reason {
    case .unknownDevice: LocalizedText("command.decode.unknownDevice").message
    case .unknownCharacteristic(let uuid): DecodeError.unknownCharacteristic(uuid).message
    case .unknownFrame(let uuid, let ids): DecodeError.unknownFrame(uuid, definitions: ids).message
    case .ambiguous(let uuid):
      LocalizedText("command.decode.ambiguous", ["uuid": "\(uuid)"]).message
    case .nothing(let definition):
      LocalizedText("command.decode.nothing", ["definition": "\(definition)"]).message
    case .note(.missingKey, let definition):
      LocalizedText("command.decode.missingKey", ["definition": "\(definition)"]).message
    case .note(.wrongKey, let definition):
      LocalizedText("command.decode.wrongKey", ["definition": "\(definition)"]).message
    case .note(let note, let definition): note.text(of: definition).message
    case .defect(let definition):
      LocalizedText("command.decode.malformed", ["definition": "\(definition)"]).message
    }
  }

  private func finish() throws {
    if badLines != nil { throw CommandFailure(.failed) }
    guard readings == 0 else { return }
    let needsKey = reasons.keys.contains { reason in
      switch reason {
      case .note(.missingKey, _), .note(.wrongKey, _): true
      default: false
      }
    }
    if needsKey { throw CommandFailure(.refused) }
    let isUnknown = reasons.keys.contains { reason in
      switch reason {
      case .unknownDevice, .unknownCharacteristic, .ambiguous: true
      default: false
      }
    }
    let isUnderstood = reasons.keys.contains { reason in
      switch reason {
      case .nothing, .note: true
      default: false
      }
    }
    if isUnknown, !isUnderstood { throw CommandFailure(.unknown) }
    let isFailed = reasons.keys.contains { reason in
      switch reason {
      case .defect, .unknownFrame: true
      default: false
      }
    }
    if isFailed {
      throw CommandFailure(.failed)
    }
  }
}

extension TraceError {
  /// Whether reading itself failed, so that no line follows.
  fileprivate var isOfReading: Bool {
    switch problem {
    case .readFailure, .longLine: true
    default: false
    }
  }
}

/// Readings as lines of JSON, gathered to be written in large pieces.
private struct ReadingText {
  private var bytes: [UInt8] = []

  mutating func add(
    _ value: DecodedValue, _ frame: FrameLine, _ date: Date?, _ definition: String?,
    _ sender: DeviceAddress?, _ timeZone: TimeZone?
  ) {
    bytes.append(UInt8(ascii: "{"))
    if let sender {
      bytes += "\"address\":\"".utf8
      append(sender)
      bytes += "\",".utf8
    }
    if let characteristic = frame.characteristic {
      bytes += "\"characteristic\":\"\(characteristic)\",".utf8
    }
    if !value.context.isEmpty {
      let names = value.context.names.map { "\"\($0)\"" }.joined(separator: ",")
      bytes += "\"context\":[\(names)],".utf8
    }
    if let definition { field("definition", definition) }
    if let time = value.time {
      // A device whose clock was never set sends times that do not exist.
      if time.secondsSince1970 != nil {
        let instant = timeZone.flatMap { zone in time.resolved(in: zone)?.rfc3339(in: zone) }
        field("deviceTime", instant ?? time.description)
      }
    }
    field("quantity", value.quantity.rawValue)
    if let source = value.sourceValue {
      field("sourceUnit", source.unit.code)
      bytes += "\"sourceValue\":\(source.value.data(of: value.quantity, in: source.unit)),".utf8
    }
    if let date {
      field("time", date.rfc3339(in: timeZone ?? .gmt))
    } else if let time = frame.time {
      if let number = Double(time), number.isFinite {
        bytes += "\"t\":".utf8
        bytes += time.utf8
        bytes.append(UInt8(ascii: ","))
      } else {
        field("time", time)
      }
    }
    field("unit", value.unit.code)
    if let user = value.userIndex { bytes += "\"userIndex\":\(user),".utf8 }
    bytes += "\"value\":".utf8
    bytes += value.value.data(of: value.quantity).description.utf8
    bytes += "}\n".utf8
    if bytes.count > 1 << 16 { flush() }
  }

  /// Writes what was gathered.
  mutating func flush() {
    guard !bytes.isEmpty else { return }
    Console.write(String(decoding: bytes, as: UTF8.self), to: .standardOutput)
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func field(_ key: StaticString, _ value: String) {
    bytes.append(UInt8(ascii: "\""))
    bytes += key.description.utf8
    bytes += "\":\"".utf8
    for byte in value.utf8 where byte >= 0x20 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(UInt8(ascii: "\\"))
      }
      bytes.append(byte)
    }
    bytes += "\",".utf8
  }

  /// The address as it is printed, without a text for each packet.
  private mutating func append(_ address: DeviceAddress) {
    for octet in 0..<6 {
      let byte = UInt8(truncatingIfNeeded: address.rawValue >> UInt64(40 - 8 * octet))
      for nibble in [byte >> 4, byte & 15] {
        bytes.append(nibble < 10 ? 0x30 + nibble : 0x41 + nibble - 10)
      }
      if octet < 5 { bytes.append(UInt8(ascii: ":")) }
    }
  }
}
