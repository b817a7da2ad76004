import Care
import Foundation
import Outlets
import TestSupport

/// Years of a household with its box, its receivers and everything that goes wrong, by one seed.
///
/// The messages that must arrive are judged from the views of the receivers and the true events, by
/// rules of its own: nothing of the outbox is asked for it.
struct OutboxSimulation {
  /// A happening of the household, as it truly was.
  final class Truth {
    let key: Occasion.Key
    let happened: Date
    /// When the box learned of it; `nil` until then.
    var noticed: Date?
    /// When a person answered, or it held no longer.
    var closed: Date?
    /// From when on a reminder is of no use.
    let until: Date?
    let steps: [Occasion.Step]
    /// Whether it is an old record out of a device's memory.
    var isPast = false

    init(
      _ key: Occasion.Key, happened: Date, closed: Date?, until: Date? = nil,
      steps: [Occasion.Step]
    ) {
      (self.key, self.happened, self.closed) = (key, happened, closed)
      (self.until, self.steps) = (until, steps)
    }
  }

  /// One message that a receiver took.
  struct Arrival {
    var id: ItemID
    var kind: Occasion.Kind
    var way: WayID
    var begun: Date
    var time: Date
    /// The occasions that it tells, with the time after which.
    var tells: [Occasion.Key]
    var isUrgent: Bool
  }

  /// A request that was not taken, or whose answer was lost.
  struct Failure {
    var id: ItemID
    var way: WayID
    var time: Date
    var tells: [Occasion.Key]
    var isRefusal: Bool
  }

  enum Event {
    case happens(Truth), arrivesOld(Truth, Date), closes(Truth), goesOff, goesOn, dies, wakes
    case ends(OutboxAttempt, DeliveryResult, generation: Int)
    case nothing
  }

  static let john = Recipient(patient: "john")
  static let nora = Recipient(contact: "nora")
  static let tom = Recipient(contact: "tom", of: "john")
  static let doctor = Recipient(contact: "doctor")

  var random: SeededGenerator
  let start: Date
  let end: Date
  let readers: [Recipient: Reader]
  var truths: [Truth] = []
  var offs: [Range<Date>] = []
  var downs: [WayID: [Range<Date>]] = [:]
  var deaths: [Date] = []
  var arrivals: [Arrival] = []
  var failures: [Failure] = []
  var takenBack: Set<ItemID> = []
  var steps = 0
  /// The messages that the box shows as refused, or as perhaps sent twice.
  var parked: [ItemID: OutboxItem] = [:]

  // The box: its memory, and what is durable.
  private var outbox = Outbox()
  private var storedItems: [ItemID: OutboxItem] = [:]
  private var storedWays: [WayID: WayState] = [:]
  private var alive: Date
  private var toldUntil: Date
  /// Whether it has looked since its start.
  private var hasLooked = true
  private var knownOffs: [Range<Date>] = []
  private var isOn = true
  private var generation = 0
  private var queue = EventQueue()
  private var open: [Truth] = []
  private var plannedWake: Date?

  init(seed: UInt64, days: Int = 365) throws {
    random = SeededGenerator(seed: seed)
    let zones = ["Europe/Berlin", "America/Los_Angeles", "Australia/Lord_Howe", "Asia/Taipei"]
    let home = TimeZone(identifier: zones[Int(seed % 4)]) ?? .gmt
    let away = TimeZone(identifier: "America/New_York") ?? .gmt
    let year = 2_026 + Int(seed / 4 % 10)
    start = LocalDateTime(year: year, month: 1, day: 1).resolved(in: home) ?? .distantPast
    end = start + Double(days) * 86_400
    let short = seed % 3 == 0
    readers = [
      Self.john: Reader(
        ways: [.init()], quiet: QuietHours(from: 1_320, to: 420), timeZone: home),
      Self.nora: Reader(
        ways: [.init(), .init()],
        quiet: short ? QuietHours(from: 1_410, to: 150) : QuietHours(from: 1_380, to: 390),
        timeZone: home),
      Self.tom: Reader(
        ways: [.init(knowsNames: seed % 2 == 0)], quiet: QuietHours(from: 30, to: 360),
        timeZone: away),
      Self.doctor: Reader(ways: [.init()], timeZone: home),
    ]
    (alive, toldUntil) = (start, start)
    makeWorld(days: days, in: home)
  }

