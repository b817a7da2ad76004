import Care
import Foundation
import TestSupport
import Testing

@testable import Outlets

/// A component as Home Assistant reads it.
struct ReadComponent: Decodable, Hashable {
  var platform: String
  var unique_id: String?
  var name: String?
  var device_class: String?
  var state_topic: String?
  var value_template: String?
  var json_attributes_topic: String?
  var unit_of_measurement: String?
  var state_class: String?
  var last_reset_value_template: String?
  var suggested_display_precision: Int?
  var force_update: Bool?
  var expire_after: Int?
  var options: [String]?
  var event_types: [String]?
  var command_topic: String?
  var payload_press: String?
  var min: Double?
  var max: Double?
}

/// A device as Home Assistant reads it.
struct ReadDevice: Decodable {
  struct Identity: Decodable {
    var identifiers: [String]
    var connections: [[String]]?
    var name: String
    var via_device: String?
  }
  struct Origin: Decodable { var name: String }
  var device: Identity
  var origin: Origin
  var availability_topic: String
  var components: [String: ReadComponent]
}

struct HomeAssistantPictureTests {
  static let topics = HomeAssistantTopics(box: "home")
  static let now = OutletFaultTests.noon
  static let words = HomeAssistantWords { "\($0)" }

  static func value(
    _ quantity: Quantity, _ value: Double, ago: TimeInterval = 60, since: Date? = nil
  ) -> HomeAssistantFacts.Value {
    .init(
      quantity: quantity, value: value, time: now - ago, since: since, device: "5C:CA:D3:70:D4:A2",
      provenance: .passive)
  }

  static func facts(_ values: [HomeAssistantFacts.Value] = []) -> HomeAssistantFacts {
    var facts = HomeAssistantFacts(zone: .gmt)
    facts.people = [.init(id: "john", name: "John", values: values)]
    facts.waiting = 2
    return facts
  }

  static func picture(
    _ facts: HomeAssistantFacts, published: Set<String> = [], takesAnswers: Bool = true
  ) throws -> HomeAssistantPicture {
    try HomeAssistantPicture(
      of: facts, published: published, takesAnswers: takesAnswers, topics, words, now: now)
  }

