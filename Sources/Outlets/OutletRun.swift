import Care
package import CareStore
package import Foundation
import Interchange

/// The work of an outlet, which sends by itself.
package protocol OutletWork: Sendable {
  /// Reads what comes next, sends it, and stores what came of it.
  ///
  /// - Throws: ``StoreError``.
  mutating func round() async throws -> OutletRun.Next
  /// Ends, with a last word where the other side waits for one.
  mutating func stop() async
}

/// An outlet at work: it reads the store, sends, and stores what came of it.
package struct OutletRun: OutletWork {
  /// Its name in the settings.
  package let name: String
  private let store: SQLStore
  private let outlet: any DataOutlet
  private let scope: OutletScope
  private let now: @Sendable () -> Date
  private var random: any RandomNumberGenerator & Sendable
  /// How far it is beyond what is stored: rows of others that were passed.
  private var passed: OutletCourse?

  /// The step after a round.
  package enum Next: Hashable, Sendable {
    /// The next round, at once.
    case round
    /// A rest until a date or a change of the store.
    case rest(until: Date?)
  }

  /// The most rows and values that are read at once: what is at hand stays small, however much waits.
  static let mostRows = 1_000
  static let mostValues = 4_000
  /// So many numbers are passed before that is stored, if nothing is sent meanwhile.
  static let mostPassed: Int64 = 10_000
  /// Of so many refusals the receiver is to blame, or the settings: nothing more is sent.
  static let mostRefused = 10_000

  /// Makes a run.
  package init(
    _ name: String, of outlet: any DataOutlet, scope: OutletScope, from store: SQLStore,
    now: @escaping @Sendable () -> Date, random: any RandomNumberGenerator & Sendable
  ) {
    (self.name, self.outlet, self.scope, self.store) = (name, outlet, scope, store)
    (self.now, self.random) = (now, random)
  }

  /// Begins, or goes on after a start of the program.
  ///
  /// - Parameter receiver: What tells the receiver and its mapping from another one.
  /// - Throws: ``StoreError``.
  package func begin(receiver: String) async throws {
    let digest = ItemID(
      of: ["scope"] + (scope.people?.sorted() ?? ["*"]) + ["quantities"]
        + (scope.quantities?.map(\.rawValue).sorted() ?? ["*"])
        + ["since", scope.since.map { String($0.microseconds) } ?? ""]
    ).text
    let (receiver, hasPast) = (ItemID(of: [receiver]).text, scope.since != nil)
    try await store.writeOutlets { [name] writer in
      var course = try OutletCourse(name, in: writer)
      let before = course
      let retries = course.begin(
        last: try writer.lastNumber(), scope: digest, receiver: receiver, hasPast: hasPast)
      if retries { _ = try writer.retryRefused(by: name) }
      if course != before { try course.keep(name, in: writer) }
    }
  }

  /// The plan from one reading of the store.
  private struct Plan: Sendable {
    var course: OutletCourse
    var step: OutletCourse.Step
    var window: OutletWindow?
    var openHours: [OutletCourse.OpenHour] = []
    /// The items that are tried again, in the order of the window's entries.
    var retried: [RefusedItem] = []
  }

  /// Reads what comes next, sends it, and stores what came of it.
  ///
  /// - Throws: ``StoreError``.
  package mutating func round() async throws -> Next {
    let date = now()
    let plan = try await store.readOutlets { [self] in try self.plan(in: $0, now: date) }
    guard var window = plan.window else {
      if case .rest(let until) = plan.step { return .rest(until: until) }
      return .rest(until: nil)
    }
    guard !window.isEmpty else {
      try await pass(window, plan)
      return .round
    }
    let intentions = window.intentions
    if !intentions.isEmpty {
      try await store.writeOutlets { [name] writer in
        for item in intentions.inOrder { try writer.putHeld(item, by: name) }
      }
    }
    while let batch = window.nextBatch() { window.take(await outlet.send(batch)) }
    try await keep(window, plan)
    return .round
  }

  package func stop() async {}

  // MARK: Reading

  private func plan(in reader: any OutletReader, now date: Date) throws -> Plan {
    var course = try OutletCourse(name, in: reader)
    course.join(passed)
    let last = try reader.lastNumber()
    let due = try reader.refused(by: name, isDue: true, limit: 100)
    let step = course.step(last: last, hasDue: !due.isEmpty, now: date)
    var plan = Plan(course: course, step: step)
    guard step.sends, try reader.refusedCount(by: name) < Self.mostRefused || !due.isEmpty else {
      if step.sends { plan.step = .rest(until: nil) }
      return plan
    }
    var (page, scope, isForced) = (FeedPage(end: last, isLast: true), scope, false)
    let openHour = OutletCourse.openHour(at: date)
    switch step {
    case .rest: return plan
    case .retry:
      (plan.retried, isForced) = (due, true)
      page.entries = try due.map { try entry(of: $0, in: reader) }
    case .hours(let hours):
      page.entries = try hours.compactMap { try reader.feedEntry(at: $0.place) }
    case .follow(let cursor):
      page = try reader.feed(
        after: cursor, upTo: last, openHour: openHour, rows: Self.mostRows,
        values: Self.mostValues)
    case .past(let past):
      page = try reader.feed(
        after: past.cursor, upTo: past.end, openHour: openHour, rows: Self.mostRows,
        values: Self.mostValues)
      scope.since = [scope.since, past.from].compactMap(\.self).max()
      isForced = past.isForced
    }
    for entry in page.entries where entry.isOpen {
      if case .hour(let series, let hour) = entry.place {
        plan.openHours.append(.init(series: series, hour: hour))
      }
    }
    for patient in Set(page.entries.flatMap(\.items).map(\.patient))
    where try !reader.consent(of: patient).permitsLeaving {
      scope.withheld.insert(patient)
    }
    plan.window = try OutletWindow(page, scope: scope, isForced: isForced, to: outlet) { entry in
      guard let mark = entry.erasure else { return try reader.held(by: name, of: entry.origins) }
      return try reader.held(by: name, erasedBy: mark, limit: OutletWindow.mostErased)
    }
    return plan
  }

  /// The entry of a refused item.
  private func entry(of item: RefusedItem, in reader: any OutletReader) throws -> FeedEntry {
    if let place = item.place, let entry = try reader.feedEntry(at: place) { return entry }
    let kept = try reader.kept(by: name, named: item.name)
    return FeedEntry(number: 0, latest: 0, place: nil, origins: kept.map(\.origin))
  }

  // MARK: Storing

  /// Moves on past what is nothing for the receiver.
  private mutating func pass(_ window: OutletWindow, _ plan: Plan) async throws {
    let outcome = window.outcome
    var course = plan.course
    course.note(open: plan.openHours)
    course.advance(plan.step, to: outcome.number ?? 0, isDone: outcome.isDone(plan.step))
    if case .follow = plan.step,
      try await passedMore(than: Self.mostPassed, by: course) == false
    {
      passed = course
      return
    }
    try await keep(window, plan)
  }

  private func passedMore(than count: Int64, by course: OutletCourse) async throws -> Bool {
    let stored = try await store.readOutlets { [name] in try OutletCourse(name, in: $0).cursor }
    return (course.cursor ?? 0) - (stored ?? 0) > count
  }

  /// Stores what came of a window.
  private mutating func keep(_ window: OutletWindow, _ plan: Plan) async throws {
    let (outcome, date, passed) = (window.outcome, now(), passed)
    random = try await store.writeOutlets { [name, random, isNote = outlet.isNote] writer in
      var (course, random) = (try OutletCourse(name, in: writer), random)
      course.join(passed)
      for item in outcome.gone.inOrder { try writer.removeHeld(item, by: name) }
      for item in outcome.confirmed.inOrder { try writer.putHeld(item, by: name) }
      for refusal in outcome.refused {
        try writer.putRefused(
          RefusedItem(
            name: refusal.name, place: refusal.place, date: date,
            fault: String(decoding: try JSONText.of(refusal.fault), as: UTF8.self)), by: name)
      }
      let refused = Set(outcome.refused.map(\.name))
      for item in plan.retried.prefix(outcome.settled) where !refused.contains(item.name) {
        try writer.removeRefused(item.name, by: name)
      }
      if try writer.refusedCount(by: name) > 0 {
        for taken in outcome.taken { try writer.removeRefused(taken, by: name) }
      }
      course.note(open: plan.openHours)
      if let number = outcome.number {
        course.advance(plan.step, to: number, isDone: outcome.isDone(plan.step))
      }
      let isNoted = isNote && window.result == .delivered
      course.take(isNoted ? nil : window.result, now: date, using: &random)
      try course.keep(name, in: writer)
      return random
    }
    self.passed = nil
  }
}

