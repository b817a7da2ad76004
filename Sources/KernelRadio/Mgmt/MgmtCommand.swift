import GATT

/// A command to the kernel's management channel, limited to those used here.
///
/// Source: BlueZ doc/mgmt-api, the section of the command's name.
enum MgmtCommand: Hashable, Sendable {
  /// "Read Controller Index List Command": the controllers that are present.
  case readControllers
  /// "Read Controller Information Command".
  case readInformation
  /// "Set Powered Command".
  case setPowered(Bool)
  /// "Set Bondable Command": without it the kernel reports no keys for storage.
  case setBondable(Bool)
  /// "Set Secure Simple Pairing Command": a controller that also supports classic Bluetooth needs
  /// it for secure connections.
  case setSecureSimplePairing(Bool)
  /// "Set Low Energy Command".
  case setLowEnergy(Bool)
  /// "Set Secure Connections Command".
  case setSecureConnections(Bool)
  /// "Load Long Term Keys Command": replaces all keys of the controller.
  case loadLongTermKeys([LongTermKey])
  /// "Load Identity Resolving Keys Command": replaces all; once it was called, the kernel requests
  /// identity keys from devices that pair.
  case loadIdentityKeys([IdentityKey])
  /// "Set IO Capability Command": how the user can take part in pairing.
  case setCapability(PairingCapability)
  /// "Pair Device Command"; answered when pairing is over.
  case pair(PeerAddress, PairingCapability)
  /// "Cancel Pair Device Command".
  case cancelPairing(PeerAddress)
  /// "Unpair Device Command": the kernel deletes the device's keys and disconnects.
  case unpair(PeerAddress)
  /// "User Confirmation Reply Command", or its negative.
  case answerConfirmation(PeerAddress, isConfirmed: Bool)
  /// "User Passkey Reply Command", or its negative if the passkey is `nil`.
  case answerPasskey(PeerAddress, UInt32?)
  /// "Start Discovery Command", of low-energy devices.
  case startDiscovery
  /// "Stop Discovery Command".
  case stopDiscovery
  /// "Set Default System Configuration Command": a monitor receives without pauses, instead of the
  /// kernel's default of 30 of 60 ms. A scale may advertise for only a second.
  case listenWithoutPauses
  /// "Add Advertisement Patterns Monitor Command".
  case addMonitor([AdvertisementPattern])
  /// "Remove Advertisement Monitor Command", of all of them.
  case removeMonitors
}

/// How the user can take part in pairing (doc/mgmt-api, "Set IO Capability").
enum PairingCapability: UInt8, Hashable, Sendable {
  /// No user is present.
  case noInputNoOutput = 3
  /// The user can read and type.
  case keyboardDisplay = 4
}

extension MgmtCommand {
  /// The command's code.
  var code: UInt16 {
    switch self {
    case .readControllers: 0x0003
    case .readInformation: 0x0004
    case .setPowered: 0x0005
    case .setBondable: 0x0009
    case .setSecureSimplePairing: 0x000B
    case .setLowEnergy: 0x000D
    case .loadLongTermKeys: 0x0013
    case .setCapability: 0x0018
    case .pair: 0x0019
    case .cancelPairing: 0x001A
    case .unpair: 0x001B
    case .answerConfirmation(_, let isConfirmed): isConfirmed ? 0x001C : 0x001D
    case .answerPasskey(_, let passkey): passkey == nil ? 0x001F : 0x001E
    case .startDiscovery: 0x0023
    case .stopDiscovery: 0x0024
    case .setSecureConnections: 0x002D
    case .loadIdentityKeys: 0x0030
    case .listenWithoutPauses: 0x004C
    case .addMonitor: 0x0052
    case .removeMonitors: 0x0053
    }
  }

