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
    let plan = try PlanPeople(reader)
    people = try reader.patients().map { patient in
      try PersonMorning(
        patient, of: plan, reader, boxes: boxes[patient.id] ?? [], longestPause: longestPause,
        now: now)
    }.sorted {
      ($0.need, $1.patient.displayName, $1.patient.id)
        > ($1.need, $0.patient.displayName, $0.patient.id)
    }
    waiting = try reader.sampleCount(
      SampleQuery(owner: .unassigned, from: now - 7 * Self.day, to: now))
  }

  fileprivate static let day: TimeInterval = 86_400
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
  /// The alerts of the last three days that nobody has seen.
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
    _ patient: Patient, of plan: PlanPeople, _ reader: any StoreReader, boxes: [BoxNews],
    longestPause: TimeInterval,
    now: Date
  ) throws {
    self.patient = patient
    box = boxes.max { $0.contact ?? .distantPast < $1.contact ?? .distantPast }
    let firings = try reader.firings(
      FiringQuery(
        patient: patient.id, kinds: [.rule, .alert, .seen], from: now - 7 * Morning.day))
    let known = KnownAlert.all(in: firings).filter { $0.firing.date >= now - 3 * Morning.day }
    let open = known.filter { $0.seen == nil }
    (alerts, alertsSince) = (open.count, open.map(\.firing.due).min())
    seen = Dictionary(grouping: known.compactMap(\.seen)) { $0.by }
      .map { name, seen in
        Sight(name: name, date: seen.map(\.date).max() ?? now, count: seen.count)
      }.sorted { ($1.date, $0.name ?? "") < ($0.date, $1.name ?? "") }
    let zone = patient.timeZone(at: now, in: plan.zone)
    devices = try DeviceRhythm.all(of: patient.id, among: plan, reader, in: zone, now: now)
    measured = try reader.samples(
      SampleQuery(owner: .patient(patient.id), to: now, limit: 1)
    ).last?.end
    (week, month) = (Adherence.Counts(), Adherence.Counts())
    let days = try reader.adherence(
      by: .day, patient: patient.id, from: now - 29 * Morning.day, to: now, in: zone, now: now)
    for (place, entry) in days.enumerated() {
      month.add(entry.counts)
      if place >= days.count - 7 { week.add(entry.counts) }
    }
    if let box, box.contact.map({ now.timeIntervalSince($0) > 2 * longestPause }) ?? true {
      silence = .box
    } else {
      silence = try reasons(
        of: firings.filter { $0.firing.kind != .seen }, reader, among: plan, now: now
      ).map(Silence.device)
    }
  }

  private func reasons(_ evidence: SilenceEvidence) -> [SilenceReason] {
    var evidence = evidence
    evidence.radioFailedSince = box?.radioFailedSince
    return SilenceReason.probable(evidence)
  }

  /// Why a device is silent that a rule watches, or that is later than its rhythm; `nil` if none is.
  private func reasons(
    of firings: [StoredFiring], _ reader: any StoreReader, among plan: PlanPeople, now: Date
  ) throws -> [SilenceReason]? {
    for stored in firings.reversed() where stored.firing.date > measured ?? .distantPast {
      if let evidence = try SilenceEvidence(
        of: stored.firing, in: reader, offs: box?.offs ?? [], plan: plan)
      {
        return reasons(evidence)
      }
    }
    for device in devices where device.isLate(now: now) {
      return reasons(
        try SilenceEvidence(
          of: device.address, patient: patient.id, during: device.last..<now, in: reader,
          offs: box?.offs ?? [], plan: plan))
    }
    return nil
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
  private static let memory: TimeInterval = 60 * Morning.day

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
    of patient: String, among people: PlanPeople, _ reader: any StoreReader, in zone: TimeZone,
    now: Date
  ) throws -> [DeviceRhythm] {
    var days: [DeviceID: [Date: Date]] = [:]
    let hours = try reader.measuredHours(patient: patient, from: now - memory, to: now)
    for hour in hours where hour.device != .entered && hour.last <= now {
      let day = Adherence.Period.day.span(around: hour.last, in: zone).lowerBound
      days[hour.device, default: [:]][day] = max(
        hour.last, days[hour.device]?[day] ?? .distantPast)
    }
    return try days.compactMap { address, days -> DeviceRhythm? in
      let dates = Array(days.values.sorted().suffix(most))
      let latest = try reader.samples(
        SampleQuery(
          owner: .patient(patient), device: address, from: now - memory, to: now, limit: 1)
      ).last
      guard let last = dates.last, let latest else { return nil }
      var rhythm = DeviceRhythm(address: address, identity: latest.reading.device, last: last)
      rhythm.longestPause = longestPause(of: dates) { people.isAway(patient, at: $0) }
      try rhythm.readBattery(reader, now: now)
      return rhythm
    }.sorted { ($1.last, $0.address) < ($0.last, $1.address) }
  }

  private mutating func readBattery(_ reader: any StoreReader, now: Date) throws {
    let levels = try reader.samples(
      SampleQuery(
        quantity: .batteryLevel, device: address, from: now - Self.memory, to: now, limit: 100))
    guard let first = levels.first, let last = levels.last else { return }
    battery = last.reading.value
    let fall = first.reading.value - last.reading.value
    let length = last.start.timeIntervalSince(first.start)
    guard fall >= 1, length >= 7 * Morning.day else { return }
    batteryDays = Int(saturating: last.reading.value / fall * length / Morning.day)
  }
}
