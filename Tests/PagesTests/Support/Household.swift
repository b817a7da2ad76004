import Care
import CareStore
import Foundation
import Localization
import Motion
import Pages
import Testing

/// Two people with a plan of every kind of task, and a fortnight of readings, in memory.
///
/// It is Thursday, 5 November 2026, 12:00 in Berlin.
struct Household {
  let store: SQLStore
  let zone: TimeZone
  let now: Date

  init(
    tasks: (Household.Builder) throws -> [PlannedTask] = { try $0.everyKind() },
    people: [Patient] = Household.people
  ) async throws {
    let zone = try #require(TimeZone(iana: "Europe/Berlin"))
    self.zone = zone
    now = try #require(Date("2026-11-05T12:00", in: zone))
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = PlanDocument(
      timeZone: zone, patients: people, tasks: try tasks(Builder(zone: zone)))
    let imported = try #require(Date("2026-10-20", in: zone))
    _ = try await store.write { try $0.importPlan(plan, now: imported) }
  }

  /// Alex reads metric units, Kim the United States' ones.
  static let people = [
    Patient(
      id: "alex", name: PersonName(given: "Alex"),
      expects: ["bodyMass": Expectation(value: 82)]),
    Patient(
      id: "kim", name: PersonName(given: "Kim"), expects: ["bodyMass": Expectation(value: 71)],
      units: .us),
  ]

  /// An instant: `2026-11-05T07:05`.
  func date(_ text: String) throws -> Date { try #require(Date(text, in: zone)) }

  func viewer(_ language: Language, patient: String? = "alex", now: Date? = nil) -> Viewer {
    Viewer(
      language: language, patient: patient, now: now ?? self.now, timeZone: zone,
      deviceNames: ["xiaomi-mi-scale-2": "Mi Scale 2"])
  }
}

// MARK: - The plan

extension Household {
  /// Makes tasks.
  struct Builder {
    let zone: TimeZone

    func schedule(
      _ start: String, lasting duration: EventDuration = .seconds(3600),
      targets: [TargetValue] = []
    ) throws -> Schedule {
      try Schedule([element(start, lasting: duration, targets: targets)])
    }

    func element(
      _ start: String, lasting duration: EventDuration = .seconds(3600),
      targets: [TargetValue] = []
    ) throws -> ScheduleElement {
      try ScheduleElement(
        start: #require(Date(start, in: zone)), interval: Interval(days: 1), duration: duration,
        targets: targets, timeZone: zone)
    }

    func weighIn(_ patient: String) throws -> PlannedTask {
      PlannedTask(
        id: "weigh-in", patient: patient, title: "Weigh yourself",
        instructions: "Before breakfast, without shoes",
        schedule: try schedule("2026-10-20T07:00", lasting: .seconds(3600 * 4)),
        linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram))
    }

    func walk(goal: Int64 = 6000) throws -> PlannedTask {
      PlannedTask(
        id: "walk", patient: "alex", title: "Walk 6 000 steps",
        schedule: try schedule(
          "2026-10-20", lasting: .allDay,
          targets: [TargetValue(value: .integer(goal), unit: .one)]),
        linkage: Linkage(quantity: .stepCount, type: .cumulative, unit: .one))
    }

    func metformin(style: CardStyle? = nil) throws -> PlannedTask {
      PlannedTask(
        id: "metformin", patient: "alex", title: "Metformin", text: "500 mg, with food",
        schedule: try Schedule(
          ["08:00", "10:00", "20:00"].map { try element("2026-10-20T" + $0) }),
        style: style, glyph: .standard(.medication))
    }

