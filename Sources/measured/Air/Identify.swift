import ArgumentParser
import DeviceCatalog
import Foundation
import GATT
import Radio

/// `measured identify`.
struct Identify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what a device is and why, or what is missing.",
    discussion: """
      Listens until the device has been heard, then says which definition describes it, by which of \
      its features, and which other definitions come near. With --connect its services are read, too, \
      which some definitions ask for.

      Example:
        measured identify 5C:CA:D3:70:D4:A2
      """)

  @Argument(help: "The device's address, as measured scan shows it.")
  var address: AddressArgument

  @Option(help: "How long to wait for it.")
  var seconds: Double = 30

  @Flag(help: "Connect and read its services.")
  var connect = false

  @OptionGroup var air: RadioOptions
  @OptionGroup var catalog: CatalogOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try await reporting(isJSON: json) {
      let definitions = try DeviceCatalog.load(catalog)
      let explanation = Explanation(
        device: try await AirListening(air).use { try await heard(on: $0.radio) },
        definitions: definitions)
      if json {
        Console.json(explanation.output)
      } else {
        explanation.lines.forEach(Console.out)
      }
    }
  }

  /// What the device told of itself.
  private func heard(on radio: LiveRadio) async throws -> AdvertisedDevice {
    var device = AdvertisedDevice(address: address.address)
    var first: Date?
    let end = Date().addingTimeInterval(seconds)
    var failure: String?
    hearing: while true {
      // Names come late, in a scan response: two more seconds show them.
      let enough = connect ? end : first.map { min(end, $0.addingTimeInterval(2)) } ?? end
      switch try await radio.next(until: enough) {
      case .event(let event) where event.event.address == address.address:
        switch event.event {
        case .advertisement(let advertisement):
          device.merge(advertisement)
          if first == nil, connect { try await radio.send(.connect(address.address)) }
          first = first ?? event.time
        case .services(_, let services):
          device.merge(services: services)
          break hearing
        case .failed(_, _, let reason):
          failure = reason
          break hearing
        default: break
        }
      case .event: break
      case .deadline, .end: break hearing
      }
    }
    guard first != nil else {
      throw CommandFailure(
        .failed,
        "\(address.address) was not heard within \(Int(seconds)) s; wake it, bring it nearer, or see"
          + " measured doctor")
    }
    if let failure { Console.error("measured: \(failure)") }
    return device
  }
}

/// Why a device is what it is.
struct Explanation {
  var device: AdvertisedDevice
  var definitions: DeviceCatalog

  /// How many definitions that nearly fit are told.
  private static let mostNear = 3

  private var near: [DefinitionMatch] {
    Array(
      definitions.explain(device).filter { !$0.isMatch && !$0.matched.isEmpty }
        .prefix(Self.mostNear))
  }

  /// For people.
  var lines: [String] {
    var lines = [
      "\(device.address) \((device.name ?? "").printable)".trimmingCharacters(in: .whitespaces)
    ]
    let matches = definitions.matches(for: device)
    if let match = matches.first {
      lines.append("It is a \(match.definition.name) (\(match.definition.id)), because:")
      lines += match.matched.map { "  \($0)" }
      for other in matches.dropFirst() {
        lines.append(
          "\(other.definition.id) would fit, too, but told less: "
            + other.matched.joined(separator: ", "))
      }
    } else {
      lines.append("No definition describes it.")
    }
    for match in near {
      lines.append(
        "\(match.definition.id) fits in part (\(match.matched.joined(separator: ", "))) but misses: "
          + match.missing.joined(separator: ", "))
    }
    if matches.isEmpty {
      let services = device.services.map(\.description).sorted().joined(separator: ", ")
      lines.append(
        "It advertises \(services.isEmpty ? "no services" : "the services \(services)").")
      lines.append(
        "A definition of your own goes into /etc/measured/devices.d; see Devices/README.md.")
    }
    return lines
  }

  /// For scripts.
  var output: Output { Output(self) }

  /// The explanation as JSON.
  struct Output: Encodable {
    var address: String
    @Nullable var name: String?
    @Nullable var definition: String?
    var matched: [String]
    var near: [Near]
    var services: [String]

    /// A definition that nearly fits.
    struct Near: Encodable {
      var definition: String
      var matched: [String]
      var missing: [String]
    }

    init(_ explanation: Explanation) {
      let match = explanation.definitions.matches(for: explanation.device).first
      address = explanation.device.address.description
      name = explanation.device.name
      definition = match?.definition.id
      matched = match?.matched ?? []
      near = explanation.near.map {
        Near(definition: $0.definition.id, matched: $0.matched, missing: $0.missing)
      }
      services = explanation.device.services.map(\.description).sorted()
    }
  }
}
