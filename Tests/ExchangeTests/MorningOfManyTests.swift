import Care
import CareStore
import Foundation
import TestSupport
import Testing

@testable import Agenda

/// The morning of several people, read for all at once, is what each one's measurements say by themselves.
@Suite struct MorningOfManyTests {
  private static let day: TimeInterval = 86_400
  private static let midnight = Date(timeIntervalSince1970: 1_795_996_800)
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
  private static let length = 75

  @Test(arguments: Rounds.seeds(40, gate: 3))
  func `many people at once are each by themselves`(seed: UInt64) async throws {
    var neighbours = Neighbours(seed: seed)
    let store = try TestEngine.makeStore(makeUUID: { UUID() })
    let (people, begin) = (neighbours.people(), Self.midnight)
    try await store.write { writer in
      try writer.setPlanTimeZone(Self.berlin, now: begin)
      for person in people { _ = try writer.put(person, now: begin) }
      for task in try Neighbours.tasks(of: people) { _ = try writer.put(task, now: begin) }
    }
    for (samples, answers, firings) in neighbours.days(people) {
      try await store.write { writer in
        for sample in samples { _ = try writer.insert(sample) }
        for answer in answers {
          let event = try writer.events(
            patient: answer.patient, task: answer.task, from: answer.day, to: answer.day + 1
          ).last
          guard let event, event.occurrence.start <= answer.day else { continue }
          let value = OutcomeValue(
            value: .double(answer.value), unit: event.task.linkage?.unit, time: answer.at,
            provenance: .manual)
          _ = try? writer.setOutcome(
            [value], answer: Answer(state: .done, at: answer.at), of: event.reference,
            now: answer.day + Self.day)
        }
        for firing in firings { _ = try writer.record(firing, making: nil, now: firing.date) }
      }
    }
    let now = begin + Double(Self.length) * Self.day + 40_000.5
    try await store.read { reader in
      // Events that are read together, and one by one.
      let span = (from: now - 20 * Self.day, to: now)
      let events = try reader.events(EventQuery(from: span.from, to: span.to))
      #expect(events.count > 100)
      for event in events { #expect(try reader.event(event.key) == event) }

      let boxes = ["p1": [BoxNews(contact: now)], "p2": [BoxNews(contact: nil)]]
      let morning = try Morning(reader, boxes: boxes, longestPause: 5_400, now: now)
      #expect(morning.people.count == people.count)
      for found in morning.people {
        let own = try PlainMorning(found.patient, reader, now: now)
        #expect(found.measured == own.measured)
        #expect(found.alerts == own.alerts)
        #expect(found.devices == own.devices)
        #expect(found.week.due == own.week.due && found.week.performed == own.week.performed)
        #expect(found.month.due == own.month.due && found.month.performed == own.month.performed)
        let isUnheard = found.patient.id == "p2"
        #expect(found.silence == (isUnheard ? .box : own.silence), "\(found.patient.id)")
      }
    }
  }
}

/// How one person stands, from the list of all measurements.
private struct PlainMorning {
  var measured: Date?
  var alerts = 0
  var devices: [DeviceRhythm] = []
  var week = Adherence.Counts()
  var month = Adherence.Counts()
  var silence: PersonMorning.Silence?