    func checkIn() throws -> PlannedTask {
      PlannedTask(
        id: "check-in", patient: "alex", kind: .assessment, title: "Morning check-in",
        text: "Pain and sleep",
        schedule: try schedule("2026-10-20T08:00", lasting: .seconds(36_000)),
        isResettable: true,
        survey: [
          try SurveyQuestion(
            kind: "pain", type: .scale, title: "How strong is your pain?", minimum: 0, maximum: 10,
            anchors: ["none", "the worst"]),
          try SurveyQuestion(
            kind: "sleep", type: .number, title: "How long did you sleep?", minimum: 0, maximum: 16,
            step: 0.5, unit: .hour),
          try SurveyQuestion(kind: "rested", type: .boolean, title: "Are you rested?"),
          try SurveyQuestion(
            kind: "where", type: .choices, title: "Where does it hurt?",
            choices: ["Knee", "Hip", "Back"], isOptional: true),
          try SurveyQuestion(
            kind: "mood", type: .choice, title: "How are you?", choices: ["Well", "Fair", "Poor"]),
          try SurveyQuestion(
            kind: "note", type: .text, title: "Anything else?", isOptional: true),
          try SurveyQuestion(kind: "since", type: .date, title: "Since when?", isOptional: true),
          try SurveyQuestion(
            kind: "woke", type: .time, title: "When did you wake up?", isOptional: true),
          try SurveyQuestion(
            kind: "picture", type: .photo, title: "A picture of the knee", isOptional: true),
        ])
    }

    func everyKind() throws -> [PlannedTask] {
      [
        try weighIn("alex"), try weighIn("kim"), try metformin(), try checkIn(), try walk(),
        PlannedTask(
          id: "knee", patient: "alex", title: "Bend the left knee",
          instructions: "Strap the sensor to the shank and sit down.\nBend and stretch slowly.",
          schedule: try schedule(
            "2026-10-20T11:00", lasting: .seconds(6 * 3600),
            targets: [TargetValue(value: .integer(90), unit: .degree, kind: "range")]),
          activeTask: ActiveTask(type: "rangeOfMotion", joint: .knee, side: .left)),
        PlannedTask(
          id: "pressure", patient: "alex", title: "Blood pressure",
          schedule: try Schedule([element("2026-10-20T07:00"), element("2026-10-20T19:00")]),
          linkage: Linkage(
            quantity: .bloodPressureSystolic, type: .discrete, unit: .millimetreOfMercury),
          linkages: [
            Linkage(quantity: .bloodPressureDiastolic, type: .discrete, unit: .millimetreOfMercury)
          ],
          thresholds: [Threshold(kind: "systolic", condition: .atLeast(140), says: "high")]),
        PlannedTask(
          id: "stretch", patient: "alex", title: "Stretch", text: "Ten minutes",
          schedule: try schedule("2026-10-20T18:00"), glyph: .standard(.physicalTherapy)),
        PlannedTask(
          id: "water", patient: "alex", title: "Water",
          schedule: try schedule("2026-10-20", lasting: .allDay), isOptional: true,
          glyph: .custom("water")),
        PlannedTask(
          id: "pulse", patient: "alex", title: "Heart rate on the walk",
          schedule: try schedule("2026-10-20T10:00", lasting: .seconds(7200)),
          linkage: Linkage(quantity: .heartRate, type: .discrete, unit: .perMinute),
          isOptional: true),
        PlannedTask(
          id: "leaflet", patient: "alex", kind: .readOnly, title: "After the operation",
          instructions: "Keep the leg up.\nCall the practice if the wound opens.",
          schedule: try schedule("2026-10-20", lasting: .allDay),
          userInfo: ["The practice": "tel:+4930123456"]),
      ]
    }
  }
}

// MARK: - Measurements and answers

extension Household {
  /// Stores a reading of a device.
  func add(
    _ quantity: Quantity, _ value: Double, at start: String, until end: String? = nil,
    of patient: String?, device: String = "C8:47:8C:00:00:01",
    definition: String? = "xiaomi-mi-scale-2", reason: String? = nil, isStreamed: Bool = false
  ) async throws {
    let start = try date(start)
    let end = try end.map(date) ?? start
    let reading = Reading(
      quantity: quantity, value: value, arrival: end,
      interval: start < end ? DateInterval(start: start, end: end) : nil,
      device: DeviceIdentity(address: DeviceID(device), definition: definition),
      isStreamed: isStreamed)
    let sample = Sample(
      reading: reading, patient: patient, unassignedReason: reason, start: start, end: end)
    _ = try await store.write { try $0.insert(sample) }
  }

