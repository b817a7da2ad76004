import Care
import Digests
import Foundation
import GATT
import Radio

/// The exchange after which Eufy's scales P2 and P2 Pro send their measurements over a link.
///
/// This machine sends a name, the scale sends its own, and this machine sends both. Each is encrypted
/// with a key made of the scale's address, written in base 64 and cut into segments of fifteen
/// characters: kind, number of segments, number of this one from 0, length of the whole text, the
/// characters, and the exclusive or of all. The scale answers whether it accepts.
///
/// Source: the description of the protocol in bdr99/eufylife-ble-client.
struct EufyHandshake: LinkExchange {
  private enum Phase: Hashable, Sendable {
    case waiting
    case naming
    /// The name of the scale is waited for; then its answer.
    case hearing, confirming, finishing
    case finished
  }

  private let link: LinkEnd
  private var phase = Phase.waiting
  private var segments: ArraySlice<[UInt8]> = []
  private var heard: [[UInt8]] = []
  private(set) var wakeAt: SteadyTime?

  /// The characteristic that is written.
  static let commands = BluetoothUUID(0xFFF1)
  /// The characteristic of the scale's part.
  static let replies = BluetoothUUID(0xFFF4)
  /// How long, in seconds, the scale needs after a segment.
  static let pause = 1.0
  /// How long, in seconds, an answer is waited for.
  static let replyTime = 10.0
  /// The longest text of the scale, in segments.
  static let mostSegments = 16

  init(over link: LinkEnd) {
    self.link = link
  }

  var isFinished: Bool { phase == .finished }
  var lastWrites: [RadioCommand] { [] }

  mutating func begin(at time: SteadyTime) -> [ScriptRun.Output] {
    guard phase == .waiting else { return [] }
    guard link.available.isSuperset(of: [Self.commands, Self.replies]) else { return finish(nil) }
    guard let text = Self.sealed(name, for: link.address) else {
      return finish(.frame(.cipherUnavailable))
    }
    return send(text, 0xC0, .naming, at: time)
  }

  mutating func value(
    _ bytes: [UInt8], of characteristic: BluetoothUUID, at time: SteadyTime
  ) -> [ScriptRun.Output] {
    guard characteristic == Self.replies, bytes.count >= 5, bytes.reduce(0, ^) == 0 else {
      return []
    }
    switch (phase, bytes[0]) {
    case (.naming, 0xC1), (.hearing, 0xC1): return hear(bytes, at: time)
    case (.confirming, 0xC3), (.finishing, 0xC3):
      return finish(bytes[4] == 0 ? nil : .handshakeRefused)
    default: return []
    }
  }

  mutating func wake(at time: SteadyTime) -> [ScriptRun.Output] {
    guard let wakeAt, wakeAt <= time else { return [] }
    switch phase {
    case .naming, .confirming: return sendNext(at: time)
    case .hearing, .finishing: return finish(.handshakeUnanswered)
    case .waiting, .finished:
      self.wakeAt = nil
      return []
    }
  }

  // MARK: Texts

  /// Fifteen characters in the form of a UUID's beginning.
  private var name: String {
    let digits = link.ownKey.hexString
    return "\(digits.prefix(8))-\(digits.dropFirst(8).prefix(4))-\(digits.dropFirst(12).prefix(1))"
  }

  private static let start = [UInt8](repeating: UInt8(ascii: "0"), count: 16)

  /// The key: of the address in capital hex digits.
  private static func key(for address: DeviceAddress) -> [UInt8]? {
    MD5.digest(of: Array(address.description.uppercased().replacing(":", with: "").utf8))
  }

  /// A text, encrypted, in base 64; `nil` if libcrypto cannot.
  static func sealed(_ text: String, for address: DeviceAddress) -> [UInt8]? {
    guard let key = key(for: address),
      let sealed = try? AESCBC.seal(Array(text.utf8), key: key, start: start)
    else { return nil }
    return Array(Data(sealed).base64EncodedString().utf8)
  }

  /// The text of what ``sealed(_:for:)`` gives; `nil` for anything else.
  static func opened(_ bytes: [UInt8], for address: DeviceAddress) -> String? {
    guard let key = key(for: address), let data = Data(base64Encoded: Data(bytes)),
      let text = try? AESCBC.open(Array(data), key: key, start: start)
    else { return nil }
    return String(validating: text, as: UTF8.self)
  }

  /// The segments of a text.
  static func segments(_ text: [UInt8], _ kind: UInt8) -> [[UInt8]] {
    let starts = Array(stride(from: 0, to: text.count, by: 15))
    return starts.enumerated().map { number, start in
      let head = [
        kind, UInt8(truncatingIfNeeded: starts.count), UInt8(truncatingIfNeeded: number),
        UInt8(truncatingIfNeeded: text.count),
      ]
      let segment = head + text[start..<min(start + 15, text.count)]
      return segment + [segment.reduce(0, ^)]
    }
  }

  // MARK: Exchange

  private mutating func hear(_ segment: [UInt8], at time: SteadyTime) -> [ScriptRun.Output] {
    let count = Int(segment[1])
    guard (1...Self.mostSegments).contains(count), Int(segment[2]) < count else { return [] }
    if segment[2] == 0 { heard = [] }
    // Sent twice, or one is missing.
    guard Int(segment[2]) == heard.count else { return [] }
    heard.append(Array(segment[4..<segment.count - 1]))
    guard heard.count == count else { return [] }
    guard let theirs = Self.opened(Array(heard.joined()), for: link.address),
      let text = Self.sealed("\(name)_\(theirs)", for: link.address), text.count <= 0xFF
    else { return finish(.handshakeRefused) }
    return send(text, 0xC2, .confirming, at: time)
  }

  private mutating func send(
    _ text: [UInt8], _ kind: UInt8, _ next: Phase, at time: SteadyTime
  ) -> [ScriptRun.Output] {
    phase = next
    segments = Self.segments(text, kind)[...]
    return sendNext(at: time)
  }

  private mutating func sendNext(at time: SteadyTime) -> [ScriptRun.Output] {
    guard let segment = segments.popFirst() else {
      phase = phase == .naming ? .hearing : .finishing
      wakeAt = time + Self.replyTime
      return []
    }
    wakeAt = time + Self.pause
    return [.command(link.write(segment, to: Self.commands))]
  }

  private mutating func finish(_ note: SessionNote.Kind?) -> [ScriptRun.Output] {
    phase = .finished
    wakeAt = nil
    return note.map { [.note($0)] } ?? []
  }
}

/// The exchanges of a session by their name in a definition.
enum HandshakeCodec: String, Hashable, Sendable, CaseIterable {
  case eufyP2 = "eufy-p2"

  /// The characteristic of the device's part.
  var replies: BluetoothUUID {
    switch self {
    case .eufyP2: EufyHandshake.replies
    }
  }
}
