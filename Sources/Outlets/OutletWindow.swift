package import Care

/// The changes of one part of a feed on their way to a receiver: one batch under way at a time.
package struct OutletWindow: Sendable {
  /// One change, with what became of its parts.
  private struct Job: Sendable {
    var entry: Int
    var change: OutletChange
    var number: Int64
    var place: FeedPlace?
    var parts: Int
    var delivered = 0
    var fault: DeliveryFault?
    /// Whether a request with it may have arrived.
    var isTouched = false

    var isEnded: Bool { fault != nil || delivered >= parts }
  }

  private var jobs: [Job] = []
  private var pieces: [(job: Int, piece: OutletPiece)] = []
  /// The pieces that are still to be sent, those that come next last.
  private var waiting: [Range<Int>] = []
  private var underWay: Range<Int>?
  /// The numbers of the entries, and whether each may be passed.
  private var entries: [(number: Int64, isWhole: Bool)] = []
  private let end: Int64
  private let isLast: Bool
  /// How the last attempt ended; `nil` before the first.
  package private(set) var result: DeliveryResult?

  /// The most things of an erased person that are taken back at once.
  package static let mostErased = 2_000

  /// Makes a window of a page.
  ///
  /// - Parameters:
  ///   - page: What was read.
  ///   - scope: What may leave.
  ///   - isForced: Whether what the receiver has is sent again.
  ///   - outlet: The receiver.
  ///   - held: What it has of an entry.
  package init(
    _ page: FeedPage, scope: OutletScope, isForced: Bool = false, to outlet: some DataOutlet,
    held: (FeedEntry) throws -> [HeldItem]
  ) rethrows {
    (end, isLast) = (page.end, page.isLast)
    for entry in page.entries {
      let known = try held(entry)
      // More of an erased person is read again, until nothing is left.
      let isWhole = entry.erasure == nil || known.count < Self.mostErased
      let changes = Self.changes(of: entry, held: known, in: scope, isForced, outlet.name(of:))
      for change in changes { add(change, of: entry, to: outlet) }
      entries.append((entry.number, isWhole))
      guard isWhole else { break }
    }
    let ranges = Self.batches(pieces.map { max(1, outlet.weight(of: $0.piece)) }, outlet.mostValues)
    waiting = ranges.reversed()
  }

  /// The changes of an entry that a receiver is told.
  package static func changes(
    of entry: FeedEntry, held: [HeldItem], in scope: OutletScope, _ isForced: Bool,
    _ name: (FeedItem) -> String
  ) -> [OutletChange] {
    var (removals, puts): ([OutletChange], [OutletChange]) = ([], [])
    for item in held {
      let stands = entry.items.contains { $0.origin == item.origin && $0.patient == item.patient }
      // A removal that was refused is asked for again only when somebody says so.
      if !stands, isForced || !item.isKept { removals.append(.remove(item)) }
    }
    for item in entry.items where scope.permits(item) {
      let known = held.first { $0.origin == item.origin && $0.patient == item.patient }
      guard isForced || known?.confirmed.map({ $0 < entry.latest }) ?? true else { continue }
      puts.append(.put(item, name: known?.name ?? name(item), isKnown: known != nil))
    }
    return removals + puts
  }

  private mutating func add(
    _ change: OutletChange, of entry: FeedEntry, to outlet: some DataOutlet
  ) {
    var parts: [ArraySlice<Sample>] = [[]]
    if case .put(let item, _, _) = change {
      parts = [item.samples[...]]
      if item.hour != nil, !outlet.takesHoursWhole, item.samples.count > outlet.mostValues {
        parts = stride(from: 0, to: item.samples.count, by: outlet.mostValues).map {
          item.samples[$0..<min($0 + outlet.mostValues, item.samples.count)]
        }
      }
    }
    for (index, samples) in parts.enumerated() {
      pieces.append(
        (
          jobs.count,
          OutletPiece(
            change, number: entry.latest, part: index, parts: parts.count, samples: samples)
        ))
    }
    jobs.append(
      Job(
        entry: entries.count, change: change, number: entry.latest, place: entry.place,
        parts: parts.count))
  }

  private static func batches(_ weights: [Int], _ most: Int) -> [Range<Int>] {
    var (ranges, start, sum): ([Range<Int>], Int, Int) = ([], 0, 0)
    for (index, weight) in weights.enumerated() {
      if sum + weight > most, index > start {
        ranges.append(start..<index)
        (start, sum) = (index, 0)
      }
      sum += weight
    }
    if start < weights.count { ranges.append(start..<weights.count) }
    return ranges
  }

  /// Whether there is nothing to send.
  package var isEmpty: Bool { pieces.isEmpty }

  /// Items that the receiver is to get and that are not noted: stored before the first request.
  package var intentions: [HeldItem] {
    jobs.compactMap { job in
      guard case .put(let item, let name, false) = job.change else { return nil }
      return HeldItem(item, name: name)
    }
  }

  /// The next batch; `nil` if there is none, or the receiver takes nothing now.
  package mutating func nextBatch() -> [OutletPiece]? {
    guard underWay == nil, let range = waiting.popLast() else { return nil }
    underWay = range
    return pieces[range].map(\.piece)
  }

  /// Takes the answer to the batch that is under way.
  package mutating func take(_ answer: OutletAnswer) {
    guard let range = underWay else { return }
    underWay = nil
    result = answer.result
    switch answer.result {
    case .delivered:
      for (place, index) in range.enumerated() {
        let job = pieces[index].job
        if let fault = answer.refused[place] {
          jobs[job].fault = fault
        } else {
          jobs[job].delivered += 1
        }
      }
    case .refused(let fault) where range.count == 1:
      jobs[pieces[range.lowerBound].job].fault = fault
    case .refused:
      // One of them is to blame: halves, until it is alone.
      let middle = range.lowerBound + range.count / 2
      waiting += [middle..<range.upperBound, range.lowerBound..<middle]
    case .later: waiting = []
    case .unknown:
      for index in range { jobs[pieces[index].job].isTouched = true }
      waiting = []
    }
  }

  // MARK: Results

  /// The result that is stored after the last answer.
  package struct End: Hashable, Sendable {
    /// The items that the receiver has now.
    package var confirmed: [HeldItem] = []
    /// The items that it has no more, or never got.
    package var gone: [HeldItem] = []
    /// The changes that it did not take.
    package var refused: [Refusal] = []
    /// The names of the changes that it took: no refusal of them holds any more.
    package var taken: [String] = []
    /// Everything up to this number is settled; `nil` if nothing is.
    package var number: Int64?
    /// How many entries of the page are settled, from its first one on.
    package var settled = 0
    /// Whether all of the page is settled.
    package var isWhole = false
    /// Whether nothing comes after the page.
    package var isLast = false

    /// A change that a receiver did not take.
    package struct Refusal: Hashable, Sendable {
      package var name: String
      package var place: FeedPlace?
      package var fault: DeliveryFault
    }
  }

  /// The result to store now.
  package var outcome: End {
    var end = End(isLast: isLast)
    for job in jobs {
      if let fault = job.fault {
        end.refused.append(.init(name: job.change.name, place: job.place, fault: fault))
      }
      switch job.change {
      case .put(let item, let name, let isKnown):
        if job.fault == nil, job.isEnded {
          end.confirmed.append(HeldItem(item, name: name, confirmed: job.number))
          end.taken.append(name)
        } else if !isKnown, job.delivered == 0, !job.isTouched {
          end.gone.append(HeldItem(item, name: name))
        }
      case .remove(var item):
        if job.fault != nil {
          item.isKept = true
          end.confirmed.append(item)
        } else if job.isEnded {
          end.gone.append(item)
          end.taken.append(item.name)
        }
      }
    }
    let firstOpen = jobs.filter { !$0.isEnded }.map(\.entry).min() ?? .max
    let settled = entries.indices.prefix(while: { $0 < firstOpen && entries[$0].isWhole })
    end.settled = settled.count
    end.isWhole = settled.count == entries.count
    end.number = end.isWhole ? self.end : settled.last.map { entries[$0].number }
    return end
  }
}

extension DataOutlet {
  /// How many values a piece counts.
  fileprivate func weight(of piece: OutletPiece) -> Int {
    guard case .put(let item, _, _) = piece.change else { return 1 }
    return item.hour != nil && takesHoursWhole ? 1 : piece.samples.count
  }
}

extension HeldItem {
  fileprivate init(_ item: FeedItem, name: String, confirmed: Int64? = nil) {
    self.init(
      origin: item.origin, patient: item.patient, name: name, quantity: item.quantity,
      start: item.start, isHour: item.hour != nil, confirmed: confirmed)
  }
}
