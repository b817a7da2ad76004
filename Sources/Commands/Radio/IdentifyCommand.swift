import ArgumentParser
import DeviceCatalog
import Foundation
import GATT
import Interchange
import Localization
import Radio
import Terminal

/// `measured identify`.
struct IdentifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identify",
    abstract: "Shows which definition matches a device and why, or what is missing.",
    discussion: """
      Waits for the device's advertisement, then shows which definition matches it, by which \
      features, and which other definitions match in part. With --connect it also reads the \
      device's services, which some definitions require.

      Example:
        measured identify 5C:CA:D3:70:D4:A2
      """)

  @Argument(
    help: "The device's address, as measured scan shows it.",
    transform: AddressArgument.init(entered:))
  var address: AddressArgument

  @Option(help: "How long to wait for the device, in seconds.")
  var seconds: Double = 30

  @Flag(help: "Connect and read its services.")
  var connect = false

  @OptionGroup var air: RadioOptions
  @OptionGroup var catalog: CatalogOptions

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    try RadioOptions.validate(seconds: seconds)
  }

  func run() async throws {
    try await reporting(isJSON: json) {
      let definitions = try DeviceCatalog.load(catalog)
      let explanation = Explanation(
        device: try await RadioListening(air, for: connect ? .connecting : .recording)
          .use { try await received(on: $0) },
        definitions: definitions)
      if json {
        try Console.json(explanation.output)
      } else {
        explanation.lines.forEach(Console.out)
      }
    }
  }

  /// The advertised data of the device and, with `--connect`, its services.
  private func received(on opened: OpenedRadio) async throws -> AdvertisedDevice {
    var device = AdvertisedDevice(address: address.address)
    var isHeard = false
    var failure: String?
    let ending = try await opened.listen(for: seconds) { step in
      guard case .event(let event) = step, event.event.address == address.address else {
        return .goOn
      }
      switch event.event {
      case .advertisement(let advertisement):
        device.merge(advertisement)
        guard !isHeard else { return .goOn }
        isHeard = true
        // A name may follow in a scan response: wait two more seconds for it.
        guard connect else { return .finish(within: 2) }
        try await opened.radio.send(.connect(address.address))
        return .goOn
      case .services(_, let services):
        device.merge(services: services)
        isHeard = true
        return .enough
      // Before the advertisement it is about a link of the daemon's.
      case .failed(let address, let error) where isHeard:
        failure = error.text(of: address.description, at: address).message
        return .enough
      default: return .goOn
      }
    }
    guard isHeard else {
      throw ending.silence(
        of: address.address, within: seconds,
        advice: "command.radio.wake")
    }
    if let failure { Console.error("measured: \(failure)") }
    return device
  }
}

/// Why a definition matches a device.
struct Explanation {
  var device: AdvertisedDevice
  var definitions: DeviceCatalog

  /// How many definitions that match in part are shown.
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
      lines.append(
        LocalizedText(
          "command.radio.identified",
          ["name": .init(match.definition.name), "id": .init(match.definition.id)]
        ).message)
      lines += match.matched.map { "  \($0)" }
      for other in matches.dropFirst() {
        lines.append(
          LocalizedText(
            "command.radio.fewer",
            [
              "id": .init(other.definition.id),
              "features": .init(other.matched.joined(separator: ", ")),
            ]
          ).message)
      }
    } else {
      lines.append(LocalizedText("command.radio.noMatch").message)
    }
    for match in near {
      lines.append(
        LocalizedText(
          "command.radio.inPart",
          [
            "id": .init(match.definition.id),
            "features": .init(match.matched.joined(separator: ", ")),
            "missing": .init(match.missing.joined(separator: ", ")),
          ]
        ).message)
    }
    if matches.isEmpty {
      let services = device.services.map(\.description).sorted().joined(separator: ", ")
      lines.append(
        services.isEmpty
          ? LocalizedText("command.radio.noServices").message
          : LocalizedText("command.radio.services", ["services": "\(services)"]).message)
      lines.append(LocalizedText("command.radio.ownDefinition").message)
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

    /// A definition that matches in part.
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
