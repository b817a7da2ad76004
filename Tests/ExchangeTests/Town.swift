import Care
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CareStore
@testable import Exchange

/// Random names that a seed determines, shared by every store of a town.
final class Names: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

  func bytes() -> [UInt8] { generator.withLock { $0.bytes(16) } }

  func uuid() -> UUID {
    var bytes = bytes()
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let hex = bytes.hexString.map(String.init)
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { hex[$0].joined() }
    return UUID(uuidString: groups.joined(separator: "-")) ?? UUID()
  }

  func channel() -> ChannelID { ChannelID(bytes: bytes()) }
}

/// A step of a town's history, in order.
enum Step: Hashable, Sendable {
  /// Who stores something.
  enum Who: Hashable, Sendable { case box(Int), centre }
  /// The thing that is stored.
  enum What: CaseIterable, Sendable { case note, change, sample, assignment, hour, long }
  /// The fault of the last request of an exchange.
  enum Fault: CaseIterable, Sendable {
    case none
    /// The request is lost, or its answer, or the box stops before it takes the answer.
    case lost, unanswered, stopped
    /// The request arrives once more, later.
    case repeated
    /// The box gives up, and the request arrives later.
    case slow
    /// The answer arrives later.
    case late
  }

  case write(Who, What, person: Int, choice: Int)
  case exchange(Int, requests: Int, Fault)
  case erase(Who, person: Int)
  case backUp(Who)
  case restore(Who, Int)
  case clone(Int)
  case prune(Int)
  case bind(Int, person: Int)
  case unbind(Int, person: Int)
  case otherCentre(Int)
  case replace(Int)
  case arriveLate(Int)
  case answerLate(Int)

  static func x(_ box: Int, _ requests: Int = 400, _ fault: Fault = .none) -> Step {
    .exchange(box, requests: requests, fault)
  }
  static func w(
    _ who: Who, _ what: What = .note, _ person: Int = 0, _ choice: Int = 1
  ) -> Step { .write(who, what, person: person, choice: choice) }
}

/// Boxes and centres with stores of their own, and what went wrong in the end.
///
/// A (0) and B (1) share the person p0, A has p1 and X (2) has p2.
final class Town {
  /// A store with what its process keeps in memory.
  final class Node {
    let name: String
    var key: String
    var store: SQLStore
    var backups: [SQLStore] = []
    var session: BoxSession
    var centre = 0
    var version = 1

    init(_ name: String, key: String, store: SQLStore) {
      (self.name, self.key, self.store) = (name, key, store)
      session = BoxSession(centre: "C", version: 1, limits: Town.limits)
    }
  }

  static let limits = BatchLimits(rows: 3, bytes: 6000)
  static let start = Date(timeIntervalSince1970: 1_796_000_000)
  private static let people = 3
  private static let mostBoxes = 6

  private let names: Names
  private(set) var centres: [Node] = []
  private(set) var boxes: [Node] = []
  private var bound: [Int: Set<String>] = [0: ["A", "B"], 1: ["A"], 2: ["X"]]
  private var replaced: Set<String> = []
  private var late: [(Int, String, Request)] = []
  private var answers: [(Node, Request, Reply)] = []
  private(set) var faults = 0
  private var time = 0
  private var count = 0
  /// The lines that every store was seen to say, with whom they concerned.
  private var facts: [String: Set<String>] = [:]
  /// The samples that changes are of, by the name of the change.
  private var targets: [String: String] = [:]
  private var lost: Set<String> = []
  private var erased: Set<String> = []
  private(set) var findings: [String] = []
  private(set) var events: [ExchangeEvent] = []
  /// How often each row was sent by whom to whom.
  private var sent: [String: Int] = [:]
  private(set) var rowsSent = 0
  private(set) var requests = 0
  var log: [String]?
  /// How often two sides started over.
  private var openings: Int { events.count { $0 != .twin } }

  init(seed: UInt64 = 1) async throws {
    names = Names(seed: seed)
    for name in ["C", "D"] {
      centres.append(Node(name, key: name, store: try TestEngine.makeStore(makeUUID: names.uuid)))
    }
    for name in ["A", "B", "X"] {
      boxes.append(Node(name, key: name, store: try TestEngine.makeStore(makeUUID: names.uuid)))
    }
    for key in ["A", "B", "X"] { try await enrol(key) }
  }

