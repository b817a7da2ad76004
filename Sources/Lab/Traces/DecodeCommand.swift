import ArgumentParser
import Care
import DeviceCatalog
import Foundation
import GATT
import Interchange
import Localization
import Radio
import Terminal
import Traces

/// `measured decode`.
struct DecodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decodes the bytes of a characteristic or an advertisement into readings.",
    discussion: """
      With - it reads many frames from standard input: JSON Lines with data and, if known, address and \
      characteristic, a radio trace, or a Bluetooth capture. It prints a line for each reading, and \
      at the end why other frames have none. No plan is needed.

      Prints JSON Lines. Values are in canonical units; if the frame uses another unit, its own \
      value is printed too. A device's clock has no time zone, so times are printed without an \
      offset unless --time-zone names one.

      Example:
        measured decode 2A9D 0e783eea07050c12353601ee002607
        measured decode 2A37 00 48
        measured decode --advertisement \
          0201061bff99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f
        measured decode - < hci.log
        echo '{"address":"A0:9E:1A:00:00:02","characteristic":"2A37","data":"0048"}' | \
          measured decode -

      Exit codes: 4 if the device is unknown and nothing was decoded, 3 if a key is missing, 0 for a \
      frame that is understood and has no measurement.
      """)

  @Argument(help: "The characteristic, such as 2A37; - for frames on standard input.")
  var characteristic: String?

  @Argument(help: ArgumentHelp("The bytes in hex.", valueName: "hex"))
  var bytes: [String] = []

  @Option(help: "The AD structures of an advertisement, in hex, instead of a characteristic.")
  var advertisement: String?

  @Option(help: "The device definition to use, such as polar-h10.")
  var device: String?

  @Option(help: "The time zone of the device's clock, such as Europe/Berlin.")
  var timeZone: String?

  @Option(help: "The bind key of encrypted advertisements, 32 hex digits.")
  var key: String?

  @Option(help: "The device's address, for frames without one.")
  var address: String?

  @OptionGroup var catalog: CatalogOptions

  @Flag(help: "Print JSON Lines (always on; accepted as in other commands).")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let zone = try timeZone.map { name in
        guard let zone = TimeZone(iana: name) else {
          throw CommandFailure(
            .malformedArgument, LocalizedText("command.decode.noTimeZone", ["name": "\(name)"]))
        }
        return zone
      }
      let catalog = try DeviceCatalog.load(catalog)
      let (key, address) = (try bindKey(), try deviceAddress())
      if characteristic == "-" {
        guard bytes.isEmpty, advertisement == nil else {
          throw CommandFailure(.malformedArgument, "command.decode.standardInput")
        }
        var stream = try DecodeStream(
          catalog, device: device, key: key, address: address, timeZone: zone)
        return try stream.run(try CommandFiles.stream("-"))
      }
      if let advertisement, characteristic == nil {
        let bytes = try hex(advertisement)
        // Malformed structures are refused here; in a stream their readable part counts.
        do throws(GATTError) {
          _ = try AdvertisingData(bytes)
        } catch {
          throw DecodeError.malformed(.malformed(error))
        }
        var stream = try DecodeStream(
          catalog, device: device, key: key, address: address, timeZone: zone)
        for value in try stream.values(of: bytes) {
          try Console.json(DecodedOutput(value, in: zone))
        }
        return
      }
      let frame = try frame(catalog, from: address)
      for value in frame.values { try Console.json(DecodedOutput(value, in: zone)) }
      let name = device ?? characteristic ?? ""
      if let layout = frame.layout { Console.error("measured: " + layout.text(of: name).message) }
      if frame.values.isEmpty {
        let reason = frame.note?.text(of: name).message
        let nothing = LocalizedText("command.decode.nothing", ["definition": "\(name)"])
        Console.error("measured: " + (reason ?? nothing.message))
      }
    }
  }

  private func bindKey() throws -> Secret<[UInt8]>? {
    try key.map { text in
      guard let bytes = [UInt8](hex: text), bytes.count == 16 else {
        throw CommandFailure(.malformedArgument, "command.decode.key")
      }
      return Secret(bytes)
    }
  }

  private func deviceAddress() throws -> DeviceAddress? {
    try address.map { text in
      guard let address = DeviceAddress(text) else {
        throw CommandFailure(
          .malformedArgument, LocalizedText("trace.invalidAddress", ["text": "\(text)"]))
      }
      return address
    }
  }

  private func frame(
    _ catalog: DeviceCatalog, from address: DeviceAddress?
  ) throws -> DecodedFrame {
    guard advertisement == nil else {
      throw CommandFailure(.malformedArgument, "command.decode.either")
    }
    guard let characteristic, !bytes.isEmpty else {
      throw CommandFailure(.malformedArgument, "command.decode.what")
    }
    guard let uuid = BluetoothUUID(characteristic) else {
      throw CommandFailure(
        .unknown, LocalizedText("command.decode.noCharacteristic", ["text": "\(characteristic)"]))
    }
    return try catalog.frame(of: uuid, bytes: hex(bytes.joined()), device: device, from: address)
  }

  private func hex(_ text: String) throws -> [UInt8] {
    guard let bytes = [UInt8](hex: text.filter { !$0.isWhitespace && $0 != ":" }) else {
      throw CommandFailure(
        .malformedArgument, LocalizedText("command.decode.noHex", ["text": "\(text)"]))
    }
    return bytes
  }
}

/// A decoded value as JSON.
struct DecodedOutput: Encodable {
  var quantity: String
  var value: Double
  var unit: String
  @Nullable var time: String?
  var userIndex: Int?
  var sourceValue: Double?
  var sourceUnit: String?
  var context: [String]?

  init(_ decoded: DecodedValue, in timeZone: TimeZone?) {
    quantity = decoded.quantity.rawValue
    value = decoded.value.data(of: decoded.quantity)
    unit = decoded.unit.code
    time = decoded.time.map { local in
      timeZone.flatMap { zone in local.resolved(in: zone)?.rfc3339(in: zone) } ?? local.description
    }
    userIndex = decoded.userIndex
    sourceValue = decoded.sourceValue.map { $0.value.data(of: decoded.quantity, in: $0.unit) }
    sourceUnit = decoded.sourceValue?.unit.code
    context = decoded.context.isEmpty ? nil : decoded.context.names
  }
}
