import CBluetooth
import Foundation
import GATT
import SystemBus

/// The kernel's management channel as a file: one packet per read or write.
struct MgmtSocket: ~Copyable, Sendable {
  /// The descriptor, for a loop to wait for.
  let file: CInt

  /// Opens the channel of this machine.
  ///
  /// This needs no privilege; commands that require CAP_NET_ADMIN are refused individually.
  ///
  /// - Throws: ``SystemError`` if this kernel has no Bluetooth, or a sandbox prevents it.
  init() throws(SystemError) {
    let file = socket(
      AF_BLUETOOTH, CInt(SOCK_RAW.rawValue) | Self.flags, BTPROTO_HCI)
    guard file >= 0 else { throw SystemError("The kernel's Bluetooth cannot be used", errno) }
    var address = sockaddr_hci()
    address.hci_family = sa_family_t(AF_BLUETOOTH)
    address.hci_dev = UInt16(HCI_DEV_NONE)
    address.hci_channel = UInt16(HCI_CHANNEL_CONTROL)
    let length = socklen_t(MemoryLayout<sockaddr_hci>.size)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(file, address, length)
      }
    }
    guard result == 0 else {
      let code = errno
      close(file)
      throw SystemError("The kernel's Bluetooth cannot be managed", code)
    }
    self.file = file
  }

  /// Takes ownership of a socket whose other end answers like the kernel.
  init(owning file: CInt) {
    self.file = file
  }

  deinit { close(file) }

  /// Reads one waiting packet.
  ///
  /// - Returns: Its bytes; `nil` if none waits.
  /// - Throws: ``SystemError`` if the channel is no longer usable.
  borrowing func receive() throws(SystemError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: MgmtPacket.maximumLength)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe recv(file, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
    }
    if count < 0 {
      if [EAGAIN, EINTR].contains(errno) { return nil }
      throw SystemError("The kernel's Bluetooth cannot be read", errno)
    }
    // The kernel sends no empty packet: it marks the end of a socket.
    guard count > 0 else {
      throw SystemError("The kernel's Bluetooth cannot be read", EPIPE)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Writes a packet.
  ///
  /// Some kernels return 0 for a packet that they accepted.
  ///
  /// - Throws: ``SystemError`` if it was not accepted.
  borrowing func send(_ bytes: [UInt8]) throws(SystemError) {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe Foundation.send(
        file, buffer.baseAddress, buffer.count,
        CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
    guard count >= 0 else { throw SystemError("The command could not be sent", errno) }
  }

  private static let flags = CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
}

/// One packet of the kernel's management channel: a sent command, or a received event.
///
/// Six bytes of header (code, controller and length, each 16 bits, little-endian), then the
/// parameters. Source: BlueZ doc/mgmt-api, "Packet Structures".
struct MgmtPacket: Hashable, Sendable {
  /// The controller number that means the whole machine (`MGMT_INDEX_NONE`).
  static let noController: UInt16 = 0xFFFF

  /// The longest packet that is read: an extended advertisement is 1650 bytes at most.
  static let maximumLength = 4096

  /// The code of the command or event.
  var code: UInt16
  /// The controller: 0 is `hci0`.
  var controller: UInt16
  /// The bytes after the header.
  var parameters: [UInt8]

  init(code: UInt16, controller: UInt16, parameters: [UInt8] = []) {
    self.code = code
    self.controller = controller
    self.parameters = parameters
  }

  /// Decodes a packet.
  ///
  /// - Throws: ``GATTError`` if it is truncated, or its length differs from the announced one.
  init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    var reader = ByteReader(bytes)
    code = try reader.u16("code")
    controller = try reader.u16("controller")
    let length = Int(try reader.u16("length"))
    parameters = try reader.bytes(length, "parameters")
    try reader.finish()
  }

  /// The packet's bytes; parameters that do not fit are truncated.
  var encoded: [UInt8] {
    let body = parameters.prefix(Int(UInt16.max))
    var writer = ByteWriter()
    writer.u16(code)
    writer.u16(controller)
    writer.u16(UInt16(truncatingIfNeeded: body.count))
    writer.append(body)
    return writer.bytes
  }
}
