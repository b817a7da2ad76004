package import Care
package import Foundation

/// Something about the machine that somebody is told of.
package struct MachineFault: Hashable, Sendable {
  /// The fault's name, for programs: `battery A0:9E:1A:00:00:02`, `radio`.
  package var name: String
  /// Since when.
  package var since: Date
  /// Whose device it is; `nil` for what serves everybody.
  package var patient: String?

  /// Makes a fault.
  package init(_ name: String, since: Date, patient: String? = nil) {
    (self.name, self.since, self.patient) = (name, since, patient)
  }
}

/// The occasions of a store of which the plan's rules tell somebody.
package struct OccasionReading {
  /// The occasions that hold, and that nobody has answered.
  package private(set) var occasions: [Occasion] = []
  /// When the next event is over that somebody would be told of; `nil` if there is none.
  package private(set) var wakeAt: Date?

  private let reader: any StoreReader
  private let now: Date
  private let household: PlanPeople
  private let contacts: [Contact]

  /// How far back something is still told of, in seconds.
  package static let reach: TimeInterval = 8 * 86_400
  /// The most readings that wait for an answer and are told of.
  private static let mostQuestions = 50

  /// Reads the occasions.
  ///
  /// - Throws: ``StoreError``.
  package init(_ reader: any StoreReader, faults: [MachineFault], now: Date) throws {
    self.reader = reader
    self.now = now
    household = try PlanPeople(reader)
    contacts = try reader.things(Contact.self)
    try readTasks()
    try readQuestions()
    for fault in try faults + emptyBatteries() {
      add(
        .init(.machine, patient: fault.patient, subject: fault.name, occurrence: fault.since),
        happened: fault.since, steps: householdSteps(.machine, of: fault.patient))
    }
    try readMessages()
  }

  private mutating func add(
    _ key: Occasion.Key, happened: Date, noticed: Date? = nil, until: Date? = nil,
    steps: [Occasion.Step]
  ) {
    guard !steps.isEmpty else { return }
    occasions.append(
      Occasion(key, happened: happened, noticed: noticed ?? happened, until: until, steps: steps))
  }

  // MARK: Whom

  /// Whom the name of a plan means: a contact of the patient or of everybody, else a patient.
  private func recipient(_ id: String, of patient: String) -> Recipient? {
    let known = contacts.filter { $0.id == id && ($0.patient == nil || $0.patient == patient) }
    if let contact = known.first(where: { $0.patient != nil }) ?? known.first {
      return Recipient(contact: id, of: contact.patient)
    }
    return household.people[id] == nil ? nil : Recipient(patient: id)
  }

  private func steps(_ rules: [NotifyRule], of patient: String) -> [Occasion.Step] {
    rules.flatMap { rule in
      rule.to.compactMap { recipient($0, of: patient) }.map {
        Occasion.Step(
          $0, after: rule.after, isUrgent: rule.isUrgent, showsValue: rule.showsValue)
      }
    }
  }

  /// Those of a task, else those of its person.
  private func steps(_ kind: NotifyRule.Kind, of task: CareTask) -> [Occasion.Step] {
    let own = task.planned.notify.filter { $0.kind == kind }
    let common = household.people[task.patient]?.notify.filter { $0.kind == kind } ?? []
    return steps(own.isEmpty ? common : own, of: task.patient)
  }

  /// Those of a person; of everybody for what belongs to nobody, each once.
  private func householdSteps(_ kind: NotifyRule.Kind, of patient: String?) -> [Occasion.Step] {
    let people = household.people.values.filter { patient == nil || $0.id == patient }
      .sorted { $0.id < $1.id }
    return people.flatMap { person in
      steps(person.notify.filter { $0.kind == kind }, of: person.id)
    }.uniqued()
  }

  // MARK: Tasks

  private mutating func readTasks() throws {
    var tasks: [TaskReference: CareTask] = [:]
    for history in try reader.histories(patient: nil) {
      guard let task = history.current(at: now) else { continue }
      tasks[TaskReference(patient: task.patient, task: task.id)] = task
      try readMissed(of: task)
    }
    let isTold = tasks.values.contains { task in
      !steps(.alert, of: task).isEmpty || !steps(.reminder, of: task).isEmpty
        || task.rules.contains { $0.contact != nil }
    }
    guard isTold else { return }
    let firings = try reader.firings(FiringQuery(from: now - Self.reach))
    let seen = firings.map(\.firing).filter { $0.kind == .seen }
    for stored in firings {
      // Whoever has seen an alert, at whichever page, looks after it: nobody else is told.
      if stored.firing.kind == .alert, seen.contains(where: { $0.hasSeen(stored.firing, now: now) })
      {
        continue
      }
      let event = stored.firing.event
      guard let task = tasks[TaskReference(patient: event.patient, task: event.task)] else {
        continue
      }
      try read(stored, of: task)
    }
  }

  private mutating func read(_ stored: StoredFiring, of task: CareTask) throws {
    let firing = stored.firing
    let kind: Occasion.Kind
    var steps: [Occasion.Step]
    switch firing.kind {
    case .alert, .rule:
      // A rule that only changes a target says nothing.
      guard firing.kind == .alert || firing.rule?.message != nil else { return }
      (kind, steps) = (.alert, self.steps(.alert, of: task))
      if let contact = firing.rule?.contact.flatMap({ recipient($0, of: task.patient) }),
        !steps.contains(where: { $0.recipient == contact })
      {
        steps.append(.init(contact))
      }
    case .reminder, .fallback:
      (kind, steps) = (.reminder, self.steps(.reminder, of: task))
      guard firing.date > now - 2 * 86_400 else { return }
    case .snooze, .seen: return
    }
    guard !steps.isEmpty, try firing.isStanding(in: reader, now: now) else { return }
    let until = kind == .reminder ? try reader.event(firing.event)?.promptsUntil : nil
    add(
      .init(
        kind, patient: task.patient, task: task.id, subject: stored.id.uuidString,
        occurrence: firing.event.start),
      happened: firing.due, noticed: firing.date, until: until, steps: steps)
  }

  private mutating func readMissed(of task: CareTask) throws {
    let steps = steps(.missed, of: task)
    guard !steps.isEmpty, !task.isEnded else { return }
    let events = try reader.events(
      EventQuery(
        patient: task.patient, task: task.id, from: now - Self.reach, to: now + 86_400))
    for event in events where !household.isAway(task.patient, at: event.occurrence.start) {
      let end = event.occurrence.overFrom
      if end > now {
        wakeAt = min(wakeAt ?? end, end)
      } else if end > now - Self.reach, event.state(at: now) == .missed {
        add(
          .init(
            .missed, patient: task.patient, task: task.id, subject: "\(event.ordinal)",
            occurrence: event.occurrence.start),
          happened: end, steps: steps)
      }
    }
  }

  // MARK: The rest

  private mutating func readQuestions() throws {
    let steps = householdSteps(.question, of: nil)
    guard !steps.isEmpty else { return }
    let waiting = try reader.samples(
      SampleQuery(owner: .unassigned, from: now - Self.reach, limit: Self.mostQuestions))
    // One weighing has several values.
    var seen: Set<Date> = []
    for sample in waiting where seen.insert(sample.start).inserted {
      add(
        .init(.question, subject: sample.reading.device.address.text, occurrence: sample.start),
        happened: sample.start, noticed: sample.reading.arrival, steps: steps)
    }
  }

  /// The sensors of the plan whose battery is low, since they first said so.
  private func emptyBatteries() throws -> [MachineFault] {
    guard household.people.values.contains(where: { $0.notify.contains { $0.kind == .machine } })
    else { return [] }
    var faults: [MachineFault] = []
    for (device, owner) in try reader.deviceBindings().map({ ($0.address, $0.patient) })
      .reduce(into: [DeviceID: String?](), { $0[$1.0] = $1.1 })
    {
      let levels = try reader.samples(
        SampleQuery(
          quantity: .batteryLevel, device: device, from: now - Self.reach,
          limit: Self.mostLevels))
      let low = levels.reversed().prefix { $0.reading.value < Quantity.lowBattery }
      guard let first = low.last else { continue }
      faults.append(
        MachineFault("battery \(device.text)", since: first.start, patient: owner))
    }
    return faults.sorted { $0.name < $1.name }
  }

  private static let mostLevels = 200

  /// Reads the messages of people: to a contact, to the whole care team, or to the patient.
  private mutating func readMessages() throws {
    let messages = try reader.things(Message.self).filter { $0.sentDate > now - Self.reach }
    for message in messages {
      let isAnswered = messages.contains { other in
        other.patient == message.patient && other.sender != message.sender
          && other.sentDate > message.sentDate
      }
      guard !isAnswered else { continue }
      let to: [Recipient]
      switch (message.sender, message.contact) {
      case (.contact, _): to = [Recipient(patient: message.patient)]
      case (.patient, .some(let contact)):
        to = [recipient(contact, of: message.patient)].compactMap(\.self)
      case (.patient, nil):
        to = contacts.filter {
          $0.category == .careTeam && ($0.patient == nil || $0.patient == message.patient)
        }.map { Recipient(contact: $0.id, of: $0.patient) }
      }
      add(
        .init(
          .message, patient: message.patient, subject: message.id, occurrence: message.sentDate),
        happened: message.sentDate, steps: to.map { Occasion.Step($0) })
    }
  }
}

