import CBluetooth
import Foundation
import SystemBus

/// The kernel's management channel as a file: one packet a read, one packet a write.
struct MgmtSocket: ~Copyable, Sendable {
  /// The descriptor, for a loop to wait for.
  let file: CInt

  /// Opens the channel of this machine.
  ///
  /// Anybody may; what needs CAP_NET_ADMIN is refused later, a command at a time.
  ///
  /// - Throws: ``SystemError`` where this kernel has no Bluetooth, or a sandbox keeps it away.
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

  /// Takes over a socket whose other end answers as the kernel would.
  init(owning file: CInt) {
    self.file = file
  }

  deinit { close(file) }

  /// Reads the packet that waits.
  ///
  /// - Returns: Its bytes; `nil` where none waits.
  /// - Throws: ``SystemError`` where the channel is of no use any more.
  borrowing func receive() throws(SystemError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: MgmtPacket.maximumLength)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe recv(file, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
    }
    if count < 0 {
      if [EAGAIN, EINTR].contains(errno) { return nil }
      throw SystemError("The kernel's Bluetooth cannot be read", errno)
    }
    // The kernel sends no empty packet: it is the end of a socket.
    guard count > 0 else {
      throw SystemError("The kernel's Bluetooth cannot be read", EPIPE)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Writes a packet.
  ///
  /// Some kernels say that they took nothing of what they took.
  ///
  /// - Throws: ``SystemError`` where it was not taken.
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
