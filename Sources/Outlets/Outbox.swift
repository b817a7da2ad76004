import Care
public import Foundation

/// Who is told what, and when: the messages on their way.
///
/// It is a value without a clock and without a store. Whoever keeps it stores what ``takeChanges()``
/// gives before an attempt begins, and again after it has ended, so that a message that left is known
/// to have left. Each message has the name that follows from what it is: whatever happens in between,
/// it is the same one again.
public struct Outbox: Hashable, Sendable {
  /// The messages, by name: all that are active, and those of the last days.
  public private(set) var items: [ItemID: OutboxItem] = [:]
  /// The ways that were tried.
  public private(set) var ways: [WayID: WayState] = [:]
  private var active: Set<ItemID> = []
  private var changedItems: Set<ItemID> = []
  private var changedWays: Set<WayID> = []

  /// The attempts that are due now, and when to look again.
  public struct Step: Hashable, Sendable {
    public var attempts: [OutboxAttempt] = []
    /// When something becomes due; `nil` if nothing will by itself.
    public var wakeAt: Date?

    /// Makes a step that does nothing.
    public init() {}
  }

  /// The messages and ways that differ from what was stored.
  public struct Changes: Hashable, Sendable {
    public var items: [OutboxItem]
    public var ways: [WayID: WayState]

    public var isEmpty: Bool { items.isEmpty && ways.isEmpty }
  }

  /// Something that the box learned so long before the last look may not have been stored then.
  public static let slack: TimeInterval = 600
  /// The longest time for which the box has run between a value and its message, in seconds: a day.
  public static let freshness: TimeInterval = 86_400
  /// After a start everything comes together for so long, in seconds.
  public static let settling: TimeInterval = 60
  /// How long a message is tried, in seconds: a week.
  public static let patience: TimeInterval = 7 * 86_400
  /// How long after it was sent a message is taken back, in seconds: a day.
  public static let takingBack: TimeInterval = 86_400
  /// After so many lost answers in a row the next way is tried.
  static let mostUnknowns = 3
  /// A way that would show a message twice gets it again after so many seconds.
  static let repeating: TimeInterval = 60

  /// Makes an outbox of what was stored.
  public init(items: [OutboxItem] = [], ways: [WayID: WayState] = [:]) {
    for item in items {
      self.items[item.id] = item
      if item.isActive { active.insert(item.id) }
    }
    self.ways = ways
  }

  /// The changes since the last call.
  public mutating func takeChanges() -> Changes {
    defer { (changedItems, changedWays) = ([], []) }
    return Changes(
      items: changedItems.compactMap { items[$0] }.sorted { $0.id < $1.id },
      ways: ways.filter { changedWays.contains($0.key) })
  }

  /// Forgets what came to its end before a date.
  public mutating func forget(before date: Date) {
    items = items.filter { id, item in
      active.contains(id) || item.finished.map { $0 >= date } ?? true
    }
  }

  private mutating func set(_ item: OutboxItem) {
    guard items[item.id] != item else { return }
    items[item.id] = item
    changedItems.insert(item.id)
    if item.isActive { active.insert(item.id) } else { active.remove(item.id) }
  }

  private mutating func set(_ way: WayState, of id: WayID) {
    guard ways[id] != way else { return }
    ways[id] = way
    changedWays.insert(id)
  }
}

// MARK: - People and the clock

extension Outbox {
  /// Ends the attempts that were under way when the program ended: whether they arrived is unknown.
  public mutating func recover(readers: [Recipient: Reader], now: Date) {
    for var item in activeItems where item.state == .trying {
      item.state = .waiting
      if item.answered != nil {
        item.end(as: .withdrawn, now)
      } else if !item.knowsName(at: readers[item.recipient]) {
        beginAgain(&item, now)
      }
      set(item)
    }
  }

