import Care
import Foundation
import GATT
import Radio

/// The links and advertisements of a capture, as a state machine over its packets.
struct CaptureConversation {
  /// How many links may be up at once; more than any controller supports.
  static let mostLinks = 64

  private var advertisements = AdvertisingReassembly()
  private var links: [CapturedLink] = []
  private var peers = KnownPeers()

  /// Handles the next packet, and emits its events.
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

  /// Ends all links after a gap: lost packets may have ended them, and may have given their handles
  /// to other peers.
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
      // A handle that is assigned again was free: the end of its last link is not in the capture.
      end(into: &yield) { $0.adapter == adapter && $0.handle == handle }
      guard links.count < Self.mostLinks else { return yield.skip(.tableFull) }
      links.append(
        CapturedLink(
          adapter: adapter, handle: handle, address: address, table: peers.table(of: address)))
      yield.emit(.connected(address))
    }
  }

  /// Ends the links that `match`, oldest first, and stores their peers' attributes.
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

/// The events of a capture's packets, with their times.
struct CapturePlayback {
  private var conversation = CaptureConversation()
  private var yield = CaptureYield()
  /// The time of the events, in microseconds since 1970; it never runs backwards.
  private var clock: Int64 = 0

  /// How many packets became no event so far, by reason.
  var skipped: [CaptureSkip: Int] { yield.skipped }

  /// The next event of the packets so far.
  mutating func next() -> TimedEvent? {
    yield.next().map { TimedEvent(time: Date(microseconds: clock), event: $0) }
  }

  /// Handles a packet.
  ///
  /// - Parameters:
  ///   - time: Its time, in microseconds since 1970.
  ///   - hasGap: Whether the recorder dropped packets before it.
  ///   - packet: Reads it; `nil` for one that changes no link.
  mutating func take(
    at time: Int64, afterGap hasGap: Bool = false,
    _ packet: () throws(GATTError) -> CapturedPacket?
  ) {
    clock = max(clock, time)
    if hasGap {
      yield.skip(.lostRecords)
      conversation.loseTrack(into: &yield)
    }
    do throws(GATTError) {
      guard let packet = try packet() else { return }
      conversation.take(packet, into: &yield)
    } catch {
      yield.skip(.malformed)
    }
  }
}

/// The result of packets: events in order, and counts of skipped packets.
struct CaptureYield {
  private var events: ArraySlice<RadioEvent> = []
  private(set) var skipped: [CaptureSkip: Int] = [:]

  /// Removes the oldest event; `nil` if there is none.
  mutating func next() -> RadioEvent? {
    events.popFirst()
  }

  /// Appends an event.
  mutating func emit(_ event: RadioEvent) {
    events.append(event)
  }

  /// Counts a packet that becomes no event.
  mutating func skip(_ reason: CaptureSkip) {
    skipped[reason, default: 0] += 1
  }
}

/// The attributes of peers from ended links, for their next connection.
struct KnownPeers {
  /// How many peers are stored; the least recently linked one is evicted.
  static let mostPeers = 256

  private struct Peer {
    let address: DeviceAddress
    let table: AttributeTable
  }

  /// Least recently linked first.
  private var peers: [Peer] = []

  /// The known attributes of a peer; empty at first.
  func table(of address: DeviceAddress) -> AttributeTable {
    peers.first { $0.address == address }?.table ?? AttributeTable()
  }

  /// Stores the attributes of a peer.
  mutating func keep(_ table: AttributeTable, of address: DeviceAddress) {
    peers.removeAll { $0.address == address }
    guard table.revision > 0 else { return }
    if peers.count >= Self.mostPeers { peers.removeFirst() }
    peers.append(Peer(address: address, table: table))
  }
}
