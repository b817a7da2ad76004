package import Care
package import CareStore
import Digests
import Foundation

/// A row of a batch.
package struct BatchRow: Hashable, Sendable, Codable {
  package var name: RowName
  /// The digest of its lines, in 16 bytes.
  package var digest: String
  /// Its lines; `nil` if it is only named.
  package var lines: [String]?
}

/// Rows in the order of their sender's numbers.
package struct Batch: Hashable, Sendable, Codable {
  /// The chain before it.
  package var base: Chain
  /// The sender's number of its last row.
  package var last: Int64
  package var digest: String
  package var rows: [BatchRow]

  init(base: Chain, last: Int64, rows: [BatchRow]) {
    (self.base, self.last, self.rows) = (base, last, rows)
    digest = Self.digest(last, rows)
  }

  /// Whether its digests are those of its rows.
  var isWhole: Bool {
    digest == Self.digest(last, rows)
      && rows.allSatisfy { row in
        row.lines.map { TravellingRow.digest(of: $0) == row.digest } ?? true
      }
  }

  /// How many bytes its lines take.
  var byteCount: Int {
    rows.reduce(0) { count, row in
      count + (row.lines ?? []).reduce(0) { $0 + $1.utf8.count + 1 }
    }
  }

  private static func digest(_ last: Int64, _ rows: [BatchRow]) -> String {
    TravellingRow.digest(of: ["\(last)"] + rows.flatMap { [$0.name.text, $0.digest] })
  }

  /// The rows; those that were only named have no lines.
  var travelling: [TravellingRow] {
    rows.map { TravellingRow(number: 0, name: $0.name, lines: $0.lines ?? []) }
  }

  /// The rows that are only named and that a store lacks.
  func missing(in exchange: any RowExchange) throws -> [RowName] {
    try rows.filter { try $0.lines == nil && !exchange.has($0.name, digest: $0.digest) }
      .map(\.name)
  }
}

/// How much travels at once.
package struct BatchLimits: Hashable, Sendable {
  package var rows: Int
  package var bytes: Int

  /// Makes limits.
  package init(rows: Int = 500, bytes: Int = 1 << 20) { (self.rows, self.bytes) = (rows, bytes) }
}

/// Which side of a channel has lost something.
package enum OlderSide: String, Hashable, Sendable, Codable {
  /// The box was set back.
  case box
  /// The centre was set back.
  case centre
  /// Both were, or have written since: two histories.
  case both
  /// The centre does not know the channel.
  case unknown
}

/// A box's request; it has one at a time on its way.
package enum Request: Hashable, Sendable, Codable {
  case still(Still)
  case hello(Hello)
  case latest(Latest)
  case put(Put)
  case get(Get)

  /// The channel.
  package var channel: ChannelID {
    switch self {
    case .still(let still): still.channel
    case .hello(let hello): hello.channel
    case .latest(let latest): latest.channel
    case .put(let put): put.channel
    case .get(let get): get.channel
    }
  }

  /// The rows that it brings or asks for; `nil` for a comparison.
  var stream: RowStream? {
    switch self {
    case .still, .hello: nil
    case .latest: .singles
    case .put(let put): put.key.stream
    case .get(let get): get.key.stream
    }
  }

  /// The question whether anything has changed since both sides were level, of a box that has nothing to
  /// send: most sessions are no more than that.
  package struct Still: Hashable, Sendable, Codable {
    package var channel: ChannelID
    /// The digest of what a session would compare.
    package var state: String
    /// The box's own state.
    package var report: BoxReport?
  }

  /// The begin of a session: the two sides compare what they have given each other.
  package struct Hello: Hashable, Sendable, Codable {
    package var channel: ChannelID
    /// Whether the box has just made the channel.
    package var isNew: Bool
    /// The box's version of the rows.
    package var version: Int
    package var out: [StreamKey: Out]
    package var into: [StreamKey: In]
    /// The box's own state.
    package var report: BoxReport?

    package struct Out: Hashable, Sendable, Codable {
      package var acknowledged: Int64
      package var chain: Chain
      /// The digests of the batches that may have arrived.
      package var sent: [String]
    }

    package struct In: Hashable, Sendable, Codable {
      package var last: Int64
      package var chain: Chain
    }
  }

  /// The latest single measurements of a box that has many rows to bring: they come again in their order,
  /// and until then the centre shows today's.
  package struct Latest: Hashable, Sendable, Codable {
    package var channel: ChannelID
    package var rows: [BatchRow]
    /// The number of the centre's last mark that the box has.
    package var seen: Int64
  }

  /// Rows of the box.
  package struct Put: Hashable, Sendable, Codable {
    package var channel: ChannelID
    package var key: StreamKey
    package var batch: Batch
    /// The number of the centre's last mark that the box has.
    package var seen: Int64
  }

  /// The question for rows of the centre.
  package struct Get: Hashable, Sendable, Codable {
    package var channel: ChannelID
    package var key: StreamKey
    /// The chain so far: it acknowledges the batch before.
    package var chain: Chain
    /// The rows that were only named and that the box lacks.
    package var wanted: Set<RowName>
  }
}

/// The centre's answer.
package enum Reply: Hashable, Sendable, Codable {
  /// The two sides are level, but for the answers to batches that arrived.
  case welcome(Welcome)
  /// The two sides have no common past any more: the box opens a new channel.
  case gone(OlderSide)
  /// A batch was taken, but for these rows.
  case taken(digest: String, refused: [RowName: RowRefusal])
  /// Rows that were only named are missing; nothing was taken.
  case wants([RowName])
  /// The batch is too long; nothing was taken.
  case tooLong
  /// The request does not fit what came before: the box says hello again.
  case conflict
  /// Rows.
  case batch(Batch)
  /// There is nothing more.
  case level
  /// The box may not ask this.
  case forbidden

  package struct Welcome: Hashable, Sendable, Codable {
    /// The answers to batches that arrived, whose answers may not have.
    package var answers: [StreamKey: Incoming.Latest]
    /// A digest of what decides whether a row is taken.
    package var rules: String
    /// The numbers up to which the centre cannot lose the box's rows.
    package var kept: [StreamKey: Int64]
    /// The people whose rows the box gets.
    package var people: Set<String>
    /// The people whose rows it may deliver.
    package var delivers: Set<String>
    /// The keys of which the centre has nothing for the box now, which need not be asked for.
    package var level: Set<StreamKey>
    /// Whether two boxes speak with one key.
    package var isTwin: Bool
    /// The devices that the box is to read; `nil` for none.
    package var kit: [DeviceBinding]?
    /// Whether the centre takes ``Request/latest(_:)``; `nil` of an older one.
    package var takesLatest: Bool?
  }
}
