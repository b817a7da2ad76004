import Care
package import CareStore
package import Foundation

/// The long-term statistics of a Home Assistant, behind whatever speaks with it.
package protocol HomeAssistantRecorder: Sendable {
  var version: HomeAssistantVersion { get }
  /// The statistics of our source: their names by their ids.
  func known() async throws(DeliveryFault) -> [String: String]
  /// The hours of a statistic within a span, by time.
  func hours(
    of statistic: HomeAssistantStatistic, from: Date, to: Date
  ) async throws(DeliveryFault) -> [HomeAssistantHour]
  /// The beginning of the earliest hour of a statistic, or some time before it; `nil` if it has none.
  func earliest(of statistic: HomeAssistantStatistic, to: Date) async throws(DeliveryFault) -> Date?
  /// Writes hours; those that it has are replaced.
  func put(
    _ hours: ArraySlice<HomeAssistantHour>, of statistic: HomeAssistantStatistic
  ) async throws(DeliveryFault)
  /// Removes statistics.
  func clear(_ ids: [String]) async throws(DeliveryFault)
}

/// The past of a store in a Home Assistant: what that has is compared, and what differs is sent.
///
/// Nothing is noted here of what was sent. So it goes on where it was broken off, mends what was
/// corrected, moved or erased meanwhile, and sends nothing twice.
package struct HomeAssistantPast: Sendable {
  /// The result.
  package struct Report: Hashable, Sendable {
    package var statistics = 0
    /// The hours that were sent.
    package var sent = 0
    /// The hours that were there.
    package var known = 0
    /// The statistics that were removed, since nothing is left of them or they had more than the store has.
    package var cleared = 0
  }

  private let box: String
  private let scope: OutletScope
  private let words: HomeAssistantWords
  private let store: SQLStore
  private let recorder: any HomeAssistantRecorder
  private let now: @Sendable () -> Date
  private let clock: any Clock<Duration>

  /// The most hours of one message.
  static let mostHours = 1_000
  /// The hours that are read at once: a quarter of a year.
  static let window: Int64 = 2_184
  /// Home Assistant says that it has taken something before it has written it.
  static let patience = Duration.seconds(60)
  private static let pause = Duration.milliseconds(50)
  /// The steps of the progress of one statistic.
  private static let steps = 1_000

  /// Makes it.
  package init(
    box: String, scope: OutletScope, words: HomeAssistantWords, from store: SQLStore,
    to recorder: any HomeAssistantRecorder, now: @escaping @Sendable () -> Date,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    (self.box, self.scope, self.words, self.store) = (box, scope, words, store)
    (self.recorder, self.now, self.clock) = (recorder, now, clock)
  }

  /// Sends what differs, until Home Assistant says the same as the store.
  ///
  /// - Parameters:
  ///   - from: The time from which it is compared; `nil` for all.
  ///   - progress: Called with how much of how much is done.
  /// - Returns: What came of it.
  /// - Throws: ``StoreError``; ``DeliveryFault``.
  package func send(
    from: Date?, progress: (_ done: Int, _ of: Int) -> Void
  ) async throws -> Report {
    var report = Report()
    // The hour that is under way is not known yet.
    let end = HomeAssistantHour.hour(of: now())
    let statistics = try await store.read { [scope, box, words] reader in
      try HomeAssistantStatistic.all(in: reader, scope: scope, box: box, words)
    }
    let known = try await recorder.known()
    let gone = Set(known.keys.filter { HomeAssistantStatistic.isOwn($0, of: box) })
      .subtracting(statistics.map(\.id))
    if !gone.isEmpty {
      try await recorder.clear(gone.sorted())
      report.cleared += gone.count
    }
    report.statistics = statistics.count
    let whole = Self.steps * statistics.count
    for (place, statistic) in statistics.enumerated() {
      try await send(
        statistic, isKnown: known[statistic.id] == statistic.name, from: from, before: end, &report
      ) { progress(Self.steps * place + $0, whole) }
    }
    progress(whole, whole)
    return report
  }

  private func send(
    _ statistic: HomeAssistantStatistic, isKnown: Bool, from: Date?, before end: Int64,
    _ report: inout Report, progress: (_ step: Int) -> Void
  ) async throws {
    progress(0)
    let all = try await store.read { try statistic.hours(in: $0, before: end) }
    var first = from.map(HomeAssistantHour.hour(of:)) ?? .min
    var ours = all.drop { $0.hour < first }
    var (missing, hasMore) = try await compare(ours, statistic, from: first, before: end)
    if hasMore {
      // A single hour cannot be taken back.
      try await recorder.clear([statistic.id])
      report.cleared += 1
      (ours, missing, first) = (all[...], all, .min)
    }
    report.known += ours.count - missing.count
    // A name travels with an hour.
    if !isKnown, missing.isEmpty, let last = ours.last { missing = [last] }
    guard !missing.isEmpty else { return }
    var rest = missing[...]
    while let last = rest.prefix(Self.mostHours).last {
      let part = rest.prefix(Self.mostHours)
      try await recorder.put(part, of: statistic)
      report.sent += part.count
      rest = rest.dropFirst(part.count)
      try await wait(for: last, of: statistic)
      progress(Self.steps * (missing.count - rest.count) / missing.count)
    }
    let left = try await compare(ours, statistic, from: first, before: end)
    guard left.missing.isEmpty, !left.hasMore else { throw Self.unwritten(statistic) }
  }

  /// Waits until Home Assistant has written an hour, and with it those that were sent before.
  private func wait(
    for last: HomeAssistantHour, of statistic: HomeAssistantStatistic
  ) async throws {
    var waited = Duration.zero
    while try await recorder.hours(
      of: statistic, from: last.start, to: HomeAssistantHour.start(of: last.hour + 1)) != [last]
    {
      guard waited < Self.patience else { throw Self.unwritten(statistic) }
      try await clock.sleep(for: Self.pause)
      waited += Self.pause
    }
  }

  private static func unwritten(_ statistic: HomeAssistantStatistic) -> DeliveryFault {
    .unexpected(detail: "recorder/import_statistics \(statistic.id)")
  }

  /// The hours that Home Assistant lacks or has otherwise, and whether it has some that the store does not have.
  private func compare(
    _ ours: ArraySlice<HomeAssistantHour>, _ statistic: HomeAssistantStatistic, from first: Int64,
    before end: Int64
  ) async throws -> (missing: [HomeAssistantHour], hasMore: Bool) {
    let limit = HomeAssistantHour.start(of: end)
    let earliest = try await recorder.earliest(of: statistic, to: limit)
    guard let earliest else { return (Array(ours), false) }
    var missing: [HomeAssistantHour] = []
    var start = max(first, min(ours.first?.hour ?? end, HomeAssistantHour.hour(of: earliest)))
    var rest = ours
    while start < end {
      let next = min(start + Self.window, end)
      let part = rest.prefix { $0.hour < next }
      rest = rest.dropFirst(part.count)
      let theirs = try await recorder.hours(
        of: statistic, from: HomeAssistantHour.start(of: start),
        to: HomeAssistantHour.start(of: next))
      let values = Dictionary(
        theirs.map { ($0.hour, $0.values) }, uniquingKeysWith: { first, _ in first })
      missing += part.filter { values[$0.hour] != $0.values }
      guard Set(values.keys).isSubset(of: part.map(\.hour)) else { return (missing, true) }
      start = next
    }
    return (missing, false)
  }
}
