import Care
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// The exchange after which Eufy's P2 sends; the texts were made with OpenSSL's command line.
struct EufyHandshakeTests {
  private static let ownText = "nwQfHfqUb/zXLEKhPr+GjQ=="
  private static let theirText = "1jzJ01PxdpJz+WJjqe+DdQ=="
  private static let bothText = "H8IXn/d2hV1OFQ57Q6wRnLD8LleCpDB8y9wrpRaBkN4="

  private func segments(_ text: String, _ kind: UInt8) -> [[UInt8]] {
    EufyHandshake.segments(Array(text.utf8), kind)
  }

  private func written(_ outputs: [SessionOutput]) -> [[UInt8]] {
    outputs.commands.compactMap { command in
      guard case .write(_, let uuid, let data, _) = command else { return nil }
      #expect(uuid == EufyHandshake.commands)
      return data
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test func `cuts a text into segments`() {
    let segments = segments(Self.ownText, 0xC0)
    #expect(segments.map(\.count) == [20, 14])
    #expect(segments.map { Array($0.prefix(4)) } == [[0xC0, 2, 0, 24], [0xC0, 2, 1, 24]])
    #expect(segments.allSatisfy { $0.reduce(0, ^) == 0 })
    #expect(
      segments.flatMap { $0[4..<$0.count - 1] } == Array(Self.ownText.utf8))
  }

  @Test func `encrypts as the scale does`() {
    let address = SessionBench.address
    #expect(EufyHandshake.sealed("ee623d64-7725-2", for: address) == Array(Self.ownText.utf8))
    #expect(EufyHandshake.opened(Array(Self.theirText.utf8), for: address) == "A1B2C3D4E5F6A7")
    #expect(EufyHandshake.opened(Array("AAAA".utf8), for: address) == nil)
    #expect(EufyHandshake.opened([0xFF], for: address) == nil)
    #expect(
      EufyHandshake.opened(Array(Self.theirText.utf8), for: DeviceAddress(rawValue: 1)) == nil)
  }

  /// Each segment a second after the one before; the second text after the scale's name.
  @Test func `is accepted by the scale`() throws {
    var bench = try SessionBench("eufy-p2")
    let begin = try bench.connect(["FFF1", "FFF2", "FFF4"])
    let own = segments(Self.ownText, 0xC0)
    #expect(written(begin) == [own[0]])
    #expect(written(bench.session.wake(at: SessionBench.time(0.5))) == [])
    #expect(written(bench.session.wake(at: SessionBench.time(1))) == [own[1]])
    let both = segments(Self.bothText, 0xC2)
    var answers: [[UInt8]] = []
    for segment in segments(Self.theirText, 0xC1) {
      answers += written(try bench.value("FFF4", hex(segment), at: 2))
    }
    #expect(answers == [both[0]])
    for (number, segment) in both.dropFirst().enumerated() {
      #expect(written(bench.session.wake(at: SessionBench.time(3 + Double(number)))) == [segment])
    }
    #expect(try bench.value("FFF4", "c301000100c3", at: 8).notes == [])
    #expect(bench.session.wakeAt == nil)
    // Only now the scale sends.
    _ = try bench.value("FFF2", "cf0e00cf00006022000000000000008d", at: 9)
    let outputs = try bench.value("FFF2", "cf0e00cf5c1260221113f10000000030", at: 10)
    #expect(outputs.readings.map(\.value) == [88, 470])
  }

  @Test func `says that the scale refused`() throws {
    var bench = try SessionBench("eufy-p2")
    _ = try bench.connect(["FFF1", "FFF2", "FFF4"])
    _ = bench.session.wake(at: SessionBench.time(1))
    for segment in segments(Self.theirText, 0xC1) {
      _ = try bench.value("FFF4", hex(segment), at: 2)
    }
    #expect(
      try bench.value("FFF4", "c301000101c2", at: 3).notes.map(\.kind) == [.handshakeRefused])
    #expect(bench.session.wakeAt == nil)
  }

  @Test func `gives up on a silent scale`() throws {
    var bench = try SessionBench("eufy-p2")
    _ = try bench.connect(["FFF1", "FFF2", "FFF4"])
    var notes: [SessionNote.Kind] = []
    while let due = bench.session.wakeAt { notes += bench.session.wake(at: due).notes.map(\.kind) }
    #expect(notes == [.handshakeUnanswered])
  }

  /// A name in another key's text, and segments that are cut, missing or damaged.
  @Test func `takes no other name`() throws {
    var bench = try SessionBench("eufy-p2")
    _ = try bench.connect(["FFF1", "FFF2", "FFF4"])
    let theirs = segments(Self.theirText, 0xC1)
    #expect(try bench.value("FFF4", hex(theirs[1]), at: 1).isEmpty)
    var damaged = theirs[0]
    damaged[7] ^= 1
    #expect(try bench.value("FFF4", hex(damaged), at: 1).isEmpty)
    #expect(try bench.value("FFF4", "c1", at: 1).isEmpty)
    #expect(try bench.value("FFF4", "c1000000c1", at: 1).isEmpty)
    let other = EufyHandshake.sealed("A1B2C3D4E5F6A7", for: DeviceAddress(rawValue: 7)) ?? []
    var notes: [SessionNote.Kind] = []
    for segment in EufyHandshake.segments(other, 0xC1) {
      notes += try bench.value("FFF4", hex(segment), at: 2).notes.map(\.kind)
    }
    #expect(notes == [.handshakeRefused])
  }
}