  // MARK: The world

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private mutating func pause(mean seconds: Double) -> Double {
    -seconds * log(Double.random(in: 0.000_1...1, using: &random))
  }

  private mutating func spans(perYear: Int, days: Int, longest: Double) -> [Range<Date>] {
    var spans: [Range<Date>] = []
    for _ in 0..<max(1, perYear * days / 365) {
      let begin = start + Double.random(in: 86_400...Double(days) * 86_400, using: &random)
      let length = min(longest, 60 + pause(mean: chance(30) ? longest / 2 : 3_600))
      let span = begin..<begin + length
      if !spans.contains(where: { $0.overlaps(span.lowerBound - 7_200..<span.upperBound + 7_200) })
      {
        spans.append(span)
      }
    }
    return spans.sorted { $0.lowerBound < $1.lowerBound }
  }

  private mutating func makeWorld(days: Int, in zone: TimeZone) {
    offs = spans(perYear: 24, days: days, longest: 72 * 3_600)
    for (recipient, reader) in readers.sorted(by: { $0.key < $1.key }) {
      for index in reader.ways.indices {
        downs[WayID(recipient, index)] = spans(perYear: 16, days: days, longest: 72 * 3_600)
      }
    }
    for off in offs {
      queue.add(.goesOff, at: off.lowerBound)
      queue.add(.goesOn, at: off.upperBound)
    }
    for _ in 0..<days / 6 {
      let death = start + Double.random(in: 0...Double(days) * 86_400, using: &random)
      if !offs.contains(where: { $0.contains(death) }) {
        queue.add(.dies, at: death)
      }
    }
    for day in 0..<days { makeDay(day, in: zone) }
    for truth in truths {
      if let closed = truth.closed { queue.add(.closes(truth), at: closed) }
    }
  }

  private mutating func makeDay(_ day: Int, in zone: TimeZone) {
    let date = LocalDateTime(start + Double(day) * 86_400 + 43_200, in: zone)
    func local(_ hour: Int, _ minute: Int = 0) -> Date {
      LocalDateTime(
        year: date.year, month: date.month, day: date.day, hour: hour, minute: minute
      ).resolved(in: zone) ?? start
    }
    let begin = local(chance(20) ? 21 : 8)
    let over = begin + 7_200
    let done: Date? = chance(60) ? begin + pause(mean: 3_600) : nil
    if done.map({ $0 > begin + 1_800 }) ?? true {
      happens(
        Truth(
          .init(.reminder, patient: "john", task: "weigh", subject: "0", occurrence: begin),
          happened: begin + 1_800, closed: done.map { min($0, over) } ?? over, until: over,
          steps: [.init(Self.john)]))
    }
    if done.map({ $0 > over }) ?? true {
      happens(
        Truth(
          .init(.missed, patient: "john", task: "weigh", occurrence: begin), happened: over,
          closed: done ?? (chance(50) ? over + pause(mean: 20_000) : nil),
          steps: [
            .init(Self.nora), .init(Self.tom, after: 3_600),
            .init(Self.doctor, after: 6 * 3_600, isUrgent: true),
          ]))
    }
    if chance(60) {
      let at = local(0) + Double.random(in: 0..<86_400, using: &random)
      happens(
        Truth(
          .init(.alert, patient: "john", task: "pressure", subject: "high", occurrence: at),
          happened: at, closed: chance(60) ? at + pause(mean: 2_400) : nil,
          steps: [
            .init(Self.nora, isUrgent: true), .init(Self.tom, after: 1_800),
            .init(Self.nora, after: 2_700, isUrgent: true),
            .init(Self.doctor, after: 7_200, isUrgent: true),
          ]))
    }
    if chance(15) {
      let at = local(0) + Double.random(in: 0..<86_400, using: &random)
      let delay = chance(50) ? pause(mean: 3_600) : 30 * 3_600 + pause(mean: 3 * 86_400)
      let truth = Truth(
        .init(.alert, patient: "john", task: "memory", subject: "low", occurrence: at),
        happened: at, closed: nil, steps: [.init(Self.nora, isUrgent: true), .init(Self.tom)])
      truths.append(truth)
      queue.add(.arrivesOld(truth, at), at: at + delay)
    }
    for (kind, percent) in [(Occasion.Kind.question, 30), (.machine, 4), (.message, 30)]
    where chance(percent) {
      let at = local(0) + Double.random(in: 0..<86_400, using: &random)
      happens(
        Truth(
          .init(kind, subject: "\(day)", occurrence: at), happened: at,
          closed: kind == .message || chance(40) ? nil : at + pause(mean: 40_000),
          steps: [.init(Self.nora), .init(Self.doctor, after: kind == .machine ? 86_400 : 0)]))
    }
  }

