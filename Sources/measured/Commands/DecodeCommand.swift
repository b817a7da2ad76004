import ArgumentParser
import Care
import DeviceCatalog
import Foundation
import GATT
import Web

/// `measured decode`.
struct DecodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Decodes the bytes of a characteristic or an advertisement into readings.",
    discussion: """
      Prints JSON Lines. Values are in canonical units; if the frame uses another unit, its own \
      value is printed too. A device's clock has no time zone, so times are printed without an \
      offset unless --time-zone names one.

      Example:
        measured decode 2A9D 0e783eea07050c12353601ee002607
        measured decode --advertisement 020106 ...
      """)

  @Argument(help: "The characteristic, such as 2A37.")
  var characteristic: String?

  @Argument(help: "The bytes in hex.")
  var hex: String?

  @Option(help: "The AD structures of an advertisement, in hex, instead of a characteristic.")
  var advertisement: String?

  @Option(help: "The device definition to use, such as polar-h10.")
  var device: String?

  @Option(help: "The time zone of the device's clock, such as Europe/Berlin.")
  var timeZone: String?

  @OptionGroup var catalog: CatalogOptions

  @Flag(help: "Print JSON Lines (always on; accepted as in other commands).")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let zone = try timeZone.map { name in
        guard let zone = TimeZone(iana: name) else {
          throw CommandFailure(
            .malformedArgument, "there is no time zone ‘\(name)’; write it like Europe/Berlin")
        }
        return zone
      }
      for value in try values(DeviceCatalog.load(catalog)) {
        Console.json(DecodedOutput(value, in: zone))
      }
    }
  }

  private func values(_ catalog: DeviceCatalog) throws -> [DecodedValue] {
    if let advertisement {
      guard characteristic == nil, hex == nil else {
        throw CommandFailure(
          .malformedArgument, "give either a characteristic and its bytes, or --advertisement")
      }
      return try catalog.decode(advertisement: bytes(advertisement), device: device).values
    }
    guard let characteristic, let hex else {
      throw CommandFailure(
        .malformedArgument,
        "say what to decode: a characteristic and its bytes (2A37 0048), or --advertisement HEX")
    }
    guard let uuid = BluetoothUUID(characteristic) else {
      throw CommandFailure(
        .unknown, "‘\(characteristic)’ is no characteristic; give its UUID, such as 2A37")
    }
    return try catalog.decode(uuid, bytes: bytes(hex), device: device)
  }

  private func bytes(_ text: String) throws -> [UInt8] {
    guard let bytes = [UInt8](hex: text.filter { !$0.isWhitespace && $0 != ":" }) else {
      throw CommandFailure(.malformedArgument, "‘\(text)’ is not whole bytes in hex")
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
  }
}
