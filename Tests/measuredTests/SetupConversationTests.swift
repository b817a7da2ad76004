import Care
import Foundation
import Localization
import Pages
import Plans
import StrictYAML
import Testing
import Web

@testable import Commands
@testable import Lab
@testable import Terminal

/// The set-up as questions and answers, without a terminal, a radio or a store.
@Suite struct SetupConversationTests {
  private static let scale = FoundDevice(
    address: "5C:CA:D3:70:D4:A2", definition: "xiaomi-mi-scale-2", name: "Mi scale",
    readings: [FoundDevice.Value(quantity: .bodyMass, value: 81.95)])
  private static let strap = FoundDevice(
    address: "A0:9E:1A:00:00:02", definition: "polar-h10", name: "Polar H10",
    readings: [FoundDevice.Value(quantity: .heartRate, value: 91)])
  private static let silent = FoundDevice(
    address: "D2:4F:71:00:00:03", definition: "witmotion-bwt901ble", name: "WitMotion",
    isWorn: true)

  /// Begins soon after midnight, before the first task of the day.
  private func conversation(
    _ plan: String? = nil, at now: String = "2019-10-18T02:01:00+02:00"
  ) throws -> SetupConversation {
    SetupConversation(
      plan: try plan.map { try parse($0) },
      context: SetupConversation.Context(
        zone: try #require(TimeZone(iana: "Europe/Berlin")),
        now: try Date(now, strategy: .iso8601), isRecorded: true))
  }

  private func parse(_ text: String) throws -> PlanDocument {
    try PlanText.commands().parse(text)
  }

  /// Gives the answers in order; `listen` stands for what is received.
  private func run(
    _ answers: [String], _ plan: String? = nil, hearing devices: [FoundDevice] = [],
    at now: String = "2019-10-18T02:01:00+02:00"
  ) throws -> SetupConversation {
    var talk = try conversation(plan, at: now)
    for answer in answers {
      talk.answer(answer)
      if talk.turn == .listen { talk.hear(devices) }
    }
    return talk
  }

  private static let alone = ["", "John Appleseed", "", "82", "", "", ""]

