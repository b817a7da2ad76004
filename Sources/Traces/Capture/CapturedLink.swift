import GATT
import Radio

/// A link between an adapter and a peer.
struct CapturedLink {
  /// Which adapter's link; handles are the adapter's own.
  let adapter: UInt16
  /// The adapter's number for the link.
  let handle: UInt16
  /// What is said over it.
  var conversation: ATTConversation
  private var sent = L2CAPReassembly()
  private var received = L2CAPReassembly()

  init(adapter: UInt16, handle: UInt16, address: DeviceAddress, table: AttributeTable) {
    self.adapter = adapter
    self.handle = handle
    conversation = ATTConversation(address, table: table)
  }

  /// Takes the next fragment of a direction.
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
