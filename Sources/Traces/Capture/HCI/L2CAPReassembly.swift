/// Puts the fragments of one direction of a link together, for the attribute protocol's channel.
///
/// Memory is bounded: of a message longer than ``longest`` the rest is counted, not kept.
struct L2CAPReassembly {
  /// The longest message that is kept, in bytes: eight times the longest attribute value.
  static let longest = 4096
  /// The fixed channel of the attribute protocol (Vol 3 Part A §2.1).
  private static let attributeChannel: UInt16 = 0x0004
  /// Length and channel stand before every message (Vol 3 Part A §3.1).
  private static let headerLength = 4

  /// What a fragment brought about.
  struct Step: Hashable {
    /// A message of the attribute protocol that is now complete.
    var message: [UInt8]?
    /// Why a message, the one under way or this one, will never be.
    var loss: CaptureSkip?
  }

  /// The first bytes of the message that is under way, header included; `nil` between messages.
  private var kept: [UInt8]?
  /// How many bytes of it have come.
  private var received = 0

  /// Takes the next fragment.
  ///
  /// After a loss, reading goes on at the next beginning of a message.
  mutating func add(_ fragment: ACLFragment) -> Step {
    guard let payload = fragment.payload else {
      forget()
      return Step(loss: .malformed)
    }
    let isUnderWay = kept != nil
    guard fragment.isStart == isUnderWay else { return collect(payload) }
    forget()
    var step = fragment.isStart ? collect(payload) : Step()
    step.loss = step.loss ?? .lostFragments
    return step
  }

  private mutating func forget() {
    kept = nil
    received = 0
  }

  private mutating func collect(_ payload: [UInt8]) -> Step {
    var bytes = kept ?? []
    bytes += payload.prefix(Self.headerLength + Self.longest - bytes.count)
    kept = bytes
    received += payload.count
    guard bytes.count >= Self.headerLength else { return Step() }
    let length = Int(bytes[0]) | Int(bytes[1]) << 8
    let channel = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
    let missing = Self.headerLength + length - received
    guard missing <= 0 else { return Step() }
    forget()
    guard channel == Self.attributeChannel else { return Step() }
    guard missing == 0 else { return Step(loss: .malformed) }
    guard length <= Self.longest else { return Step(loss: .oversized) }
    return Step(message: Array(bytes.dropFirst(Self.headerLength)))
  }
}