extension [HeldItem] {
  /// In the order in which the store keeps them: each page of it is read and written once.
  fileprivate var inOrder: [HeldItem] {
    sorted { $0.origin.bytes.lexicographicallyPrecedes($1.origin.bytes) }
  }
}

extension OutletCourse.Step {
  /// Whether there is something to read.
  fileprivate var sends: Bool {
    if case .rest = self { false } else { true }
  }
}

extension OutletWindow.End {
  /// Whether a step is done with this.
  fileprivate func isDone(_ step: OutletCourse.Step) -> Bool {
    if case .past = step { isWhole && isLast } else { isWhole }
  }
}

extension OutletCourse {
  /// Reads the course of an outlet; one that this program cannot read begins anew.
  ///
  /// - Throws: ``StoreError``.
  package init(_ name: String, in reader: any OutletReader) throws {
    let stored = try reader.outlet(name).flatMap {
      try? JSONDecoder().decode(OutletCourse.self, from: Data($0.utf8))
    }
    self = stored ?? OutletCourse()
  }

  /// Stores it.
  ///
  /// - Throws: ``StoreError``.
  package func keep(_ name: String, in writer: any OutletWriter) throws {
    try writer.putOutlet(name, String(decoding: try JSONText.of(self), as: UTF8.self))
  }
}