  private func person(_ number: Int) -> String { "p\(number % Self.people)" }
  private var centre: Centre { Centre(version: 1, limits: Self.limits) }
  private var nodes: [Node] { boxes + centres }

  private func node(_ who: Step.Who) -> Node {
    switch who {
    case .centre: centres[0]
    case .box(let index): boxes[index % boxes.count]
    }
  }

  private func box(_ index: Int) -> Node { boxes[index % boxes.count] }

  /// Tells both centres whom a box has: it is outside of what a restoration sets back.
  private func enrol(_ key: String) async throws {
    let people = Set(bound.filter { $0.value.contains(key) }.keys.map(person))
    let membership = Membership(
      people: replaced.contains(key) ? [] : people, former: had[key] ?? [],
      isReplaced: replaced.contains(key))
    had[key, default: []].formUnion(people)
    for node in centres {
      let centre = centre
      try await node.store.exchanging { try centre.set(membership, of: key, in: $0) }
    }
  }
  private var had: [String: Set<String>] = [:]

  // MARK: - Steps

  func perform(_ step: Step) async throws {
    time += 1
    if log != nil { say("\(step)") }
    switch step {
    case .write(let who, let what, let person, let choice):
      try await write(node(who), what, self.person(person), choice)
    case .exchange(let index, let requests, let fault):
      try await exchange(box(index), requests, fault)
    case .erase(let who, let person): try await erase(self.person(person), at: node(who))
    case .backUp(let who): try await backUp(node(who))
    case .restore(let who, let which): try await restore(node(who), which)
    case .clone(let index):
      guard boxes.count < Self.mostBoxes else { return }
      let original = box(index)
      let copy = Node(
        "\(original.name)'\(boxes.count)", key: original.key, store: try copied(original.store))
      (copy.centre, copy.session, copy.version) =
        (original.centre, newSession(original), original.version)
      boxes.append(copy)
      faults += 1
    case .prune(let index):
      let box = box(index)
      let session = box.session
      let pruned = try await box.store.exchanging { try session.prune(in: $0) }
      say("pruned \(pruned)")
    case .bind(let index, let person):
      bound[person % Self.people, default: []].insert(box(index).key)
      try await enrol(box(index).key)
    case .unbind(let index, let person):
      bound[person % Self.people, default: []].remove(box(index).key)
      try await enrol(box(index).key)
    case .otherCentre(let index):
      let box = box(index)
      box.centre = 1 - box.centre
      box.session = newSession(box)
      faults += 1
    case .replace(let index): try await replace(box(index))
    case .arriveLate(let which):
      guard !late.isEmpty else { return }
      let (centre, key, request) = late.remove(at: which % late.count)
      _ = try await answer(request, from: key, at: centres[centre])
    case .answerLate(let which):
      guard !answers.isEmpty else { return }
      let (box, request, answer) = answers.remove(at: which % answers.count)
      if case .put = request, case .taken = answer { try await take(answer, to: request, by: box) }
    }
  }

  private func newSession(_ box: Node) -> BoxSession {
    BoxSession(centre: centres[box.centre].name, version: box.version, limits: Self.limits)
  }

  private func replace(_ old: Node) async throws {
    let isAlone = !boxes.contains { $0 !== old && $0.key == old.key }
    guard boxes.count < Self.mostBoxes, isAlone, !replaced.contains(old.key) else { return }
    let new = Node(
      "\(old.name)+\(boxes.count)", key: "\(old.key)+\(boxes.count)",
      store: try TestEngine.makeStore(makeUUID: names.uuid))
    new.centre = old.centre
    new.session = newSession(new)
    for person in bound.keys where bound[person]?.contains(old.key) == true {
      bound[person]?.remove(old.key)
      bound[person]?.insert(new.key)
    }
    replaced.insert(old.key)
    boxes.append(new)
    try await enrol(old.key)
    try await enrol(new.key)
    faults += 1
  }