  static func device(_ name: String, in picture: HomeAssistantPicture) throws -> ReadDevice {
    let payload = try #require(
      picture.descriptions["homeassistant/device/\(name)/config"], "\(picture.descriptions.keys)")
    return try JSONDecoder().decode(ReadDevice.self, from: payload)
  }

  static func text(_ data: Data?) -> String? { data.map { String(decoding: $0, as: UTF8.self) } }

  @Test func `a weight has its class, its time and its origin`() throws {
    let picture = try Self.picture(Self.facts([Self.value(.bodyMass, 82.149_999_999)]))
    let device = try Self.device("measured_home_person_john", in: picture)
    #expect(device.device.identifiers == ["measured_home_person_john"])
    #expect(device.device.name == "John")
    #expect(device.device.via_device == "measured_home")
    #expect(device.origin.name == "measured")
    #expect(device.availability_topic == "measured/home/status")
    let weight = try #require(device.components["bodyMass"])
    #expect(weight.platform == "sensor")
    #expect(weight.unique_id == "measured_home_person_john_bodyMass")
    #expect(weight.device_class == "weight")
    #expect(weight.unit_of_measurement == "kg")
    #expect(weight.state_class == "measurement")
    #expect(weight.suggested_display_precision == 2)
    #expect(weight.force_update == true)
    #expect(weight.expire_after == nil)
    #expect(weight.state_topic == "measured/home/john/bodyMass")
    #expect(weight.json_attributes_topic == weight.state_topic)
    #expect(
      Self.text(picture.states["measured/home/john/bodyMass"])
        == #"{"device":"5C:CA:D3:70:D4:A2","provenance":"passive","time":"2026-11-18T11:59:00+00:00","#
        + #""value":82.15}"#)
    let time = try #require(device.components["bodyMass_time"])
    #expect(time.device_class == "timestamp")
    #expect(time.state_class == nil)
    #expect(time.unit_of_measurement == nil)
  }

  @Test func `two equal weights are two states`() throws {
    let first = try Self.picture(Self.facts([Self.value(.bodyMass, 82, ago: 120)]))
    let second = try Self.picture(Self.facts([Self.value(.bodyMass, 82, ago: 60)]))
    let topic = "measured/home/john/bodyMass"
    #expect(first.states[topic] != second.states[topic])
    #expect(first.descriptions == second.descriptions)
  }

  @Test func `the steps of a day begin anew with it, and may fall by a correction`() throws {
    let day = Self.now - 43_200
    let picture = try Self.picture(Self.facts([Self.value(.stepCount, 4_321, since: day)]))
    let device = try Self.device("measured_home_person_john", in: picture)
    let steps = try #require(device.components["stepCount"])
    #expect(steps.state_class == "total")
    #expect(steps.last_reset_value_template == "{{ value_json.since }}")
    #expect(steps.force_update == nil)
    #expect(
      Self.text(picture.states["measured/home/john/stepCount"])?
        .contains(#""since":"2026-11-18T00:00:00+00:00""#) == true)
    #expect(device.components["stepCount_time"] == nil)
  }

  @Test(arguments: [(5.0, true), (29, true), (31, false), (86_400, false)])
  func `a heart rate is of the moment`(ago: TimeInterval, isSent: Bool) throws {
    let picture = try Self.picture(Self.facts([Self.value(.heartRate, 71, ago: ago)]))
    let device = try Self.device("measured_home_person_john", in: picture)
    #expect(device.components["heartRate"]?.expire_after == 30)
    #expect(device.components["heartRate"]?.unit_of_measurement == "bpm")
    #expect(device.components["heartRate"]?.device_class == nil)
    // Retained it would be there after a restart of anything.
    #expect(picture.states["measured/home/john/heartRate"] == nil)
    #expect((picture.moments["measured/home/john/heartRate"] != nil) == isSent)
  }

  @Test func `a sensor joins what Home Assistant's Bluetooth sees`() throws {
    var facts = Self.facts()
    facts.sensors = [
      .init(
        address: DeviceID("5C:CA:D3:70:D4:A2"), name: "Scale",
        values: [Self.value(.batteryLevel, 80)], lastSeen: Self.now - 60),
      .init(address: DeviceID("left-thigh"), name: "left-thigh", lastSeen: Self.now),
    ]
    let picture = try Self.picture(facts)
    let scale = try Self.device("measured_home_sensor_5C_3aCA_3aD3_3a70_3aD4_3aA2", in: picture)
    #expect(scale.device.connections == [["bluetooth", "5C:CA:D3:70:D4:A2"]])
    #expect(scale.device.via_device == "measured_home")
    #expect(scale.components["batteryLevel"]?.device_class == "battery")
    #expect(scale.components["lastSeen"]?.device_class == "timestamp")
    let recorded = try Self.device("measured_home_sensor_left-thigh", in: picture)
    #expect(recorded.device.connections == nil)
  }

  @Test func `the box says how many readings wait`() throws {
    var facts = Self.facts()
    let picture = try Self.picture(facts)
    let box = try Self.device("measured_home", in: picture)
    #expect(box.components["event"]?.event_types == ["unassigned"])
    #expect(Self.text(picture.states["measured/home/waiting"]) == "2")
    // Where only some people's values leave, not even that.
    facts.waiting = nil
    let narrow = try Self.picture(facts)
    #expect(narrow.states["measured/home/waiting"] == nil)
    #expect(narrow.descriptions["homeassistant/device/measured_home/config"] == nil)
    let person = try Self.device("measured_home_person_john", in: narrow)
    #expect(person.device.via_device == nil)
  }

  private static func task(
    _ id: String = "morning pills", isDoneByTap: Bool = true,
    number: HomeAssistantFacts.Number? = nil
  ) -> HomeAssistantFacts.Task {
    .init(
      id: id, title: "Pills", state: .open, due: now - 3_600,
      events: [.init(start: now - 3_600, state: .open)], isDoneByTap: isDoneByTap, number: number)
  }

  @Test func `a task is a state with its answers`() throws {
    var facts = Self.facts()
    facts.people[0].tasks = [Self.task()]
    let picture = try Self.picture(facts)
    let device = try Self.device("measured_home_person_john", in: picture)
    let key = "task_morning_20pills"
    let task = try #require(device.components[key])
    #expect(task.device_class == "enum")
    #expect(task.state_class == nil)
    #expect(task.unit_of_measurement == nil)
    #expect(
      task.options == [
        "done", "notDone", "skipped", "performed", "missed", "notNeeded", "open", "later",
      ])
    #expect(
      Self.text(picture.states["measured/home/john/task/morning_20pills"])
        == #"{"due":"2026-11-18T11:00:00+00:00","events":[{"start":"2026-11-18T11:00:00+00:00","#
        + #""state":"open"}],"state":"open","task":"morning pills"}"#)
    for (button, payload) in [("_done", "done"), ("_notDone", "notDone"), ("_skip", "skip")] {
      let button = try #require(device.components[key + button])
      #expect(button.platform == "button")
      #expect(button.payload_press == payload)
      #expect(button.command_topic == "measured/home/john/task/morning_20pills/set")
    }
    #expect(device.components[key + "_number"] == nil)
    let silent = try Self.picture(facts, takesAnswers: false)
    let other = try Self.device("measured_home_person_john", in: silent)
    #expect(other.components.keys.filter { $0.hasPrefix(key) } == [key])
  }

  @Test func `a task that asks for a number has a field with its limits`() throws {
    var facts = Self.facts()
    facts.people[0].tasks = [
      Self.task(
        "weigh", isDoneByTap: false, number: .init(range: 0.2...400, unit: .kilogram, step: 0.01))
    ]
    let device = try Self.device("measured_home_person_john", in: try Self.picture(facts))
    let number = try #require(device.components["task_weigh_number"])
    #expect(number.platform == "number")
    #expect(number.min == 0.2)
    #expect(number.max == 400)
    #expect(number.unit_of_measurement == "kg")
    #expect(device.components["task_weigh_done"] == nil)
  }

  @Test func `events are of known types and never retained`() throws {
    var facts = Self.facts()
    facts.happenings = [
      .init(
        kind: .completed, patient: "john", task: "pills", title: "Pills", time: Self.now, id: "1"),
      .init(kind: .unassigned, time: Self.now, id: "2"),
    ]
    let picture = try Self.picture(facts)
    #expect(picture.events.map(\.topic) == ["measured/home/john/event", "measured/home/event"])
    #expect(
      Self.text(picture.events[0].payload)
        == #"{"event_type":"completed","id":"1","task":"pills","time":"2026-11-18T12:00:00+00:00","#
        + #""title":"Pills"}"#)
    #expect(picture.retained.keys.allSatisfy { !$0.hasSuffix("/event") })
    let device = try Self.device("measured_home_person_john", in: picture)
    #expect(device.components["event"]?.event_types == ["completed", "missed", "alert"])
  }

  @Test func `what is no more is named once, so that it vanishes`() throws {
    var facts = Self.facts([Self.value(.bodyMass, 82)])
    facts.people[0].tasks = [Self.task("pills")]
    let before = try Self.picture(facts)
    let after = try Self.picture(Self.facts(), published: Set(before.retained.keys))
    let device = try Self.device("measured_home_person_john", in: after)
    for (key, platform) in [
      ("bodyMass", "sensor"), ("bodyMass_time", "sensor"), ("task_pills", "sensor"),
      ("task_pills_done", "button"), ("task_pills_number", "number"),
    ] {
      let gone = try #require(device.components[key], "\(key)")
      #expect(gone.platform == platform)
      #expect(gone.unique_id == nil)
    }
    #expect(after.states["measured/home/john/bodyMass"] == nil)
    let later = try Self.picture(Self.facts())
    #expect(
      try Self.device("measured_home_person_john", in: later).components.keys.sorted() == ["event"])
  }

  @Test func `every name is one that Home Assistant takes, and is there once`() throws {
    var facts = Self.facts(Quantity.all.filter(\.isPersonal).map { Self.value($0, 1) })
    facts.people.append(.init(id: "Mei-hua 林/#+", name: "林美華", values: [Self.value(.bodyMass, 55)]))
    facts.people[1].tasks = [Self.task("茶_done"), Self.task("a.b")]
    let picture = try Self.picture(facts)
    var names: Set<String> = []
    for (topic, payload) in picture.descriptions {
      #expect(topic.wholeMatch(of: /homeassistant\/device\/[A-Za-z0-9_-]+\/config/) != nil)
      let device = try JSONDecoder().decode(ReadDevice.self, from: payload)
      for (key, component) in device.components {
        #expect(key.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
        let name = try #require(component.unique_id)
        #expect(names.insert(name).inserted, "\(name)")
      }
    }
    #expect(picture.states.keys.allSatisfy { !$0.contains("#") && !$0.contains("+") })
  }

  @Test func `no two texts have one slug, and each is read back`() {
    var random = SeededGenerator(seed: 3)
    var known: [String: String] = [:]
    let letters = Array("aZ09-_/+#. 林é\u{0}")
    for _ in 0..<Rounds.count(20_000) {
      let text = String(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
          letters[Int.random(in: 0..<letters.count, using: &random)]
        })
      let slug = HomeAssistantTopics.slug(text)
      #expect(slug.wholeMatch(of: /[A-Za-z0-9_-]*/) != nil)
      #expect(HomeAssistantTopics.text(ofSlug: slug) == text)
      #expect(known.updateValue(text, forKey: slug) ?? text == text)
    }
    for wrong in ["_", "_4", "_zz", "_41", "a b", "_c3"] {
      #expect(HomeAssistantTopics.text(ofSlug: wrong) == nil, "\(wrong)")
    }
  }

  // MARK: Answers

  @Test(arguments: [
    ("measured/home/john/task/pills/set", "done", HomeAssistantAnswer.Content.word(.done)),
    ("measured/home/john/task/pills/set", "notDone", .word(.notDone)),
    ("measured/home/john/task/morning_20pills/set", "skip", .word(.skip)),
    ("measured/home/john/task/weigh/set", "82.5", .number("82.5")),
    ("measured/home/john/task/weigh/set", "-3", .number("-3")),
  ])
  func `an answer is read`(
    topic: String, payload: String, content: HomeAssistantAnswer.Content
  ) throws {
    let answer = try #require(
      HomeAssistantAnswer(MQTTMessage(topic, Data(payload.utf8)), Self.topics))
    #expect(answer.content == content)
    #expect(answer.patient == "john")
    #expect(Self.topics.command(answer.task, of: answer.patient) == topic)
  }

  @Test(arguments: [
    ("measured/home/john/task/pills/set", "done", true),
    ("measured/home/john/task/pills/set", "DONE", false),
    ("measured/home/john/task/pills/set", "", false),
    ("measured/home/john/task/pills/set", "1e9", false),
    ("measured/home/john/task/pills/set", "nan", false),
    ("measured/home/john/task/pills/set", String(repeating: "1", count: 33), false),
    ("measured/other/john/task/pills/set", "done", false),
    ("measured/home/john/task/pi lls/set", "done", false),
    ("measured/home/john/task/set", "done", false),
    ("measured/home/john/task/pills/set/x", "done", false),
  ])
  func `what is no answer, or an old one, is dropped`(
    topic: String, payload: String, isRetained: Bool
  ) {
    #expect(
      HomeAssistantAnswer(
        MQTTMessage(topic, Data(payload.utf8), isRetained: isRetained), Self.topics) == nil)
  }
}
