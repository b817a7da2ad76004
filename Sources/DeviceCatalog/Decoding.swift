import Care
public import GATT
import Motion
package import Radio

/// Decoding of one frame without a session.
public enum CharacteristicDecoding {
  /// The values of an adopted characteristic; none if the frame has no measurement.
  ///
  /// - Throws: ``DecodeError/unknownCharacteristic(_:)`` for any other characteristic,
  ///   ``DecodeError/malformed(_:of:)`` for bytes without its layout.
  public static func decode(
    _ characteristic: BluetoothUUID, bytes: [UInt8]
  ) throws(DecodeError) -> [DecodedValue] {
    try frame(characteristic, bytes: bytes).values
  }

  /// The meaning of a frame of an adopted characteristic.
  fileprivate static func frame(
    _ characteristic: BluetoothUUID, bytes: [UInt8]
  ) throws(DecodeError) -> DecodedFrame {
    guard var codec = CodecName(adopted: characteristic)?.codec(.none) else {
      throw .unknownCharacteristic(characteristic)
    }
    do throws(FrameDefect) {
      let content = try codec.decode(bytes)
      return DecodedFrame(values: content.values, note: content.note, layout: content.layout)
    } catch {
      throw .malformed(error)
    }
  }
}

/// The meaning of one frame by itself.
package struct DecodedFrame: Sendable {
  /// The values in the frame's order.
  package var values: [DecodedValue] = []
  /// Why an intact frame has no value, if the device says so.
  package var note: FrameNote?
  /// How the frame deviates from its layout, though it was read.
  package var layout: FrameNote?
}

extension DeviceCatalog {
  /// The values of one frame of a characteristic.
  ///
  /// Adopted characteristics are decoded first, then those of the definitions, including UUIDs of
  /// service data. Motion is given as `accelerationX`, `accelerationY`, `accelerationZ`.
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic.
  ///   - bytes: Its value.
  ///   - device: The id of the definition; `nil` for all.
  /// - Returns: The values in the frame's order; none if the frame has no measurement.
  /// - Throws: ``DecodeError``.
  public func decode(
    _ characteristic: BluetoothUUID, bytes: [UInt8], device: String? = nil
  ) throws(DecodeError) -> [DecodedValue] {
    try frame(of: characteristic, bytes: bytes, device: device).values
  }

  /// The meaning of one frame of a characteristic.
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic.
  ///   - bytes: Its value.
  ///   - device: The id of the definition; `nil` for all.
  ///   - address: The sender; `nil` if it is unknown. Some frames are hidden by it.
  /// - Returns: The values, or why there are none.
  /// - Throws: ``DecodeError``.
  package func frame(
    of characteristic: BluetoothUUID, bytes: [UInt8], device: String? = nil,
    from address: DeviceAddress? = nil
  ) throws(DecodeError) -> DecodedFrame {
    var candidates = definitions
    if let device {
      guard let definition = definition(device) else { throw .unknownDefinition(device) }
      candidates = [definition]
    } else if CodecName(adopted: characteristic) != nil {
      candidates = []
    }
    var first: DecodeError?
    for source in [FrameSource.characteristic(characteristic), .serviceData(characteristic)] {
      for definition in candidates where definition.records.contains(where: { $0.source == source })
      {
        do throws(DecodeError) {
          if let frame = try definition.frame(bytes, from: source, of: address) { return frame }
        } catch {
          // Makers share characteristics: the frame may be of another's.
          first = first ?? error
        }
      }
    }
    if let first { throw first }
    if device == nil, let frame = deviating(characteristic, bytes, from: address) { return frame }
    do throws(DecodeError) {
      return try CharacteristicDecoding.frame(characteristic, bytes: bytes)
    } catch .unknownCharacteristic(let uuid) {
      let readers = candidates.filter { definition in
        definition.records.contains {
          $0.source == .characteristic(uuid) || $0.source == .serviceData(uuid)
        }
      }
      if !readers.isEmpty { throw .unknownFrame(uuid, definitions: readers.map(\.id)) }
      throw device.map { .notOfDefinition(uuid, definition: $0) } ?? .unknownCharacteristic(uuid)
    }
  }