  private func write(_ node: Node, _ what: Step.What, _ person: String, _ choice: Int) async throws
  {
    count += 1
    let number = count
    let now = Self.start + Double(time)
    let before = try await node.store.exchanging { try $0.lastStored() }
    do {
      try await node.store.write { writer in
        if try !writer.patients().contains(where: { $0.id == person }) {
          _ = try writer.put(Patient(id: person, name: PersonName(given: person)), now: now)
        }
        let samples = try writer.samples(
          SampleQuery(owner: .anyone, states: Set(Sample.State.allCases))
        )
        .filter { !$0.reading.isStreamed }.sorted { $0.identity.text < $1.identity.text }
        switch what {
        case .note:
          _ = try writer.put(
            Note(id: "n\(number)", patient: person, content: "text \(number)"), now: now)
        case .long:
          _ = try writer.put(
            Note(
              id: "n\(number)", patient: person,
              content: String(repeating: "long ", count: Self.limits.bytes / 5 + 400)), now: now)
        case .sample:
          let owner = choice % 5 == 4 ? nil : person
          _ = try writer.insert(.weight(number, of: owner, at: now))
        case .hour:
          let hour = Double(number) * 3600
          for second in 0..<(3 + choice % 3) {
            _ = try writer.insert(
              .beat(60 + Double(choice), of: person, at: Self.start + hour + Double(second)))
          }
        case .change:
          let notes = try writer.things(Note.self, patient: nil).sorted { $0.id < $1.id }
          if choice.isMultiple(of: 2), !samples.isEmpty {
            let contexts: [MeasurementContext] = [.bodyMovement, .cuffTooLoose, .irregularPulse]
            _ = try writer.addContext(
              contexts[number % 3], to: samples[choice % samples.count].identity)
          } else if !notes.isEmpty {
            var note = notes[choice % notes.count]
            note.content = "changed \(number)"
            _ = try writer.put(note, now: now)
          }
        case .assignment:
          guard !samples.isEmpty else { return }
          _ = try writer.change(
            .sample(samples[choice % samples.count].identity), .assign(patient: person),
            reason: nil, now: now)
        }
      }
    } catch is StoreError {
      // An erased person's id is taken for good.
    }
    // An hour that is over.
    try await node.store.writing { try $0.packOpenBlocks(before: .max) }
    for (fact, people) in try await said(node.store, after: before) {
      facts[fact, default: []].formUnion(people)
    }
    for (name, row) in try await travelling(node) {
      switch name.kind {
      case .sample: targets[name.text] = name.key
      case .change: targets[name.text] = Self.text("identity", of: row)
      default: break
      }
    }
  }

  private func erase(_ person: String, at node: Node) async throws {
    let before = try await said(node.store, after: 0)
    let now = Self.start + Double(time)
    do {
      try await node.store.erase(patient: person, now: now)
    } catch StoreError.unknown {
      return
    }
    erased.insert(person)
    let after = try await said(node.store, after: 0)
    lost.formUnion(Set(before.keys).subtracting(after.keys))
    for (fact, people) in after { facts[fact, default: []].formUnion(people) }
  }

  private func backUp(_ node: Node) async throws {
    node.backups = Array((node.backups + [try copied(node.store)]).suffix(2))
    guard centres.contains(where: { $0 === node }), let oldest = node.backups.first else { return }
    let centre = centre
    let kept = try await oldest.exchanging { try centre.contents(in: $0) }
    try await node.store.exchanging { try centre.setKept(kept, in: $0) }
  }

  private func restore(_ node: Node, _ which: Int) async throws {
    guard !node.backups.isEmpty else { return }
    let before = try await said(node.store, after: 0)
    node.store = try copied(node.backups[which % node.backups.count])
    node.session = newSession(node)
    faults += 1
    var left: Set<String> = []
    for other in nodes { left.formUnion(try await said(other.store, after: 0).keys) }
    lost.formUnion(Set(before.keys).subtracting(left))
    // Who belongs to a centre is known beside its store.
    for key in Set(boxes.map(\.key)) { try await enrol(key) }
  }