/// The people of a plan, as readers of messages.
package struct Audience {
  private let household: PlanPeople
  private let contacts: [Contact]
  private let now: Date

  /// Reads the people.
  ///
  /// - Throws: ``StoreError``.
  package init(_ reader: any StoreReader, now: Date) throws {
    household = try PlanPeople(reader)
    contacts = try reader.things(Contact.self)
    self.now = now
  }

  /// Everybody who may be told.
  package var recipients: [Recipient] {
    (contacts.map { Recipient(contact: $0.id, of: $0.patient) }
      + household.people.keys.map { Recipient(patient: $0) }).sorted()
  }

  /// The plan's zone.
  package var zone: TimeZone { household.zone }

  private func contact(_ recipient: Recipient) -> Contact? {
    recipient.contact.flatMap { id in
      contacts.first { $0.id == id && $0.patient == recipient.patient }
    }
  }

  /// The quiet hours and the clock of a recipient; `nil` for somebody whom the plan no longer has.
  package func clock(of recipient: Recipient) -> (quiet: QuietHours?, timeZone: TimeZone)? {
    guard recipient.contact == nil else {
      return contact(recipient).map { ($0.quiet, $0.timeZone ?? household.zone) }
    }
    return recipient.patient.flatMap { household.people[$0] }
      .map { ($0.quiet, $0.timeZone(at: now, in: household.zone)) }
  }

  /// The language in which a recipient reads, a BCP 47 tag; a contact without one has the patient's.
  package func language(of recipient: Recipient) -> String? {
    let people = household.people
    return contact(recipient)?.language ?? recipient.patient.flatMap { people[$0]?.language }
      ?? (people.count == 1 ? people.values.first?.language : nil)
  }
}
