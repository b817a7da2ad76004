package import CareStore
package import Foundation
package import Outlets

extension Outbox {
  /// How long what came to its end stays at hand, and in the store.
  package static let atHand: TimeInterval = 8 * 86_400
  package static let kept: TimeInterval = 30 * 86_400

  /// Reads the messages of a store.
  ///
  /// A message that this program cannot read stays in the store, and is none.
  ///
  /// - Throws: ``StoreError``.
  package init(_ reader: any MessageReader, now: Date, since: Date? = nil) throws {
    let decoder = JSONDecoder()
    let items = try reader.messages(finishedSince: since ?? now - Self.atHand)
      .compactMap { stored in
        (try? decoder.decode(OutboxItem.self, from: Data(stored.content.utf8)))?
          .about(stored.patient)
      }
    var ways: [WayID: WayState] = [:]
    for stored in try reader.ways() {
      guard let recipient = Recipient(stored.recipient),
        let way = try? decoder.decode(WayState.self, from: Data(stored.content.utf8))
      else { continue }
      ways[WayID(recipient, stored.place)] = way
    }
    self.init(items: items, ways: ways)
  }

  /// Stores what differs since it was read.
  ///
  /// - Throws: ``StoreError``.
  package mutating func keep(in writer: any MessageWriter) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func text(_ value: some Encodable) throws -> String {
      String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    let changes = takeChanges()
    for item in changes.items {
      try writer.put(
        StoredMessage(
          id: item.id.text, patient: item.key.patient, recipient: item.recipient.text,
          state: item.state.rawValue, isActive: item.isActive, finished: item.finished,
          content: try text(item)))
    }
    for (id, way) in changes.ways {
      try writer.put(
        StoredWay(recipient: id.recipient.text, place: id.index, content: try text(way)))
    }
  }
}

extension [Uptime] {
  /// A shorter time without a sign of life is no time without power.
  package static let shortestOff: TimeInterval = 1_200

  /// When the box was off, between the times for which it ran, in order and each by itself.
  ///
  /// A time of running that was killed before its first look has the sign of life of the one before.
  package func offs(since date: Date) -> [Range<Date>] {
    zip(self, dropFirst()).reduce(into: []) { offs, times in
      let (earlier, later) = times
      guard later.started.timeIntervalSince(earlier.alive) > Self.shortestOff,
        later.started > date
      else { return }
      if let last = offs.last, earlier.alive < last.upperBound {
        offs.removeLast()
        offs.append(last.lowerBound..<later.started)
      } else {
        offs.append(earlier.alive..<later.started)
      }
    }
  }
}