  private func copied(_ store: SQLStore) throws -> SQLStore {
    try TestEngine.copy(of: store, makeUUID: names.uuid)
  }

  // MARK: - Exchange

  private func exchange(_ box: Node, _ most: Int, _ fault: Step.Fault) async throws {
    box.session.restart()
    for number in 1...most {
      guard let request = try await next(box) else { return }
      let now: Step.Fault = number == most ? fault : .none
      if now != .none { faults += 1 }
      switch now {
      case .slow:
        late.append((box.centre, box.key, request))
        box.session.timeOut()
        return
      case .lost:
        box.session.restart()
        return
      case .none, .unanswered, .stopped, .repeated, .late: break
      }
      let answer = try await answer(request, from: box.key, at: centres[box.centre])
      switch now {
      case .unanswered, .stopped:
        box.session = newSession(box)
        return
      case .late:
        answers.append((box, request, answer))
        box.session.restart()
        return
      case .repeated: late.append((box.centre, box.key, request))
      default: break
      }
      try await take(answer, to: request, by: box)
    }
    box.session.restart()
  }

  private func next(_ box: Node) async throws -> Request? {
    let (session, names) = (box.session, names)
    let (after, request) = try await box.store.exchanging { exchange in
      var session = session
      let request = try session.next(in: exchange, makeChannel: names.channel)
      return (session, request)
    }
    box.session = after
    guard let request else { return nil }
    requests += 1
    // As it travels.
    return try JSONDecoder().decode(Request.self, from: JSONEncoder().encode(request))
  }

  private func answer(_ request: Request, from key: String, at node: Node) async throws -> Reply {
    let centre = centre
    let answer = try await node.store.exchanging { try centre.answer(request, from: key, in: $0) }
    say("  \(key) \(request.brief) -> \(answer.brief)")
    if case .taken = answer, case .put(let put) = request {
      count(put.batch, "\(key)>\(node.name) \(put.channel.text)")
    }
    if case .batch(let batch) = answer {
      count(batch, "\(node.name)>\(key) \(request.channel.text)")
    }
    return try JSONDecoder().decode(Reply.self, from: JSONEncoder().encode(answer))
  }

  private func count(_ batch: Batch, _ way: String) {
    for row in batch.rows where row.lines != nil {
      sent["\(way) \(row.name.text) \(row.digest)", default: 0] += 1
      rowsSent += 1
    }
  }

  private func take(_ answer: Reply, to request: Request, by box: Node) async throws {
    let (session, names) = (box.session, names)
    box.session = try await box.store.exchanging { exchange in
      var session = session
      try session.take(answer, to: request, in: exchange, makeChannel: names.channel)
      return session
    }
    events += box.session.takeEvents()
  }

  private func say(_ text: @autoclosure () -> String) { log?.append(text()) }

  // MARK: - The end