  /// Somebody has answered an occasion, or has seen it: nobody else is told.
  ///
  /// - Returns: Whether there is a message of that name.
  @discardableResult public mutating func answer(_ id: ItemID, now: Date) -> Bool {
    guard let item = items[id] else { return false }
    let occasions =
      item.isGroup
      ? Set(items.values.filter { $0.within == id }.compactMap(\.occasion))
      : Set([item.occasion].compactMap(\.self))
    for other in items.values where other.occasion.map(occasions.contains) ?? false {
      close(other, now)
    }
    closeGroups(now)
    return true
  }

  /// The machine's clock was set: what waits for a span of time waits for the rest of it.
  public mutating func clockWasSet(by seconds: TimeInterval, now: Date) {
    for var item in activeItems where item.state == .waiting && item.due > now - seconds {
      item.due += seconds
      set(item)
    }
    for (id, var way) in ways {
      way.next = way.next.map { $0 + seconds }
      set(way, of: id)
    }
  }

  /// Stops or goes on with a way.
  public mutating func pause(_ id: WayID, _ isPaused: Bool) {
    var way = ways[id] ?? WayState()
    way.isPaused = isPaused
    // Whoever goes on does not want to wait for the end of a pause that failures made.
    if !isPaused { way.next = nil }
    set(way, of: id)
  }

  /// Tries again what a person's ways refused.
  ///
  /// - Returns: How many messages.
  @discardableResult public mutating func retryRefused(_ recipient: Recipient, now: Date) -> Int {
    let refused = items.values.filter { $0.recipient == recipient && $0.state == .refused }
    for var item in refused {
      item.state = .waiting
      (item.refusedBy, item.finished, item.way, item.unknowns) = ([], nil, nil, 0)
      item.unsureBy = nil
      item.due = now
      set(item)
      for var member in items.values where member.within == item.id && member.state == .refused {
        member.state = .waiting
        member.finished = nil
        set(member)
      }
    }
    return refused.count
  }
}

// MARK: - Due messages

extension Outbox {
  /// Brings the messages up to date with the facts, and begins the attempts that are due.
  ///
  /// At most one attempt for each person is under way.
  public mutating func step(_ facts: OutboxFacts, now: Date) -> Step {
    plan(facts, now)
    close(facts, now)
    group(facts, now)
    return begin(facts, now)
  }

  private var activeItems: [OutboxItem] {
    active.compactMap { items[$0] }.sorted { ($0.due, $0.id) < ($1.due, $1.id) }
  }

  /// Makes the messages of occasions that are new.
  private mutating func plan(_ facts: OutboxFacts, _ now: Date) {
    let from = min(facts.toldUntil, now) - Self.slack
    for occasion in facts.occasions
    where occasion.noticed >= from && occasion.noticed <= now + Self.slack
      && occasion.isFresh(offs: facts.offs)
    {
      var told: Set<Recipient> = []
      for step in occasion.steps.sorted(by: { $0.after < $1.after }) {
        let isFirst = told.insert(step.recipient).inserted
        let id = occasion.key.id(to: step.recipient, repeatedAfter: isFirst ? nil : step.after)
        guard items[id] == nil, !isTold(step, of: occasion.key.id),
          facts.readers[step.recipient] != nil
        else { continue }
        set(
          OutboxItem(
            id: id, occasion: occasion.key.id, key: occasion.key, recipient: step.recipient,
            happened: occasion.happened, after: step.after, due: occasion.noticed + step.after,
            until: occasion.until, isUrgent: step.isUrgent, showsValue: step.showsValue))
      }
    }
  }

  /// Whether there is a message of a step under another name: its person had another id when it was made.
  private func isTold(_ step: Occasion.Step, of occasion: ItemID) -> Bool {
    items.values.contains {
      $0.occasion == occasion && $0.recipient == step.recipient && $0.after == step.after
    }
  }

