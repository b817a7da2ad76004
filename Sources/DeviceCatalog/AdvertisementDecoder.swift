package import Care
import Foundation
import GATT
package import Radio

/// Decodes advertisements of many devices, one after the other, in constant memory.
///
/// A packet costs the same however many devices are in range: a recognised device is looked up by
/// the parts of a packet that a definition can look at. Bounded tables are emptied when full.
package struct AdvertisementDecoder {
  /// The outcome of a packet.
  package struct Outcome: Sendable {
    /// The id of the definition; `nil` if none matches.
    package var definition: String?
    /// The values; none if the packet has no final measurement.
    package var values: [DecodedValue] = []
    /// Why an intact packet has no value.
    package var note: FrameNote?
    /// Why the packet cannot be read.
    package var defect: FrameDefect?
    /// The source of the defect.
    package var source: FrameSource?
  }

  /// The limit of ``shapes``: more than a street has kinds of devices.
  private static let mostShapes = 8192
  /// The limit of ``devices``.
  private static let mostDevices = 4096

  private let definitions: [DeviceDefinition]
  private let catalog: DeviceCatalog
  private let chosen: Int?
  private let credentials: DeviceCredentials
  private let needsOwnDecoders: [Bool]
  private let sources: [Set<FrameSource>]
  /// How many bytes of the data of a company or a service a definition looks at.
  private let depths: [FrameSource: Int]
  /// The clauses that look at the sender's address.
  private let addressed: [MatchClause]
  /// The definition of each kind of packet, -1 for none.
  private var shapes: [[UInt8]: Int] = [:]
  /// The definitions of devices that are recognised by another packet than that with the values.
  private var devices: [DeviceAddress: Int] = [:]
  /// The decoders of definitions that need nothing of their device, and below of devices with a key
  /// or with frames that their address hides.
  private var shared: [Int: FrameDecoders] = [:]
  private var own: [DeviceAddress: FrameDecoders] = [:]

  /// Makes a decoder.
  ///
  /// - Parameters:
  ///   - catalog: The definitions.
  ///   - device: The id of the definition to use; `nil` for those that match.
  ///   - key: The key of encrypted packets.
  /// - Throws: ``DecodeError/unknownDefinition(_:)``.
  package init(
    _ catalog: DeviceCatalog, device: String? = nil, key: Secret<[UInt8]>? = nil
  ) throws(DecodeError) {
    self.catalog = catalog
    definitions = catalog.definitions
    credentials = DeviceCredentials(key: key)
    if let device {
      guard let index = definitions.firstIndex(where: { $0.id == device }) else {
        throw .unknownDefinition(device)
      }
      chosen = index
    } else {
      chosen = nil
    }
    needsOwnDecoders = definitions.map { $0.needsCredentials || $0.looksAtAddress }
    sources = definitions.map { Set($0.records.map(\.source)) }
    var depths: [FrameSource: Int] = [:]
    for clause in definitions.flatMap(\.match.clauses) {
      if let data = clause.serviceData {
        depths[.serviceData(data.key), default: 0].raise(to: data.bytes?.count ?? 0)
      }
      if let data = clause.manufacturerData {
        depths[.manufacturerData(data.key), default: 0].raise(to: data.bytes?.count ?? 0)
      }
    }
    self.depths = depths
    addressed = definitions.flatMap(\.match.clauses).filter {
      $0.anyManufacturerData != nil || $0.manufacturerData?.address != nil
        || $0.serviceData?.address != nil
    }
  }

  /// Decodes the AD structures of a packet.
  ///
  /// - Parameters:
  ///   - data: The AD structures; of malformed ones, the readable part.
  ///   - address: The sender; `nil` if it is unknown.
  /// - Returns: The values, or why there are none.
  package mutating func decode(_ data: [UInt8], from address: DeviceAddress?) -> Outcome {
    let content = AdvertisingData.readable(in: data).data
    guard let index = definition(of: content, data, address) else { return Outcome() }
    var outcome = Outcome(definition: definitions[index].id)
    for (source, bytes) in FrameSource.frames(
      in: content, ofAnyCompany: sources[index].contains(.anyManufacturerData))
    where sources[index].contains(source) {
      do throws(FrameDefect) {
        try withDecoders(index, address) { decoders throws(FrameDefect) in
          for frame in decoders.frames(in: bytes, from: source) {
            guard let decoded = try decoders.decode(frame, from: source) else { continue }
            outcome.values += decoders.finalValues(of: decoded)
            outcome.note = outcome.note ?? decoded.content.note
          }
        }
      } catch {
        outcome.defect = error
        outcome.source = source
      }
    }
    return outcome
  }

  /// The id of the definition that an earlier packet of `address` matched.
  package func definition(heardFrom address: DeviceAddress) -> String? {
    devices[address].map { definitions[$0].id }
  }

  private mutating func withDecoders(
    _ index: Int, _ address: DeviceAddress?,
    _ body: (inout FrameDecoders) throws(FrameDefect) -> Void
  ) throws(FrameDefect) {
    guard needsOwnDecoders[index] else {
      return try body(&shared[index, default: FrameDecoders(definitions[index])])
    }
    let address = address ?? DeviceAddress(rawValue: 0)
    if own.count >= Self.mostDevices { own = [:] }
    try body(
      &own[
        address,
        default: FrameDecoders(
          definitions[index],
          CodecContext(address: address, timeZone: .gmt, credentials: credentials))])
  }

  // MARK: Recognition

  private mutating func definition(
    of content: AdvertisingData, _ data: [UInt8], _ address: DeviceAddress?
  ) -> Int? {
    if let chosen { return chosen }
    let shape = shape(of: content, address)
    let found: Int
    if let known = shapes[shape] {
      found = known
    } else {
      let match = catalog.matches(
        for: AdvertisedDevice(
          advertisement: data, address: address ?? DeviceAddress(rawValue: 0))
      ).first?.definition.id
      found = definitions.firstIndex { $0.id == match } ?? -1
      if shapes.count >= Self.mostShapes { shapes = [:] }
      shapes[shape] = found
    }
    guard let address else { return found < 0 ? nil : found }
    guard found >= 0 else { return devices[address] }
    if devices[address] == nil {
      if devices.count >= Self.mostDevices { devices = [:] }
      devices[address] = found
    }
    return found
  }

  /// Whether a definition compares such data with the sender's address, or looks at all companies'.
  ///
  /// - Parameters:
  ///   - source: The source of the data.
  ///   - whole: The data with its two bytes of key.
  /// - Returns: Whether the recognition depends on more than the parts that all definitions read.
  private func looksAtAddress(_ source: FrameSource, _ whole: [UInt8]) -> Bool {
    addressed.contains { clause in
      switch source {
      case .manufacturerData(let company):
        if let any = clause.anyManufacturerData { return any.fits(whole) }
        return clause.manufacturerData.map {
          $0.key == company && $0.fits(Array(whole.dropFirst(2)))
        } ?? false
      case .serviceData(let uuid):
        return clause.serviceData.map { $0.key == uuid && $0.fits(Array(whole.dropFirst(2))) }
          ?? false
      case .characteristic, .anyManufacturerData: return false
      }
    }
  }

  /// The parts of a packet that a definition can look at, in a form to compare.
  private func shape(of content: AdvertisingData, _ address: DeviceAddress?) -> [UInt8] {
    var shape: [UInt8] = []
    shape.reserveCapacity(64)
    for structure in content.structures {
      switch structure.type.rawValue {
      // Services and names.
      case 0x02...0x07, 0x08, 0x09, 0x14, 0x15, 0x1F:
        shape += [structure.type.rawValue, UInt8(truncatingIfNeeded: structure.data.count)]
        shape += structure.data
      case 0x16 where structure.data.count >= 2, 0xFF where structure.data.count >= 2:
        let key = UInt16(structure.data[0]) | UInt16(structure.data[1]) << 8
        let source: FrameSource =
          structure.type.rawValue == 0xFF
          ? .manufacturerData(key) : .serviceData(BluetoothUUID(key))
        if looksAtAddress(source, structure.data) {
          shape += AddressOrder.forward.bytes(of: address ?? DeviceAddress(rawValue: 0))
          shape += structure.data
        }
        guard let depth = depths[source] else { continue }
        shape += [structure.type.rawValue, UInt8(truncatingIfNeeded: structure.data.count)]
        shape += structure.data.prefix(2 + depth)
      case 0x20, 0x21:
        shape += [structure.type.rawValue, UInt8(truncatingIfNeeded: structure.data.count)]
        shape += structure.data
      default: continue
      }
    }
    return shape
  }
}

extension Int {
  fileprivate mutating func raise(to other: Int) { self = Swift.max(self, other) }
}