  /// The words of rows: their names, and whatever a merge joins.
  private func said(_ store: SQLStore, after number: Int64) async throws -> [String: Set<String>] {
    try await store.exchanging { exchange in
      var found: [String: Set<String>] = [:]
      for stream in RowStream.allCases {
        _ = try exchange.travelling(stream, after: number, for: .all) { row in
          var people = row.people
          if row.name.kind == .erasure { people = [] }
          found[row.name.text, default: []].formUnion(people)
          for line in row.lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            for key in ["context", "withdrawals", "parents"] {
              for value in object?[key] as? [Any] ?? [] {
                found["\(row.name.text) \(key) \(value)", default: []].formUnion(people)
              }
            }
          }
          return true
        }
      }
      return found
    }
  }

  /// Lets every box exchange undisturbed until nothing travels any more, and looks what was lost.
  func finish() async throws {
    for box in boxes { box.session = newSession(box) }
    var quiet = 0
    for _ in 0..<14 {
      let before = rowsSent
      let channels = openings
      for box in boxes {
        var isOver = false
        box.session.restart()
        for _ in 0..<600 {
          guard let request = try await next(box) else {
            isOver = true
            break
          }
          let answer = try await answer(request, from: box.key, at: centres[box.centre])
          try await take(answer, to: request, by: box)
        }
        guard isOver else {
          findings.append("a session of \(box.name) has no end")
          return
        }
      }
      quiet = rowsSent == before && openings == channels ? quiet + 1 : 0
      // Refused rows are offered again in growing intervals.
      if quiet == 5 { break }
    }
    if quiet < 1 { findings.append("never quiet") }
    try await check()
  }

  private func travelling(_ node: Node) async throws -> [RowName: TravellingRow] {
    try await node.store.exchanging { exchange in
      var rows: [RowName: TravellingRow] = [:]
      for stream in RowStream.allCases {
        _ = try exchange.travelling(stream, after: 0, for: .all) { row in
          rows[row.name] = row
          return true
        }
      }
      return rows
    }
  }

  private func check() async throws {
    var rows: [String: [RowName: TravellingRow]] = [:]
    var pruned: [String: Set<String>] = [:]
    for node in nodes {
      rows[node.name] = try await travelling(node)
      pruned[node.name] = Set(
        try await node.store.reading { transaction in
          try transaction.rows("SELECT name FROM pruned") { try $0.text("name") }
        })
    }
    let marks = Set(
      rows.values.flatMap { $0.keys.filter { $0.kind == .erasure }.map(\.key) })
    checkLoss(rows, pruned, marks)
    for box in boxes { try await check(box, rows, pruned[box.name] ?? [], marks) }
    for (way, times) in sent where times > 8 + 4 * faults {
      findings.append("sent \(times) times with \(faults) faults: \(way)")
    }
  }

  private func checkLoss(
    _ rows: [String: [RowName: TravellingRow]], _ pruned: [String: Set<String>],
    _ marks: Set<String>
  ) {
    var left: Set<String> = []
    for found in rows.values {
      for row in found.values { left.formUnion(Self.facts(of: row)) }
    }
    let gone = pruned.values.reduce(into: Set()) { $0.formUnion($1) }
    let everErased = erased
    for (fact, people) in facts.sorted(by: { $0.key < $1.key }) {
      // A box may erase its own sample that it gave to somebody.
      let sample = targets.first { fact.hasPrefix($0.key) }?.value
      if let sample, marks.contains(ErasureMark.sample(SampleIdentity(text: sample))) {
        continue
      }
      guard !left.contains(fact), !lost.contains(fact), people.isDisjoint(with: everErased) else {
        continue
      }
      if gone.contains(where: { fact.hasPrefix($0) }) {
        // Nobody prunes what nobody else has.
        if !left.contains(where: { fact.hasPrefix($0) }), !fact.contains(" context ") {
          findings.append("lost, pruned: \(fact)")
        }
        continue
      }
      findings.append("lost: \(fact)")
    }
  }

  private static func text(_ key: String, of row: TravellingRow) -> String? {
    let object = row.lines.first.flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
    return (object as? [String: Any])?[key] as? String
  }

  private static func facts(of row: TravellingRow) -> Set<String> {
    var facts: Set = [row.name.text]
    for line in row.lines {
      let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
      for key in ["context", "withdrawals", "parents"] {
        for value in object?[key] as? [Any] ?? [] {
          facts.insert("\(row.name.text) \(key) \(value)")
        }
      }
    }
    return facts
  }

  private func check(
    _ box: Node, _ rows: [String: [RowName: TravellingRow]], _ pruned: Set<String>,
    _ marks: Set<String>
  ) async throws {
    let centre = centres[box.centre]
    let (mine, theirs) = (rows[box.name] ?? [:], rows[centre.name] ?? [:])
    let people = Set(bound.filter { $0.value.contains(box.key) }.keys.map(person))
    // A box that erased somebody else's person takes nothing that names them.
    let dropped = erasedIn(box, rows)
    let delivers = people.union(had[box.key] ?? [])
    for (name, row) in mine where row.byteCount <= Self.limits.bytes {
      if !row.people.isDisjoint(with: erasedIn(centre, rows)) {
        findings.append("erased, but at \(box.name): \(name.text)")
      }
      if !row.people.isEmpty, row.people.isDisjoint(with: delivers) { continue }
      guard let other = theirs[name] else {
        if try await isParked(name, box) { continue }
        findings.append("of \(box.name), missing at \(centre.name): \(name.text) \(row.people)")
        continue
      }
      let isCurrent = name.kind == .erasure || !row.people.isDisjoint(with: people)
      if isCurrent, !replaced.contains(box.key),
        Self.lines(of: other, without: dropped) != Self.lines(of: row, without: dropped)
      {
        findings.append("differs at \(box.name) and \(centre.name): \(row.lines) \(other.lines)")
      }
    }
    guard !replaced.contains(box.key) else { return }
    for (name, row) in theirs where row.byteCount <= Self.limits.bytes {
      guard name.kind == .erasure || !row.people.isDisjoint(with: people) else { continue }
      guard row.people.isDisjoint(with: dropped) else { continue }
      if mine[name] == nil, !pruned.contains(name.text) {
        findings.append("of \(centre.name), missing at \(box.name): \(name.text) \(row.people)")
      }
    }
  }

  private func isParked(_ name: RowName, _ box: Node) async throws -> Bool {
    let session = box.session
    return try await box.store.exchanging { exchange in
      guard let record = try session.channel(in: exchange) else { return false }
      return try ChannelNotes(exchange: exchange, id: record.id).parked(name) != nil
    }
  }

  /// Lines without the verdict that a sample is somebody's who was erased.
  private static func lines(of row: TravellingRow, without people: Set<String>) -> [String] {
    row.lines.map { line in
      people.reduce(line) { $0.replacingOccurrences(of: "\"attributed\":\"\($1)\",", with: "") }
    }
  }

  /// The people whose mark a store has.
  private func erasedIn(
    _ node: Node, _ rows: [String: [RowName: TravellingRow]]
  ) -> Set<String> {
    let marks = Set((rows[node.name] ?? [:]).keys.filter { $0.kind == .erasure }.map(\.key))
    return Set((0..<Self.people).map(person).filter { marks.contains(ErasureMark.patient($0)) })
  }
}

