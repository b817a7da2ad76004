import GATT
import Radio

/// A link between an adapter and a peer.
struct CapturedLink {
  /// The link's adapter; each adapter has its own handles.
  let adapter: UInt16
  /// The adapter's number for the link.
  let handle: UInt16
  /// The attribute protocol over it.
  var conversation: ATTConversation
  private var sent = L2CAPReassembly()
  private var received = L2CAPReassembly()

  init(adapter: UInt16, handle: UInt16, address: DeviceAddress, table: AttributeTable) {
    self.adapter = adapter
    self.handle = handle
    conversation = ATTConversation(address, table: table)
  }

  /// Handles the next fragment of a direction.
  mutating func take(
    _ fragment: ACLFragment, _ direction: PacketDirection, into yield: inout CaptureYield
  ) {
    let step =
      switch direction {
      case .sent: sent.add(fragment)
      case .received: received.add(fragment)
      }
    if let loss = step.loss {
      conversation.forgetUnfinished()
      yield.skip(loss)
    }
    guard let bytes = step.message else { return }
    do throws(GATTError) {
      let pdu = try ATTPDU(bytes)
      switch direction {
      case .sent: conversation.sent(pdu, into: &yield)
      case .received: conversation.received(pdu, into: &yield)
      }
    } catch {
      conversation.forgetUnfinished()
      yield.skip(.malformed)
    }
  }
}

// MARK: - Reassembly

/// Reassembles the fragments of one direction of a link, for the attribute protocol's channel.
///
/// Memory is bounded: the rest of a message longer than ``longest`` is counted, not stored.
struct L2CAPReassembly {
  /// The longest stored message, in bytes: eight times the longest attribute value.
  static let longest = 4096
  /// The fixed channel of the attribute protocol (Vol 3 Part A §2.1).
  private static let attributeChannel: UInt16 = 0x0004
  /// Length and channel precede every message (Vol 3 Part A §3.1).
  private static let headerLength = 4

  /// The result of a fragment.
  struct Step: Hashable {
    /// A message of the attribute protocol that is complete now.
    var message: [UInt8]?
    /// Why a message, the current or the previous one, cannot be completed.
    var loss: CaptureSkip?
  }

  /// The first bytes of the current message, with its header; `nil` between messages.
  private var kept: [UInt8]?
  /// How many bytes of it were received.
  private var received = 0

  /// Adds the next fragment.
  ///
  /// After a loss, reassembly resumes at the next start of a message.
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
