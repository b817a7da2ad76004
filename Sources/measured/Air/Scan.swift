import ArgumentParser
import Care
import DeviceCatalog
import Foundation
import GATT
import Radio

/// `measured scan`.
struct Scan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows what is on the air: who, what kind, how strong, when last heard.",
    discussion: """
      On a terminal the table is live until Ctrl-C or --seconds; elsewhere it listens for 10 seconds \
      and prints once. A sensor may have to be woken first: step on the scale, put on the strap.

      Example:
        measured scan --seconds 20
      """)

  @Option(help: "How long to listen.")
  var seconds: Double?

  @Flag(help: "Only devices that a definition describes.")
  var known = false

  @OptionGroup var air: RadioOptions
  @OptionGroup var catalog: CatalogOptions

  @Flag(help: "Print JSON Lines, one device each, at the end.")
  var json = false

  func validate() throws {
    if let seconds, !(seconds > 0 && seconds <= 86_400) {
      throw ValidationError("--seconds is a number between 0 and 86400.")
    }
  }

  func run() async throws {
    try await reporting(isJSON: json) {
      let definitions = try DeviceCatalog.load(catalog)
      let isLive = Console.isOutputTerminal && !json
      let length = seconds ?? (isLive ? 86_400 : 10)
      var survey = AirSurvey()
      var table = LiveTable()
      try await AirListening(air).listen(for: length, tick: isLive ? 0.5 : nil) { step in
        if case .event(let event) = step { survey.take(event) }
        if case .tick(let now) = step { table.show(lines(survey, definitions, at: now)) }
        return .goOn
      }
      if json {
        for (device, kind) in rows(survey, definitions) {
          Console.json(HeardDeviceOutput(device, kind: kind))
        }
      } else if isLive {
        table.show(lines(survey, definitions, at: Date()))
      } else {
        lines(survey, definitions, at: Date()).forEach(Console.out)
      }
    }
  }

  private func rows(
    _ survey: AirSurvey, _ catalog: DeviceCatalog
  ) -> [(device: AirSurvey.Device, kind: DeviceDefinition?)] {
    survey.sorted(by: catalog).filter { !known || $0.kind != nil }
  }

  private func lines(_ survey: AirSurvey, _ catalog: DeviceCatalog, at now: Date) -> [String] {
    let rows = rows(survey, catalog)
    guard !rows.isEmpty else {
      return ["Nothing was heard. Wake the sensor; measured doctor checks this machine."]
    }
    var table = TextTable(["Address", "Name", "Kind", "Signal", "Last heard"])
    for (device, kind) in rows {
      let age = Int(now.timeIntervalSince(device.lastHeard).rounded())
      table.add([
        device.known.address.description, (device.known.name ?? "").printable,
        kind.map { "\($0.name) (\($0.id))" } ?? "",
        device.rssi.map { "\($0) dBm" } ?? "",
        age <= 0 ? "now" : "\(age) s ago",
      ])
    }
    return table.lines
  }
}

/// A device that was heard, as JSON.
struct HeardDeviceOutput: Encodable {
  var address: String
  var addressType: String
  @Nullable var name: String?
  @Nullable var definition: String?
  @Nullable var rssi: Int?
  var lastHeard: String
  var advertisements: Int
  var services: [String]

  init(_ device: AirSurvey.Device, kind: DeviceDefinition?) {
    address = device.known.address.description
    addressType = device.addressType.rawValue
    name = device.known.name
    definition = kind?.id
    rssi = device.rssi
    lastHeard = device.lastHeard.rfc3339(in: .current)
    advertisements = device.advertisements
    services = device.known.services.map(\.description).sorted()
  }
}

extension String {
  /// The text without what could steer a terminal: a device chooses its own name.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
          default: true
          }
        }))
  }
}