  /// Answers, what is received meanwhile, and the plan that they make.
  private static let cases: [(answers: [String], devices: [FoundDevice], plan: String)] = [
    // One person whose only task is the one that is offered first.
    (
      alone + ["", "", "", "y"], [],
      """
      timeZone: Europe/Berlin
      patients:
        - {id: john, name: {given: John, family: Appleseed}, expects: {bodyMass: "82.0 kg"}}
      tasks:
        - id: weigh-in
          patient: john
          title: "Weigh yourself"
          instructions: "Before breakfast, without shoes."
          schedule:
            - {start: 2019-10-18, interval: {days: 1}, duration: allDay}
          linkage: {quantity: bodyMass, type: discrete, unit: kg}
          glyph: scale

      """
    ),
    // Two people with one scale, of which one is told apart by the first reading.
    (
      [
        "America/Los_Angeles", "John", "", "-", "", "", "Mary", "us", "141", "", "zh-hant", "",
        "all",
        "john", "go on", "go on", "",
      ], [scale],
      """
      timeZone: America/Los_Angeles
      patients:
        - {id: john, name: {given: John}, expects: {bodyMass: "81.95 kg"}}
        - {id: mary, name: {given: Mary}, expects: {bodyMass: "63.956524 kg"}, units: us, language: zh-Hant}
      devices:
        - {address: "5C:CA:D3:70:D4:A2", definition: xiaomi-mi-scale-2}

      """
    ),
    // A strap of the only person, a sensor that is worn, and one of the neighbours.
    (
      alone + ["", "john", "left-shank", "none", "knee", "", "100", "8", "go on", "y"],
      [strap, silent, scale],
      """
      timeZone: Europe/Berlin
      patients:
        - {id: john, name: {given: John, family: Appleseed}, expects: {bodyMass: "82.0 kg"}}
      tasks:
        - id: left-knee
          patient: john
          title: "Bend the left knee"
          instructions: "Strap the sensor to the shank, sit down, and bend the knee three times."
          schedule:
            - {start: 2019-10-18T08:00, interval: {days: 1}, duration: 1h, targets: [{value: 100, unit: deg, kind: range}]}
          activeTask: {type: rangeOfMotion, joint: knee, side: left}
          glyph: physicalTherapy
      devices:
        - {address: "A0:9E:1A:00:00:02", definition: polar-h10, patient: john}
        - {address: "D2:4F:71:00:00:03", definition: witmotion-bwt901ble, patient: john, placement: {side: left, segment: shank}}

      """
    ),
    // Several kinds of tasks at once, and one that is described by hand.
    (
      alone + [
        "pressure, heart 7", "", "", "", "pills other", "Iron", "8 20:30", "Stretch", "", "",
        "daily", "",
        "", "all day", "", "check", "", "", "", "", "", "", "", "", "",
      ], [],
      """
      timeZone: Europe/Berlin
      patients:
        - {id: john, name: {given: John, family: Appleseed}, expects: {bodyMass: "82.0 kg"}}
      tasks:
        - id: blood-pressure
          patient: john
          title: "Measure the blood pressure"
          instructions: "Sit quietly for five minutes first."
          schedule:
            - {start: 2019-10-18T08:00, interval: {days: 1}, duration: 2h}
            - {start: 2019-10-18T19:00, interval: {days: 1}, duration: 2h}
          linkages:
            - {quantity: bloodPressureSystolic, type: discrete, unit: "mm[Hg]"}
            - {quantity: bloodPressureDiastolic, type: discrete, unit: "mm[Hg]"}
          glyph: bloodPressure
        - id: heart-rate
          patient: john
          title: "Measure the heart rate"
          schedule:
            - {start: 2019-10-18, interval: {days: 1}, duration: allDay}
          linkage: {quantity: heartRate, type: discrete, unit: "/min"}
          glyph: cardio
        - id: walk
          patient: john
          title: "Walk 6000 steps"
          schedule:
            - {start: 2019-10-18, interval: {days: 1}, duration: allDay, targets: [{value: 6000, unit: "1"}]}
          linkage: {quantity: stepCount, type: cumulative, unit: "1"}
          glyph: activeLife
        - id: iron
          patient: john
          title: Iron
          schedule:
            - {start: 2019-10-18T08:00, interval: {days: 1}, duration: 2h}
            - {start: 2019-10-18T20:30, interval: {days: 1}, duration: 2h}
          glyph: medication
        - id: stretch
          patient: john
          title: Stretch
          schedule:
            - {start: 2019-10-18, interval: {days: 1}, duration: allDay}

      """
    ),
  ]

  @Test(arguments: cases.indices)
  func `answers make a plan`(index: Int) throws {
    let (answers, devices, plan) = Self.cases[index]
    let talk = try run(answers, hearing: devices)
    #expect(talk.turn == .save)
    #expect(PlanFile.encode(talk.plan) == plan)
    #expect(try parse(plan) == talk.plan)
  }

  @Test(arguments: cases.indices)
  func `an answer that is taken back has no effect`(index: Int) throws {
    let (answers, devices, plan) = Self.cases[index]
    for place in answers.indices.dropLast() {
      let there = try run(Array(answers[..<place]), hearing: devices)
      var back = try run(Array(answers[...place]) + [SetupConversation.back], hearing: devices)
      #expect(back.question?.text == there.question?.text)
      #expect(back.remarks == (there.deviceLine.map { [$0] } ?? []))
      // The answer that was taken back is offered again.
      let given = answers[place].isEmpty ? there.question?.standard : answers[place]
      #expect(back.question?.standard == given)
      for answer in answers[place...] {
        back.answer(answer)
        if back.turn == .listen { back.hear(devices) }
      }
      #expect(PlanFile.encode(back.plan) == plan)
    }
  }

  @Test func `every answer can be taken back`() throws {
    var talk = try run(Self.alone + ["", "", ""])
    for _ in 0..<(Self.alone.count + 3) { talk.answer(SetupConversation.back) }
    #expect(talk.turn == (try conversation()).turn)
    #expect(talk.plan.patients.isEmpty)
    talk.answer(SetupConversation.back)
    #expect(talk.remarks == ["This is the first question."])
  }

