package import Care
package import Foundation

/// Everything that Home Assistant is told of, at one moment.
package struct HomeAssistantFacts: Hashable, Sendable {
  package var people: [Person] = []
  package var sensors: [Sensor] = []
  /// How many readings wait for their person; `nil` if that is not to be told.
  package var waiting: Int?
  /// The happenings within ``reach``, by time.
  package var happenings: [Happening] = []
  /// The zone in which times are written.
  package var zone: TimeZone
  /// When something of it changes by itself.
  package var wakeAt: Date?

  /// How long something that happened is told of, in seconds: after an outage not what nobody can act on.
  package static let reach: TimeInterval = 3_600

  package struct Person: Hashable, Sendable {
    package var id: String
    package var name: String
    package var values: [Value] = []
    package var tasks: [Task] = []
  }

  /// A sensor of the household.
  package struct Sensor: Hashable, Sendable {
    package var address: DeviceID
    package var name: String
    package var values: [Value] = []
    /// When a value of one of these people came from it last.
    package var lastSeen: Date?
  }

  /// The latest value of a quantity, or the sum of the day.
  package struct Value: Hashable, Sendable {
    package var quantity: Quantity
    package var value: Double
    package var time: Date
    /// The beginning of the day whose sum it is.
    package var since: Date?
    package var device: String?
    package var provenance: Provenance?
    package var isCorrected = false
  }

  /// A task that the day has.
  package struct Task: Hashable, Sendable {
    package var id: String
    package var title: String
    /// Where its event stands that comes next, or was the last.
    package var state: EventState
    /// When that event starts.
    package var due: Date
    package var events: [TaskEvent] = []
    /// Whether one tap says all that it asks.
    package var isDoneByTap = false
    /// The number that it asks for.
    package var number: Number?
  }

  package struct TaskEvent: Hashable, Sendable {
    package var start: Date
    package var state: EventState
  }

  /// A number that a task asks for.
  package struct Number: Hashable, Sendable {
    package var range: ClosedRange<Double>
    package var unit: UnitOfMeasure
    package var step: Double
  }

  /// Something that happened.
  package struct Happening: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case completed, missed, alert, unassigned

      /// Those of a person, and those of the box.
      package static let ofPeople: [Kind] = [.completed, .missed, .alert]
      package static let ofBox: [Kind] = [.unassigned]
    }

    package var kind: Kind
    /// `nil` for the box.
    package var patient: String?
    package var task: String?
    package var title: String?
    package var time: Date
    /// Its name for ever.
    package var id: String
  }
}

extension HomeAssistantFacts {
  /// Reads the facts.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - scope: What may leave; nothing does of a person whose consent is open or withdrawn.
  ///   - now: The time.
  /// - Throws: ``StoreError``.
  package init(_ reader: any StoreReader, scope: OutletScope, now: Date) throws {
    let zone = try reader.zone()
    self.zone = zone
    for patient in try reader.patients() {
      guard scope.people?.contains(patient.id) ?? true,
        try reader.consent(of: patient.id).permitsLeaving
      else { continue }
      try readPerson(patient, reader, scope, now)
    }
    try readSensors(reader, scope, now)
    // Whose a waiting reading is, nobody knows: where only some people's values leave, it stays.
    if scope.people == nil { try readWaiting(reader, now) }
    try readAlerts(reader, now)
    happenings.sort { ($0.time, $0.id) < ($1.time, $1.id) }
  }