  /// The meaning of a frame of an adopted characteristic that is not of its layout, by a definition of
  /// devices that deviate from it.
  private func deviating(
    _ characteristic: BluetoothUUID, _ bytes: [UInt8], from address: DeviceAddress?
  ) -> DecodedFrame? {
    guard var codec = CodecName(adopted: characteristic)?.codec(.none) else { return nil }
    if let content = try? codec.decode(bytes), content.layout == nil { return nil }
    let source = FrameSource.characteristic(characteristic)
    for definition in definitions {
      let isOwn = definition.records.contains { record in
        guard case .fields = record.content else { return false }
        return record.source == source && record.length == bytes.count && record.begins(bytes)
      }
      guard isOwn, let frame = try? definition.frame(bytes, from: source, of: address) else {
        continue
      }
      return frame
    }
    return nil
  }

  /// The ids of the definitions that read a characteristic.
  package func definitions(reading characteristic: BluetoothUUID) -> [String] {
    definitions.filter { definition in
      definition.records.contains { $0.source == .characteristic(characteristic) }
    }.map(\.id)
  }

  /// Whether the Bluetooth SIG defines the characteristic, so that it is read without a definition.
  package func isAdopted(_ characteristic: BluetoothUUID) -> Bool {
    CodecName(adopted: characteristic) != nil
  }

  /// The values of one advertisement, by the definition with the highest score.
  ///
  /// - Parameters:
  ///   - advertisement: The AD structures.
  ///   - device: The id of the definition; `nil` for the one that matches.
  /// - Returns: The definition's id, `nil` if none matches, and the values, none if the measurement
  ///   is not final.
  /// - Throws: ``DecodeError``.
  public func decode(
    advertisement: [UInt8], device: String? = nil
  ) throws(DecodeError) -> (definition: String?, values: [DecodedValue]) {
    do throws(GATTError) {
      _ = try AdvertisingData(advertisement)
    } catch {
      throw .malformed(.malformed(error))
    }
    let chosen: DeviceDefinition?
    if let device {
      guard let definition = definition(device) else { throw .unknownDefinition(device) }
      chosen = definition
    } else {
      chosen = matches(for: AdvertisedDevice(advertisement: advertisement)).first?.definition
    }
    guard let chosen else { return (nil, []) }
    var values: [DecodedValue] = []
    for (source, bytes) in FrameSource.frames(in: advertisement) {
      values += try chosen.frame(bytes, from: source)?.values ?? []
    }
    return (chosen.id, values)
  }
}

extension DeviceDefinition {
  /// The final values of one frame; `nil` if the definition does not describe it.
  fileprivate func frame(
    _ bytes: [UInt8], from source: FrameSource, of address: DeviceAddress? = nil
  ) throws(DecodeError) -> DecodedFrame? {
    // A memory's reply is split into pieces, and its records follow a header: it is not a record.
    if let memory, source == .characteristic(memory.codec.source) { return DecodedFrame() }
    var context = CodecContext.none
    if let address { context.address = address }
    var decoders = FrameDecoders(self, context)
    var found: DecodedFrame?
    for frame in decoders.frames(in: bytes, from: source) {
      let decoded: FrameDecoders.Decoded?
      do throws(FrameDefect) {
        decoded = try decoders.decode(frame, from: source)
      } catch {
        throw .malformed(error, of: source)
      }
      guard let decoded else {
        if decoders.ignores(frame, from: source) { found = found ?? DecodedFrame() }
        continue
      }
      var frame = found ?? DecodedFrame()
      frame.values += decoders.finalValues(of: decoded) + (decoded.content.motion?.values ?? [])
      frame.note =
        frame.note ?? decoded.content.note
        ?? decoded.content.discarded.map { .discarded(rule: $0.rule) }
      frame.layout = frame.layout ?? decoded.content.layout
      found = frame
    }
    return found
  }
}

extension MotionFrame {
  /// The accelerations as values, in g.
  fileprivate var values: [DecodedValue] {
    samples.flatMap { sample in
      let a = sample.acceleration
      return [(Quantity.accelerationX, a.x), (.accelerationY, a.y), (.accelerationZ, a.z)]
        .compactMap { DecodedValue($0, Double($1) / 1_000_000, .standardGravity, isStreamed: true) }
    }
  }
}