  /// Withdraws what somebody answered, what holds no longer and what is of no use any more.
  private mutating func close(_ facts: OutboxFacts, _ now: Date) {
    let open = Set(facts.occasions.map(\.key.id))
    let recent = items.values.filter { item in
      item.hasArrived && item.answered == nil && !item.isGroup
        && item.finished.map { $0 > now - Self.takingBack } ?? false
    }
    for item in activeItems + recent {
      if let occasion = item.occasion, !open.contains(occasion) {
        close(item, now)
      } else if item.state == .waiting {
        if let until = item.until, until <= now {
          close(item, now)
        } else if item.due + Self.patience < now {
          var item = item
          item.end(as: .refused, now)
          set(item)
          finishMembers(of: item, as: .refused, now)
        } else if item.due > now + item.after, !item.isGroup {
          // The clock was set back while nobody saw it: the time begins again.
          var item = item
          item.due = now + item.after
          set(item)
        }
      }
    }
    closeGroups(now)
  }

  private mutating func close(_ item: OutboxItem, _ now: Date) {
    guard item.answered == nil, item.isActive || item.hasArrived else { return }
    var item = item
    item.answered = now
    // The end of an attempt says whether it has arrived.
    if item.state != .trying { item.end(as: .withdrawn, now) }
    set(item)
  }

  /// Withdraws the messages of which every part is withdrawn.
  private mutating func closeGroups(_ now: Date) {
    let groups = items.values.filter { group in
      group.isGroup && group.answered == nil && (group.isActive || group.hasArrived)
    }
    guard !groups.isEmpty else { return }
    let open = Set(items.values.filter { $0.answered == nil }.compactMap(\.within))
    for group in groups where !open.contains(group.id) { close(group, now) }
  }

  /// Makes one message of those that quiet hours held, or that were due while the box was off.
  private mutating func group(_ facts: OutboxFacts, _ now: Date) {
    let waiting = activeItems.filter { item in
      item.state == .waiting && !item.isGroup && item.within == nil && item.attempts == 0
        && item.due <= now
    }
    guard !waiting.isEmpty else { return }
    for (recipient, items) in Dictionary(grouping: waiting, by: \.recipient) {
      guard let reader = facts.readers[recipient] else { continue }
      let isQuiet = reader.quiet?.span(containing: now, in: reader.timeZone) != nil
      let end = reader.quiet?.lastEnd(until: now, in: reader.timeZone)
      var (late, held): ([OutboxItem], [OutboxItem]) = ([], [])
      for item in items where item.isUrgent || !isQuiet {
        if let off = item.off(in: facts.offs) {
          if off.upperBound + Self.settling <= now { late.append(item) }
        } else if !item.isUrgent, let end, item.due < end {
          held.append(item)
        }
      }
      if !late.isEmpty {
        makeGroup(.summary, of: late + held, to: recipient, now)
      } else if held.count > 1 {
        makeGroup(.digest, of: held, to: recipient, now)
      }
    }
  }

  private mutating func makeGroup(
    _ kind: Occasion.Kind, of members: [OutboxItem], to recipient: Recipient, _ now: Date
  ) {
    let happened = members.map(\.happened).min() ?? now
    let key = Occasion.Key(
      kind, subject: ItemID(of: members.map(\.id.text).sorted()).text, occurrence: happened)
    let group = OutboxItem(
      id: key.id(to: recipient, repeatedAfter: nil), occasion: nil, key: key, recipient: recipient,
      happened: happened, due: now, isUrgent: members.contains(where: \.isUrgent),
      showsValue: members.allSatisfy(\.showsValue))
    guard items[group.id] == nil else { return }
    set(group)
    for var member in members {
      member.within = group.id
      set(member)
    }
  }