  private mutating func readPerson(
    _ patient: Patient, _ reader: any StoreReader, _ scope: OutletScope, _ now: Date
  ) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = patient.timeZone(at: now, in: zone)
    let day = calendar.startOfDay(for: now)
    let nextDay = calendar.date(byAdding: .day, value: 1, to: day) ?? day + 86_400
    var person = Person(id: patient.id, name: patient.displayName)
    for quantity in try reader.quantities(of: .patient(patient.id)) {
      guard quantity.isPersonal, scope.quantities?.contains(quantity) ?? true,
        let sensor = HomeAssistantSensor(quantity)
      else { continue }
      let value =
        sensor.isSum
        ? try Self.sum(of: quantity, patient.id, since: day, now, reader)
        : try reader.latestSample(patient: patient.id, quantity: quantity).map(Value.init)
      guard let value, scope.since.map({ value.time >= $0 }) ?? true else { continue }
      person.values.append(value)
    }
    let events = try reader.events(
      EventQuery(
        patient: patient.id, from: day - 86_400, to: nextDay, now: now, omitsCrowded: true))
    wakeAt = min(wakeAt ?? nextDay, nextDay)
    for event in events where event.occurrence.overFrom > now {
      wakeAt = min(wakeAt ?? nextDay, event.occurrence.overFrom)
    }
    happenings += events.compactMap { Happening($0, now: now) }
    var tasks: [String: [Event]] = [:]
    for event in events where event.occurrence.overFrom > day && event.task.kind != .readOnly {
      tasks[event.task.id, default: []].append(event)
    }
    person.tasks = tasks.keys.sorted().compactMap { Task(tasks[$0] ?? [], now: now) }
    people.append(person)
  }

  private static func sum(
    of quantity: Quantity, _ patient: String, since day: Date, _ now: Date,
    _ reader: any StoreReader
  ) throws -> Value {
    var counts = SpanCounts()
    for sample in try reader.samples(
      SampleQuery(owner: .patient(patient), quantity: quantity, from: day, to: now))
    where sample.start >= day { counts.add(sample) }
    let reached = counts.reached
    return Value(
      quantity: quantity, value: reached?.sum ?? 0, time: reached?.latestDate ?? day, since: day)
  }

  private mutating func readSensors(
    _ reader: any StoreReader, _ scope: OutletScope, _ now: Date
  ) throws {
    var bindings: [DeviceID: [DeviceBinding]] = [:]
    for binding in try reader.deviceBindings() {
      bindings[binding.address, default: []].append(binding)
    }
    let permitted = Set(people.map(\.id))
    for (address, bindings) in bindings.sorted(by: { $0.key < $1.key }) {
      // The sensor of one person alone goes with that person.
      let owners = bindings.compactMap(\.patient)
      guard owners.isEmpty || owners.contains(where: permitted.contains) else { continue }
      var sensor = Sensor(
        address: address, name: bindings.compactMap(\.definition).first ?? address.text)
      for quantity in Quantity.all where !quantity.isPersonal {
        guard HomeAssistantSensor(quantity) != nil, scope.quantities?.contains(quantity) ?? true,
          let sample = try reader.samples(
            SampleQuery(quantity: quantity, device: address, limit: 1)
          ).last
        else { continue }
        sensor.values.append(Value(sample))
      }
      sensor.lastSeen = try permitted.compactMap { person in
        try reader.samples(SampleQuery(owner: .patient(person), device: address, limit: 1)).last?
          .start
      }.max()
      sensors.append(sensor)
    }
  }

  /// The most readings that are counted.
  private static let mostWaiting = 200

  private mutating func readWaiting(_ reader: any StoreReader, _ now: Date) throws {
    let samples = try reader.samples(
      SampleQuery(owner: .unassigned, from: now - OccasionReading.reach, limit: Self.mostWaiting)
    ).filter(\.quantity.isPersonal)
    // One weighing has several values.
    var seen: Set<Date> = []
    let firsts = samples.filter { seen.insert($0.start).inserted }
    waiting = firsts.count
    for sample in firsts where now - Self.reach < sample.arrival && sample.arrival <= now {
      happenings.append(
        Happening(
          kind: .unassigned, time: sample.arrival,
          id: ItemID(of: ["unassigned", sample.identity.text]).text))
    }
  }

  private mutating func readAlerts(_ reader: any StoreReader, _ now: Date) throws {
    let permitted = Set(people.map(\.id))
    let titles = people.reduce(into: [String: String]()) { titles, person in
      for task in person.tasks { titles["\(person.id)/\(task.id)"] = task.title }
    }
    for stored in try reader.firings(FiringQuery(kinds: [.alert], from: now - Self.reach)) {
      let firing = stored.firing
      guard permitted.contains(firing.event.patient), firing.date <= now else { continue }
      happenings.append(
        Happening(
          kind: .alert, patient: firing.event.patient, task: firing.event.task,
          title: titles["\(firing.event.patient)/\(firing.event.task)"], time: firing.date,
          id: ItemID(of: ["alert", stored.id.uuidString]).text))
    }
  }
}

extension HomeAssistantFacts.Value {
  init(_ sample: Sample) {
    self.init(
      quantity: sample.quantity, value: sample.value, time: sample.start,
      device: sample.device.address == .entered ? nil : sample.device.address.text,
      provenance: sample.provenance, isCorrected: sample.corrects != nil)
  }
}

extension HomeAssistantFacts.Task {
  /// The task of its events of one day; `nil` without any.
  init?(_ events: [Event], now: Date) {
    guard let event = Self.event(of: events, at: now) else { return nil }
    let task = event.task.planned
    self.init(
      id: event.task.id, title: event.task.title, state: event.state(at: now),
      due: event.occurrence.start,
      events: events.map { .init(start: $0.occurrence.start, state: $0.state(at: now)) },
      isDoneByTap: task.isDoneByTap,
      number: task.linkages.count == 1 && task.survey.isEmpty && task.activeTask == nil
        ? task.linkages.first.flatMap(HomeAssistantFacts.Number.init) : nil)
  }
}

extension HomeAssistantFacts.Task {
  /// Which of the events of one day a task shows, and an answer is for: the first that began and is open,
  /// else the last that began, else the first.
  package static func event(of events: [Event], at now: Date) -> Event? {
    let begun = events.filter { $0.occurrence.start <= now }
    return begun.first { $0.state(at: now) == .open } ?? begun.last ?? events.first
  }
}

extension HomeAssistantFacts.Number {
  fileprivate init?(_ linkage: Linkage) {
    let (quantity, unit) = (linkage.quantity, linkage.unit)
    guard let low = quantity.convert(quantity.possible.lowerBound, from: quantity.unit, to: unit),
      let high = quantity.convert(quantity.possible.upperBound, from: quantity.unit, to: unit),
      low <= high
    else { return nil }
    let step: Double =
      switch quantity.fractionDigits {
      case 0: 1
      case 1: 0.1
      case 2: 0.01
      default: 0.001
      }
    self.init(range: low...high, unit: unit, step: step)
  }
}

extension HomeAssistantFacts.Happening {
  /// The happening of an event within the last hour; `nil` if there is none.
  fileprivate init?(_ event: Event, now: Date) {
    let kind: Kind
    let time: Date
    switch event.state(at: now) {
    case .done:
      guard let made = event.outcome?.createdDate else { return nil }
      (kind, time) = (.completed, made)
    case .missed: (kind, time) = (.missed, event.occurrence.overFrom)
    default: return nil
    }
    guard now - HomeAssistantFacts.reach < time, time <= now else { return nil }
    let start = Int64(saturating: event.occurrence.start.timeIntervalSince1970 * 1_000)
    self.init(
      kind: kind, patient: event.task.patient, task: event.task.id, title: event.task.title,
      time: time,
      id: ItemID(
        of: [kind.rawValue, event.task.patient, event.task.id, "\(start)", "\(event.ordinal)"]
      ).text)
  }
}
