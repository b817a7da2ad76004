package import Care
package import Foundation
import Interchange

/// The texts of Home Assistant's entities, in the language of the household.
package struct HomeAssistantWords: Sendable {
  /// A text that an entity or a device is called by.
  package enum Name: Hashable, Sendable {
    case box(String)
    case quantity(Quantity)
    /// When a quantity was measured.
    case measured(Quantity)
    case lastSeen, waiting, happenings
    case done(task: String), notDone(task: String), skip(task: String), number(task: String)
  }

  package var text: @Sendable (Name) -> String

  /// Makes the texts.
  package init(_ text: @escaping @Sendable (Name) -> String) { self.text = text }
}

/// The content of a broker for a box at one moment: its retained topics, moments and events.
///
/// It follows from the store alone. What was published is compared with it, so that a correction, a moved
/// value, an erasure and a renamed person follow by themselves, and a state that is older than the last is
/// none of it.
package struct HomeAssistantPicture: Sendable {
  /// An event: its name for ever, and what is sent once.
  package struct Event: Hashable, Sendable {
    package var id: String
    package var date: Date
    package var topic: String
    package var payload: Data
  }

  /// The descriptions of devices, by topic.
  package private(set) var descriptions: [String: Data] = [:]
  /// The states, by topic.
  package private(set) var states: [String: Data] = [:]
  /// The values that hold for a moment, by topic: never retained, so no restart shows them as new.
  package private(set) var moments: [String: Data] = [:]
  package private(set) var events: [Event] = []

  private let topics: HomeAssistantTopics
  private let words: HomeAssistantWords
  private let zone: TimeZone
  private let now: Date
  /// The retained topics that the broker may have.
  private let published: Set<String>

  /// Everything that is retained, by topic.
  package var retained: [String: Data] { descriptions.merging(states) { first, _ in first } }

  /// Makes the picture of what the store says.
  ///
  /// `published` has the retained topics that the broker may have: an entity that is no more has to be
  /// named once to vanish. `takesAnswers` says whether buttons and numbers answer tasks.
  ///
  /// - Throws: `EncodingError`.
  package init(
    of facts: HomeAssistantFacts, published: Set<String> = [], takesAnswers: Bool,
    _ topics: HomeAssistantTopics, _ words: HomeAssistantWords, now: Date
  ) throws {
    (self.topics, self.words, self.zone) = (topics, words, facts.zone)
    (self.published, self.now) = (published, now)
    try add(box: facts)
    for person in facts.people { try add(person, takesAnswers: takesAnswers) }
    for sensor in facts.sensors { try add(sensor) }
    events = try facts.happenings.map { happening in
      Event(
        id: happening.id, date: happening.time, topic: topics.events(of: happening.patient),
        payload: try Self.json(EventState(happening, zone)))
    }
  }

  // MARK: States

  private struct ValueState: Encodable {
    var value: Double
    var time: String
    var since: String?
    var device: String?
    var provenance: String?
    var corrected: Bool?
  }

  private struct TaskState: Encodable {
    var state: String
    var task: String
    var due: String
    var events: [Entry]

    struct Entry: Encodable {
      var start: String
      var state: String
    }
  }

  private struct EventState: Encodable {
    var eventType: String
    var id: String
    var time: String
    var task: String?
    var title: String?

    init(_ happening: HomeAssistantFacts.Happening, _ zone: TimeZone) {
      (eventType, id) = (happening.kind.rawValue, happening.id)
      time = happening.time.rfc3339(in: zone)
      (task, title) = (happening.task, happening.title)
    }
  }

  private static func json(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return try encoder.encode(value)
  }

  private func state(_ value: HomeAssistantFacts.Value) throws -> Data {
    try Self.json(
      ValueState(
        value: value.value.data(of: value.quantity), time: value.time.rfc3339(in: zone),
        since: value.since?.rfc3339(in: zone), device: value.device,
        provenance: value.provenance?.rawValue, corrected: value.isCorrected ? true : nil))
  }

  // MARK: The box

  private mutating func add(box facts: HomeAssistantFacts) throws {
    let device = topics.boxDevice
    var components: [String: HomeAssistantDevice.Component] = [:]
    if let waiting = facts.waiting {
      var sensor = component("sensor", device, "waiting", .waiting)
      sensor.stateTopic = topics.waiting
      sensor.stateClass = "measurement"
      components["waiting"] = sensor
      components["event"] = events(HomeAssistantFacts.Happening.Kind.ofBox, device, of: nil)
      states[topics.waiting] = Data(String(waiting).utf8)
    } else if published.contains(topics.waiting) {
      components["waiting"] = .init(removed: "sensor")
      components["event"] = .init(removed: "event")
    }
    // Without a component Home Assistant refuses a device; the others still name it.
    guard !components.isEmpty else { return }
    try describe(
      device, .init(identifiers: [device], name: words.text(.box(topics.box))), components)
  }

  // MARK: People

  private mutating func add(
    _ person: HomeAssistantFacts.Person, takesAnswers: Bool
  ) throws {
    let device = topics.device(of: person.id)
    var components = [
      "event": events(HomeAssistantFacts.Happening.Kind.ofPeople, device, of: person.id)
    ]
    for value in person.values {
      try add(
        value, at: topics.value(value.quantity, of: person.id), device, &components)
    }
    for task in person.tasks {
      try add(task, of: person.id, device, takesAnswers: takesAnswers, &components)
    }
    let topics = topics
    for quantity in Quantity.all {
      removeMissing(
        topics.value(quantity, of: person.id),
        [quantity.rawValue: "sensor", quantity.rawValue + "_time": "sensor"], &components)
    }
    let prefix = topics.task("", of: person.id)
    for topic in published where topic.hasPrefix(prefix) {
      let key = "task_" + topic.dropFirst(prefix.utf8.count)
      removeMissing(
        topic,
        [
          key: "sensor", key + "_done": "button", key + "_notDone": "button",
          key + "_skip": "button", key + "_number": "number",
        ], &components)
    }
    try describe(
      device,
      .init(identifiers: [device], name: person.name, manufacturer: "measured", viaDevice: via),
      components)
  }

  private mutating func add(
    _ value: HomeAssistantFacts.Value, at topic: String, _ device: String,
    _ components: inout [String: HomeAssistantDevice.Component]
  ) throws {
    let (quantity, key) = (value.quantity, value.quantity.rawValue)
    guard let shown = HomeAssistantSensor(quantity) else { return }
    var sensor = component("sensor", device, key, .quantity(quantity))
    sensor.deviceClass = shown.deviceClass
    sensor.unitOfMeasurement = shown.unit
    sensor.stateClass = shown.stateClass
    sensor.suggestedDisplayPrecision = shown.precision
    sensor.stateTopic = topic
    sensor.valueTemplate = "{{ value_json.value }}"
    sensor.jsonAttributesTopic = topic
    if shown.isSum { sensor.lastResetValueTemplate = "{{ value_json.since }}" }
    // Two equal weights are two; only what is measured one by one is told one by one.
    if !shown.isSum { sensor.forceUpdate = true }
    if shown.isLive { sensor.expireAfter = HomeAssistantSensor.liveSeconds }
    if !quantity.isPersonal { sensor.entityCategory = "diagnostic" }
    components[key] = sensor
    let state = try state(value)
    guard !shown.isLive else {
      let age = now.timeIntervalSince(value.time)
      if age < Double(HomeAssistantSensor.liveSeconds) { moments[topic] = state }
      return
    }
    states[topic] = state
    guard !shown.isSum, quantity.isPersonal else { return }
    var time = component("sensor", device, key + "_time", .measured(quantity))
    time.deviceClass = "timestamp"
    time.stateTopic = topic
    time.valueTemplate = "{{ value_json.time }}"
    time.entityCategory = "diagnostic"
    // A scale measures a dozen things at once.
    if quantity.isMeasuredWithWeight { time.enabledByDefault = false }
    components[key + "_time"] = time
  }

  private mutating func add(
    _ task: HomeAssistantFacts.Task, of patient: String, _ device: String, takesAnswers: Bool,
    _ components: inout [String: HomeAssistantDevice.Component]
  ) throws {
    let topic = topics.task(task.id, of: patient)
    let key = "task_" + HomeAssistantTopics.slug(task.id)
    var sensor = HomeAssistantDevice.Component("sensor", "\(device)_\(key)", name: task.title)
    sensor.deviceClass = "enum"
    sensor.options = Care.EventState.allCases.filter { $0 != .readOnly }.map(\.rawValue)
    sensor.stateTopic = topic
    sensor.valueTemplate = "{{ value_json.state }}"
    sensor.jsonAttributesTopic = topic
    components[key] = sensor
    states[topic] = try Self.json(
      TaskState(
        state: task.state.rawValue, task: task.id, due: task.due.rfc3339(in: zone),
        events: task.events.map {
          .init(start: $0.start.rfc3339(in: zone), state: $0.state.rawValue)
        }))
    guard takesAnswers else { return }
    func button(_ answer: HomeAssistantAnswer.Word, _ name: HomeAssistantWords.Name)
      -> HomeAssistantDevice.Component
    {
      var button = component("button", device, "\(key)_\(answer.rawValue)", name)
      button.commandTopic = topics.command(task.id, of: patient)
      button.payloadPress = answer.rawValue
      return button
    }
    if task.isDoneByTap { components[key + "_done"] = button(.done, .done(task: task.title)) }
    components[key + "_notDone"] = button(.notDone, .notDone(task: task.title))
    components[key + "_skip"] = button(.skip, .skip(task: task.title))
    guard let number = task.number else { return }
    var field = component("number", device, key + "_number", .number(task: task.title))
    field.commandTopic = topics.command(task.id, of: patient)
    (field.min, field.max, field.step) = (
      number.range.lowerBound, number.range.upperBound, number.step
    )
    field.mode = "box"
    field.unitOfMeasurement = number.unit == .one ? nil : number.unit.symbol
    components[key + "_number"] = field
  }

  private func removeMissing(
    _ topic: String, _ keys: [String: String],
    _ components: inout [String: HomeAssistantDevice.Component]
  ) {
    guard published.contains(topic), states[topic] == nil, moments[topic] == nil else { return }
    for (key, platform) in keys where components[key] == nil {
      components[key] = .init(removed: platform)
    }
  }

  // MARK: Sensors

  private mutating func add(_ sensor: HomeAssistantFacts.Sensor) throws {
    let device = topics.device(of: sensor.address)
    var components: [String: HomeAssistantDevice.Component] = [:]
    for value in sensor.values {
      try add(value, at: topics.value(value.quantity, of: sensor.address), device, &components)
    }
    let topic = topics.lastSeen(sensor.address)
    if let seen = sensor.lastSeen {
      var time = component("sensor", device, "lastSeen", .lastSeen)
      time.deviceClass = "timestamp"
      time.stateTopic = topic
      time.entityCategory = "diagnostic"
      components["lastSeen"] = time
      states[topic] = Data(seen.rfc3339(in: zone).utf8)
    }
    removeMissing(topic, ["lastSeen": "sensor"], &components)
    for quantity in Quantity.all where !quantity.isPersonal {
      removeMissing(
        topics.value(quantity, of: sensor.address), [quantity.rawValue: "sensor"], &components)
    }
    guard !components.isEmpty else { return }
    try describe(
      device,
      .init(
        identifiers: [device],
        connections: sensor.address.isAddress ? [["bluetooth", sensor.address.text]] : nil,
        name: sensor.name, viaDevice: via), components)
  }

  // MARK: Devices

  /// The box as the way to the others, if it is a device itself.
  private var via: String? {
    descriptions[topics.description(of: topics.boxDevice)].map { _ in topics.boxDevice }
  }

  private func component(
    _ platform: String, _ device: String, _ key: String, _ name: HomeAssistantWords.Name
  ) -> HomeAssistantDevice.Component {
    .init(platform, "\(device)_\(key)", name: words.text(name))
  }

  private func events(
    _ kinds: [HomeAssistantFacts.Happening.Kind], _ device: String, of patient: String?
  ) -> HomeAssistantDevice.Component {
    var event = component("event", device, "event", .happenings)
    event.eventTypes = kinds.map(\.rawValue)
    event.stateTopic = topics.events(of: patient)
    return event
  }

  private mutating func describe(
    _ device: String, _ identity: HomeAssistantDevice.Identity,
    _ components: [String: HomeAssistantDevice.Component]
  ) throws {
    descriptions[topics.description(of: device)] = try HomeAssistantDevice(
      device: identity, availabilityTopic: topics.availability, components: components
    ).json
  }
}
