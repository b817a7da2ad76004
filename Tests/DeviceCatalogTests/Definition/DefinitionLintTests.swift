import DeviceCatalog
import TestSupport
import Testing

struct DefinitionLintTests {
  private func lint(_ files: [DefinitionFile]) -> [String] {
    DeviceCatalog.lint([files]).map(\.description)
  }

  @Test func `the sample is clean`() {
    #expect(lint([SampleDefinition.file()]) == [])
  }

  /// A change, and the expected finding.
  static let findings: [(old: String, new: String, finding: String)] = [
    ("length: 3", "length: 2", "17: the field ‘weight’ ends at byte 3 of a frame of 2"),
    (
      "length: 3\n    fields:",
      "length: 3\n    motion: {acceleration: {type: s16le, scale: 1}}\n    fields:",
      "13: the motion ends at byte 6 of a frame of 3"
    ),
    (
      "type: u16le,", "type: u16le, at: 2,", "17: the field ‘weight’ ends at byte 4 of a frame of 3"
    ),
    (
      "type: u16le,", "type: u16le, if: state.1,",
      "17: ‘state.1’ is a bit of no integer read before"
    ),
    (
      "type: u16le,", "type: u16le, validIf: flags.8,",
      "17: ‘flags.8’ is never set: ‘flags’ has 8 bits"
    ),
    ("scale: 0.005", "scale: 0", "17: a scale of 0 makes every value the same"),
    (
      "    fields:", "    checksum: {kind: sum, first: 2, last: 1}\n    fields:",
      "15: the checksum covers nothing: ‘last’ is before ‘first’"
    ),
    (
      "type: u8}", "type: u8, repeat: toEnd}",
      "17: nothing is left for the field ‘weight’: ‘flags’ repeats to the end"
    ),
    (
      "type: u16le,", "type: u16le, if: flags.0}\n      - {name: flags, type: u8, if: flags.1,",
      "18: an earlier field has the name ‘flags’, which tests ask for"
    ),
    (
      "type: u8}", "type: u8, quantity: stepCount}",
      "16: stepCount adds up, and ‘counter’ must say what the field ‘flags’ is: the total of the day"
        + " (daily), the total since the device was switched on (continuous), or what was added (none)"
    ),
    (
      "type: u8}", "type: u8, quantity: heartRate, counter: daily}",
      "16: heartRate does not add up, so nothing counts it"
    ),
    (
      "type: u8}", "type: u8, counter: daily}",
      "16: a counter without a ‘quantity’"
    ),
    (
      "type: u8}", "type: u8, quantity: stepCount, counter: dayly}",
      "16: ‘dayly’ is not one of daily, continuous, none (did you mean ‘daily’?)"
    ),
    (
      "type: u8}", "type: u8, validIf: weight.1}",
      "16: ‘weight.1’ is a bit of no integer read before"
    ),
    (
      "    fields:", "    user: slot\n    fields:",
      "13: the user field ‘slot’ is not among the fields"
    ),
    (
      "    fields:",
      "    commit: {stable: flags.1, quantity: bodyMass, waitFor: {quantity: impedance, seconds: 5}}\n    fields:",
      "13: no field gives ‘impedance’, which is to be committed"
    ),
    (
      "- subscribe: \"2A9D\"", "- subscribe: \"2A37\"",
      "13: characteristic 2A9D is read but no step subscribes to it or reads it"
    ),
    (
      "    fields:", "    stored: true\n    fields:",
      "13: a stored record has no time: when was it measured?"
    ),
    (
      "families: [Sample]", "prepare: step on",
      "1: ‘sample’ names no ‘families’: the products that it serves, as people know them"
    ),
    (
      "families: [Sample]", "families: [Sample, Other, SAMPLE]",
      "26: the family ‘SAMPLE’ is named twice"
    ),
    (
      "families: [Sample]", "families: [Sample, \"\"]",
      "26: expected a text, found an empty one"
    ),
    (
      "mode: connect", "mode: advertisement",
      "9: ‘sample’ is never connected to, so its session is never run"
    ),
  ]

