package import Care
package import Foundation

/// Who needs somebody this morning, as the store of a box or a centre knows it.
package struct Morning: Sendable {
  /// The people, those who need somebody first.
  package var people: [PersonMorning]
  /// The measurements of the last week that wait for their person.
  package var waiting: Int

  /// Reads the morning.
  ///
  /// - Parameters:
  ///   - reader: The store; the people are those that it shows.
  ///   - boxes: The boxes that measure each person.
  ///   - longestPause: The longest time between two words of a box that works, in seconds.
  ///   - now: The current time.
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, boxes: [String: [BoxNews]], longestPause: TimeInterval, now: Date
  ) throws {
    let facts = try MorningFacts(reader, now: now)
    people = facts.patients.map { patient in
      PersonMorning(
        patient, facts, boxes: boxes[patient.id] ?? [], longestPause: longestPause, now: now)
    }.sorted {
      ($0.need, $1.patient.displayName, $1.patient.id)
        > ($1.need, $0.patient.displayName, $0.patient.id)
    }
    waiting = try reader.sampleCount(
      SampleQuery(owner: .unassigned, from: now - 7 * Self.day, to: now))
  }

  fileprivate static let day: TimeInterval = 86_400
}

/// The store's facts of all people, in as many queries for many as for one.
private struct MorningFacts {
  let patients: [Patient]
  let plan: PlanPeople
  /// The firings of the last week, by patient.
  let firings: [String: [StoredFiring]]
  /// The days on which devices measured in the last two months, by patient.
  private(set) var days: [String: [DeviceID: DeviceDays]] = [:]
  /// The devices that were heard in that time.
  private(set) var heard: [DeviceID: HeardDevice] = [:]
  let latest: [String: [Quantity: LatestMeasurement]]
  private(set) var week: [String: Adherence.Counts] = [:]
  private(set) var month: [String: Adherence.Counts] = [:]

  static let memory: TimeInterval = 60 * Morning.day

  init(_ reader: any StoreReader, now: Date) throws {
    plan = try PlanPeople(reader)
    patients = try reader.patients()
    firings = Dictionary(
      grouping: try reader.firings(
        FiringQuery(kinds: [.rule, .alert, .seen], from: now - 7 * Morning.day))
    ) { $0.firing.event.patient }
    latest = try reader.latestMeasurements(until: now)
    try listen(reader, now: now)
    try count(reader, now: now)
  }

  /// Notes which devices were heard, and when they measured whom.
  private mutating func listen(_ reader: any StoreReader, now: Date) throws {
    var begins: [TimeZone: [Date]] = [:]
    var zones: [String: TimeZone] = [:]
    for patient in patients {
      let zone = zone(of: patient, at: now)
      zones[patient.id] = zone
      if begins[zone] == nil { begins[zone] = Self.days(until: now, in: zone) }
    }
    // The hours of half the time are in memory at once; one that is in both halves changes nothing.
    let half = Self.memory / 2
    for from in [now - Self.memory, now - half] {
      for hour in try reader.deviceHours(from: from, to: from + half) {
        let device = hour.device.address
        heard[device, default: HeardDevice()].add(hour)
        guard let patient = hour.patient, let begins = zones[patient].flatMap({ begins[$0] }),
          hour.state == .live, hour.battery == nil, device != .entered, hour.end <= now
        else { continue }
        days[patient, default: [:]][device, default: DeviceDays(of: hour)].add(hour, begins)
      }
    }
  }

  /// The begins of the days of a zone in the last two months.
  private static func days(until now: Date, in zone: TimeZone) -> [Date] {
    var days: [Date] = []
    var day = now - memory
    while day <= now {
      let span = Adherence.Period.day.span(around: day, in: zone)
      days.append(span.lowerBound)
      day = span.upperBound
    }
    return days
  }

  func zone(of patient: Patient, at now: Date) -> TimeZone {
    patient.timeZone(at: now, in: plan.zone)
  }

