import GATT
import Radio

/// What ended links taught about their peers, for the time that these come back.
struct KnownPeers {
  /// How many peers are remembered; the one that has been away longest gives way.
  static let mostPeers = 256

  private struct Peer {
    let address: DeviceAddress
    let table: AttributeTable
  }

  /// Longest away first.
  private var peers: [Peer] = []

  /// What is known about a peer; nothing at first.
  func table(of address: DeviceAddress) -> AttributeTable {
    peers.first { $0.address == address }?.table ?? AttributeTable()
  }

  /// Keeps what is known about a peer now.
  mutating func keep(_ table: AttributeTable, of address: DeviceAddress) {
    peers.removeAll { $0.address == address }
    guard table.revision > 0 else { return }
    if peers.count >= Self.mostPeers { peers.removeFirst() }
    peers.append(Peer(address: address, table: table))
  }
}