extension Sample {
  /// A weight of a person, or of nobody yet.
  static func weight(_ number: Int, of person: String?, at date: Date) -> Sample {
    let reading = Reading(
      quantity: .bodyMass, value: 70 + Double(number % 50) / 10, arrival: date,
      device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"), raw: [UInt8(truncatingIfNeeded: number)]
    )
    return Sample(
      identity: SampleIdentity(reading), reading: reading, patient: person,
      unassignedReason: person == nil ? "two people weigh about this much" : nil, start: date,
      end: date)
  }

  /// A heartbeat of a strap.
  static func beat(_ rate: Double, of person: String, at date: Date) -> Sample {
    let reading = Reading(
      quantity: .heartRate, value: rate, arrival: date,
      device: DeviceIdentity(address: "C0:FF:EE:00:00:01", definition: "strap"), isStreamed: true)
    return Sample(
      identity: SampleIdentity(reading), reading: reading, patient: person, start: date, end: date)
  }
}

extension Request {
  var brief: String {
    switch self {
    case .still(let still): "still \(still.channel.text.prefix(4))"
    case .hello(let hello): "hello \(hello.channel.text.prefix(4)) new \(hello.isNew)"
    case .latest(let latest): "latest \(latest.rows.map(\.name.text))"
    case .put(let put): "put \(put.key.text) \(put.batch.brief)"
    case .get(let get): "get \(get.key.text) wants \(get.wanted.map(\.text))"
    }
  }
}

extension Batch {
  var brief: String {
    "last \(last) "
      + rows.map { "\($0.name.text)\($0.lines == nil ? "?" : "")" }.joined(separator: ", ")
  }
}

extension Reply {
  var brief: String {
    switch self {
    case .welcome(let welcome): "welcome \(welcome.people.sorted()) \(welcome.delivers.sorted())"
    case .gone(let side): "gone \(side)"
    case .taken(_, let refused): "taken, refused \(refused.map { "\($0.key.text): \($0.value)" })"
    case .wants(let names): "wants \(names.map(\.text))"
    case .batch(let batch): "batch \(batch.brief)"
    case .tooLong: "too long"
    case .conflict: "conflict"
    case .level: "level"
    case .forbidden: "forbidden"
    }
  }
}