  /// Answers up to a question, a bad answer, and what is said before the question comes again.
  private static let refusals: [(answers: [String], bad: String, reason: String?)] = [
    ([], "Europa/Berlin", "There is no time zone “Europa/Berlin”. Give one such as Europe/Berlin."),
    ([""], "", "This needs an answer."),
    ([""], "42", "A name has letters, and at most 80 characters."),
    (["", "Ann"], "imperial", "Please choose one."),
    (["", "Ann", ""], "heavy", "Please enter a number."),
    (
      ["", "Ann", "us"], "82",
      "82 lb is unusual for an adult. If it is meant, enter it again; else write the unit, such as 82 kg."
    ),
    (["", "Ann", ""], "640 kg", "Please enter a number from 0.2 to 400."),
    (["", "Ann", "us"], "", nil),
    (["", "Ann", "", ""], "perhaps", "Please answer y or n."),
    (
      ["", "Ann", "", "", "y", "29.2.1952", ""], "", "Please enter a date."
    ),
    (["", "Ann", "", "", ""], "klingon", "Please choose one."),
    (["", "Ann", "", "", "", ""], "all", "‘all’ has another meaning here; write the full name."),
    (alone, "jon", "‘jon’ is nobody in this plan. Answer one of: John Appleseed, all, none."),
    (
      alone + ["none"], "run",
      "‘run’ is none of them. Answer one of weigh, pressure, heart, oxygen, temperature, glucose, walk,"
        + " knee, upAndGo, chairStand, pain, pills, other, or the id of a task to change it."
    ),
    (
      alone + ["none", "weigh"], "noon",
      "Please write at most 6 times such as 08:00 20:00, or none for any time of the day."
    ),
    (alone + ["none", "walk"], "0", "Please enter a number from 1 to 100000."),
    (alone + ["none", "knee"], "both", "Please choose one."),
    (alone + ["none", "go on"], "perhaps", "Please answer y or n."),
  ]

  @Test(arguments: refusals.indices)
  func `asks again with the reason`(index: Int) throws {
    let (answers, bad, reason) = Self.refusals[index]
    var talk = try run(answers, hearing: [Self.scale])
    let question = talk.question?.text
    talk.answer(bad)
    #expect(talk.remarks.prefix(1) == (reason.map { [$0] } ?? talk.remarks.prefix(1)))
    #expect(reason == nil || talk.question != nil && talk.plan.tasks.isEmpty)
    #expect((talk.question?.text == question) == (reason != nil) || index == 9)
  }

  @Test func `a weight that is unusual is taken the second time`() throws {
    let talk = try run(["", "Ann", "us", "82", "82", "", ""])
    #expect(talk.plan.patients.first?.expects["bodyMass"]?.value == 37.194574)
    let heavy = try run(["", "Ann", "", "180", "180 lb", "", ""])
    #expect(heavy.plan.patients.first?.expects["bodyMass"]?.value == 81.646627)
  }

  @Test func `the questions are in the user's language`() throws {
    var talk = try conversation()
    let words = try #require(LanguageCatalogue.embedded.languages.first { $0.code == "zh-Hant" })
    talk = SetupConversation(
      plan: nil,
      context: SetupConversation.Context(
        zone: .gmt, now: Date(timeIntervalSince1970: 1_571_356_860), words: words,
        isRecorded: true))
    #expect(talk.question?.text == "時區")
    for answer in ["", "林美華", "", "60", "否", "", "繼續"] { talk.answer(answer) }
    talk.hear([])
    talk.answer("1")
    talk.answer("-")
    #expect(talk.plan.tasks.map(\.title) == ["量體重"])
    #expect(talk.plan.tasks.map(\.id) == ["weigh-in"])
  }

  // MARK: Devices that cannot tell people apart

  private static let couple = [
    "", "John", "", "-", "", "", "Mary", "", "-", "", "", "",
  ]

