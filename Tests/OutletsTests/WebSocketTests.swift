import Foundation
import TestSupport
import Testing

@testable import Outlets

struct WebSocketTests {
  private static func read(
    _ bytes: [UInt8], longest: Int = 1_000
  ) throws(WebSocketFrames.Failure) -> [WebSocketFrames.Message] {
    var frames = WebSocketFrames(longest: longest)
    frames.append(bytes)
    var messages: [WebSocketFrames.Message] = []
    while let message = try frames.next() { messages.append(message) }
    return messages
  }

  private static let hello = Data("Hello".utf8)
  /// The examples of RFC 6455, section 5.7, and what follows from its rules.
  private static let said: [(hex: String, messages: [WebSocketFrames.Message])] = [
    ("81 05 48 65 6c 6c 6f", [.text(hello)]),
    ("01 03 48 65 6c 80 02 6c 6f", [.text(hello)]),
    // A control frame may come between the parts of a message.
    ("01 03 48 65 6c 89 01 21 80 02 6c 6f", [.ping(Data([0x21])), .text(hello)]),
    ("89 00 8a 05 48 65 6c 6c 6f 88 02 03 e8", [.ping(Data()), .close]),
    ("81 00", [.text(Data())]),
    ("81 7e 00 03 61 62 63", [.text(Data([0x61, 0x62, 0x63]))]),
    ("81 7f 00 00 00 00 00 00 00 01 61", [.text(Data([0x61]))]),
    // Of what is not whole nothing is read.
    ("81 05 48 65 6c 6c", []), ("81 7e 01", []), ("81", []),
  ]

  @Test(arguments: said)
  func `reads what a server says`(hex: String, messages: [WebSocketFrames.Message]) throws {
    #expect(try Self.read(bytes(hex)) == messages)
    var frames = WebSocketFrames(longest: 1_000)
    var single: [WebSocketFrames.Message] = []
    for byte in bytes(hex) {
      frames.append([byte])
      while let message = try frames.next() { single.append(message) }
    }
    #expect(single == messages)
  }

  private static let nonsense: [(hex: String, failure: WebSocketFrames.Failure)] = [
    // A mask, a bit of an extension, a binary message, a code that is none.
    ("81 85 37 fa 21 3d 7f 9f 4d 51 58", .malformed),
    ("c1 00", .malformed), ("82 01 00", .malformed), ("83 00", .malformed),
    // A control frame in parts or with a long payload; parts without a beginning, and two beginnings.
    ("09 00", .malformed), ("89 7e 00 80", .malformed), ("80 00", .malformed),
    ("01 00 81 00", .malformed),
    ("81 7e 03 e9", .tooLong), ("81 7f ff ff ff ff ff ff ff ff", .tooLong),
  ]

  @Test(arguments: nonsense)
  func `refuses what is no frame of a server`(hex: String, failure: WebSocketFrames.Failure) {
    #expect(throws: failure) { try Self.read(bytes(hex)) }
  }

  @Test func `the parts of a message count together`() {
    let part = bytes("01 7e 02 58") + [UInt8](repeating: 0x61, count: 600)
    let rest = bytes("80 7e 02 58") + [UInt8](repeating: 0x61, count: 600)
    #expect(throws: WebSocketFrames.Failure.tooLong) { try Self.read(part + rest) }
  }

  @Test(arguments: [0, 5, 125, 126, 0xFFFF, 0x1_0000])
  func `a client's frame says how long it is, under its mask`(count: Int) {
    let frame = WebSocketFrames.text(Data(repeating: 0, count: count), mask: 0x0102_0304)
    let head: [UInt8] =
      switch count {
      case ..<126: [0x81, 0x80 | UInt8(count)]
      case ...0xFFFF: [0x81, 0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
      default: [0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0]
      }
    #expect(frame == head + [1, 2, 3, 4] + (0..<count).map { UInt8($0 % 4 + 1) })
  }

  @Test(arguments: Rounds.seeds(100_000))
  func `no bytes trap it`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    _ = try? Self.read(random.bytes(Int.random(in: 0..<40, using: &random)), longest: 30)
  }

  private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

  @Test(
    arguments: [
      (
        "HTTP/1.1 101 Switching Protocols\r\nsec-websocket-ACCEPT:  s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        nil
      ),
      (
        "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOO=",
        DeliveryFault.unexpected(detail: "it answers another websocket")
      ),
      ("HTTP/1.1 101 x", .unexpected(detail: "it answers another websocket")),
      ("HTTP/1.1 404 Not Found", .unexpected(detail: "404 Not Found")),
      ("HTTP/1.1 200 OK", .unexpected(detail: "200")),
      ("HTTP/1.1 403 Forbidden", .credentials(detail: "403 Forbidden")),
      ("SSH-2.0-OpenSSH_9.2", .unexpected(detail: "it speaks no HTTP")),
      ("", .unexpected(detail: "it speaks no HTTP")),
    ] as [(String, DeliveryFault?)])
  func `a head has to answer the key`(head: String, fault: DeliveryFault?) {
    #expect(WebSocketUpgrade.fault(of: Array("\(head)\r\n\r\n".utf8), key: Self.key) == fault)
  }

  @Test func `what follows a head is not part of it`() {
    #expect(WebSocketUpgrade.length(of: Array("a\r\n\r\nb".utf8)) == 5)
    #expect(WebSocketUpgrade.length(of: Array("a\r\n\r".utf8)) == nil)
  }
}
