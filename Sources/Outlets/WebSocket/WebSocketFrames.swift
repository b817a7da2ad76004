import Foundation

/// The frames of a websocket, as a client reads and writes them.
///
/// Source: RFC 6455, section 5.
struct WebSocketFrames {
  /// A thing that the server says.
  enum Message: Hashable {
    case text(Data)
    case ping(Data)
    case close
  }

  /// The reason why nothing more can be read.
  enum Failure: Error, Hashable {
    /// It is no frame that a server may send to a client without extensions.
    case malformed
    /// A message is longer than it may be.
    case tooLong
  }

  private enum Code: UInt8 {
    case continuation = 0
    case text = 1
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  /// The most bytes of a message.
  let longest: Int
  /// The bytes that have arrived and are not read yet.
  private var bytes: [UInt8] = []
  /// The beginning of a message whose end is still to come.
  private var beginning: Data?

  /// The most bytes that a control frame carries.
  private static let longestControl = 125

  init(longest: Int) { self.longest = longest }

  /// Takes bytes as they arrive.
  mutating func append(_ more: some Sequence<UInt8>) { bytes += more }

  /// Reads the next message; `nil` until more of it has arrived.
  ///
  /// - Throws: ``Failure``.
  mutating func next() throws(Failure) -> Message? {
    while let (code, isLast, payload) = try nextFrame() {
      switch code {
      case .ping: return .ping(payload)
      case .close: return .close
      case .pong: continue
      case .text, .continuation:
        guard (code == .text) == (beginning == nil) else { throw .malformed }
        let joined = (beginning ?? Data()) + payload
        guard joined.count <= longest else { throw .tooLong }
        beginning = isLast ? nil : joined
        if isLast { return .text(joined) }
      }
    }
    return nil
  }

  private mutating func nextFrame() throws(Failure) -> (Code, isLast: Bool, Data)? {
    guard bytes.count >= 2 else { return nil }
    let isLast = bytes[0] & 0x80 != 0
    // A bit of an extension, or a mask, which only a client's frame has.
    guard bytes[0] & 0x70 == 0, bytes[1] & 0x80 == 0, let code = Code(rawValue: bytes[0] & 0x0F)
    else { throw .malformed }
    var (start, length) = (2, UInt64(bytes[1]))
    if code.isControl, !isLast || length > Self.longestControl { throw .malformed }
    let width = length == 126 ? 2 : length == 127 ? 8 : 0
    if width > 0 {
      guard bytes.count >= start + width else { return nil }
      length = bytes[start..<start + width].reduce(0) { $0 << 8 | UInt64($1) }
      start += width
    }
    guard length <= longest else { throw .tooLong }
    let end = start + Int(clamping: length)
    guard bytes.count >= end else { return nil }
    let payload = Data(bytes[start..<end])
    bytes.removeFirst(end)
    return (code, isLast, payload)
  }

  // MARK: The client

  /// The frame of a text.
  static func text(_ payload: Data, mask: UInt32) -> [UInt8] { frame(.text, payload, mask) }

  /// The frame that answers a ping.
  static func pong(_ payload: Data, mask: UInt32) -> [UInt8] { frame(.pong, payload, mask) }

  /// The frame that says goodbye: 1000, normal.
  static func close(mask: UInt32) -> [UInt8] { frame(.close, Data([0x03, 0xE8]), mask) }

  /// A frame with its mask, which each of a client has.
  private static func frame(_ code: Code, _ payload: Data, _ mask: UInt32) -> [UInt8] {
    var frame = [0x80 | code.rawValue]
    let count = payload.count
    switch count {
    case 0..<126: frame.append(0x80 | UInt8(truncatingIfNeeded: count))
    case 126...0xFFFF:
      frame += [0xFE, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    default:
      frame.append(0xFF)
      frame += (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
    let masks = (0..<4).map { UInt8(truncatingIfNeeded: mask >> (24 - 8 * $0)) }
    frame += masks
    frame.reserveCapacity(frame.count + count)
    for (place, byte) in payload.enumerated() { frame.append(byte ^ masks[place & 3]) }
    return frame
  }
}