  private mutating func happens(_ truth: Truth) {
    truths.append(truth)
    queue.add(.happens(truth), at: truth.happened)
  }

  // MARK: The run

  mutating func run() {
    let stop = end + 12 * 86_400
    while let (time, event) = queue.next(), time < stop {
      switch event {
      case .happens(let truth):
        // An event that a person left undone is known by itself; the rest while the box runs.
        if truth.key.kind == .missed || isOn { truth.noticed = time }
        open.append(truth)
      case .arrivesOld(let truth, _):
        truth.noticed = isOn ? time : nil
        open.append(truth)
      case .closes(let truth): open.removeAll { $0 === truth }
      case .goesOff:
        noteLife(time)
        isOn = false
        generation += 1
      case .goesOn: startBox(time)
      case .dies:
        guard isOn else { continue }
        deaths.append(time)
        noteLife(time)
        startBox(time)
      case .wakes:
        guard isOn, plannedWake == time else { continue }
        plannedWake = nil
      case .ends(let attempt, let result, let generation):
        guard isOn, generation == self.generation else { continue }
        outbox.end(attempt, result, readers: readers, now: time, using: &random)
        commit()
      case .nothing: break
      }
      if isOn { look(time) }
    }
  }

  /// Notes the last sign of life, which is at most a quarter of an hour old; a box that died before its
  /// first look has given none.
  private mutating func noteLife(_ now: Date) {
    let age = Double.random(in: 0...900, using: &random)
    if hasLooked { alive = max(alive, now - age) }
  }

  private mutating func startBox(_ now: Date) {
    (isOn, plannedWake, hasLooked) = (true, nil, false)
    generation += 1
    if now.timeIntervalSince(alive) > 1_200 {
      // A start that saw nothing is part of the same time.
      if let last = knownOffs.last, alive < last.upperBound { knownOffs.removeLast() }
      knownOffs.append(alive..<now)
    }
    knownOffs.removeAll { $0.upperBound < now - 7 * 86_400 }
    toldUntil = alive
    outbox = Outbox(items: Array(storedItems.values), ways: storedWays)
    outbox.recover(readers: readers, now: now)
    for truth in open where truth.noticed == nil { truth.noticed = now }
  }

  private mutating func commit() {
    let changes = outbox.takeChanges()
    for item in changes.items {
      storedItems[item.id] = item
      if item.state == .refused || item.isPerhapsTwice { parked[item.id] = item }
    }
    storedWays.merge(changes.ways) { $1 }
  }

  private mutating func look(_ now: Date) {
    steps += 1
    open.removeAll { truth in
      truth.until.map { $0 <= now } ?? false || truth.happened < now - 12 * 86_400
    }
    let facts = OutboxFacts(
      occasions: open.compactMap { truth in
        truth.noticed.map {
          Occasion(
            truth.key, happened: truth.happened, noticed: $0, until: truth.until,
            steps: truth.steps)
        }
      }, readers: readers, toldUntil: toldUntil, offs: knownOffs)
    let step = outbox.step(facts, now: now)
    // Killed before anything was stored: all of it happens again.
    if !step.attempts.isEmpty, chance(1) { return queue.add(.dies, at: now) }
    commit()
    (toldUntil, hasLooked) = (now, true)
    for attempt in step.attempts { send(attempt, now) }
    if let wake = step.wakeAt {
      let date = max(wake, now + 0.001)
      if plannedWake.map({ date < $0 || $0 <= now }) ?? true {
        plannedWake = date
        queue.add(.wakes, at: date)
      }
    }
    outbox.forget(before: now - 8 * 86_400)
    if storedItems.count > 400 { storedItems = outbox.items }
  }

