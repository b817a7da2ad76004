import GATT
import Radio

/// Something that the kernel tells on its management channel, of what is used here.
///
/// Source: BlueZ doc/mgmt-api, the section of the event's name.
enum MgmtEvent: Hashable, Sendable {
  /// "Command Complete Event" and "Command Status Event": the answer to a command.
  case answer(command: UInt16, status: MgmtStatus, parameters: [UInt8])
  /// "Index Added Event": a controller appeared.
  case controllerAdded
  /// "Index Removed Event": it went away.
  case controllerRemoved
  /// "New Settings Event".
  case newSettings(MgmtSettings)
  /// "New Long Term Key Event"; `isKept` says whether it may outlive the link.
  case newLongTermKey(LongTermKey, isKept: Bool)
  /// "New Identity Resolving Key Event", and the private address that led to it.
  case newIdentityKey(IdentityKey, privateAddress: DeviceAddress, isKept: Bool)
  /// "User Confirmation Request Event": whether the device shows `passkey` too; where
  /// `needsPerson` is false there is nothing to compare, and yes or no is all that is asked.
  case confirmationRequest(PeerAddress, passkey: UInt32, needsPerson: Bool)
  /// "User Passkey Request Event": which six digits the device shows.
  case passkeyRequest(PeerAddress)
  /// "Passkey Notify Event": the six digits to enter on the device, and how many were.
  case passkeyNotice(PeerAddress, passkey: UInt32, entered: UInt8)
  /// "Authentication Failed Event".
  case authenticationFailed(PeerAddress)
  /// "Device Found Event" and "Advertisement Monitor Device Found Event".
  case deviceFound(FoundDevice)
  /// "Discovering Event": whether discovery runs.
  case discovering(Bool)
  /// "Advertisement Monitor Removed Event": which one.
  case monitorRemoved(handle: UInt16)
  /// What is not used here, and news of devices of classic Bluetooth.
  case other(UInt16)
}

/// An advertisement as the kernel tells of it.
struct FoundDevice: Hashable, Sendable {
  /// Who advertised; the identity where its key is known.
  var peer: PeerAddress
  /// Received signal strength in dBm; `nil` where the controller did not measure it.
  var rssi: Int?
  /// Whether it takes a connection.
  var isConnectable: Bool
  /// The AD structures; of a discovery, the advertisement's and then the scan response's.
  var data: [UInt8]
}
