import ArgumentParser
import Care
import DeviceCatalog
import Foundation
import GATT
import Interchange
import Localization
import Radio
import Terminal

/// `measured scan`.
struct ScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Lists advertising devices: address, name, definition, signal strength.",
    discussion: """
      On a terminal the table is live until Ctrl-C or --seconds; otherwise the command listens for \
      10 seconds and prints once. Wake the sensor first: step on the scale, put on the strap.

      Example:
        measured scan --seconds 20
      """)

  @Option(help: "How long to listen, in seconds.")
  var seconds: Double?

  @Flag(help: "Only devices that a definition matches.")
  var known = false

  @OptionGroup var air: RadioOptions
  @OptionGroup var catalog: CatalogOptions

  @Flag(help: "Print JSON Lines, one device each, at the end.")
  var json = false

  func validate() throws {
    try RadioOptions.validate(seconds: seconds)
  }

  func run() async throws {
    try await reporting(isJSON: json) {
      let definitions = try DeviceCatalog.load(catalog)
      let isLive = Console.isOutputTerminal && !json
      let length = seconds ?? (isLive ? 86_400 : 10)
      var results = ScanResults()
      var table = LiveTable()
      try await RadioListening(air).listen(for: length, tick: isLive ? 0.5 : nil) { step in
        if case .event(let event) = step { results.add(event) }
        if case .tick(let now) = step { table.show(lines(results, definitions, at: now)) }
        return .goOn
      }
      if json {
        for (device, kind) in rows(results, definitions) {
          try Console.json(ScannedDeviceOutput(device, kind: kind))
        }
      } else if isLive {
        table.show(lines(results, definitions, at: Console.now))
      } else {
        lines(results, definitions, at: Console.now).forEach(Console.out)
      }
    }
  }

  private func rows(
    _ results: ScanResults, _ catalog: DeviceCatalog
  ) -> [(device: ScanResults.Device, kind: DeviceDefinition?)] {
    results.sorted(by: catalog).filter { !known || $0.kind != nil }
  }

  private func lines(_ results: ScanResults, _ catalog: DeviceCatalog, at now: Date) -> [String] {
    let rows = rows(results, catalog)
    guard !rows.isEmpty else {
      return [LocalizedText("command.radio.nothingHeard").message]
    }
    var table = TextTable([
      "command.head.address", "command.head.deviceName", "command.head.kind", "command.head.signal",
      "command.head.seen",
    ])
    for (device, kind) in rows {
      let age = Int(saturating: now.timeIntervalSince(device.last.date).rounded())
      table.add([
        device.known.address.description, (device.known.name ?? "").printable,
        kind.map { "\($0.name) (\($0.id))" } ?? "",
        device.rssi.map { "\($0) dBm" } ?? "",
        age <= 0
          ? LocalizedText("command.radio.now").message
          : LocalizedText("command.radio.secondsAgo", count: age).message,
      ])
    }
    return table.lines
  }
}

/// A device as JSON.
struct ScannedDeviceOutput: Encodable {
  var address: String
  var addressType: String
  @Nullable var name: String?
  @Nullable var definition: String?
  @Nullable var rssi: Int?
  var lastHeard: String
  var advertisements: Int
  var services: [String]

  init(_ device: ScanResults.Device, kind: DeviceDefinition?) {
    address = device.known.address.description
    addressType = device.addressType.rawValue
    name = device.known.name
    definition = kind?.id
    rssi = device.rssi
    lastHeard = device.last.date.rfc3339(in: .current)
    advertisements = device.advertisements
    services = device.known.services.map(\.description).sorted()
  }
}
