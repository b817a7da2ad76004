import GATT
import Radio

/// What hosts, adapters and peers say to each other in a capture, as a state machine.
struct CaptureConversation {
  /// How many links may be up at once; more than any controller has.
  static let mostLinks = 64

  private var advertisements = AdvertisingReassembly()
  private var links: [CapturedLink] = []
  private var peers = KnownPeers()

  /// Takes the next packet and emits what it tells.
  mutating func take(_ packet: CapturedPacket, into yield: inout CaptureYield) {
    switch packet.content {
    case .adapterEnded:
      end(into: &yield) { $0.adapter == packet.adapter }
    case .acl(let fragment):
      let index = links.firstIndex {
        $0.adapter == packet.adapter && $0.handle == fragment.handle
      }
      guard let index else { return yield.skip(.unknownLink) }
      links[index].take(fragment, packet.direction, into: &yield)
    case .event(let code, let parameters):
      do throws(GATTError) {
        guard let event = try LinkEvent(code: code, parameters: parameters) else { return }
        take(event, of: packet.adapter, into: &yield)
      } catch {
        yield.skip(.malformed)
      }
    }
  }

  /// Ends all links, because packets that are not in the capture may have ended them, and a handle
  /// may by now be another peer's.
  mutating func loseTrack(into yield: inout CaptureYield) {
    advertisements = AdvertisingReassembly()
    end(into: &yield) { _ in true }
  }

  private mutating func take(
    _ event: LinkEvent, of adapter: UInt16, into yield: inout CaptureYield
  ) {
    switch event {
    case .advertised(let reports):
      for report in reports { advertisements.add(report, adapter: adapter, into: &yield) }
    case .disconnected(let handle):
      end(into: &yield) { $0.adapter == adapter && $0.handle == handle }
    case .connected(let handle, let address):
      // A handle that is given anew is free: the end of its last link was not recorded.
      end(into: &yield) { $0.adapter == adapter && $0.handle == handle }
      guard links.count < Self.mostLinks else { return yield.skip(.tableFull) }
      links.append(
        CapturedLink(
          adapter: adapter, handle: handle, address: address, table: peers.table(of: address)))
      yield.emit(.connected(address))
    }
  }

  /// Ends the links that `match`, oldest first, and keeps what they taught about their peers.
  private mutating func end(
    into yield: inout CaptureYield, where match: (CapturedLink) -> Bool
  ) {
    for var link in links where match(link) {
      link.conversation.end(into: &yield)
      peers.keep(link.conversation.table, of: link.conversation.address)
      yield.emit(.disconnected(link.conversation.address))
    }
    links.removeAll(where: match)
  }
}
