import CBluetooth
import Foundation
import Radio
import Synchronization
package import SystemBus

/// A socket for the attribute protocol: one protocol data unit per read or write; non-blocking.
final class LinkSocket: Sendable {
  /// The descriptor, for a loop to wait for.
  let file: CInt

  /// Takes ownership of a socket.
  init(owning file: CInt) {
    self.file = file
  }

  /// Whether the descriptor was handed over for closing.
  private let isClosed = Mutex(false)

  deinit { if !isClosed.withLock(\.self) { close(file) } }

  /// Closes the socket on a separate thread; it cannot be used afterwards.
  ///
  /// Some kernels (6.1.192 of Debian 12) kill the thread that closes a socket whose peer lost its
  /// bond ("kernel BUG at lib/list_debug.c", from `l2cap_sock_release`). That must not be the
  /// radio's thread.
  func closeApart() {
    let wasClosed = isClosed.withLock { isClosed in
      defer { isClosed = true }
      return isClosed
    }
    guard !wasClosed else { return }
    let file = file
    Thread.detachNewThread { close(file) }
  }

  /// Starts connecting; the socket becomes writable on success, or reports an error.
  ///
  /// - Throws: ``SystemError`` if it fails at once.
  convenience init(connectingTo target: LinkTarget) throws(SystemError) {
    let flags = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let file = socket(AF_BLUETOOTH, flags, BTPROTO_L2CAP)
    guard file >= 0 else { throw SystemError("The kernel's Bluetooth cannot be used", errno) }
    self.init(owning: file)
    enlargeReceiveBuffer()
    // The kernel accepts channel 4 for the attribute protocol only with a low-energy source.
    guard unsafe call(bind, with: target.controller) == 0 else {
      throw SystemError("The controller \(target.controller.address) cannot be used", errno)
    }
    guard unsafe call(connect, with: target.peer) == 0 || errno == EINPROGRESS else {
      throw SystemError("\(target.address) cannot be connected", errno)
    }
  }

  private func call(
    _ function: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt, with peer: PeerAddress
  ) -> CInt {
    var address = sockaddr_l2()
    address.l2_family = sa_family_t(AF_BLUETOOTH)
    address.l2_cid = Self.attributeChannel.littleEndian
    address.l2_bdaddr_type =
      UInt8(peer.type == .public ? BDADDR_LE_PUBLIC : BDADDR_LE_RANDOM)
    var octets = peer.address.rawValue.littleEndian
    unsafe withUnsafeMutableBytes(of: &address.l2_bdaddr) { target in
      unsafe withUnsafeBytes(of: &octets) { octets in
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: octets.prefix(6)))
      }
    }
    let length = socklen_t(MemoryLayout<sockaddr_l2>.size)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe function(file, address, length)
      }
    }
  }

  /// The fixed channel of the attribute protocol (Core Specification, Vol 3 Part A §2.1).
  private static let attributeChannel: UInt16 = 4
}

// MARK: - Reading and writing
extension LinkSocket {
  /// The result of a read.
  enum Received: Hashable {
    /// One protocol data unit; an empty one, or the end of the link.
    case bytes([UInt8])
    /// No data waits.
    case nothing
    /// The error number of a failure.
    case failed(CInt)
  }

  /// Reads one waiting unit.
  func receive() -> Received {
    // Larger than the kernel's largest unit for this channel (672); longer data is truncated.
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe recv(file, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
    }
    guard count >= 0 else {
      return [EAGAIN, EINTR].contains(errno) ? .nothing : .failed(errno)
    }
    bytes.removeLast(bytes.count - count)
    return .bytes(bytes)
  }

  /// Writes one protocol data unit.
  ///
  /// - Returns: 0, or the error number. EAGAIN means later; so does ENOTCONN during encryption.
  func send(_ bytes: [UInt8]) -> CInt {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe Foundation.send(
        file, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
    }
    return count >= 0 ? 0 : errno
  }

  /// Reads and clears the socket's error; 0 for none.
  func takeError() -> CInt {
    var code: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    let result = unsafe getsockopt(file, SOL_SOCKET, SO_ERROR, &code, &length)
    return result == 0 ? code : errno
  }
}

// MARK: - Units that wait in the kernel
extension LinkSocket {
  /// How much memory received units may take in the kernel, in bytes: about a second of the fastest
  /// sensor, each unit with the kernel's own overhead.
  private static let receiveBuffer: CInt = 1 << 20

  /// Enlarges the kernel's buffer; without the right to, as far as every program may.
  private func enlargeReceiveBuffer() {
    var size = Self.receiveBuffer
    let length = socklen_t(MemoryLayout<CInt>.size)
    if unsafe setsockopt(file, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) != 0 {
      _ = unsafe setsockopt(file, SOL_SOCKET, SO_RCVBUF, &size, length)
    }
  }

  /// How many received units the kernel has dropped since the socket was opened, for lack of room;
  /// it begins again at 0 after 2³² of them.
  var droppedCount: UInt32 {
    // An array of 32-bit numbers (linux/sock_diag.h, SK_MEMINFO_…).
    var numbers = [UInt32](repeating: 0, count: 16)
    var length = socklen_t(numbers.count * MemoryLayout<UInt32>.size)
    let result = unsafe getsockopt(file, SOL_SOCKET, SO_MEMINFO, &numbers, &length)
    return result == 0 ? numbers[Self.dropsIndex] : 0
  }

  private static let dropsIndex = 8
}

// MARK: - Security
extension LinkSocket {
  /// Requests encryption of the link, with the key of a bond or by pairing.
  ///
  /// - Returns: 0 if the kernel starts it, EINVAL if the link is secure enough already, or another
  ///   error number.
  func raiseSecurity() -> CInt {
    var security = bt_security(level: UInt8(BT_SECURITY_MEDIUM), key_size: 0)
    let length = socklen_t(MemoryLayout<bt_security>.size)
    let result = unsafe setsockopt(file, SOL_BLUETOOTH, BT_SECURITY, &security, length)
    return result == 0 ? 0 : errno
  }

  /// Whether the link is encrypted.
  ///
  /// The level alone is not enough: it stays after a failure, and a key of size 0 is none.
  var isEncrypted: Bool {
    var security = bt_security()
    var length = socklen_t(MemoryLayout<bt_security>.size)
    let result = unsafe getsockopt(file, SOL_BLUETOOTH, BT_SECURITY, &security, &length)
    return result == 0 && security.level >= BT_SECURITY_MEDIUM && security.key_size > 0
  }
}

extension KernelRadio {
  /// Why the kernel opens no socket for links; `nil` if it does.
  package static var socketFailure: SystemError? {
    let file = socket(AF_BLUETOOTH, CInt(SOCK_SEQPACKET.rawValue), BTPROTO_L2CAP)
    guard file >= 0 else { return SystemError("The kernel's Bluetooth cannot be used", errno) }
    close(file)
    return nil
  }
}