  init(_ patient: Patient, _ reader: any StoreReader, now: Date) throws {
    let day: TimeInterval = 86_400
    let all = try reader.samples(
      SampleQuery(to: now, states: Set(Sample.State.allCases)))
    let live = all.filter { $0.state == .live }
    let own = live.filter { $0.patient == patient.id }
    let plan = try PlanPeople(reader)
    let zone = patient.timeZone ?? plan.zone
    measured = own.map(\.end).max()
    let firings = try reader.firings(
      FiringQuery(patient: patient.id, kinds: [.rule, .alert, .seen], from: now - 7 * day)
    ).map(\.firing)
    alerts = firings.count { alert in
      alert.kind == .alert && alert.date >= now - 3 * day
        && !firings.contains { $0.hasSeen(alert, now: now) }
    }
    let recent = own.filter {
      $0.start >= now - 60 * day && $0.quantity != .batteryLevel && $0.provenance != .manual
    }
    for (address, samples) in Dictionary(grouping: recent, by: \.device.address) {
      let days = Dictionary(grouping: samples) {
        Adherence.Period.day.span(around: $0.end, in: zone).lowerBound
      }
      let dates = Array(days.values.compactMap { $0.map(\.end).max() }.sorted().suffix(30))
      guard let last = dates.last, let latest = samples.last else { continue }
      var rhythm = DeviceRhythm(address: address, identity: latest.device, last: last)
      if dates.count >= 6 {
        let pauses = zip(dates, dates.dropFirst()).filter {
          !plan.isAway(patient.id, at: $0 + day) && !plan.isAway(patient.id, at: $1)
        }.map { $1.timeIntervalSince($0) }
        rhythm.longestPause = max(day, pauses.max() ?? day)
      }
      let levels = live.filter {
        $0.quantity == .batteryLevel && $0.device.address == address && $0.start >= now - 60 * day
      }
      if let first = levels.first, let last = levels.last {
        rhythm.battery = last.value
        let (fall, length) = (first.value - last.value, last.start.timeIntervalSince(first.start))
        if fall >= 1, length >= 7 * day {
          rhythm.batteryDays = Int(last.value / fall * length / day)
        }
      }
      devices.append(rhythm)
    }
    devices.sort { ($1.last, $0.address) < ($0.last, $1.address) }
    let entries = try reader.adherence(
      by: .day, patient: patient.id, from: now - 29 * day, to: now, in: zone, now: now)
    for entry in entries { month.add(entry.counts) }
    for entry in entries.suffix(7) { week.add(entry.counts) }

    func reasons(_ device: DeviceID?, since date: Date) -> [SilenceReason] {
      var evidence = SilenceEvidence(span: date..<now)
      evidence.isAway = plan.isAway(patient.id, at: now)
      let said = all.filter {
        $0.device.address == device && $0.provenance != .manual && $0.start >= now - 60 * day
      }
      evidence.heard = said.map(\.end).max()
      evidence.battery =
        said.last { $0.quantity == .batteryLevel && $0.state == .live }?.value
      evidence.hasUnbelieved = said.contains {
        $0.end >= date + 1
          && ($0.state == .notTaken
            || $0.state == .live && $0.patient == nil && $0.quantity != .batteryLevel)
      }
      return SilenceReason.probable(evidence)
    }
    let watched = firings.last { firing in
      firing.kind == .rule && firing.date > measured ?? .distantPast
    }
    if case .silent(_, .quantity(let quantity)) = watched?.rule?.trigger, let watched {
      let device = try reader.latestSample(patient: patient.id, quantity: quantity)?.device.address
      silence = .device(reasons(device, since: watched.event.start))
    } else if let late = devices.first(where: { $0.isLate(now: now) }) {
      silence = .device(reasons(late.address, since: late.last))
    }
  }
}

/// People whose devices speak, fall silent, are taken for others' and run out of power, as a seed says.
private struct Neighbours {
  struct Entry {
    var patient: String
    var task: String
    var day: Date
    var at: Date
    var value: Double
  }