  /// Answers the event of a task that starts then.
  func answer(
    _ task: String, at start: String, _ values: [OutcomeValue] = [], answer: Answer = .done,
    now: Date? = nil
  ) async throws {
    let event = try await event(task, at: start)
    let now = now ?? self.now
    _ = try await store.write {
      try $0.setOutcome(values, answer: answer, of: event.reference, now: now)
    }
  }

  /// The event of a task that starts then.
  func event(_ task: String, at start: String, of patient: String = "alex") async throws -> Event {
    let start = try date(start)
    let events = try await store.read {
      try $0.events(patient: patient, task: task, from: start, to: start + 1)
    }
    return try #require(events.first { $0.occurrence.start == start })
  }

  /// A fortnight as a household has it, with something of everything today.
  func live() async throws {
    for day in 0..<14 {
      let date = Self.days[day] + "T07:0\(day % 10)"
      if day != 9 {
        try await add(
          .bodyMass, 83.4 - Double(day) * 0.11 + (day % 3 == 0 ? 0.2 : 0), at: date, of: "alex")
      }
      try await answer(
        "metformin", at: Self.days[day] + "T08:00",
        answer: Answer(state: .done, at: try self.date(Self.days[day] + "T08:12")))
      if day < 13 {
        try await answer("metformin", at: Self.days[day] + "T10:00")
        try await answer("metformin", at: Self.days[day] + "T20:00")
        try await answer("stretch", at: Self.days[day] + "T18:00")
        try await add(
          .stepCount, Double(4000 + day * 211), at: Self.days[day] + "T09:00",
          until: Self.days[day] + "T09:01", of: "alex", device: "D2:4F:71:00:00:03",
          definition: "bangle-js", isStreamed: true)
      }
    }
    try await add(
      .stepCount, 3214, at: "2026-11-05T11:40", until: "2026-11-05T11:41", of: "alex",
      device: "D2:4F:71:00:00:03", definition: "bangle-js", isStreamed: true)
    for (quantity, value) in [
      (Quantity.bloodPressureSystolic, 142.0), (.bloodPressureDiastolic, 86),
    ] {
      try await add(
        quantity, value, at: "2026-11-05T07:20", of: "alex", device: "00:09:1F:00:00:04",
        definition: "and-ua-651ble")
    }
    for (minute, rate) in [98.0, 102, 105, 109, 96].enumerated() {
      try await add(
        .heartRate, rate, at: "2026-11-05T10:1\(minute)", of: "alex", device: "A0:9E:1A:00:00:02",
        definition: "polar-h10")
    }
    for time in ["08:20", "10:05", "11:40"] {
      let values = [
        OutcomeValue(
          value: .boolean(true), time: try date("2026-11-05T" + time), provenance: .manual)
      ]
      let earlier = try await event("water", at: "2026-11-05").outcome?.values ?? []
      try await answer("water", at: "2026-11-05", earlier + values)
    }
    let reason = UnassignedWeighing(
      doubt: .alike, patients: ["kim", "alex"],
      odds: [.init(patient: "kim", probability: 0.86), .init(patient: "alex", probability: 0.13)])
    try await add(
      .bodyMass, 71.3, at: "2026-11-05T07:10", of: nil,
      reason: UnassignedReason.weighing(reason).text)
  }

  /// The fortnight that ends on 5 November 2026.
  static let days =
    (23...31).map { "2026-10-\($0)" } + (1...5).map { "2026-11-0\($0)" }
}

// MARK: - Pages

extension Household {
  /// A day's page.
  func today(
    _ site: Site, _ language: String = "en", patient: String? = "alex", date: String? = nil,
    notice: Notice? = nil
  ) async throws -> String {
    let viewer = viewer(try #require(site.language(language)), patient: patient)
    let day = try date.map(self.date) ?? now
    return try await store.read { reader in
      try TodayPage(reader, viewer: viewer, date: day, notice: notice).html(site)
    }
  }

  /// An event's page.
  func page(
    of event: Event, _ site: Site, _ language: String = "en", notice: Notice? = nil,
    entered: [String: [String]] = [:]
  ) async throws -> String {
    let viewer = viewer(try #require(site.language(language)))
    let id = event.id
    return try #require(
      await store.read { reader in
        try EventPage(reader, viewer: viewer, event: id, notice: notice, entered: entered)?
          .html(site)
      })
  }
}