  /// The bytes after the header.
  var parameters: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .readControllers, .readInformation:
      break
    case .setPowered(let isOn), .setBondable(let isOn), .setSecureSimplePairing(let isOn),
      .setLowEnergy(let isOn), .setSecureConnections(let isOn):
      writer.u8(isOn ? 1 : 0)
    case .loadLongTermKeys(let keys):
      writer.u16(UInt16(truncatingIfNeeded: keys.count))
      for key in keys { key.write(to: &writer) }
    case .loadIdentityKeys(let keys):
      writer.u16(UInt16(truncatingIfNeeded: keys.count))
      for key in keys { key.write(to: &writer) }
    case .setCapability(let capability):
      writer.u8(capability.rawValue)
    case .pair(let peer, let capability):
      peer.write(to: &writer)
      writer.u8(capability.rawValue)
    case .cancelPairing(let peer), .answerConfirmation(let peer, _), .answerPasskey(let peer, nil):
      peer.write(to: &writer)
    case .unpair(let peer):
      peer.write(to: &writer)
      writer.u8(1)
    case .answerPasskey(let peer, let passkey?):
      peer.write(to: &writer)
      writer.u32(passkey)
    case .startDiscovery, .stopDiscovery:
      // Public and random low-energy addresses, bits 1 and 2 of the address types.
      writer.u8(0b110)
    case .listenWithoutPauses:
      // The monitor's scan interval and window (parameters 0x0013 and 0x0014), in 0.625 ms.
      for parameter: UInt16 in [0x0013, 0x0014] {
        writer.u16(parameter)
        writer.u8(2)
        writer.u16(0x0060)
      }
    case .addMonitor(let patterns):
      writer.u8(UInt8(truncatingIfNeeded: patterns.count))
      for pattern in patterns { pattern.write(to: &writer) }
    case .removeMonitors:
      writer.u16(0)
    }
    return writer.bytes
  }

  /// How long the kernel may take to answer; longer if the user has to type.
  var timeLimit: Duration {
    switch self {
    case .pair: .seconds(120)
    case .setPowered: .seconds(20)
    default: .seconds(10)
    }
  }
}

/// Bytes that an advertisement must contain for a monitor to report it.
///
/// Source: BlueZ doc/mgmt-api, "Add Advertisement Patterns Monitor Command".
struct AdvertisementPattern: Hashable, Sendable {
  /// The most bytes that a pattern can hold.
  static let maximumLength = 31

  /// The type of the AD structure that is compared.
  var type: AdvertisingStructure.Kind
  /// The offset of the bytes in it.
  var offset: UInt8
  /// The bytes, at most 31.
  var value: [UInt8]

  func write(to writer: inout ByteWriter) {
    let value = self.value.prefix(Self.maximumLength)
    writer.u8(type.rawValue)
    writer.u8(offset)
    writer.u8(UInt8(value.count))
    writer.append(value)
    writer.append(repeatElement(0, count: Self.maximumLength - value.count))
  }
}

extension [AdvertisementPattern] {
  /// Patterns that the advertisements of nearly every sensor match, within the 16 that a monitor
  /// accepts.
  ///
  /// The kernel's own scan reports every advertisement once there is any monitor. A controller that
  /// filters by itself (Microsoft's extension: Intel, Realtek) needs patterns: the flags that
  /// sensors send, and the high byte of the 16-bit UUIDs that the Bluetooth SIG assigns, 0x18xx for
  /// health services and 0xFCxx to 0xFExx for companies.
  static let nearlyEverything: [AdvertisementPattern] =
    [0x06, 0x04, 0x05, 0x02, 0x1A, 0x00].map { flags in
      AdvertisementPattern(type: .flags, offset: 0, value: [flags])
    }
    + [.completeServices16, .incompleteServices16].map { type in
      AdvertisementPattern(type: type, offset: 1, value: [0x18])
    }
    + [0x18, 0xFC, 0xFD, 0xFE].map { byte in
      AdvertisementPattern(type: .serviceData16, offset: 1, value: [byte])
    }
}