  @Test(arguments: findings.indices)
  func finds(index: Int) {
    let (old, new, finding) = Self.findings[index]
    #expect(lint([SampleDefinition.file(old, new)]) == ["sample.yaml:" + finding])
  }

  @Test func `finds the first mistake of each part`() {
    let text = SampleDefinition.lines
      .replacing("vendor: Nobody", with: "vendro: Nobody")
      .replacing("mode: connect", with: "mode: conect")
      .replacing("- subscribe: \"2A9D\"", with: "- subscribe: \"2A9\"")
      .replacing("type: u8}", with: "type: u9}")
      .replacing("provenance: derived", with: "provenance: guessed")
    let findings = lint([DefinitionFile(name: "sample.yaml", text: text)])
    #expect(findings.map { $0.split(separator: ":")[1] } == ["3", "8", "11", "16", "20"])
  }

  @Test func `finds the step out of order`() {
    #expect(
      lint([
        SampleDefinition.file(
          "    - subscribe: \"2A9D\"", "    - delay: 1\n    - subscribe: \"2A9D\"")
      ]) == [
        "sample.yaml:12: the session subscribes to 2A9D after a step that takes time; a scale may not wait"
      ])
  }

  @Test func `finds files that cannot be loaded`() {
    #expect(
      lint([SampleDefinition.file("length", "lenght")])
        == ["sample.yaml:14: unknown key ‘lenght’ (did you mean ‘length’?)"])
  }

  @Test func `finds every mistake of a file`() {
    let text = SampleDefinition.text()
      .replacing("vendor: Nobody", with: "vendro: Nobody")
      .replacing("mode: connect", with: "mode: conect")
      .replacing("- subscribe: \"2A9D\"", with: "- subscribe: \"2A9\"\n    - wait: 5")
      .replacing("type: u8}", with: "type: u9}")
      .replacing("quantity: bodyMass, scale", with: "quantity: bodyMas, sale: 1, scale")
      .replacing("provenance: derived", with: "provenance: guessed")
    let lines = lint([DefinitionFile(name: "sample.yaml", text: text)])
    #expect(
      lines.map { $0.split(separator: ":")[1] } == ["3", "8", "11", "12", "17", "18", "18", "21"])
    #expect(lines.first == "sample.yaml:3: unknown key ‘vendro’ (did you mean ‘vendor’?)")
  }

  /// Once each, with what was probably meant.
  @Test(
    arguments: [
      (
        "families: [Sample]", "families: Sample One", "26: expected a list, found a single value"
      ),
      (
        "quantity: bodyMass, scale", "quantity: weight, scale",
        "17: there is no quantity ‘weight’ (did you mean ‘bodyMass’?)"
      ),
      ("unit: kg", "unit: kilos", "17: there is no unit ‘kilos’; ‘measured quantities’ lists them"),
      ("unit: kg", "unit: kgg", "17: there is no unit ‘kgg’ (did you mean ‘kg’?)"),
    ])
  func `reports a mistake once`(old: String, new: String, finding: String) {
    let found = lint([SampleDefinition.file(old, new)])
    #expect(found.count == 1 && found[0].hasPrefix("sample.yaml:" + finding), "\(found)")
  }

  @Test func `names what a draft leaves open`() {
    #expect(
      lint([SampleDefinition.file("vendor: Nobody", "vendor: TODO")])
        == ["sample.yaml:3: ‘vendor’ is still to be written: TODO"])
    #expect(
      lint([SampleDefinition.file("from: nothing", "from: TODO")])
        == ["sample.yaml:19: ‘from’ is still to be written: TODO"])
    #expect(
      lint([SampleDefinition.file(name: "mine.yaml")])
        == ["mine.yaml:1: the id ‘sample’ is not the file's name: it is looked for in sample.yaml"])
  }

  /// Of two letters, every second device has them.
  @Test(arguments: [("namePrefix: N", 1), ("namePrefix: da", 1), ("namePrefix: ADV", 0)])
  func `refuses a match by few letters`(clause: String, count: Int) {
    let found = lint([
      SampleDefinition.file("{service: \"181D\", namePrefix: SAMPLE}", clause)
    ])
    #expect(found.filter { $0.contains("takes in unrelated devices") }.count == count)
    #expect(found.count == count)
  }

  @Test func `a mistake in a file leaves the others to be found`() {
    let broken = SampleDefinition.file("length", "lenght", name: "sample.yaml")
    let other = DefinitionFile(
      name: "trial.yaml",
      text: SampleDefinition.text("length: 3", "length: 2").replacing(
        "id: sample", with: "id: trial"
      )
      .replacing("SAMPLE", with: "OTHER"))
    #expect(
      lint([broken, other]) == [
        "sample.yaml:14: unknown key ‘lenght’ (did you mean ‘length’?)",
        "trial.yaml:17: the field ‘weight’ ends at byte 3 of a frame of 2",
      ])
  }

  /// Whatever is wrong, the search for further mistakes ends.
  @Test(arguments: 0..<300)
  func `any damage is reported`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var characters = Array(SampleDefinition.lines)
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let place = characters.indices.randomElement(using: &random) ?? 0
      switch Int.random(in: 0..<3, using: &random) {
      case 0: characters.remove(at: place)
      case 1:
        characters.insert(Array("x:-{}[] 9\n\"").randomElement(using: &random) ?? "x", at: place)
      default: characters[place] = "z"
      }
    }
    let findings = lint([DefinitionFile(name: "sample.yaml", text: String(characters))])
    #expect(findings.count <= 50)
  }

  @Test func `finds a field that is never committed`() {
    let file = SampleDefinition.file(
      "    fields:\n      - {name: flags, type: u8}",
      "    commit: {stable: flags.1, quantity: bodyMass}\n    fields:\n"
        + "      - {name: flags, type: u8, quantity: heartRate}")
    #expect(
      lint([file]) == ["sample.yaml:17: the field ‘flags’ is read but never committed"])
  }

  /// A scale repeats an advertisement while somebody stands on it.
  @Test func `finds an advertised weight that is never final`() {
    let file = SampleDefinition.file(
      "records:",
      "records:\n  - serviceData: \"181D\"\n    fields:\n"
        + "      - {name: mass, type: u16le, quantity: bodyMass, scale: 0.005}")
    #expect(
      lint([file]).contains(
        "sample.yaml:15: without ‘commit’ every advertisement with ‘bodyMass’ is a measurement"))
  }

  @Test func `finds a wait without a subscription`() {
    let file = SampleDefinition.file(
      "    - subscribe: \"2A9D\"",
      "    - subscribe: \"2A9D\"\n"
        + "    - waitFor: {characteristic: \"2A9F\", bytes: 20, seconds: 5}")
    #expect(
      lint([file])
        == ["sample.yaml:12: the session waits for 2A9F, which nothing subscribes to"])
  }

  /// Steps after the sample's own, and the expected finding.
  static let steps: [(step: String, finding: String)] = [
    (
      "consent: {characteristic: \"2A9F\"}",
      "the session waits for 2A9F, which nothing subscribes to"
    ),
    ("fetchRecords: \"2A52\"", "the session waits for 2A52, which nothing subscribes to"),
    (
      "delay: 1\n    - subscribe: \"2A9C\"",
      "the session subscribes to 2A9C after a step that takes time; a scale may not wait"
    ),
    (
      "write: {characteristic: \"2A2B\", currentTime: cts}\n    - subscribe: \"2A9C\"",
      "the session subscribes to 2A9C after a step that takes time; a scale may not wait"
    ),
  ]

  @Test(arguments: steps.indices)
  func `finds steps in the wrong order`(index: Int) {
    let (step, finding) = Self.steps[index]
    let file = SampleDefinition.file(
      "    - subscribe: \"2A9D\"", "    - subscribe: \"2A9D\"\n    - \(step)")
    // The step that is wrong is the last one.
    let line = 12 + step.filter(\.isNewline).count
    #expect(lint([file]) == ["sample.yaml:\(line): \(finding)"])
  }

  @Test(arguments: ["mode: connect, history: true", "mode: advertisement, history: true"])
  func `finds a history without a session`(link: String) {
    let text = SampleDefinition.text("mode: connect", link)
      .replacing("session:\n  start:\n    - subscribe: \"2A9D\"\n", with: "")
    let findings = lint([DefinitionFile(name: "sample.yaml", text: text)])
    #expect(
      findings.contains(
        "sample.yaml:8: ‘history’ is for a device that advertises its data and has a session to"
          + " fetch the rest"))
  }

  @Test func `finds a definition without vectors`() {
    let text = SampleDefinition.lines.split(separator: "vectors:")[0]
    let file = DefinitionFile(name: "sample.yaml", text: text + "families: [Sample]\n")
    #expect(
      lint([file])
        == ["sample.yaml:1: ‘sample’ has no vectors: nothing shows that it reads its device"])
  }

  @Test func `optional fields are not counted`() {
    let optional = SampleDefinition.file("type: u16le,", "type: u16le, if: flags.0,")
    #expect(lint([optional]) == [])
  }

  /// Two match rules, and whether one advertisement can satisfy both with the same score.
  static let pairs: [(a: String, b: String, overlaps: Bool)] = [
    ("{service: \"181D\"}", "{service: \"181D\"}", true),
    ("{service: \"181D\"}", "{service: \"181B\"}", false),
    ("{namePrefix: SCALE}", "{namePrefix: SCALE}", true),
    // The longer name has a higher score.
    ("{namePrefix: SCALE}", "{namePrefix: SCALE-2}", false),
    (
      "{serviceData: {uuid: \"181B\", length: 13}}", "{serviceData: {uuid: \"181B\", length: 10}}",
      false
    ),
    (
      "{serviceData: {uuid: \"181B\", length: 13}}", "{serviceData: {uuid: \"181B\", length: 13}}",
      true
    ),
    (
      "{serviceData: {uuid: \"181B\", bytes: 02}}", "{serviceData: {uuid: \"181B\", bytes: 03}}",
      false
    ),
    // The minimal advertisement of neither satisfies the other, but 02 24 satisfies both.
    (
      "{serviceData: {uuid: \"181B\", bytes: 02 ??}}",
      "{serviceData: {uuid: \"181B\", bytes: \"?? 24\"}}", true
    ),
    (
      "{manufacturerData: {company: 0x0499, bytes: 05}}",
      "{manufacturerData: {company: 0x0499, bytes: 05}}", true
    ),
    (
      "{manufacturerData: {company: 0x0499, bytes: 05}}",
      "{manufacturerData: {company: 0x0157, bytes: 05}}", false
    ),
    ("{service: \"181D\", namePrefix: A}", "{service: \"181D\", namePrefix: B}", false),
  ]

  @Test(arguments: pairs.indices)
  func `finds overlaps`(index: Int) {
    let (a, b, overlaps) = Self.pairs[index]
    let clause = "{service: \"181D\", namePrefix: SAMPLE}"
    let first = SampleDefinition.file(clause, a, name: "sample.yaml")
    let second = DefinitionFile(
      name: "trial.yaml",
      text: SampleDefinition.text(clause, b).replacing("id: sample", with: "id: trial"))
    let reason = "match the same advertisement with the same score; ask for more in one of them"
    #expect(
      lint([first, second])
        == (overlaps
          ? [
            "sample.yaml:5: ‘sample’ and ‘trial’ (trial.yaml:5) \(reason)",
            "trial.yaml:5: ‘trial’ and ‘sample’ (sample.yaml:5) \(reason)",
          ] : []))
  }
}
