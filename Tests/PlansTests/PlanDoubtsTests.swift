import Assessments
import Care
import Foundation
import StrictYAML
import Testing

@testable import Plans

/// Lines that are valid in a plan and probably not meant.
@Suite struct PlanDoubtsTests {
  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: anna, birthday: 1952-02-29, language: zh-Hant-TW}
    tasks:
      - id: knee
        patient: anna
        title: Knee
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, targets: [{value: 90, unit: deg, kind: range}]}
        thresholds:
          - {kind: range, above: 120, says: good}
      - id: walk
        patient: anna
        title: Walk
        linkage: {quantity: stepCount}
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, targets: [{value: 1000}]}
      - id: pressure
        patient: anna
        title: Blood pressure
        linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}]
        survey: [{kind: calm, type: boolean}]
        schedule:
          - {start: 2026-11-01, interval: {days: 1}}
        thresholds:
          - {kind: systolic, atLeast: 140, says: high}
      - id: water
        patient: anna
        title: Drink
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, targets: [{value: 6, kind: glasses}]}
    devices:
      - {sensor: left-shank, patient: anna}
      - {sensor: box, placement: {segment: trunk}, patient: anna}
    """

  private static let definitions = DefinitionIndex(
    [
      DefinitionIndex.Entry(id: "scale", name: "Scale", quantities: [.bodyMass, .impedance]),
      DefinitionIndex.Entry(
        id: "xiaomi", name: "Xiaomi S400", quantities: [.bodyMass], needsKey: true, hasUsers: true),
      DefinitionIndex.Entry(
        id: "cuff", name: "Cuff", quantities: [.bloodPressureSystolic, .bloodPressureDiastolic]),
      DefinitionIndex.Entry(id: "strap", name: "Strap", quantities: [.heartRate]),
      DefinitionIndex.Entry(id: "imu", name: "Sensor", streamsMotion: true),
    ], folders: ["/a", "/b"])

  private func check(_ changes: [(String, String)]) throws -> PlanFile.Check {
    var text = Self.plan
    for (old, new) in changes {
      try #require(text.contains(old))
      text = text.replacing(old, with: new)
    }
    let now = try #require(Date(rfc3339: "2026-11-01T12:00:00+01:00"))
    return PlanFile.check(
      text, file: "p",
      in: PlanSurroundings(
        activeTasks: AssessmentList.forms, definitions: Self.definitions,
        languages: ["en", "zh-Hant"], now: now))
  }

  private func doubts(_ changes: (String, String)...) throws -> [String] {
    let check = try check(changes)
    #expect(check.mistakes.map(\.description) == [])
    return check.doubts.map(\.description)
  }

  @Test func `a usual plan has none`() throws {
    #expect(try doubts() == [])
  }

  private static let karl = "  - {id: karl, expects: {bodyMass: 82 kg}}\ntasks:"

  @Test(arguments: [
    ("1952-02-29", "2026-11-02", "p:3: patient anna: the birthday 2026-11-02 is yet to come"),
    ("1952-02-29", "1826-02-28", "p:3: patient anna: the birthday 1826-02-28 is 200 years ago"),
    (
      "zh-Hant-TW", "qq",
      "p:3: patient anna: there is no language ‘qq’; write a tag such as de or pt-BR"
    ),
    (
      "zh-Hant-TW", "de",
      "p:3: patient anna: the page is not in ‘de’ and stays English; it has en, zh-Hant"
    ),
    (
      "language: zh-Hant-TW", "expects: {bodyMass: 6.4 kg}",
      "p:3: patient anna: a weight of 6.4 kg is expected, and readings below 10 kg are given to"
        + " nobody"
    ),
    (
      "language: zh-Hant-TW", "expects: {heartRate: 70 /min}",
      "p:3: patient anna: an expected heartRate changes nothing without a ‘tolerance’"
    ),
    (
      "[{value: 1000}]", "[{value: 1000, kind: stepCount}]",
      "p:18: task walk of anna: no value of the task has the kind ‘stepCount’ of a target; its values"
        + " have no kind, so leave ‘kind’ out"
    ),
    (
      "[{value: 1000}]", "[{value: 600000}]",
      "p:18: task walk of anna: a target of 600000: steps lies between 0 and 100000"
    ),
    (
      "[{value: 1000}]", "[{value: 6000 steps}]",
      "p:18: task walk of anna: the target ‘6000 steps’ is a text, and the task measures numbers;"
        + " write value: 6000, with a unit under ‘unit’"
    ),
    (
      "value: 90, unit: deg", "value: 900, unit: deg",
      "p:10: task knee of anna: a target of 900°: range of motion lies between -360 and 720°"
    ),
    (
      "atLeast: 140", "atLeast: 350",
      "p:27: task pressure of anna: a threshold of 350 mmHg: systolic pressure lies between 40 and"
        + " 300 mmHg"
    ),
    (
      "value: 6, kind: glasses", "value: -6, kind: glasses",
      "p:32: task water of anna: a target of -6 is reached before anything is done"
    ),
    (
      "{quantity: stepCount}", "{quantity: stepCount, type: discrete}",
      "p:16: task walk of anna: only the latest stepCount counts; it adds up, so leave"
        + " ‘type: discrete’ out"
    ),
    (
      "{quantity: stepCount}\n    schedule:\n      - {start: 2026-11-01, interval: {days: 1}, targets: [{value: 1000}]}",
      "{quantity: bodyMass, type: cumulative}\n    schedule:\n      - {start: 2026-11-01, interval: {days: 1}}",
      "p:16: task walk of anna: bodyMass is added up; it does not add up, so leave"
        + " ‘type: cumulative’ out"
    ),
    (
      "interval: {days: 1}, targets: [{value: 1000}]",
      "interval: {days: 1}, duration: 48h, targets: [{value: 1000}]",
      "p:18: task walk of anna: each event lasts 48h, and the next begins after 24h"
    ),
    (
      "{start: 2026-11-01, interval: {days: 1}, targets: [{value: 1000}]",
      "{start: 2024-11-01, end: 2025-11-01, interval: {days: 1}, targets: [{value: 1000}]",
      "p:18: task walk of anna: it has ended on 2025-11-01"
    ),
    (
      "{start: 2026-11-01, interval: {days: 1}, targets: [{value: 1000}]",
      "{start: 2066-11-01, interval: {days: 1}, targets: [{value: 1000}]",
      "p:18: task walk of anna: it begins only on 2066-11-01"
    ),
    (
      "kind: systolic", "kind: sistolic",
      "p:27: task pressure of anna: no value of the task has the kind ‘sistolic’ of a threshold; its"
        + " values have systolic, diastolic, calm (did you mean ‘systolic’?)"
    ),
    (
      "id: water", "id: a glass",
      "p:28: task a glass of anna: the id has spaces, so commands need it in quotes"
    ),
    (
      "title: Drink", "title: Drink\n    image: cup.png",
      "p:31: task water of anna: the page does not show ‘cup.png’; write the picture itself, as"
        + " data:image/png;base64,…"
    ),
    (
      "left-shank", "left-shnk",
      "p:34: sensor left-shnk: the name states no place on the body such as left-shank; give its"
        + " ‘placement’ if it is worn"
    ),
    (
      "  - {sensor: left-shank, patient: anna}",
      "  - {sensor: left-shank, patient: anna}\n  - {address: \"A0:9E:1A:00:00:02\", definition: xiaomi, patient: anna}",
      "p:35: device A0:9E:1A:00:00:02: a Xiaomi S400 encrypts what it sends; without its ‘key’ nothing"
        + " of it can be read"
    ),
  ])
  func `names what is probably not meant`(old: String, new: String, doubt: String) throws {
    #expect(try doubts((old, new)) == [doubt])
  }

  @Test func `a target of an active task names one of its figures`() throws {
    let doubts = try doubts(("kind: range}", "kind: rang}"))
    #expect(doubts.count == 1)
    #expect(
      doubts[0].hasPrefix("p:10: task knee of anna: no value of the task has the kind ‘rang’"))
    #expect(doubts[0].hasSuffix("(did you mean ‘range’?)"))
  }

  @Test func `a weekly target may be that of seven days`() throws {
    let weekly = (
      "{days: 1}, targets: [{value: 1000}]", "{weeks: 1}, targets: [{value: 600000}]"
    )
    #expect(try doubts(weekly) == [])
  }

  // MARK: Of several people

  @Test func `a device that cannot tell people apart has an owner`() throws {
    let karl = ("tasks:", Self.karl)
    let cuff = ("devices:\n", "devices:\n  - {address: \"A0:9E:1A:00:00:02\", definition: cuff}\n")
    #expect(
      try doubts(karl, cuff) == [
        "p:35: device A0:9E:1A:00:00:02: its readings do not tell whose they are, and it is bound to"
          + " nobody; give its ‘patient’, else each reading waits until someone assigns it"
      ])
    #expect(try doubts(cuff) == [])
    #expect(try doubts(karl, cuff, ("definition: cuff", "definition: scale")) == [])
    #expect(try doubts(karl, cuff, ("definition: cuff", "definition: cuff, patient: karl")) == [])
  }

  @Test func `two people of one weight are not told apart`() throws {
    let karl = ("tasks:", Self.karl)
    let scale = (
      "devices:\n", "devices:\n  - {address: \"A0:9E:1A:00:00:02\", definition: scale}\n"
    )
    let anna = ("language: zh-Hant-TW", "expects: {bodyMass: 81.5 kg}")
    #expect(
      try doubts(karl, scale, anna) == [
        "p:4: patients anna and karl: 81.5 kg and 82 kg are too near to tell them apart by weight on"
          + " A0:9E:1A:00:00:02; what is not clear waits until someone assigns it"
      ])
    #expect(try doubts(karl, anna) == [])
    #expect(try doubts(karl, scale, ("language: zh-Hant-TW", "expects: {bodyMass: 64 kg}")) == [])
    let slots = ("definition: scale", "definition: scale, userIndex: 1, patient: karl")
    #expect(try doubts(karl, scale, anna, slots) == [])
  }

  @Test func `a task that no device measures waits for a hand`() throws {
    let strap = (
      "  - {sensor: left-shank, patient: anna}\n  - {sensor: box, placement: {segment: trunk}, patient: anna}",
      "  - {address: \"A0:9E:1A:00:00:02\", definition: strap, patient: anna}"
    )
    #expect(
      try doubts(strap, ("type: rangeOfMotion, joint: knee, side: left", "type: tapping")).filter {
        $0.contains("none of")
      } == [
        "p:16: task walk of anna: none of anna's devices measures stepCount, so it waits for a value"
          + " by hand",
        "p:22: task pressure of anna: none of anna's devices measures bloodPressureSystolic, so it"
          + " waits for a value by hand",
        "p:22: task pressure of anna: none of anna's devices measures bloodPressureDiastolic, so it"
          + " waits for a value by hand",
      ])
  }

  // MARK: Beside mistakes

  @Test func `doubts are named beside mistakes`() throws {
    let check = try check([
      ("title: Drink", "titel: Drink"), ("1952-02-29", "1826-02-28"),
      ("[{value: 1000}]", "[{value: 1000000}]"),
    ])
    #expect(check.plan == nil)
    #expect(
      check.mistakes.map(\.description) == [
        "p:30: unknown key ‘titel’ (did you mean ‘title’?)"
      ])
    #expect(
      check.doubts.map(\.description) == [
        "p:3: patient anna: the birthday 1826-02-28 is 200 years ago",
        "p:18: task walk of anna: a target of 1000000: steps lies between 0 and 100000",
      ])
  }

  @Test func `a definition is looked for in folders that are named`() throws {
    let check = try check([
      ("{sensor: left-shank, patient", "{sensor: left-shank, definition: shoe, patient")
    ])
    #expect(
      check.mistakes.map(\.description) == [
        "p:34: there is no device definition ‘shoe’ in /a or /b (another folder is named with"
          + " --devices)"
      ])
  }
}
