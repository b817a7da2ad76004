import Assessments
import Care
import StrictYAML
import Testing

@testable import Plans

/// Every mistake of a file in one run, in words for the person who wrote it.
@Suite struct PlanMistakesTests {
  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: anna, name: {given: Anna, family: Müller}, expects: {bodyMass: 64 kg}}
      - {id: karl, expects: {bodyMass: 82 kg}}
    tasks:
      - id: weigh
        patient: anna
        title: Weigh yourself
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
    devices:
      - {address: "A0:9E:1A:00:00:02", definition: polar-h10, patient: karl}
    """

  private func mistakes(_ changes: [(String, String)]) -> [String] {
    var text = Self.plan
    for (old, new) in changes { text = text.replacing(old, with: new) }
    return PlanFile.mistakes(
      in: text, file: "p", activeTasks: AssessmentList.forms,
      definitions: DefinitionIndex(
        ["polar-h10", "xiaomi-mi-scale-1", "xiaomi-mi-scale-2"].map {
          DefinitionIndex.Entry(id: $0)
        })
    ).map(\.description)
  }

  @Test func `a plan without mistakes has none`() {
    #expect(mistakes([]) == [])
  }

  @Test(arguments: [
    (
      "quantity: bodyMass", "quantity: weight",
      "p:11: there is no quantity ‘weight’ (did you mean ‘bodyMass’?)"
    ),
    (
      "quantity: bodyMass", "quantity: pulse",
      "p:11: there is no quantity ‘pulse’ (did you mean ‘heartRate’?)"
    ),
    (
      "quantity: bodyMass", "quantity: bp",
      "p:11: there is no quantity ‘bp’ (did you mean ‘bloodPressureSystolic’ and"
        + " ‘bloodPressureDiastolic’?)"
    ),
    ("    title:", "\ttitle:", "p:8: not YAML: indent with spaces, not with a tab"),
    ("interval: {days: 1}", "interval: daily", "p:10: ‘daily’ is no interval; write {days: 1}"),
    ("interval: {days: 1}", "interval: 1d", "p:10: ‘1d’ is no interval; write {days: 1}"),
    ("interval: {days: 1}", "interval: 2w", "p:10: ‘2w’ is no interval; write {weeks: 2}"),
    (
      "name: {given: Anna, family: Müller}", "name: Anna Müller",
      "p:3: a name has parts; write {given: Anna, family: Müller}"
    ),
    (
      "title: Weigh yourself", "title: Tabletten: morgens",
      "p:8: not YAML: a colon begins a value here: put a text that contains ‘: ’ in quotes, or mend"
        + " the indentation"
    ),
    (
      "64 kg}}", "64 kg",
      "p:3: not YAML: the { of this line is not closed, or a comma is missing"
    ),
    (
      "64 kg", "64,5 kg",
      "p:3: a comma ends the entry; write the number with a point: 64.5 kg"
    ),
    ("linkage:", "link:", "p:11: unknown key ‘link’ (did you mean ‘linkage’?)"),
    (
      "definition: polar-h10", "bindkey: 0a0102030405060708090a0b0c0d0e0f",
      "p:13: unknown key ‘bindkey’ (did you mean ‘key’?)"
    ),
    (
      "definition: polar-h10", "colour: red",
      "p:13: unknown key ‘colour’; the keys here are patient, consentCode, sensor, address,"
        + " definition, userIndex, placement, key"
    ),
    (
      "A0:9E:1A:00:00:02", "A0:9E:1A:00:00",
      "p:13: ‘A0:9E:1A:00:00’ is no Bluetooth address; it has six pairs of hex digits:"
        + " A0:9E:1A:00:00:02"
    ),
    (
      "\"A0:9E:1A:00:00:02\"", "“A0:9E:1A:00:00:02”",
      "p:13: ‘“A0:9E:1A:00:00:02”’ is no Bluetooth address; it has six pairs of hex digits:"
        + " A0:9E:1A:00:00:02"
    ),
    (
      "\"A0:9E:1A:00:00:02\"", "left-thigh",
      "p:13: ‘left-thigh’ is no Bluetooth address such as A0:9E:1A:00:00:02; a wired or recorded"
        + " sensor is written sensor: left-thigh"
    ),
    (
      "address: \"A0", "sensor: \"A0",
      "p:13: ‘A0:9E:1A:00:00:02’ is a Bluetooth address; write address: \"A0:9E:1A:00:00:02\""
    ),
    (
      "unit: kg}", "unit: kg, device: \"A0:9E:1A:00:00\"}",
      "p:11: ‘A0:9E:1A:00:00’ is no Bluetooth address; it has six pairs of hex digits:"
        + " A0:9E:1A:00:00:02"
    ),
    (
      "polar-h10", "mi-scale",
      "p:13: there is no device definition ‘mi-scale’ (did you mean ‘xiaomi-mi-scale-1’ or"
        + " ‘xiaomi-mi-scale-2’?)"
    ),
    (
      "polar-h10", "Polar H10",
      "p:13: there is no device definition ‘Polar H10’ (did you mean ‘polar-h10’?)"
    ),
    (
      "bodyMass: 82 kg", "bodyMass: 820 kg",
      "p:4: ‘820 kg’ is no plausible bodyMass: it lies between 0.2 kg and 400 kg"
    ),
    (
      "bodyMass: 82 kg", "height: {value: 180 m, tolerance: 2 cm}",
      "p:4: ‘180 m’ is no plausible height: it lies between 0.2 m and 3 m"
    ),
    ("polar-h10", "shoe", "p:13: there is no device definition ‘shoe’"),
    (
      "bodyMass: 82 kg", "bodyMass: 1e300 kg",
      "p:4: ‘1e300 kg’ is no plausible bodyMass: it lies between 0.2 kg and 400 kg"
    ),
    (
      "bodyMass: 82 kg", "bodyMass: {value: 82 kg, tolerance: 1e300 kg}",
      "p:4: a tolerance is at most 399.8 kg"
    ),
    (
      "duration: allDay}", "duration: allDay, targets: [{value: 1e300, unit: kg}]}",
      "p:10: 1e+300 kg is no possible bodyMass: it lies between 0.2 kg and 400 kg"
    ),
    (
      "duration: allDay}", "duration: allDay, targets: [{value: 882, unit: lb}]}",
      "p:10: 882 lb is no possible bodyMass: it lies between 0.441 lb and 881.849 lb"
    ),
    (
      "unit: kg}", "unit: kg}\n    thresholds: [{above: 1e300, says: heavy}]",
      "p:12: 1e+300 kg is no possible bodyMass: it lies between 0.2 kg and 400 kg"
    ),
    (
      "linkage: {quantity: bodyMass, type: discrete, unit: kg}",
      "thresholds: [{above: 1e31, says: much}]",
      "p:11: 1e+31 is too far from 0: it lies between -1e+30 and 1e+30"
    ),
    (
      "linkage: {quantity: bodyMass, type: discrete, unit: kg}",
      "survey: [{kind: pain, type: number, maximum: 1e300}]",
      "p:11: the maximum is a number between -10^30 and 10^30"
    ),
  ])
  func `says what to write`(old: String, new: String, mistake: String) {
    #expect(mistakes([(old, new)]) == [mistake])
  }

  @Test(arguments: ["A0-9E-1A-00-00-02", "a09e1a000002", "a0:9e:1a:00:00:02"])
  func `takes every spelling of an address`(text: String) throws {
    let plan = try PlanFile.parse(
      Self.plan.replacing("A0:9E:1A:00:00:02", with: text), file: "p")
    #expect(plan.devices.map(\.address.text) == ["A0:9E:1A:00:00:02"])
  }

  @Test func `a sensor has a name`() throws {
    let text = Self.plan.replacing("address: \"A0:9E:1A:00:00:02\"", with: "sensor: left-thigh")
    let plan = try PlanFile.parse(text, file: "p")
    #expect(plan.devices.map(\.address) == ["left-thigh"])
    #expect(PlanFile.encode(plan).contains("{sensor: left-thigh, definition: polar-h10"))
  }

  @Test func `reports all mistakes in one run`() {
    #expect(
      mistakes([
        ("82 kg", "82"), ("bodyMass: 64", "bodyMas: 64"), ("title:", "titel:"),
        ("days: 1", "day: 1"), ("allDay", "allday"), ("unit: kg", "unit: kgg"),
        ("patient: karl", "patient: carl"), ("polar-h10", "polar"),
      ]) == [
        "p:3: there is no quantity ‘bodyMas’ (did you mean ‘bodyMass’?)",
        "p:4: bodyMass is measured in kg, but ‘82’ has no unit",
        "p:8: unknown key ‘titel’ (did you mean ‘title’?)",
        "p:10: unknown key ‘day’ (did you mean ‘days’?)",
        "p:10: ‘allday’ is no duration; write allDay, 30m, 1h, 90s or 1h30m",
        "p:11: there is no unit ‘kgg’; give a UCUM code such as kg, /min or deg",
        "p:13: there is no device definition ‘polar’ (did you mean ‘polar-h10’?)",
        "p:13: there is no patient ‘carl’ in this plan (did you mean ‘karl’?)",
      ])
  }

  @Test(arguments: [
    ("stepCount", "-6000", "-6000 is reached before anything is done: stepCount is more than 0"),
    ("stepCount", "0", "0 is reached before anything is done: stepCount is more than 0"),
    ("bodyMass", "-1", "-1 is reached before anything is done: bodyMass is more than 0"),
    ("bodyMass", "-1, atMost: true", "-1 cannot be met: bodyMass is more than 0"),
  ])
  func `refuses a target that nothing done reaches`(quantity: String, value: String, reason: String)
  {
    #expect(
      mistakes([
        ("{quantity: bodyMass, type: discrete, unit: kg}", "{quantity: \(quantity)}"),
        ("duration: allDay", "duration: allDay, targets: [{value: \(value)}]"),
      ]) == ["p:10: a target of \(reason)"])
  }

  @Test func `repetitions are named beside other mistakes`() {
    let karl = "\n  - {id: karl, expects: {bodyMass: 82 kg}}"
    let strap = "{address: \"A0:9E:1A:00:00:02\", definition: polar-h10, patient: karl}"
    #expect(
      mistakes([
        (karl, karl + "\n  - id: karl\n    weight: 3"), ("title:", "titel:"),
        (strap, "\(strap)\n  - {address: \"A0:9E:1A:00:00:02\", colour: red}"),
      ]) == [
        "p:5: there are two patients ‘karl’",
        "p:6: unknown key ‘weight’; the keys here are id, name, expects, units, timeZone, timeZones,"
          + " language, sex, birthday, allergies, notify, quiet, away, presence, channels",
        "p:10: unknown key ‘titel’ (did you mean ‘title’?)",
        "p:16: the device A0:9E:1A:00:00:02 is given twice",
        "p:16: unknown key ‘colour’; the keys here are patient, consentCode, sensor, address,"
          + " definition, userIndex, placement, key",
      ])
  }

  @Test func `a user that cannot be is one mistake`() {
    let user = "{address: \"A0:9E:1A:00:00:03\", patient: anna, userIndex: 300, consentCode: 1234}"
    let found = mistakes([("devices:", "devices:\n  - \(user)\n  - \(user)")])
    #expect(found.count == 2 && found.allSatisfy { $0.contains("300") }, "\(found)")
  }

  @Test func `what follows from a mistake is left out`() {
    // Without a schedule there is no task, and without Karl no owner of the strap.
    #expect(
      mistakes([("- {start: 2026-11-01, interval: {days: 1}, duration: allDay}", "- {start: soon}")]
      )
        == [
          "p:10: ‘soon’ is no date or time; write 2026-11-01, 2026-11-01T09:00 or"
            + " 2026-11-01T09:00:00-08:00"
        ])
    #expect(mistakes([("id: karl, ", "")]) == ["p:4: the key ‘id’ is missing"])
  }

  @Test func `a long file of mistakes ends`() {
    let tasks = (0..<200).map { "\n  - {id: t\($0), patient: anna, colour: red}" }.joined()
    let found = mistakes([("\ndevices:", tasks + "\ndevices:")])
    #expect(found.count == 50)
  }
}