  // MARK: The receivers

  private mutating func send(_ attempt: OutboxAttempt, _ now: Date) {
    let length = Double.random(in: 0.1...2, using: &random)
    let isDown = downs[attempt.way]?.contains { $0.contains(now) } ?? false
    var (result, arrives, time) = (DeliveryResult.delivered, true, now + length)
    let digit = attempt.item.id.text.utf8.reduce(0) { ($0 * 31 + Int($1)) % 1_009 }
    if isDown {
      arrives = false
      let isSilent = digit % 3 == 0
      result = isSilent ? .unknown(.timeout) : .later(.unreachable("x"), after: nil)
      if isSilent { time = now + 30 }
    } else if digit % 101 == attempt.way.index, !attempt.takesBack {
      (result, arrives) = (.refused(.message(detail: "400")), false)
    } else if chance(6) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: (result, arrives) = (DeliveryResult(status: 503, retryAfter: nil, detail: ""), false)
      case 1:
        (result, arrives) = (DeliveryResult(status: 429, retryAfter: "300", detail: ""), false)
      case 2: (result, arrives) = (DeliveryResult(status: 500, retryAfter: nil, detail: ""), false)
      case 3: (result, arrives, time) = (.unknown(.timeout), false, now + 30)
      case 4: (result, time) = (.unknown(.timeout), now + 30)
      default: result = .unknown(.unexpected(detail: "cut"))
      }
    }
    // Killed between what was stored and the request, or between the request and its answer.
    let fate = Int.random(in: 0..<100, using: &random)
    if fate == 0 {
      note(attempt, .unknown(.timeout), now)
      return queue.add(.dies, at: now)
    }
    if result != .delivered || fate == 1 { note(attempt, result, now) }
    if arrives { take(attempt, begun: now, at: now + min(length, time.timeIntervalSince(now))) }
    if fate == 1 { return queue.add(.dies, at: time) }
    queue.add(.ends(attempt, result, generation: generation), at: time)
  }

  private mutating func note(_ attempt: OutboxAttempt, _ result: DeliveryResult, _ now: Date) {
    var isRefusal = false
    if case .refused = result { isRefusal = true }
    let parts = attempt.item.isGroup ? attempt.members : [attempt.item]
    failures.append(
      Failure(
        id: attempt.item.id, way: attempt.way, time: now, tells: parts.map(\.key),
        isRefusal: isRefusal))
  }

  private mutating func take(_ attempt: OutboxAttempt, begun: Date, at time: Date) {
    if attempt.takesBack {
      takenBack.insert(attempt.item.id)
      return
    }
    let parts = attempt.item.isGroup ? attempt.members : [attempt.item]
    arrivals.append(
      Arrival(
        id: attempt.item.id, kind: attempt.item.key.kind, way: attempt.way, begun: begun,
        time: time, tells: parts.map(\.key), isUrgent: attempt.item.isUrgent))
  }
}

/// The events, by time and then by order.
struct EventQueue {
  private var heap: [(Date, Int, OutboxSimulation.Event)] = []
  private var count = 0

  mutating func add(_ event: OutboxSimulation.Event, at date: Date) {
    heap.append((date, count, event))
    count += 1
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func next() -> (Date, OutboxSimulation.Event)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      var parent = 0
      while true {
        let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
        guard let least = children.min(by: { isBefore($0, $1) }), isBefore(least, parent) else {
          break
        }
        heap.swapAt(least, parent)
        parent = least
      }
    }
    return (first.0, first.2)
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    (heap[a].0, heap[a].1) < (heap[b].0, heap[b].1)
  }
}
