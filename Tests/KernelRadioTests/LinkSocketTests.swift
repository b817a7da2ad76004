import Foundation
import Testing

@testable import KernelRadio

@Suite struct LinkSocketTests {
  /// Every datagram to itself: the kernel drops what its small buffer has no room for, and counts it
  /// as it does for Bluetooth.
  @Test(arguments: [1, 10, 2000]) func `counts what the kernel drops`(sent: Int) throws {
    let file = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
    try #require(file >= 0)
    let socket = LinkSocket(owning: file)
    var size: CInt = 16_384
    let sizeLength = socklen_t(MemoryLayout<CInt>.size)
    try #require(unsafe setsockopt(file, SOL_SOCKET, SO_RCVBUF, &size, sizeLength) == 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isReady = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(file, address, length) == 0 && getsockname(file, address, &length) == 0
          && connect(file, address, length) == 0
      }
    }
    try #require(isReady)

    for number in 0..<sent { #expect(socket.send([UInt8(number % 256)]) == 0) }
    var received = 0
    while case .bytes = socket.receive() { received += 1 }
    #expect(Int(socket.droppedCount) == sent - received)
    #expect((received < sent) == (sent == 2000))
  }
}
