import Care
public import GATT
import Motion

/// Decoding without a session: one frame in, its values out.
public enum CharacteristicDecoding {
  /// The values of a characteristic of the Bluetooth SIG; none where the frame says that nothing
  /// was measured.
  ///
  /// - Throws: ``DecodeError/unknownCharacteristic(_:)`` for any other characteristic,
  ///   ``DecodeError/malformed(reason:)`` for bytes that it does not send.
  public static func decode(
    _ characteristic: BluetoothUUID, bytes: [UInt8]
  ) throws(DecodeError) -> [DecodedValue] {
    guard var codec = CodecName(adopted: characteristic)?.codec(.none) else {
      throw .unknownCharacteristic(characteristic)
    }
    return try codec.decode(bytes).values
  }
}

extension DeviceCatalog {
  /// The values of one frame of a characteristic.
  ///
  /// The characteristics of the Bluetooth SIG come first, then what the definitions say; a UUID
  /// under which a definition reads service data is taken as well. Motion is given as
  /// `accelerationX`, `accelerationY`, `accelerationZ`.
  ///
  /// - Parameters:
  ///   - characteristic: The characteristic.
  ///   - bytes: Its value.
  ///   - device: The id of the definition to go by; `nil` to look in all.
  /// - Returns: The values in the frame's order; none where it says that nothing was measured.
  /// - Throws: ``DecodeError``.
  public func decode(
    _ characteristic: BluetoothUUID, bytes: [UInt8], device: String? = nil
  ) throws(DecodeError) -> [DecodedValue] {
    var candidates = definitions
    if let device {
      guard let definition = definition(device) else { throw .unknownDefinition(device) }
      candidates = [definition]
    } else if CodecName(adopted: characteristic) != nil {
      candidates = []
    }
    for source in [RecordSource.characteristic(characteristic), .serviceData(characteristic)] {
      for definition in candidates where definition.records.contains(where: { $0.source == source })
      {
        if let values = try definition.values(of: bytes, from: source) { return values }
      }
    }
    return try CharacteristicDecoding.decode(characteristic, bytes: bytes)
  }

  /// The values of one advertisement, by the definition that describes it best.
  ///
  /// - Parameters:
  ///   - advertisement: The AD structures.
  ///   - device: The id of the definition to go by; `nil` to match.
  /// - Returns: The definition's id, `nil` where none knows the advertisement, and the values, none
  ///   where the measurement is not final.
  /// - Throws: ``DecodeError``.
  public func decode(
    advertisement: [UInt8], device: String? = nil
  ) throws(DecodeError) -> (definition: String?, values: [DecodedValue]) {
    do throws(GATTError) {
      _ = try AdvertisingData(advertisement)
    } catch {
      throw .malformed(reason: error.description)
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
    for (source, bytes) in RecordSource.frames(in: advertisement) {
      values += try chosen.values(of: bytes, from: source) ?? []
    }
    return (chosen.id, values)
  }
}

extension DeviceDefinition {
  /// The final values of one frame alone; `nil` where the definition says nothing of it.
  fileprivate func values(
    of bytes: [UInt8], from source: RecordSource
  ) throws(DecodeError) -> [DecodedValue]? {
    var decoders = FrameDecoders(self)
    var values: [DecodedValue]?
    for frame in decoders.frames(in: bytes, from: source) {
      guard let decoded = try decoders.decode(frame, from: source) else { continue }
      let final = decoded.record?.rule.commit?.final(decoded.content) ?? decoded.content.values
      values = (values ?? []) + final + (decoded.content.motion?.values ?? [])
    }
    return values
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