  /// Counts what was due on the last seven and thirty days of each person's zone.
  private mutating func count(_ reader: any StoreReader, now: Date) throws {
    var spans: [TimeZone: (week: Date, month: Date)] = [:]
    var zones: [String: TimeZone] = [:]
    for patient in patients {
      let zone = zone(of: patient, at: now)
      zones[patient.id] = zone
      guard spans[zone] == nil else { continue }
      var days: [Date] = []
      var day = now - 29 * Morning.day
      while day < now {
        let span = Adherence.Period.day.span(around: day, in: zone)
        days.append(span.lowerBound)
        day = span.upperBound
      }
      spans[zone] = (days.suffix(7).first ?? now, days.first ?? now)
    }
    guard var part = spans.values.map(\.month).min() else { return }
    // Few weeks of many people's events are in memory at a time.
    while part < now {
      let next = min(part + 7 * Morning.day, now)
      for event in try reader.events(EventQuery(from: part, to: next, countsOnly: true)) {
        let (patient, start) = (event.task.patient, event.occurrence.start)
        guard start >= part, let span = zones[patient].flatMap({ spans[$0] }) else {
          continue
        }
        if start >= span.month { month[patient, default: .init()].add(event) }
        if start >= span.week { week[patient, default: .init()].add(event) }
      }
      part = next
    }
  }
}

/// The days on which a device measured a person.
private struct DeviceDays {
  /// The device as its latest measurement tells it, and when that began.
  private(set) var identity: DeviceIdentity
  private var latest: Date
  /// When the measurements of each day were over.
  private var ends: [Date?] = []

  init(of hour: DeviceHour) { (identity, latest) = (hour.device, hour.latest) }

  /// When the measurements of the days were over, oldest first.
  var dates: [Date] { ends.compactMap(\.self) }

  /// Notes an hour; `begins` are those of the days.
  mutating func add(_ hour: DeviceHour, _ begins: [Date]) {
    if hour.latest > latest { (identity, latest) = (hour.device, hour.latest) }
    var (low, high) = (0, begins.count)
    while low < high {
      let middle = (low + high) / 2
      if begins[middle] <= hour.end { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return }
    if ends.isEmpty { ends = [Date?](repeating: nil, count: begins.count) }
    ends[low - 1] = max(hour.end, ends[low - 1] ?? .distantPast)
  }
}

/// The facts of a device from its measurements, whosever they are.
struct HeardDevice: Hashable, Sendable {
  /// A battery's level, in percent, and when it was said.
  struct Level: Hashable, Sendable {
    var date: Date
    var percent: Double
  }

  /// When it was heard last; `nil` if it never was.
  private(set) var end: Date?
  /// When that was last received which is no measurement, or waits.
  private(set) var unbelieved: Date?
  /// The first level and the last one.
  private(set) var firstLevel: Level?
  private(set) var lastLevel: Level?

