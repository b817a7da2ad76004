import Care
import GATT
public import Radio

/// A first version of a definition, made of a device's frames.
///
/// It is complete for sources that the catalogue knows: adopted characteristics have their codec,
/// and their frames become vectors with their values. The bytes of any other source are fields of
/// one byte each, for a person to join and name. Texts that only a person knows are marked `TODO`.
public struct DefinitionDraft: Sendable {
  /// The id of the definition.
  public let id: String
  private var device: AdvertisedDevice
  private var frames: [(source: FrameSource, frames: [[UInt8]])] = []

  /// The most sources of a device, and the most different frames of each that are kept.
  private static let (mostSources, mostFrames) = (32, 8)
  /// The most bytes of a frame that become fields.
  private static let mostFields = 32

  /// Makes an empty draft of the device with an address.
  public init(id: String, address: DeviceAddress) {
    self.id = id
    device = AdvertisedDevice(address: address)
  }

  /// Whether the device sent anything that can be decoded.
  public var isEmpty: Bool { frames.isEmpty }

  /// Adds what the device sent; events of other devices are ignored.
  public mutating func add(_ event: RadioEvent) {
    guard event.address == device.address else { return }
    switch event {
    case .advertisement(let advertisement):
      device.merge(advertisement)
      for (source, bytes) in FrameSource.frames(in: advertisement.data) { keep(bytes, of: source) }
    case .services(_, let services): device.merge(services: services)
    case .value(let value): keep(value.data, of: .characteristic(value.characteristic))
    default: break
    }
  }

  private mutating func keep(_ bytes: [UInt8], of source: FrameSource) {
    guard !bytes.isEmpty, bytes.count <= AttributeProtocol.maximumValueLength else { return }
    guard let place = frames.firstIndex(where: { $0.source == source }) else {
      if frames.count < Self.mostSources { frames.append((source, [bytes])) }
      return
    }
    guard frames[place].frames.count < Self.mostFrames, !frames[place].frames.contains(bytes) else {
      return
    }
    frames[place].frames.append(bytes)
  }

  // MARK: Text

  /// The definition as YAML, which can be loaded and tested as it is.
  public var text: String {
    let bare = text { _ in [] }
    // A definition that can be loaded says itself what its frames give.
    guard
      let catalog = try? DeviceCatalog.load([[DefinitionFile(name: "\(id).yaml", text: bare)]])
    else { return bare }
    let results = catalog.runVectors()
    return text { name in results.first { $0.vector == name }?.actual ?? [] }
  }

  private func text(expecting results: (String) -> [String]) -> String {
    var lines = [
      "# A draft of what \(device.address) sent. Devices/README.md explains every key;",
      "# what only you know is marked TODO.", "id: \(id)", "name: \(quoted(name ?? "TODO"))",
      "vendor: TODO", "families: [TODO]", "description: >-",
      "  TODO: what it is, and what a person must do (pair it, wake it, set its clock).", "",
      "# One of these is enough; keep what only this kind of device sends.", "match:", "  any:",
    ]
    lines += clauses.map { "    - \($0)" }
    let characteristics = frames.compactMap { item -> BluetoothUUID? in
      if case .characteristic(let uuid) = item.source { uuid } else { nil }
    }
    lines += ["", "link: {mode: \(characteristics.isEmpty ? "advertisement" : "connect")}"]
    if !characteristics.isEmpty {
      lines += ["", "session:", "  start:"]
      lines += characteristics.map { "    - subscribe: \"\($0)\"" }
    }
    lines += ["", "records:"]
    for item in frames { lines += records(of: item) }
    lines += ["", "vectors:"]
    for item in frames {
      for (number, frame) in item.frames.enumerated() {
        let name = "\(item.source), frame \(number + 1)"
        lines += [
          "  - name: \(quoted(name))", "    provenance: real", "    from: TODO", "    frames:",
          "      - {\(key(of: item.source)), hex: \"\(frame.hexString)\"}",
        ]
        let expected = results(name)
        lines += expected.isEmpty ? ["    expect: []"] : ["    expect:"]
        lines += expected.map { "      " + $0 }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The name that the device sends, if it can be read.
  private var name: String? {
    device.name.flatMap { name in
      name.unicodeScalars.contains {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
      }
        ? name : nil
    }
  }

  /// The ways in which it can be recognised.
  private var clauses: [String] {
    var clauses: [String] = []
    if let name { clauses.append("namePrefix: \(quoted(name))") }
    for (uuid, data) in device.serviceData.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      clauses.append("serviceData: {uuid: \"\(uuid)\", length: \(data.count)}")
    }
    for (company, data) in device.manufacturerData.sorted(by: { $0.key < $1.key }) {
      clauses.append("manufacturerData: {company: 0x\(hex(company)), length: \(data.count)}")
    }
    for service in device.services.map({ MatchClause(service: $0) })
    where !service.isOnlyUnownedService {
      if let uuid = service.service, !Self.isGeneral(uuid) {
        clauses.append("service: \"\(uuid)\"")
      }
    }
    return clauses.isEmpty ? ["namePrefix: TODO"] : clauses.sorted()
  }

  /// Whether devices of all kinds have the service: access, attributes, information, battery, time.
  private static func isGeneral(_ service: BluetoothUUID) -> Bool {
    [0x1800, 0x1801, 0x180A, 0x180F, 0x1805].contains(service.short)
  }

  private func records(of item: (source: FrameSource, frames: [[UInt8]])) -> [String] {
    if case .characteristic(let uuid) = item.source, let codec = CodecName(adopted: uuid) {
      return ["  - \(key(of: item.source))", "    codec: \(codec.rawValue)"]
    }
    var lines: [String] = []
    for length in Set(item.frames.map(\.count)).sorted() {
      let frames = item.frames.filter { $0.count == length }
      lines += ["  - \(key(of: item.source))", "    length: \(length)", "    fields:"]
      for place in 0..<min(length, Self.mostFields) {
        let values = frames.map { [$0[place]].hexString }
        let remark =
          Set(values).count == 1
          ? "\(values[0])" + (frames.count > 1 ? " in every frame" : "")
          : values.joined(separator: " ")
        lines.append("      - {name: byte\(place), type: u8}     # \(remark)")
      }
    }
    return lines
  }

  private func key(of source: FrameSource) -> String {
    switch source {
    case .characteristic(let uuid): "characteristic: \"\(uuid)\""
    case .serviceData(let uuid): "serviceData: \"\(uuid)\""
    case .manufacturerData(let company): "manufacturerData: 0x\(hex(company))"
    case .anyManufacturerData: "manufacturerData: any"
    }
  }

  private func hex(_ number: UInt16) -> String {
    [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)].hexString
  }

  /// A double-quoted YAML scalar; what a device calls itself may be anything.
  private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case _
      where scalar.value < 0x20 || scalar.value == 0x7F || (0x80...0x9F).contains(scalar.value):
        result += "?"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