  private static let day: TimeInterval = 86_400
  private static let midnight = Date(timeIntervalSince1970: 1_795_996_800)
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed &+ 46) }

  private mutating func chance(_ share: Double) -> Bool {
    Double(random.next() >> 11) / Double(1 << 53) < share
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  mutating func people() -> [Patient] {
    let zones = [
      nil, TimeZone(identifier: "Asia/Taipei"), .gmt, TimeZone(identifier: "America/St_Johns"),
    ]
    return (1...6).map { place in
      var person = Patient(
        id: "p\(place)", name: PersonName(given: "P\(place)"), timeZone: zones[place % zones.count])
      if place % 3 == 0, let from = CalendarDate("2027-01-20"), let to = CalendarDate("2027-02-20")
      {
        person.away = [Absence(from: from, to: to)].compactMap(\.self)
      }
      return person
    }
  }

  static func tasks(of people: [Patient]) throws -> [PlannedTask] {
    try people.flatMap { person in
      let zone = person.timeZone ?? .gmt
      let start = Adherence.Period.day.span(around: midnight, in: zone).lowerBound
      func task(
        _ id: String, _ linkage: Linkage?, at hour: Double = 0, _ duration: EventDuration = .allDay,
        target: Double? = nil
      ) throws -> PlannedTask {
        let targets = target.map { [TargetValue(value: .double($0), unit: linkage?.unit)] } ?? []
        let element = try ScheduleElement(
          start: start + hour * 3_600, interval: Interval(days: 1), duration: duration,
          targets: targets, timeZone: zone)
        return PlannedTask(
          id: id, patient: person.id, title: id, schedule: try Schedule([element]), linkage: linkage
        )
      }
      return [
        try task("pill", nil),
        try task("weigh", Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)),
        try task(
          "pulse", Linkage(quantity: .heartRate, type: .discrete, unit: .perMinute), at: 7,
          .seconds(9_000)),
        try task(
          "steps", Linkage(quantity: .stepCount, type: .cumulative, unit: .one), target: 4_000),
      ]
    }
  }

  mutating func days(_ people: [Patient]) -> [([Sample], [Entry], [Firing])] {
    var silentFrom = people.map { _ in number(20...110) }
    silentFrom[0] = 200
    return (0..<75).map { day in
      let begin = Self.midnight + Double(day) * Self.day
      var (samples, entries, firings): ([Sample], [Entry], [Firing]) = ([], [], [])
      for (place, person) in people.enumerated() {
        func device(_ kind: Int, _ definition: String? = nil) -> DeviceIdentity {
          DeviceIdentity(
            address: DeviceID("5C:CA:D3:00:0\(place):0\(kind)"), definition: definition)
        }
        func add(
          _ quantity: Quantity, _ value: Double, _ kind: Int, at time: Double,
          length: Double = 0, owner: String?, state: Sample.State = .live, isStreamed: Bool = false
        ) {
          let date = begin + time
          let reading = Reading(
            quantity: quantity, value: value, arrival: date + length,
            interval: length > 0 ? DateInterval(start: date, duration: length) : nil,
            device: device(kind, day < 30 ? "first" : "second"), isStreamed: isStreamed,
            raw: isStreamed ? [] : [UInt8(kind), UInt8(day)])
          samples.append(
            Sample(
              reading: reading, patient: owner, start: date, end: date + length, state: state))
        }
        let isSilent = day >= silentFrom[place]
        let owner: String? = chance(0.9) ? person.id : nil
        if !isSilent, chance(0.85) {
          add(.bodyMass, 80, 1, at: Double(number(0...80_000)), owner: owner)
        }
        if isSilent, place % 2 == 1, chance(0.1) {
          add(.bodyMass, 30, 1, at: 30_000, owner: person.id, state: .notTaken)
        }
        if chance(0.4), !isSilent || place % 2 == 0 {
          add(
            .batteryLevel, Double(100 - day - place), 1, at: Double(number(0...80_000)), owner: nil)
        }
        if !isSilent, chance(0.5) {
          add(chance(0.5) ? .heartRate : .pulseRate, 70, 2, at: 27_000, owner: person.id)
          for second in 0..<number(1...100) {
            add(
              .heartRate, Double(number(60...90)), 3, at: 30_000 + Double(second), owner: person.id,
              isStreamed: true)
          }
        }
        if !isSilent, chance(0.5) {
          for minute in 0..<number(1...90) {
            add(
              .stepCount, Double(number(0...99)), 4, at: 28_700 + Double(minute) * 60, length: 60,
              owner: person.id, isStreamed: true)
          }
        }
        for task in ["pill", "weigh"] where chance(task == "pill" ? 0.7 : 0.2) {
          let at =
            chance(0.3) ? begin - Double(number(1...90_000)) : begin + Double(number(0...30_000))
          entries.append(
            Entry(
              patient: person.id, task: task, day: begin + 20_000, at: at,
              value: Double(number(70...90))))
        }
        let event = EventKey(
          patient: person.id, task: "weigh", start: begin - Double(number(3...9)) * Self.day)
        if day > 66, chance(0.2) {
          let rule = Rule(trigger: .silent(.days(3), of: .quantity(.bodyMass)), message: "silent")
          firings.append(
            Firing(
              Firing.Key(.rule, event, rule: rule), due: begin + 50_000, date: begin + 50_000))
        }
        if day > 70, chance(0.5) {
          let threshold = Threshold(condition: .above(70), says: "high", alerts: true)
          firings.append(
            Firing(
              Firing.Key(.alert, event, threshold: threshold), due: begin, date: begin + 100))
          if chance(0.5) {
            firings.append(
              Firing(Firing.Key(.seen, event), due: begin + 200, date: begin + 200, by: "Nora"))
          }
        }
      }
      return (samples, entries, firings)
    }
  }
}