  /// Notes an hour.
  mutating func add(_ hour: DeviceHour) {
    end = max(hour.end, end ?? .distantPast)
    if hour.state == .notTaken
      || hour.state == .live && hour.patient == nil && hour.battery == nil
    {
      unbelieved = max(hour.end, unbelieved ?? .distantPast)
    }
    guard hour.state == .live, let battery = hour.battery else { return }
    if firstLevel.map({ hour.first < $0.date }) ?? true {
      firstLevel = Level(date: hour.first, percent: battery)
    }
    if lastLevel.map({ hour.latest > $0.date }) ?? true {
      lastLevel = Level(date: hour.latest, percent: battery)
    }
  }
}

/// The facts that a centre knows of a box.
package struct BoxNews: Hashable, Sendable {
  /// When it last spoke; `nil` if it never has.
  package var contact: Date?
  /// The version of its program.
  package var program: String?
  /// The parts of the machine that do not work, by name.
  package var faults: [String]
  /// Since when it cannot receive sensors.
  package var radioFailedSince: Date?
  /// When it was off.
  package var offs: [Range<Date>]
  /// How far its clock was ahead of the centre's when it last said so, in seconds; `nil` if it has not.
  package var clock: TimeInterval?

  /// Makes news.
  package init(
    contact: Date?, program: String? = nil, faults: [String] = [], radioFailedSince: Date? = nil,
    offs: [Range<Date>] = [], clock: TimeInterval? = nil
  ) {
    (self.contact, self.program, self.faults) = (contact, program, faults)
    (self.radioFailedSince, self.offs, self.clock) = (radioFailedSince, offs, clock)
  }

  /// How far its clock is off, in seconds; `nil` while that is no more than a slow line explains.
  package var wrongClock: TimeInterval? {
    clock.flatMap { abs($0) >= Self.bearable ? $0 : nil }
  }

  /// The difference of two clocks that nobody has to mend, in seconds.
  private static let bearable: TimeInterval = 120
}

/// How a person stands this morning.
package struct PersonMorning: Sendable {
  package var patient: Patient
  /// The alerts of the last three days that nobody has seen, and those whose delay is over.
  package var alerts: Int
  /// When the first of them fired.
  package var alertsSince: Date?
  /// Who has seen those that somebody looks after, the latest first.
  package var seen: [Sight]
  /// The box that brings what is measured of the person: the one that spoke last of several; `nil`
  /// without any.
  package var box: BoxNews?
  /// When something was last measured.
  package var measured: Date?
  /// The devices that measured the person in the last two months, the latest first.
  package var devices: [DeviceRhythm]
  /// Why nothing is measured; `nil` if nothing is known to be missing.
  package var silence: Silence?
  /// The events that were due in the last seven days, and the last thirty.
  package var week: Adherence.Counts
  package var month: Adherence.Counts

  /// Somebody who has seen alerts.
  package struct Sight: Hashable, Sendable {
    /// The name; `nil` where nobody signs in.
    package var name: String?
    package var date: Date
    /// How many alerts.
    package var count: Int
    /// Until when they are put off, and why; `nil` if the person looks after them.
    package var until: Date?
    package var reason: String?
  }

  /// Why nothing comes of a person.
  package enum Silence: Hashable, Sendable {
    /// No box of the person's has spoken for long: what it measures is not known.
    case box
    /// A device is silent, for these reasons, the most probable first.
    case device([SilenceReason])

    /// Whether the person is away: nothing is expected.
    package var isAway: Bool { self == .device([.away]) }
  }

  /// How much the person needs somebody: an alert before a silence or a box that does not
  /// work, these before a low battery.
  var need: Int {
    if alerts > 0 { return 3 }
    if let silence, !silence.isAway { return 2 }
    if let box, !box.faults.isEmpty || box.wrongClock != nil { return 2 }
    return devices.contains(where: \.isBatteryLow) ? 1 : 0
  }

  fileprivate init(
    _ patient: Patient, _ facts: MorningFacts, boxes: [BoxNews], longestPause: TimeInterval,
    now: Date
  ) {
    self.patient = patient
    box = boxes.max { $0.contact ?? .distantPast < $1.contact ?? .distantPast }
    let firings = facts.firings[patient.id] ?? []
    let putOff = Set(firings.filter { $0.firing.putOffUntil != nil }.map(\.firing.event))
    let known = KnownAlert.all(in: firings, now: now).filter {
      $0.firing.date >= now - 3 * Morning.day || putOff.contains($0.firing.event)
    }
    let open = known.filter { $0.seen == nil }
    (alerts, alertsSince) = (open.count, open.map(\.firing.due).min())
    seen = Dictionary(grouping: known.compactMap(\.seen)) { [$0.by, $0.reason] }.values
      .compactMap { seen in
        seen.max { $0.date < $1.date }.map { last in
          Sight(
            name: last.by, date: last.date, count: seen.count, until: last.putOffUntil,
            reason: last.reason)
        }
      }.sorted {
        ($1.date, $0.name ?? "", $0.reason ?? "") < ($0.date, $1.name ?? "", $1.reason ?? "")
      }
    devices = DeviceRhythm.all(of: patient, facts, now: now)
    measured = facts.latest[patient.id]?.values.map(\.end).max()
    week = facts.week[patient.id] ?? Adherence.Counts()
    month = facts.month[patient.id] ?? Adherence.Counts()
    if let box, box.contact.map({ now.timeIntervalSince($0) > 2 * longestPause }) ?? true {
      silence = .box
    } else {
      silence = reasons(of: firings.map(\.firing), facts, now: now).map(Silence.device)
    }
  }

  /// Why a device is silent that a rule watches, or that is later than its rhythm; `nil` if none is.
  private func reasons(
    of firings: [Firing], _ facts: MorningFacts, now: Date
  ) -> [SilenceReason]? {
    func reasons(_ device: DeviceID?, since date: Date) -> [SilenceReason] {
      var evidence = SilenceEvidence(
        of: device.flatMap { facts.heard[$0] }, during: date..<max(date, now))
      evidence.offs = box?.offs ?? []
      evidence.radioFailedSince = box?.radioFailedSince
      evidence.isAway = facts.plan.isAway(patient.id, at: now)
      return SilenceReason.probable(evidence)
    }
    for firing in firings.reversed() where firing.date > measured ?? .distantPast {
      guard case .silent(_, let source) = firing.rule?.trigger, firing.event.start < firing.due
      else { continue }
      switch source {
      case .quantity(let quantity):
        return reasons(facts.latest[patient.id]?[quantity]?.device, since: firing.event.start)
      case .device(let device): return reasons(device, since: firing.event.start)
      }
    }
    return devices.first { $0.isLate(now: now) }.map { reasons($0.address, since: $0.last) }
  }
}

/// How often a device measures a person.
package struct DeviceRhythm: Hashable, Sendable {
  package var address: DeviceID
  /// The device as its latest measurement tells it.
  package var identity: DeviceIdentity
  /// When it last measured.
  package var last: Date
  /// The longest pause between two days of measurements, in seconds, at least a day; `nil` if it
  /// measured too seldom to tell.
  package var longestPause: TimeInterval?
  /// The battery's level in percent; `nil` if it never said.
  package var battery: Double?
  /// In how many days the battery is empty if it goes on as in the last two months.
  package var batteryDays: Int?

  /// Whether somebody has to see to the battery.
  package var isBatteryLow: Bool { battery.map { $0 < Quantity.lowBattery } ?? false }

  /// Whether it has measured nothing for twice its longest pause.
  ///
  /// In a simulation of a hundred homes over ninety days with daily, rarer and weekly readings, at
  /// most fifteen pauses were taken for a silence that was none; the 90th percentile in place of the
  /// longest took two to twenty times as many.
  package func isLate(now: Date) -> Bool {
    longestPause.map { now.timeIntervalSince(last) > 2 * $0 } ?? false
  }

  /// The days with measurements from which a rhythm follows, at least.
  private static let fewest = 6
  /// And at most, of the last two months.
  private static let most = 30

  /// The longest pause between measurements, oldest first, that did not begin or end while the person
  /// was away; `nil` of too few.
  static func longestPause(
    of dates: [Date], isAway: (Date) -> Bool = { _ in false }
  ) -> TimeInterval? {
    guard dates.count >= fewest else { return nil }
    return zip(dates, dates.dropFirst()).filter { !isAway($0 + Morning.day) && !isAway($1) }
      .reduce(Morning.day) { max($0, $1.1.timeIntervalSince($1.0)) }
  }

  /// The devices that measured a patient in the last two months, the latest first.
  fileprivate static func all(
    of patient: Patient, _ facts: MorningFacts, now: Date
  ) -> [DeviceRhythm] {
    (facts.days[patient.id] ?? [:]).compactMap { address, days in
      let dates = Array(days.dates.suffix(most))
      guard let last = dates.last else { return nil }
      var rhythm = DeviceRhythm(address: address, identity: days.identity, last: last)
      rhythm.longestPause = longestPause(of: dates) { facts.plan.isAway(patient.id, at: $0) }
      if let heard = facts.heard[address] { rhythm.readBattery(heard) }
      return rhythm
    }.sorted { ($1.last, $0.address) < ($0.last, $1.address) }
  }

  private mutating func readBattery(_ heard: HeardDevice) {
    guard let first = heard.firstLevel, let last = heard.lastLevel else { return }
    battery = last.percent
    let fall = first.percent - last.percent
    let length = last.date.timeIntervalSince(first.date)
    guard fall >= 1, length >= 7 * Morning.day else { return }
    batteryDays = Int(saturating: last.percent / fall * length / Morning.day)
  }
}