  /// Begins the attempts that are due.
  private mutating func begin(_ facts: OutboxFacts, _ now: Date) -> Step {
    var step = Step()
    func wake(_ date: Date) { step.wakeAt = min(step.wakeAt ?? date, date) }
    let candidates = activeItems.filter { $0.within == nil || $0.awaitsTakingBack }
    for (recipient, items) in Dictionary(grouping: candidates, by: \.recipient)
      .sorted(by: { $0.key < $1.key })
    {
      guard let reader = facts.readers[recipient], !reader.ways.isEmpty,
        !items.contains(where: { $0.state == .trying })
      else { continue }
      var ready: [OutboxItem] = []
      for item in items {
        let date = item.awaitsTakingBack ? now : item.readyDate(reader, facts.offs, now)
        if date <= now { ready.append(item) } else { wake(date) }
      }
      for var item in ready.sorted(by: { $0.goesBefore($1) }) {
        let way: WayID
        switch choice(for: item, among: reader.ways.count, now) {
        case .none:
          item.end(as: .refused, now)
          set(item)
          finishMembers(of: item, as: .refused, now)
          continue
        case .paused: continue
        case .later(let date):
          wake(date)
          continue
        case .now(let chosen): way = chosen
        }
        let takesBack = item.awaitsTakingBack
        if !takesBack {
          item.state = .trying
          // The other side may have the message already: under the same way's name it shows once.
          item.way = way.index
        }
        item.attempts = min(item.attempts + 1, 1_000_000)
        set(item)
        step.attempts.append(
          OutboxAttempt(
            item: item, members: members(of: item), way: way, takesBack: takesBack))
        break
      }
    }
    return step
  }

  private func members(of item: OutboxItem) -> [OutboxItem] {
    guard item.isGroup else { return [] }
    return items.values.filter { $0.within == item.id && $0.answered == nil }
      .sorted { ($0.due, $0.id) < ($1.due, $1.id) }
  }

  private enum Choice {
    case now(WayID), later(Date)
    /// A person stopped every way that is left.
    case paused
    /// Every way has refused it.
    case none
  }

  /// The way by which an item is tried: that which may have it already, else the first that works.
  private func choice(for item: OutboxItem, among count: Int, _ now: Date) -> Choice {
    let indices = item.way.map { $0..<$0 + 1 } ?? 0..<count
    let usable = indices.filter { $0 < count && !item.refusedBy.contains($0) }
    guard !usable.isEmpty else { return .none }
    // One that has lost its answers comes after the others, and before none.
    let isUnsure: (Int) -> Bool = { item.unsureBy?.contains($0) ?? false }
    let ordered = usable.filter { !isUnsure($0) } + usable.filter(isUnsure)
    let open = ordered.map { WayID(item.recipient, $0) }
      .filter { !(ways[$0]?.isPaused ?? false) }
    guard !open.isEmpty else { return .paused }
    if let way = open.first(where: { (ways[$0]?.next ?? now) <= now }) { return .now(way) }
    return open.compactMap { ways[$0]?.next }.min().map(Choice.later) ?? .paused
  }
}

// MARK: - How an attempt ended

extension Outbox {
  /// Takes the end of an attempt.
  public mutating func end(
    _ attempt: OutboxAttempt, _ result: DeliveryResult, readers: [Recipient: Reader], now: Date,
    using random: inout some RandomNumberGenerator
  ) {
    note(result, of: attempt.way, now, using: &random)
    guard var item = items[attempt.item.id] else { return }
    if attempt.takesBack {
      switch result {
      case .delivered: item.isTakenBack = true
      case .refused: item.isTakenBack = false
      case .later, .unknown:
        if item.finished.map({ $0 < now - Self.takingBack }) ?? true { item.isTakenBack = false }
      }
      set(item)
      return
    }
    guard item.state == .trying else { return }
    switch result {
    case .delivered:
      (item.fault, item.unknowns) = (nil, 0)
      item.end(as: item.isPerhapsTwice ? .perhaps : .sent, now)
    case .later(let fault, _):
      // A way that answers has not got it, so that another one may be tried.
      (item.fault, item.unknowns, item.way, item.state) = (fault, 0, nil, .waiting)
    case .refused(let fault):
      item.refusedBy.insert(attempt.way.index)
      (item.fault, item.unknowns, item.way, item.state) = (fault, 0, nil, .waiting)
      let count = readers[item.recipient]?.ways.count ?? 0
      if (0..<count).allSatisfy(item.refusedBy.contains) { item.end(as: .refused, now) }
    case .unknown(let fault):
      item.fault = fault
      item.unknowns += 1
      item.state = .waiting
      if !item.knowsName(at: readers[item.recipient]) { beginAgain(&item, now) }
      if item.unknowns >= Self.mostUnknowns,
        let count = readers[item.recipient]?.ways.count, item.refusedBy.count + 1 < count
      {
        // Perhaps twice is better than perhaps never.
        let lost = (item.unsureBy ?? []).union([attempt.way.index])
        // Where all of them lose their answers, each has its turn.
        let isEvery = lost.union(item.refusedBy).count >= count
        item.unsureBy = isEvery ? [attempt.way.index] : lost
        (item.unknowns, item.way) = (0, nil)
      }
    }
    let state = item.state
    if item.answered != nil { item.end(as: .withdrawn, now) }
    set(item)
    if state != .waiting { finishMembers(of: item, as: state, now) }
  }

