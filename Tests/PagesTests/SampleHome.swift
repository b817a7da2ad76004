import Care
import CareStore
import Foundation
import Localization
import TestSupport

@testable import Pages

/// A home with two people, eight weeks of readings and answers, in a store in memory.
struct SampleHome {
  let store: SQLStore
  let zone: TimeZone
  let now: Date

  /// The days that have data.
  static let dayCount = 60

  init(hostile: String? = nil) async throws {
    let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    let now = Date(rfc3339: "2026-11-22T11:30:00+01:00") ?? .distantPast
    self.zone = zone
    self.now = now
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = try Self.plan(zone: zone, now: now, hostile: hostile)
    let first = now - Double(Self.dayCount) * 86_400
    try await store.write { writer in
      _ = try writer.importPlan(plan, now: first)
    }
    try await fill(hostile: hostile)
  }

  /// A viewer of one person, or of everyone.
  func viewer(_ site: Site, _ language: String = "en", patient: String? = "alex") -> Viewer {
    Viewer(
      language: site.language(language) ?? site.languages[0], patient: patient, now: now,
      timeZone: zone,
      deviceNames: ["xiaomi-mi-scale-2": "Mi Scale 2", "polar-h10": "Polar H10"])
  }

  private static func plan(
    zone: TimeZone, now: Date, hostile: String?
  ) throws -> PlanDocument {
    let start = now - Double(dayCount) * 86_400
    func daily(
      _ hours: [Int], allDay: Bool = false, targets: [TargetValue] = []
    ) throws -> Schedule {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      let midnight = calendar.startOfDay(for: start)
      return try Schedule(
        hours.map { hour in
          try ScheduleElement(
            start: calendar.date(byAdding: .hour, value: hour, to: midnight) ?? midnight,
            interval: Interval(days: 1), duration: allDay ? .allDay : .seconds(3600),
            targets: targets, timeZone: zone)
        })
    }
    let questions = [
      try SurveyQuestion(
        kind: "pain", type: .scale, title: hostile ?? "Pain", minimum: 0, maximum: 10),
      try SurveyQuestion(
        kind: "sleep", type: .number, title: "Sleep", minimum: 0, maximum: 24, unit: .hour),
    ]
    let tasks = [
      PlannedTask(
        id: "weigh", patient: "alex", title: hostile ?? "Weigh yourself",
        instructions: "Before breakfast, without shoes.",
        schedule: try daily([0], allDay: true),
        linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)),
      PlannedTask(
        id: "pills", patient: "alex", title: "Metformin", text: "500 mg, with food",
        schedule: try daily([8, 14, 20])),
      PlannedTask(
        id: "walk", patient: "alex", title: "Evening walk", schedule: try daily([0], allDay: true)),
      PlannedTask(
        id: "checkin", patient: "alex", title: "Morning check-in", schedule: try daily([9]),
        survey: questions),
      PlannedTask(
        id: "weigh", patient: "kim", title: "Weigh yourself",
        schedule: try daily([0], allDay: true),
        linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)),
    ]
    return PlanDocument(
      timeZone: zone,
      patients: [
        Patient(
          id: "alex", name: PersonName(given: hostile ?? "Alex", family: "Example"),
          expects: ["bodyMass": Expectation(value: 84)]),
        Patient(id: "kim", name: PersonName(given: "Kim"), units: .us),
      ], tasks: tasks,
      devices: [
        DeviceBinding(address: "5C:CA:D3:70:D4:A2", definition: "xiaomi-mi-scale-2"),
        try JSONDecoder().decode(
          DeviceBinding.self,
          from: Data(
            """
            {"address": "A0:9E:1A:00:00:02", "definition": "polar-h10", "patient": "alex",
             "placement": {"joint": "knee", "side": "left", "segment": "shank"}}
            """.utf8)),
      ],
      contacts: [
        Contact(
          id: "mila", name: PersonName(given: "Mila", family: "Weber"), role: "Physiotherapist",
          organization: hostile ?? "Practice at the park",
          phoneNumbers: [LabeledValue(label: "practice", value: "+49 (30) 123-4567")],
          emailAddresses: [
            LabeledValue(value: "mila@example.org"), LabeledValue(value: "javascript:alert(1)"),
          ]),
        Contact(
          id: "sam", patient: "alex", name: PersonName(given: "Sam"), title: "son",
          category: .personal,
          messagingNumbers: [LabeledValue(value: "0151 2345678")],
          address: PostalAddress(street: "Am Park 3", city: "Berlin", postalCode: "10115")),
      ])
  }

  private func fill(hostile: String?) async throws {
    let (zone, now) = (zone, now)
    try await store.write { writer in
      var random = SeededGenerator(seed: 42)
      let days = DayGrid(endingOn: now, count: Self.dayCount, in: zone)
      for (place, day) in days.starts.enumerated() {
        let morning = day + 7 * 3600 + 300
        if place % 9 != 4 {
          let weight = 84.6 - 0.04 * Double(place) + Double.random(in: -0.4...0.4, using: &random)
          _ = try writer.insert(Self.sample(.bodyMass, (weight * 20).rounded() / 20, at: morning))
        }
        let kim = 61 + Double.random(in: -0.3...0.3, using: &random)
        _ = try writer.insert(
          Self.sample(.bodyMass, (kim * 20).rounded() / 20, at: morning + 600, patient: "kim"))
        for minute in 0..<20 where place > 20 {
          let start = day + 10 * 3600 + Double(minute) * 60
          _ = try writer.insert(
            Self.sample(
              .stepCount, Double(Int.random(in: 150...320, using: &random)), at: start,
              device: "A0:9E:1A:00:00:02", minutes: 1))
        }
        let walked = place % 5 != 2 && place % 7 != 3
        for event in try writer.events(
          EventQuery(patient: "alex", from: day, to: days.end(of: place)))
        where event.occurrence.start >= day && event.occurrence.start <= now {
          try Self.answer(
            event, isWalkDay: walked, place: place, writer, &random, hostile: hostile)
        }
      }
      for second in 0..<600 {
        _ = try writer.insert(
          Self.sample(
            .heartRate, 90 + Double(second % 20), at: now - 7200 + Double(second),
            device: "A0:9E:1A:00:00:02", isStreamed: true))
      }
      _ = try writer.insert(
        Self.sample(.batteryLevel, 12, at: now - 3000, device: "A0:9E:1A:00:00:02"))
      _ = try writer.put(
        Message(
          id: "m1", patient: "alex", contact: "mila", sender: .contact,
          text: hostile ?? "Please keep the knee target at 90° this week.",
          sentDate: now - 86_400), now: now)
      _ = try writer.put(
        Message(id: "m2", patient: "alex", sender: .patient, text: "Will do.", sentDate: now),
        now: now)
    }
  }

  private static func answer(
    _ event: Event, isWalkDay: Bool, place: Int, _ writer: any StoreWriter,
    _ random: inout SeededGenerator, hostile: String?
  ) throws {
    let now = event.occurrence.start + 600
    switch event.task.id {
    case "pills":
      let isEvening = event.ordinal == 0 && event.occurrence.index % 3 == 2
      if isEvening && place % 3 == 0 { return }
      _ = try writer.setOutcome(
        [OutcomeValue(value: .boolean(true), time: now, provenance: .manual)], of: event, now: now)
    case "walk":
      guard !isWalkDay else {
        _ = try writer.setOutcome(
          [OutcomeValue(value: .boolean(true), time: now, provenance: .manual)], of: event,
          now: now)
        return
      }
      guard place % 2 == 0 else { return }
      _ = try writer.setOutcome(
        [], answer: Answer(state: .notDone, reason: hostile ?? "It rained."), of: event.reference,
        now: now)
    case "checkin":
      let pain = (isWalkDay ? 3.0 : 5.0) + Double(Int.random(in: -1...1, using: &random))
      let sleep = Double(Int.random(in: 12...17, using: &random)) / 2
      _ = try writer.setOutcome(
        [
          OutcomeValue(value: .integer(Int64(pain)), kind: "pain", time: now, provenance: .manual),
          OutcomeValue(
            value: .double(sleep), unit: .hour, kind: "sleep", time: now, provenance: .manual),
        ], of: event, now: now)
    default: break
    }
  }

  static func sample(
    _ quantity: Quantity, _ value: Double, at start: Date, patient: String? = "alex",
    device: DeviceID = "5C:CA:D3:70:D4:A2", minutes: Double = 0, isStreamed: Bool = false
  ) -> Sample {
    let end = start + minutes * 60
    let definition = device == "5C:CA:D3:70:D4:A2" ? "xiaomi-mi-scale-2" : "polar-h10"
    return Sample(
      reading: Reading(
        quantity: quantity, value: value, arrival: end,
        interval: minutes > 0 ? DateInterval(start: start, end: end) : nil,
        device: DeviceIdentity(address: device, definition: definition),
        isStreamed: isStreamed || minutes > 0, raw: isStreamed || minutes > 0 ? [] : [1, 2]),
      patient: patient, start: start, end: end)
  }
}
