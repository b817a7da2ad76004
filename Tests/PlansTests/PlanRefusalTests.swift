import Care
import StrictYAML
import Testing

@testable import Plans

/// Errors in a plan are reported with their line; nothing of the plan is read.
@Suite struct PlanRefusalTests {
  private func refusal(_ text: String) -> String? {
    do throws(YAMLError) {
      _ = try PlanFile.parse(text, file: "plan.yaml")
      return nil
    } catch {
      return error.description
    }
  }

  /// The example with one piece of text replaced.
  private func example(_ old: String, _ new: String) throws -> String {
    let parts = PlanFileTests.example.split(
      separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    return parts.joined(separator: new)
  }

  @Test(arguments: [
    (
      "instructions:", "video: walk.mp4\n    instructions:",
      "8: the file ‘walk.mp4’ is not here: import the plan with measured plan import, or give the"
        + " task its video on the page, under Set-up"
    ),
    (
      "instructions:", "video: ftp://example.org/walk\n    instructions:",
      "8: a video is an address that begins with https: or http:, or a file beside the plan"
    ),
    (
      "instructions:", "video: sha256=abc;bytes=1;type=video/mp4\n    instructions:",
      "8: a video is an address that begins with https: or http:, or a file beside the plan"
    ),
    ("interval:", "intervall:", "10: unknown key ‘intervall’ (did you mean ‘interval’?)"),
    (
      "instructions:", "instruction:", "8: unknown key ‘instruction’ (did you mean ‘instructions’?)"
    ),
    ("value: 90", "value: .nan", "16: ‘.nan’ is no value to reach; write a number such as 90"),
    ("value: 90", "value: -.INF", "16: ‘-.INF’ is no value to reach; write a number such as 90"),
    ("tasks:", "taks:", "4: unknown key ‘taks’ (did you mean ‘tasks’?)"),
    ("{days: 1}", "{day: 1}", "10: unknown key ‘day’ (did you mean ‘days’?)"),
    (
      "{days: 1}", "{weekday: 1}",
      "10: unknown key ‘weekday’; the keys here are years, months, weeks, days, hours, minutes, seconds"
    ),
    (
      "{days: 1}", "{days: 0}",
      "10: the interval must move forward: no unit negative, and at least one greater than 0"
    ),
    (
      "{days: 1}", "{}",
      "10: the interval must move forward: no unit negative, and at least one greater than 0"
    ),
    ("{days: 1}", "{days: 1.5}", "10: expected a whole number, found ‘1.5’"),
    ("{days: 1}", "{years: 1001}", "10: the interval is longer than 1000 years"),
    ("end: 2026-11-08", "end: 2026-10-08", "16: the end is not after the start"),
    (
      "end: 2026-11-08", "end: 2026-11-31",
      "16: ‘2026-11-31’ is no date or time; write 2026-11-01, "
        + "2026-11-01T09:00 or 2026-11-01T09:00:00-08:00"
    ),
    (
      "start: 2026-11-01,", "start: 1826-11-01,",
      "10: the date is not between the years 1900 and 9999"
    ),
    (
      "duration: allDay", "duration: allday",
      "10: ‘allday’ is no duration; write allDay, 30m, 1h, 90s or 1h30m"
    ),
    (
      "duration: allDay", "duration: 5",
      "10: ‘5’ is no duration; write allDay, 30m, 1h, 90s or 1h30m"
    ),
    (
      "duration: allDay", "duration: -5m",
      "10: ‘-5m’ is no duration; write allDay, 30m, 1h, 90s or 1h30m"
    ),
    (
      "duration: allDay", "duration: 30m1h",
      "10: ‘30m1h’ is no duration; write allDay, 30m, 1h, 90s or 1h30m"
    ),
    (
      "duration: allDay", "duration: 9e9h",
      "10: the duration must be between 0 seconds and 100 years"
    ),
    (
      "unit: kg", "unit: kilo",
      "11: there is no unit ‘kilo’; give a UCUM code such as kg, /min or deg"
    ),
    ("unit: kg", "unit: Cel", "11: bodyMass is measured in kg and cannot be given in °C"),
    (
      "quantity: bodyMass", "quantity: bodyMas",
      "11: there is no quantity ‘bodyMas’ (did you mean ‘bodyMass’?)"
    ),
    (
      "type: discrete", "type: discreet",
      "11: ‘discreet’ is not one of discrete, cumulative (did you mean ‘discrete’?)"
    ),
    ("expects: {bodyMass", "expects: {shoeSize", "3: there is no quantity ‘shoeSize’"),
    ("82 kg", "82 Cel", "3: bodyMass is measured in kg, but ‘82 Cel’ is in °C"),
    ("82 kg", "82 stones", "3: there is no unit ‘stones’"),
    ("82 kg", "heavy", "3: expected a number with a unit such as ‘82 kg’, found ‘heavy’"),
    (
      "82 kg", "{value: 82 kg, tolerance: -1 kg}", "3: a tolerance cannot be negative"
    ),
    (
      "patient: john", "patient: jon",
      "6: there is no patient ‘jon’ in this plan (did you mean ‘john’?)"
    ),
    (
      "polar-h10, patient: john", "polar-h10, patient: mary",
      "20: there is no patient ‘mary’ in this plan"
    ),
    ("id: knee", "id: weigh-in", "12: there are two tasks ‘weigh-in’ of patient ‘john’"),
    ("id: knee", "id: ' knee'", "12: an id is one line without spaces around it"),
    (
      "America/Los_Angeles", "America/Los_Angles",
      "1: there is no time zone ‘America/Los_Angles’; give an IANA name such as Europe/Berlin "
        + "(did you mean ‘America/Los_Angeles’?)"
    ),
    (
      "America/Los_Angeles", "PST",
      "1: there is no time zone ‘PST’; give an IANA name such as Europe/Berlin"
    ),
    (
      ", joint: knee, side: left}\ndevices", ", side: left}\ndevices",
      "18: the key ‘joint’ is missing"
    ),
    (
      "joint: knee, side: left}\ndevices", "joint: nee, side: left}\ndevices",
      "18: ‘nee’ is not one of knee, hip, ankle, "
        + "shoulder, elbow, wrist, trunk, neck (did you mean ‘knee’?)"
    ),
    (
      "type: rangeOfMotion", "type: timedUpAndDown",
      "18: ‘timedUpAndDown’ is not one of rangeOfMotion, exercise, timedUpAndGo, "
        + "fiveTimesSitToStand, thirtySecondChairStand, timedWalk, shortWalk, sixMinuteWalk, "
        + "tremor, sway, tapping, reactionTime "
        + "(did you mean ‘timedUpAndGo’?)"
    ),
    ("type: rangeOfMotion", "type: sway", "18: a sway has no joint, so leave this out"),
    (
      "type: rangeOfMotion, joint: knee", "type: timedUpAndGo, axis: x",
      "18: a timedUpAndGo has no axis, so leave this out"
    ),
    (
      "type: rangeOfMotion, joint: knee, side: left", "type: timedWalk",
      "18: the key ‘distance’ is missing"
    ),
    (
      "type: rangeOfMotion, joint: knee, side: left", "type: timedWalk, distance: 50 cm",
      "18: 0.5 m is not between 1.0 m and 10000.0 m"
    ),
    (
      "type: rangeOfMotion, joint: knee, side: left", "type: timedWalk, distance: 10 s",
      "18: distanceWalked is measured in m, but ‘10 s’ is in s"
    ),
    (
      "type: rangeOfMotion, joint: knee, side: left", "type: sixMinuteWalk, stepLength: 3 m",
      "18: 3.0 m is not between 0.1 m and 2.5 m"
    ),
    (
      "type: rangeOfMotion, joint: knee, side: left", "type: sway, axis: front",
      "18: ‘front’ is not one of x, y, z"
    ),
    (
      "type: rangeOfMotion, joint: knee, side: left", "type: shortWalk, stepsPerLeg: 9",
      "18: 9 is not between 10 and 1000"
    ),
    (
      "type: rangeOfMotion, joint: knee", "type: tapping, duration: 4s",
      "18: ‘4s’ is not a whole number of seconds from 5s to 30s"
    ),
    (
      "type: rangeOfMotion, joint: knee, side: left", "type: reactionTime, attempts: 2",
      "18: 2 is not between 3 and 20"
    ),
    ("type: rangeOfMotion", "type: exercise, sets: 0", "18: 0 is not between 1 and 100"),
    (
      "type: rangeOfMotion", "type: exercise, repetitions: many",
      "18: expected a whole number, found ‘many’"
    ),
    (
      "type: rangeOfMotion", "type: exercise, rest: allDay",
      "18: ‘allDay’ is no duration in seconds; write 30s or 1m30s"
    ),
    (
      "type: rangeOfMotion", "type: exercise, rest: 2.5s",
      "18: ‘2.5s’ is not a whole number of seconds from 5s to 600s"
    ),
    (
      "type: rangeOfMotion", "type: exercise, rest: 11m",
      "18: ‘11m’ is not a whole number of seconds from 5s to 600s"
    ),
    (
      "type: rangeOfMotion", "type: exercise, minimum: 5 deg",
      "18: 5.0 deg is not between 10.0 deg and 180.0 deg"
    ),
    (
      "type: rangeOfMotion", "type: exercise, minimum: 60 kg",
      "18: rangeOfMotion is measured in deg, but ‘60 kg’ is in kg"
    ),
    (
      "type: rangeOfMotion", "type: sway, sets: 3", "18: a sway has no joint, so leave this out"
    ),
    (
      "type: rangeOfMotion, joint: knee", "type: tremor, sidee: left",
      "18: unknown key ‘sidee’ (did you mean ‘side’?)"
    ),
    ("userIndex: 1", "userIndex: 256", "20: 256 is not between 0 and 255"),
    (
      "userIndex: 1", "consentCode: 2520",
      "20: a consent code opens one user's slot: give its ‘userIndex’ too"
    ),
    // The error contains neither the code nor the key.
    (
      "userIndex: 1", "userIndex: 1, consentCode: 12520",
      "20: the consent code must be a number from 0 to 9999"
    ),
    (
      "userIndex: 1", "userIndex: 1, consentCode: -1",
      "20: the consent code must be a number from 0 to 9999"
    ),
    (
      "userIndex: 1", "key: 0728974d657a4b60964c1b1677f35f7",
      "20: the key must be 32 hex digits, as the vendor's account gives it; in quotes where it looks"
        + " like a number"
    ),
    (
      "userIndex: 1", "key: 0728974d657a4b60964c1b1677f35fxy",
      "20: the key must be 32 hex digits, as the vendor's account gives it; in quotes where it looks"
        + " like a number"
    ),
    ("title: Weigh yourself", "kind: habit", "7: ‘habit’ is not one of task, assessment, readOnly"),
    (
      "title: Weigh yourself", "title: W\n    optional: yes",
      "8: expected true or false, found ‘yes’"
    ),
    (
      "title: Weigh yourself", "title: W\n    kind: readOnly",
      "12: a read-only task is never completed, so leave this out"
    ),
    (
      "duration: allDay", "duration: allDay, targets: [{value: 5, unit: Cel}]",
      "9: a target in °C cannot be compared with values in kg"
    ),
  ])
  func `names file line and reason`(old: String, new: String, expected: String) throws {
    #expect(refusal(try example(old, new)) == "plan.yaml:" + expected)
  }

  @Test(arguments: [
    ("timeZone: UTC\ntasks: []\n", "2: there are tasks but no patients"),
    (
      "timeZone: UTC\ntasks: [{id: t, title: T}]\n",
      "2: this plan has no ‘patients’, so each task names one of the store's: patient: ID"
    ),
    (
      "timeZone: UTC\ntasks: [{id: t, patient: a, title: T}]\ndevices: []\n",
      "3: a plan without ‘patients’ has tasks only: add the patients, or leave this out"
    ),
    ("patients: []\n", "1: the key ‘timeZone’ is missing"),
    ("timeZone: UTC\npatients: [{id: a}, {id: a}]\n", "2: there are two patients ‘a’"),
    (
      "timeZone: UTC\npatients: [{id: a}, {id: b}]\ntasks:\n  - {id: t, title: T}\n",
      "4: the key ‘patient’ is missing"
    ),
    (
      "timeZone: UTC\npatients: [{id: a}]\ntasks:\n  - {id: t, title: T, schedule: []}\n",
      "4: the schedule has no element; give it at least one"
    ),
    (
      "timeZone: UTC\ndevices:\n  - {sensor: x}\n  - {sensor: x}\n",
      "4: the device x is given twice"
    ),
    (
      "timeZone: UTC\ndevices:\n  - {sensor: x, userIndex: 1}\n  - {sensor: x, userIndex: 1}\n",
      "4: the device x, user 1, is given twice"
    ),
    ("timeZone: UTC\ntimeZone: UTC\n", "1: the key ‘timeZone’ is given more than once"),
    ("- 1\n", "1: expected a mapping of keys to values, found a list"),
  ])
  func `refuses the whole`(text: String, expected: String) {
    #expect(refusal(text) == "plan.yaml:" + expected)
  }

  /// The whole vocabulary with one piece of text replaced.
  @Test(arguments: [
    ("units: us", "units: imperial", "3: ‘imperial’ is not one of metric, us, uk"),
    (
      "language: pt-BR", "language: Portuguese!",
      "3: ‘Portuguese!’ is no language; write a tag such as de or pt-BR"
    ),
    ("sex: {other: x}", "sex: both", "3: ‘both’ is not one of male, female, {other: …}"),
    ("1952-02-29", "1953-02-29", "3: ‘1953-02-29’ is no date; write 1952-02-29"),
    ("[nuts, cats]", "[nuts, nuts]", "3: ‘nuts’ is given twice"),
    ("allergies", "alergies", "3: unknown key ‘alergies’ (did you mean ‘allergies’?)"),
    ("carePlans", "careplan", "4: unknown key ‘careplan’ (did you mean ‘carePlans’?)"),
    (
      "carePlan: recovery", "carePlan: recover",
      "19: there is no care plan ‘recover’ of patient ‘john’ in this plan (did you mean ‘recovery’?)"
    ),
    ("atMost: true", "atMost: 1", "11: expected true or false, found ‘1’"),
    ("unit: mmHg", "unit: kg", "10: a target in kg cannot be compared with values in mmHg"),
    (
      "linkages:", "linkage: {quantity: bodyMass}\n    linkages:",
      "13: give ‘linkage’ or ‘linkages’, not both"
    ),
    (
      "bloodPressureDiastolic", "bloodPressureSystolic", "14: bloodPressureSystolic is linked twice"
    ),
    ("atLeast: 140", "atleast: 140", "16: unknown key ‘atleast’ (did you mean ‘atLeast’?)"),
    (
      "atLeast: 140, ", "",
      "16: a threshold has one of above, atLeast, below, atMost, equal, between"
    ),
    (
      "atLeast: 140", "atLeast: 140, below: 200",
      "16: a threshold has one of above, atLeast, below, atMost, equal, between"
    ),
    (
      "atLeast: 140", "atLeast: 140, inclusive: true", "16: only ‘between’ can be inclusive"
    ),
    ("atLeast: 140", "atLeast: much", "16: expected a number, found ‘much’"),
    (", says: high", "", "16: the key ‘says’ is missing"),
    ("[65, 85]", "[85, 65]", "17: the lower limit comes first"),
    ("[65, 85]", "[85]", "17: expected two numbers such as [65, 85]"),
    (
      "progress: latest", "progress: last",
      "18: ‘last’ is not one of exists, sum, latest"
    ),
    (
      "impactsAdherence: false", "impactsAdherence: true\n    optional: true",
      "20: ‘optional’ and ‘impactsAdherence’ contradict each other; leave one out"
    ),
    ("tags: [heart, daily]", "tags: [heart, heart]", "22: ‘heart’ is given twice"),
    (
      "style: labeledValue", "style: labelledValue",
      "23: ‘labelledValue’ is not one of simple, instructions, checklist, grid, buttonLog, "
        + "labeledValue, numericProgress, featuredContent, link, detail "
        + "(did you mean ‘labeledValue’?)"
    ),
    ("{custom: smiley}", "{costum: smiley}", "36: unknown key ‘costum’ (did you mean ‘custom’?)"),
    (
      "userInfo: {source: \"5\"", "userInfo: {source: [5]",
      "26: expected a single value, found a list"
    ),
    ("kind: sleep", "kind: pain", "34: there are two questions ‘pain’"),
    (
      "maximum: 10}", "maximum: 100}",
      "33: a scale has at most 13 steps, this one has 99; give a larger step, or take type: number"
    ),
    ("maximum: 10}", "maximum: 1}", "33: the maximum must be greater than the minimum"),
    ("maximum: 10}", "}", "33: the key ‘maximum’ is missing"),
    (
      "maximum: 10}", "maximum: 10, step: 2}",
      "33: the step must divide the span from minimum to maximum"
    ),
    (
      "maximum: 10}", "maximum: 10.5}",
      "33: the maximum of a scale is a whole number; for decimals take type: number"
    ),
    ("step: 0.5", "step: 0", "34: the step must be greater than 0, of a scale at least 1"),
    (
      "maximum: 10}", "maximum: 10001}",
      "33: the maximum of a scale is between -10000 and 10000"
    ),
    (
      "type: choice,", "type: text,",
      "35: a question of type text has no choices, so leave this out"
    ),
    (
      "type: choice,", "type: choise,",
      "35: ‘choise’ is not one of scale, number, text, boolean, choice, choices, date, time, "
        + "photo, video (did you mean ‘choice’?)"
    ),
    ("choices: [good, bad]", "choices: []", "35: the key ‘choices’ is missing"),
    ("choices: [good, bad]", "choices: [a, a]", "35: ‘a’ is given twice"),
    (
      "kind: assessment", "kind: readOnly",
      "32: a read-only task is never completed, so leave this out"
    ),
    ("category: personal", "category: friend", "44: ‘friend’ is not one of careTeam, personal"),
    ("label: home", "lable: home", "45: unknown key ‘lable’ (did you mean ‘label’?)"),
    ("id: office", "id: anna, patient: john", "49: there are two contacts ‘anna’"),
    (
      "id: office", "id: office, patient: jon",
      "49: there is no patient ‘jon’ in this plan (did you mean ‘john’?)"
    ),
    (
      "task: pressure", "task: presure",
      "51: there is no task ‘presure’ of patient ‘john’ in this plan (did you mean ‘pressure’?)"
    ),
    ("id: n2", "id: n1", "52: there are two notes ‘n1’ of patient ‘john’"),
    ("content: Likes tea.", "text: Likes tea.", "52: the key ‘content’ is missing"),
    (
      "progress: latest", "reminders: {before: 15m}",
      "18: unknown key ‘reminders’ (did you mean ‘reminder’?)"
    ),
    ("progress: latest", "rule: []", "18: unknown key ‘rule’ (did you mean ‘rules’?)"),
  ])
  func `names the line in the whole vocabulary`(old: String, new: String, expected: String) throws {
    let parts = PlanFileTests.vocabulary.split(
      separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    #expect(refusal(parts.joined(separator: new)) == "plan.yaml:" + expected)
  }

  @Test func `slots of one device are several bindings`() throws {
    let plan = try PlanFile.parse(
      "timeZone: UTC\ndevices: [{sensor: x, userIndex: 1}, {sensor: x, userIndex: 2}]", file: "f")
    #expect(plan.devices.map(\.userIndex) == [1, 2])
  }

  @Test(arguments: [
    ("[{weight: 80}]", "3: bodyMass is measured in kg, but ‘80’ has no unit"),
    ("[{weight: 80 cm}]", nil),
    ("[{}]", "3: the key ‘weight’ is missing"),
    ("[{weight: 80 kg, name: Max}]", nil),
    ("[{weight: 80 kg, tolerance: -1 kg}]", "3: a tolerance cannot be negative"),
  ])
  func `others have a weight alone`(others: String, error: String?) {
    let found = #expect(throws: YAMLError.self) {
      try PlanFile.parse(
        "timeZone: UTC\npatients: [{id: john}]\nothers: \(others)", file: "plan.yaml",
        activeTasks: [])
    }
    if let error { #expect("\(found.map { "\($0)" } ?? "")".hasSuffix(error)) }
  }

  @Test func `others need patients`() {
    #expect(throws: YAMLError.self) {
      try PlanFile.parse(
        "timeZone: UTC\nothers: [{weight: 80 kg}]", file: "plan.yaml", activeTasks: [])
    }
  }
}