  /// Lets a message that may have arrived go again by a way that would show it twice: not at once,
  /// since most answers that are lost are late.
  private mutating func beginAgain(_ item: inout OutboxItem, _ now: Date) {
    guard let index = item.way else { return }
    item.isPerhapsTwice = true
    let id = WayID(item.recipient, index)
    var way = ways[id] ?? WayState()
    way.next = max(way.next ?? now, now + Self.repeating)
    set(way, of: id)
  }

  private mutating func finishMembers(
    of group: OutboxItem, as state: OutboxItem.State, _ now: Date
  ) {
    guard group.isGroup else { return }
    for var member in items.values where member.within == group.id && member.state == .waiting {
      member.end(as: state, now)
      set(member)
    }
  }

  private mutating func note(
    _ result: DeliveryResult, of id: WayID, _ now: Date,
    using random: inout some RandomNumberGenerator
  ) {
    var way = ways[id] ?? WayState()
    func failed(_ fault: DeliveryFault, _ asked: Duration?) {
      way.next = now + way.backOff.fail(asked: asked, using: &random) / .seconds(1)
      (way.lastFailure, way.fault) = (now, fault)
    }
    switch result {
    case .delivered:
      way.backOff.succeed()
      (way.next, way.lastSuccess, way.fault) = (nil, now, nil)
    // It works, and goes on with what it takes.
    case .refused:
      way.backOff.succeed()
      way.next = nil
    case .later(let fault, let asked): failed(fault, asked)
    case .unknown(let fault): failed(fault, nil)
    }
    set(way, of: id)
  }
}

extension Occasion {
  /// Whether it is of the present: the box has run for less than a day since it happened.
  fileprivate func isFresh(offs: [Range<Date>]) -> Bool {
    guard happened < noticed else { return true }
    let off = offs.reduce(0.0) { sum, off in
      let common = off.clamped(to: happened..<noticed)
      return sum + common.upperBound.timeIntervalSince(common.lowerBound)
    }
    return noticed.timeIntervalSince(happened) - off <= Outbox.freshness
  }
}

extension OutboxItem {
  fileprivate mutating func end(as state: State, _ now: Date) {
    self.state = state
    finished = now
  }

  /// Whether the way that may have it shows it once.
  fileprivate func knowsName(at reader: Reader?) -> Bool {
    guard let reader, let way, reader.ways.indices.contains(way) else { return false }
    return reader.ways[way].knowsNames
  }

  /// The time for which the box was off when it was due, or when it happened.
  fileprivate func off(in offs: [Range<Date>]) -> Range<Date>? {
    guard !isGroup else { return nil }
    return offs.last { off in off.contains(due) || after == 0 && off.contains(happened) }
  }

  /// When it may be sent.
  fileprivate func readyDate(_ reader: Reader, _ offs: [Range<Date>], _ now: Date) -> Date {
    var date = due
    if attempts == 0, let off = off(in: offs) { date = max(date, off.upperBound + Outbox.settling) }
    guard !isUrgent, let quiet = reader.quiet else { return date }
    return quiet.span(containing: max(date, now), in: reader.timeZone)?.upperBound ?? date
  }

  fileprivate func goesBefore(_ other: OutboxItem) -> Bool {
    if isUrgent != other.isUrgent { return isUrgent }
    return (due, id) < (other.due, other.id)
  }
}