  @Test func `a device that cannot tell people apart is not offered to all`() throws {
    var talk = try run(Self.couple, hearing: [Self.strap])
    #expect(
      talk.question?.text
        == "Whose is it: John, Mary, shared (each reading waits until you say whose"
        + " it is) or none (not of this house)")
    #expect(talk.question?.standard == nil)
    talk.answer("all")
    #expect(
      talk.remarks == [
        "Its readings do not tell whose they are. Answer one of: John, Mary, shared, none."
      ])
    talk.answer("shared")
    #expect(talk.plan.devices.map(\.patient) == [nil])
  }

  @Test func `a device with users tells people apart`() throws {
    var cuff = Self.strap
    cuff.hasUsers = true
    let talk = try run(Self.couple, hearing: [cuff])
    #expect(talk.question?.text.contains("all (the readings tell)") == true)
  }

  // MARK: Going back

  @Test func `an answer that was taken back is offered again`() throws {
    var talk = try run(Self.alone + ["pills", "Iron", "8 20:30", "<"])
    #expect(talk.question?.standard == "8 20:30")
    #expect(talk.remarks == [])
    talk.answer("")
    #expect(talk.plan.tasks.first?.schedule.elements.count == 2)
    #expect(talk.remarks == ["Added: Iron [iron]."])
    // Three answers back, another name, and the same times.
    for _ in 0..<3 { talk.answer("<") }
    #expect(talk.question?.standard == "pills")
    talk.answer("")
    talk.answer("Vitamin D")
    #expect(talk.question?.standard == "8 20:30")
    talk.answer("")
    #expect(talk.plan.tasks.map(\.title) == ["Vitamin D"])
    // A question that comes anew has its own answer.
    #expect(talk.question?.standard == "go on")
  }

  /// An event that is over today is not missed by a task that is added later in the day.
  ///
  /// An event that can still be answered is asked today.
  @Test(arguments: [
    ("07:59", ["2019-10-18T08:00:00+02:00", "2019-10-18T20:30:00+02:00"]),
    ("09:59", ["2019-10-18T08:00:00+02:00", "2019-10-18T20:30:00+02:00"]),
    ("10:00", ["2019-10-18T20:30:00+02:00", "2019-10-19T08:00:00+02:00"]),
    ("22:30", ["2019-10-19T08:00:00+02:00", "2019-10-19T20:30:00+02:00"]),
  ])
  func `a task begins with its first occurrence that is not over`(time: String, starts: [String])
    throws
  {
    let talk = try run(
      Self.alone + ["pills", "Iron", "8 20:30"], at: "2019-10-18T\(time):00+02:00")
    let elements = try #require(talk.plan.tasks.first).schedule.elements
    #expect(elements.map(\.start) == (try starts.map { try Date($0, strategy: .iso8601) }))
  }

  @Test func `the summary says times and names`() throws {
    var talk = SetupConversation(
      plan: nil,
      context: SetupConversation.Context(
        zone: .gmt, now: Date(timeIntervalSince1970: 1_571_356_860), isRecorded: true,
        deviceNames: ["polar-h10": "Polar H10"]))
    for answer in ["", "Ann", "", "64", "", "", ""] { talk.answer(answer) }
    talk.hear([Self.strap])
    for answer in ["ann", "pills", "Iron", "8 20:30", "go on"] { talk.answer(answer) }
    #expect(
      talk.remarks == [
        "", "This is the plan:", "  Ann [ann], about 64 kg",
        "    Iron: Every day at 08:00, 20:30, 2 h long, from 18 October [iron]",
        "  Polar H10 (A0:9E:1A:00:00:02): Ann",
        "  times in GMT",
      ])
  }

  @Test func `the review doubts what is probably not meant`() throws {
    var talk = SetupConversation(
      plan: nil,
      context: SetupConversation.Context(
        zone: .gmt, now: Date(timeIntervalSince1970: 1_571_356_860), isRecorded: true,
        doubts: { ["\($0.patients.count) person"] }))
    for answer in ["", "Ann", "", "64", "", "", ""] { talk.answer(answer) }
    talk.hear([])
    talk.answer("go on")
    #expect(talk.remarks.last == "Not meant? 1 person")
  }

  @Test(arguments: [
    (["oxygen", ""], [Quantity.oxygenSaturation]), (["temperature", "8am"], [.bodyTemperature]),
    (["glucose", "", ""], [.bloodGlucose]), (["glucose", "mg/dL", "-"], [.bloodGlucoseMass]),
  ])
  func `there are tasks for other devices`(answers: [String], quantities: [Quantity]) throws {
    let talk = try run(Self.alone + answers)
    #expect(talk.plan.tasks.flatMap(\.linkages).map(\.quantity) == quantities)
  }

  @Test func `no to the last question leaves`() throws {
    let talk = try run(Self.alone + ["go on", "n"])
    #expect(talk.turn == .leave)
  }

  // MARK: A plan that is in force

  private static let plan = """
    timeZone: America/Los_Angeles
    patients:
      - {id: john, name: {given: John}, expects: {bodyMass: {value: 82 kg, tolerance: 4 kg}}, units: uk, timeZone: Europe/Paris, language: zh-Hant, sex: male, birthday: 1952-02-29, allergies: [nuts]}
      - {id: mary, name: {given: Mary}}
    others:
      - {weight: 70 kg}
    contacts:
      - {id: gp, name: {family: Grey}, role: GP}
    tasks:
      - id: steps
        patient: john
        title: Walk 5000 steps
        instructions: Round the park.
        group: Morning
        schedule:
          - {start: 2019-10-01, interval: {days: 1}, duration: allDay, targets: [{value: 5000, unit: count}]}
        linkage: {quantity: stepCount}
      - id: scale
        patient: john
        title: Weigh yourself
        schedule:
          - {start: 2019-10-01T07:00, interval: {weeks: 1}, duration: 1h}
        linkage: {quantity: bodyMass}
      - id: iron
        patient: john
        title: Iron
        schedule:
          - {start: 2019-10-01T08:00, interval: {days: 1}, duration: 30m}
    notes:
      - {id: n, patient: john, content: Hello}
    devices:
      - {address: "A0:9E:1A:00:00:02", definition: polar-h10, patient: john}
      - {sensor: left-shank, patient: john, placement: {joint: knee, side: left, segment: shank}}
    """

  @Test func `a second run says how to remove`() throws {
    let remarks = try conversation(Self.plan).remarks
    #expect(
      remarks.last
        == "To remove a person: measured patient delete ID; a task: measured task end ID; a"
        + " device: take its line out of what measured plan export writes, and measured plan import"
        + " FILE --prune.")
  }

  @Test func `enter keeps the users of a device`() throws {
    let users =
      "  - {address: \"5C:CA:D3:70:D4:A2\", definition: xiaomi-mi-scale-2, patient: mary, userIndex: 1}"
    let talk = try run(
      ["", "", "", "", "", "", ""], Self.plan + "\n" + users, hearing: [Self.scale])
    #expect(talk.plan.devices == (try parse(Self.plan + "\n" + users)).devices)
  }

  @Test func `empty answers change nothing`() throws {
    let john = ["", "john"] + Array(repeating: "", count: 4)
    let mary = ["mary"] + Array(repeating: "", count: 4)
    let talk = try run(
      john + mary + ["", "", "steps", "", "go on", "go on", ""], Self.plan, hearing: [Self.strap])
    #expect(talk.turn == .save)
    #expect(talk.plan == (try parse(Self.plan)))
    #expect(talk.owners == ["A0:9E:1A:00:00:02": "john"])
  }

  @Test func `changes what is answered and nothing else`() throws {
    // Of the steps the goal, of the pills the time; a weighing is there already.
    let answers =
      ["", "mary", "", "61", "", "", "go on", "steps", "6", "7000", "", "all is right"]
      + ["iron", "3", "", "9:00", "", "", "", "", "weigh", "-", "go on", "go on", "y"]
    var expected = try parse(Self.plan)
    expected.patients[1].expects["bodyMass"] = Expectation(value: 61)
    let changed = try parse(
      Self.plan.replacing("targets: [{value: 5000", with: "targets: [{value: 7000")
        .replacing("2019-10-01T08:00", with: "2019-10-01T09:00"))
    expected.tasks = changed.tasks
    let talk = try run(answers, Self.plan)
    #expect(talk.turn == .save)
    #expect(talk.plan == expected)
  }

  @Test func `a device moves to another person`() throws {
    let talk = try run(["", "", "mary"], Self.plan, hearing: [Self.strap])
    #expect(talk.plan.devices.map(\.patient) == ["mary", "john"])
    #expect(talk.owners == ["A0:9E:1A:00:00:02": "mary"])
  }

  @Test(arguments: [
    (PageAudience.home, "page: {listen: \"0.0.0.0:8473\"}"), (.off, "page: off"),
    (.here, "page: 127.0.0.1:8473"),
  ])
  func `settings keep their other lines`(page: PageAudience, line: String) throws {
    let old = "# mine\nradio: kernel\npage:\n  listen: \"1.2.3.4:80\"\n  proxy: true\nplan: /p\n"
    #expect(
      try page.settings(from: old, file: "f") == "# mine\nradio: kernel\n\(line)\nplan: /p\n")
    #expect(try page.settings(from: "", file: "f") == "\(line)\n")
    #expect(PageAudience(try ServiceSettings(parsing: "\(line)\n", file: "f")) == page)
  }
}

extension SetupConversation {
  /// The question that comes next; `nil` if there is none.
  fileprivate var question: Question? {
    guard case .ask(let question) = turn else { return nil }
    return question
  }
}
