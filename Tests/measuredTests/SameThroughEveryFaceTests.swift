import Access
import Care
import CareStore
import DeviceCatalog
import Foundation
import HTTPTypes
import Testing
import Web
import WebTestSupport

@testable import Daemon
@testable import Terminal

/// An action does the same whether a command, a form of the page or the interface performs it: the
/// store is the same after it, and so is whether it was refused.
@Suite struct SameThroughEveryFaceTests {
  private static let day = "2026-03-09"
  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: anna, name: {given: Anna}, expects: {bodyMass: 64 kg}, presence: true}
      - {id: karl, name: {given: Karl}, expects: {bodyMass: 90 kg}}
    carePlans:
      - {id: heart, patient: anna, title: Heart, consent: {version: 1, sections: [{title: Data, text: "We keep it **here**."}]}}
    tasks:
      - {id: pills, patient: anna, title: Pills, schedule: [{start: 2026-03-01T08:00, interval: {days: 1}, duration: 1h}]}
      - {id: water, patient: anna, title: Water, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
      - {id: drinks, patient: anna, title: Drinks, progress: sum, style: buttonLog, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 2000}]}]}
      - {id: exercise, patient: anna, title: Exercise, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 30, unit: min}]}], linkage: {quantity: exerciseTime, unit: min}}
      - {id: cast, patient: anna, title: Cast, reminder: {after: 1d}, schedule: [{start: 2026-03-01, interval: {days: 30000}, duration: 8000d}]}
      - {id: weigh-in, patient: anna, title: Weigh yourself, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], linkage: {quantity: bodyMass}}
      - {id: pressure, patient: anna, title: Blood pressure, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}]}
      - id: mix
        patient: anna
        title: Weight and knee
        schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]
        linkage: {quantity: bodyMass}
        survey: [{kind: pain, type: scale, minimum: 1, maximum: 10, optional: true}]
      - id: check-in
        patient: anna
        title: How are you
        schedule: [{start: 2026-03-02T09:00, interval: {weeks: 1}, duration: 1h}]
        survey:
          - {kind: pain, type: scale, minimum: 1, maximum: 10}
          - {kind: sleep, type: number, unit: h, minimum: 0, maximum: 24}
    """

  /// The household, with a weighing that waits in the tray.
  private static let prepared = PreparedStore { folder, path in
    let plan = try folder.write(plan, to: "plan.yaml")
    let recording = try folder.write(Recordings.weighIn, to: "weigh-in.jsonl")
    for command in [["plan", "import", plan], ["replay", recording]] {
      let result = await InProcess.run(command + ["--store", path])
      try #require(result.status == 0, "\(result.error)")
    }
  }

  /// One patient whose scale another person uses, too.
  private static let shared = PreparedStore { folder, path in
    let plan = try folder.write(
      "timeZone: Europe/Berlin\npatients: [{id: anna}]\ntasks: []\n", to: "plan.yaml")
    let result = await InProcess.run(["plan", "import", plan, "--store", path])
    try #require(result.status == 0, "\(result.error)")
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    try await store.write { writer in
      for day in 1...12 {
        for (hour, weight) in [64 + Double(day % 3) / 5, 82 - Double(day % 4) / 5].enumerated() {
          let time = Date(timeIntervalSince1970: 1_772_600_400 + Double(day * 24 + hour) * 3_600)
          let reading = Reading(
            quantity: .bodyMass, value: weight, arrival: time,
            device: DeviceIdentity(
              address: "5C:CA:D3:70:D4:A2", definition: "xiaomi-mi-scale-2"))
          _ = try writer.insert(Sample(reading: reading, start: time, end: time))
        }
      }
    }
  }

  // MARK: Faces

  /// A way to a store.
  enum Face: String, CaseIterable {
    case command, form, interface
  }

  /// An action of a person, as each face takes it; several steps are done one after the other.
  struct Step: Sendable {
    /// A command line, without the store.
    var command: [String]
    /// The path of a form, in which `ID` is the event's id, and its fields; `nil` for what no page asks.
    var form: (path: String, fields: String)?
    /// A call of the interface.
    var call: (method: HTTPRequest.Method, path: String, body: String)
    /// The task whose event is meant.
    var task: String?
  }

  /// The outcome at a face.
  enum Outcome: String, Hashable {
    case done, refused
  }

  /// The page and the interface of a store, without sign-in.
  struct Site: RespondingSite {
    let responder: TestResponder

    init(_ path: String) throws {
      let store = try SQLStore.open(path: path, makeUUID: { UUID() })
      let catalog = try DeviceCatalog.readable(folder: nil).catalog
      responder = try TestResponder(
        WebEnvironment(store: store, path: nil, catalog: catalog), hosts: ["localhost"],
        access: nil)
    }

    func eventID(_ task: String?) async throws -> String {
      let events = try await get("/api/v1/events?date=\(SameThroughEveryFaceTests.day)")
        .list("events")
      return events.first { $0["task"] as? String == task }?["id"] as? String ?? ""
    }
  }

  private static func perform(
    _ step: Step, through face: Face, in path: String
  ) async throws -> Outcome {
    switch face {
    case .command:
      let result = await InProcess.run(step.command + ["--store", path])
      #expect([0, 2, 3, 4].contains(result.status), "\(step.command): \(result.error)")
      return result.status == 0 ? .done : .refused
    case .form:
      let site = try Site(path)
      let form = try #require(step.form)
      let address = form.path.replacing("ID", with: try await site.eventID(step.task))
      let answer = try await site.form(address, form.fields)
      guard answer.status == 303 else { return .refused }
      return answer.headers[.location]?.contains("notice=refused") == true ? .refused : .done
    case .interface:
      let site = try Site(path)
      let address = step.call.path.replacing("ID", with: try await site.eventID(step.task))
      let answer = try await site.json(step.call.method, address, step.call.body)
      #expect(answer.status < 500, "\(answer.text)")
      return answer.status < 300 ? .done : .refused
    }
  }

  /// The state of the store, without the times of its changes and the ids that it made.
  private static func state(_ path: String) async throws -> [String] {
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    return try await store.read { reader in
      let zone = try reader.zone()
      let from = try #require(Date("2026-03-01", in: zone))
      let events = try reader.events(
        EventQuery(patient: nil, task: nil, from: from, to: from + 20 * 86_400, now: Date()))
      let answered = events.filter { $0.outcome != nil }.map { event in
        let values = (event.outcome?.values ?? []).map {
          "\($0.kind ?? "-")=\($0.value) \($0.unit?.code ?? "") \($0.provenance)"
        }.sorted()
        let answer = event.outcome?.answer
        return "\(event.task.patient) \(event.task.id) \(event.occurrence.start) "
          + "\(event.progress.isCompleted) \(answer.map { "\($0.state)" } ?? "") "
          + "\(answer?.reason ?? "") \(values)"
      }
      let query = SampleQuery(states: Set(Sample.State.allCases))
      let samples = try reader.samples(query).map { sample in
        let changes = try reader.changes(of: sample.identity).map {
          "\($0.change) \($0.decidedBy) \($0.reason ?? "")"
        }
        return "\(sample.quantity.rawValue) \(sample.value) \(sample.patient ?? "-") "
          + "\(sample.state) \(sample.provenance) \(changes)"
      }
      let consents = try reader.consents().flatMap(\.answers).map {
        "\($0.patient) \($0.carePlan) \($0.state) \($0.name) \($0.digest)"
      }
      let contacts =
        try reader.things(Contact.self).map { "\($0)" }
        + reader.patients().map { "\($0.id) \($0.channels.map(\.text))" }
      // A reminder comes again minutes after it was put off, which each face does by itself.
      let snoozes = try reader.firings(FiringQuery(kinds: [.snooze])).map {
        "\($0.firing.event) \(($0.firing.due.timeIntervalSince($0.firing.date) / 60).rounded())"
      }
      let presences = try reader.presences(since: nil).map {
        "\($0.patient) \($0.isHome) \($0.from) \($0.to.map { "\($0)" } ?? "-")"
      }
      let tasks = try reader.histories(patient: nil).flatMap(\.versions).map(\.id)
      return answered.sorted() + samples.sorted() + consents + contacts + snoozes + presences
        + tasks.sorted() + [zone.identifier]
    }
  }

  // MARK: The table

  private static func answer(
    _ task: String, command: [String], form: (String, String),
    call: (HTTPRequest.Method, String, String)
  ) -> Step {
    Step(
      command: [command[0], task] + command.dropFirst() + [
        "--patient", "anna", "--date", day, "--occurrence",
        ["check-in": "1", "cast": "0"][task] ?? "8",
      ],
      form: ("/events/ID/" + form.0, form.1),
      call: (call.0, "/api/v1/events/ID/outcome" + call.1, call.2), task: task)
  }

  private static func done(
    _ task: String, _ options: [String] = [], _ fields: String = "", _ body: String = "{}"
  ) -> Step {
    answer(task, command: ["done"] + options, form: ("done", fields), call: (.put, "", body))
  }

  private static func undo(_ task: String) -> Step {
    answer(task, command: ["undo"], form: ("undo", ""), call: (.delete, "", ""))
  }

  /// An amount more, on the form of the event's page.
  private static func drink(_ amount: Int, of task: String = "drinks") -> Step {
    answer(
      task, command: ["done", "--value", "\(amount)"], form: ("done", "value=\(amount)"),
      call: (.post, "/values", #"{"value":\#(amount)}"#))
  }

  private static func undoLast(_ task: String) -> Step {
    answer(task, command: ["undo"], form: ("undo", ""), call: (.delete, "/values", ""))
  }

  private static func change(
    _ command: [String], _ form: String, _ fields: String, _ method: HTTPRequest.Method,
    _ path: String, _ body: String
  ) -> Step {
    Step(
      command: ["samples"] + command, form: ("/samples/1/" + form, fields),
      call: (method, "/api/v1/samples/1" + path, body), task: "pills")
  }

  private static let assign = change(
    ["assign", "1", "--patient", "karl", "--reason", "attributed again after lunch"], "assign",
    "patient=karl&reason=attributed+again+after+lunch", .put, "/assignment",
    #"{"patient":"karl","reason":"attributed again after lunch"}"#)
  private static let systolic = done(
    "pressure", ["--value", "120", "--kind", "systolic"],
    "value.systolic=120",
    #"{"values":[{"value":120,"kind":"systolic"}]}"#)
  private static let diastolic = done(
    "pressure", ["--value", "80", "--kind", "diastolic"],
    "value.diastolic=80",
    #"{"values":[{"value":80,"kind":"diastolic"}]}"#)
  private static let weight = done(
    "weigh-in", ["--value", "63.9", "--unit", "kg"], "value=63.9&unit=kg",
    #"{"values":[{"value":63.9,"unit":"kg"}]}"#)

  /// Says which of those who use the scale is Anna.
  private static let weigher = Step(
    command: ["samples", "weigher", "1", "--patient", "anna"],
    form: ("/weighings/weigher", "patient=anna&sample=1"),
    call: (.put, "/api/v1/patients/anna/weigher", #"{"sample":1}"#), task: nil)
  private static let noWeigher = Step(
    command: ["samples", "weigher", "--none", "--patient", "anna"],
    form: ("/weighings/weigher", "patient=anna&nobody=1"),
    call: (.put, "/api/v1/patients/anna/weigher", #"{"nobody":true}"#), task: nil)

  private static func putBack(_ task: String) -> Step {
    answer(task, command: ["put-back"], form: ("put-back", ""), call: (.post, "/restoration", ""))
  }

  private static func snooze(_ task: String, minutes: Int) -> Step {
    var step = answer(
      task, command: ["snooze", "--minutes", "\(minutes)"],
      form: ("snooze", "minutes=\(minutes)"), call: (.post, "", #"{"minutes":\#(minutes)}"#))
    step.call.path = "/api/v1/events/ID/snooze"
    return step
  }

  private static let nora = Step(
    command: [
      "contacts", "put", "nora", "--patient", "anna", "--given", "Nora", "--phone", "030 1234567",
    ],
    form: (
      "/setup/contact",
      "screen=review&go=save&given=Nora&phone=030+1234567&category=careTeam&patient=anna"
    ),
    call: (
      .put, "/api/v1/contacts/nora",
      #"{"patient":"anna","name":{"given":"Nora"},"phoneNumbers":[{"value":"030 1234567"}]}"#
    ), task: nil)
  private static let withoutNora = Step(
    command: ["contacts", "delete", "nora", "--patient", "anna"],
    form: ("/setup/delete", "kind=contact&patient=anna&id=nora"),
    call: (.delete, "/api/v1/contacts/nora?patient=anna", ""), task: nil)
  private static let nobody = Step(
    command: ["contacts", "put", "nora", "--patient", "anna", "--phone", "030 1234567"],
    form: (
      "/setup/contact", "screen=review&go=save&phone=030+1234567&category=careTeam&patient=anna"
    ),
    call: (
      .put, "/api/v1/contacts/nora",
      #"{"patient":"anna","name":{},"phoneNumbers":[{"value":"030 1234567"}]}"#
    ), task: nil)

  /// Adds, moves or removes a channel of Anna's; the interface sets all of them.
  private static func channels(
    _ command: [String], _ form: String, _ fields: String, _ all: [String]
  ) -> Step {
    let list = all.map { #"{"channel":"\#($0)"}"# }.joined(separator: ",")
    return Step(
      command: ["message", command[0], "anna"] + command.dropFirst(),
      form: ("/connect/channels/" + form, "patient=anna&" + fields),
      call: (.put, "/api/v1/channels", #"{"patient":"anna","channels":[\#(list)]}"#), task: nil)
  }

  private static let mailbox = "email:anna@example.org"
  private static let topic = "ntfy:https://ntfy.example/t-1"
  private static let addMailbox = channels(
    ["add", mailbox], "add", "kind=email&address=anna%40example.org", [mailbox])
  private static let addTopic = channels(
    ["add", topic], "add", "kind=ntfy&address=https%3A%2F%2Fntfy.example%2Ft-1", [mailbox, topic])
  private static let topicFirst = channels(
    ["move", topic, "--to", "1"], "move",
    "channel=ntfy%3Ahttps%3A%2F%2Fntfy.example%2Ft-1&to=0", [topic, mailbox])
  private static let withoutMailbox = channels(
    ["remove", mailbox], "remove", "channel=email%3Aanna%40example.org", [topic])
  private static let plainChannel = channels(
    ["add", "ntfy:http://ntfy.example/t"], "add", "kind=ntfy&address=http%3A%2F%2Fntfy.example%2Ft",
    ["ntfy:http://ntfy.example/t"])

  /// A reading that no task asks for.
  private static func reading(
    _ quantity: String, _ value: String, at time: String = day + "T07:10"
  ) -> Step {
    Step(
      command: ["samples", "add", quantity, value, "--patient", "anna", "--at", time],
      form: (
        "/samples",
        "patient=anna&quantity=\(quantity)&value=\(value.replacing(" ", with: "+"))&at=\(time)"
      ),
      call: (
        .post, "/api/v1/samples",
        #"{"patient":"anna","quantity":"\#(quantity)","value":"\#(value)","at":"\#(time)"}"#
      ), task: nil)
  }

  private static func zone(_ name: String) -> Step {
    Step(
      command: ["plan", "zone", name], form: ("/setup/zone", "zone=\(name)"),
      call: (.put, "/api/v1/plan/zone", #"{"timeZone":"\#(name)"}"#), task: nil)
  }

  /// A statement that a program makes, on no form.
  private static func presence(_ patient: String, isHome: Bool, to: String = "09:00") -> Step {
    Step(
      command: [
        "patient", "presence", patient, isHome ? "--home" : "--away", "--from", day + "T07:00",
        "--to", day + "T" + to,
      ], form: nil,
      call: (
        .put, "/api/v1/patients/\(patient)/presence",
        #"{"home":\#(isHome),"from":"\#(day)T07:00","to":"\#(day)T\#(to)"}"#
      ), task: nil)
  }

  /// The document of the plan, as its digest names it.
  private static let document = "bf1936034bc4365698a9855c172b8377647d4a19aa22f0fda651615fc52ff68e"

  private static func consent(
    _ verb: String, _ state: String, by name: String = "Anna", to digest: String = document
  ) -> Step {
    Step(
      command: [
        "consent", verb, "heart", "--patient", "anna", "--name", name, "--digest", digest,
      ],
      form: (
        "/consent/\(verb)",
        "patient=anna&carePlan=heart&name=\(name.replacing(" ", with: "+"))&digest=\(digest)"
      ),
      call: (
        .post, "/api/v1/consents",
        #"{"patient":"anna","carePlan":"heart","state":"\#(state)","name":"\#(name)","digest":"\#(digest)"}"#
      ), task: nil)
  }

  /// Each row: a name, its steps, and the outcome of the last one.
  static let table: [(name: String, steps: [Step], outcome: Outcome)] = [
    ("done", [done("pills")], .done),
    ("done twice", [done("pills"), done("pills")], .done),
    (
      "false is no dose",
      [done("pills", ["--value", "false"], "value=false", #"{"values":[{"value":false}]}"#)],
      .refused
    ),
    ("a weight", [weight], .done),
    (
      "a weight in pounds",
      [
        done(
          "weigh-in", ["--value", "140.875", "--unit", "lb"], "value=140.875&unit=lb",
          #"{"values":[{"value":140.875,"unit":"lb"}]}"#)
      ], .done
    ),
    (
      "no number",
      [
        done(
          "weigh-in", ["--value", "heavy"], "value=heavy", #"{"values":[{"value":"heavy"}]}"#)
      ], .refused
    ),
    (
      "a unit of something else",
      [
        done(
          "weigh-in", ["--value", "63.9", "--unit", "bpm"], "value=63.9&unit=bpm",
          #"{"values":[{"value":63.9,"unit":"bpm"}]}"#)
      ], .refused
    ),
    (
      "an unknown unit",
      [
        done(
          "weigh-in", ["--value", "63.9", "--unit", "furlong"], "value=63.9&unit=furlong",
          #"{"values":[{"value":63.9,"unit":"furlong"}]}"#)
      ], .refused
    ),
    (
      "an implausible weight",
      [
        done(
          "weigh-in", ["--value", "6390", "--unit", "kg"], "value=6390&unit=kg",
          #"{"values":[{"value":6390,"unit":"kg"}]}"#)
      ], .refused
    ),
    ("a pressure in two parts", [systolic, diastolic], .done),
    (
      "a weight, then the answer to a question",
      [
        done(
          "mix", ["--value", "63.9", "--unit", "kg"], "value=63.9&unit=kg",
          #"{"values":[{"value":63.9,"unit":"kg"}]}"#),
        done(
          "mix", ["--value", "4", "--kind", "pain"], "value=63.9&unit=kg&value.pain=4",
          #"{"values":[{"value":4,"kind":"pain"}]}"#),
      ], .done
    ),
    (
      "a pressure as people write it",
      [
        done(
          "pressure", ["--value", "120/80"], "value.systolic=120&value.diastolic=80",
          #"{"values":[{"value":"120/80"}]}"#)
      ], .done
    ),
    (
      "a pressure that is turned round",
      [
        done(
          "pressure", ["--value", "80/120"], "value.systolic=80&value.diastolic=120",
          #"{"values":[{"value":"80/120"}]}"#)
      ], .refused
    ),
    (
      "a weight as people write it",
      [
        done(
          "weigh-in", ["--value", "64kgs"], "value=64kgs", #"{"values":[{"value":"64kgs"}]}"#)
      ], .done
    ),
    ("one part corrected", [systolic, diastolic, systolic], .done),
    (
      "a survey",
      [
        done(
          "check-in", ["--value", "4", "--kind", "pain", "--value", "7.5", "--kind", "sleep"],
          "value.pain=4&value.sleep=7.5",
          #"{"values":[{"value":4,"kind":"pain"},{"value":7.5,"kind":"sleep"}]}"#)
      ], .done
    ),
    (
      "an answer beside the scale",
      [
        done(
          "check-in", ["--value", "11", "--kind", "pain", "--value", "7.5", "--kind", "sleep"],
          "value.pain=11&value.sleep=7.5",
          #"{"values":[{"value":11,"kind":"pain"},{"value":7.5,"kind":"sleep"}]}"#)
      ], .refused
    ),
    (
      "not done",
      [
        answer(
          "pills", command: ["done", "--not", "--reason", "feels sick"],
          form: ("not-done", "reason=feels+sick"),
          call: (.put, "", #"{"state":"notDone","reason":"feels sick"}"#))
      ], .done
    ),
    ("taken back", [done("pills"), undo("pills")], .done),
    ("a weight taken back", [weight, undo("weigh-in")], .done),
    ("amounts add up", [drink(300), drink(250)], .done),
    ("minutes add up", [drink(22, of: "exercise"), drink(8, of: "exercise")], .done),
    (
      "an amount in place of the others",
      [
        drink(300),
        answer(
          "drinks", command: ["done", "--value", "100", "--replace"],
          form: ("done", "value=100&replace=1"),
          call: (.put, "", #"{"values":[{"value":100}]}"#)),
      ], .done
    ),
    ("a sum without an amount", [done("drinks")], .refused),
    ("a sum without a further amount", [drink(550), done("drinks")], .refused),
    (
      "the last amount taken back",
      [drink(300), drink(250), drink(100), undoLast("drinks"), undoLast("drinks")], .done
    ),
    (
      "the last minutes taken back",
      [drink(22, of: "exercise"), drink(8, of: "exercise"), undoLast("exercise")], .done
    ),
    ("every amount taken back", [drink(300), undoLast("drinks")], .done),
    ("assigned", [assign], .done),
    (
      "assigned to nobody known",
      [
        change(
          ["assign", "1", "--patient", "eve"], "assign", "patient=eve", .put, "/assignment",
          #"{"patient":"eve"}"#)
      ], .refused
    ),
    (
      "unassigned",
      [assign, change(["unassign", "1"], "unassign", "", .delete, "/assignment", "")], .done
    ),
    ("which resident, where others may be another patient", [weigher], .refused),
    ("put back", [done("pills"), undo("pills"), putBack("pills")], .done),
    ("a weight put back", [weight, undo("weigh-in"), putBack("weigh-in")], .done),
    ("nothing to put back", [putBack("pills")], .refused),
    ("a reminder put off", [snooze("cast", minutes: 30)], .done),
    ("no reminder to put off", [snooze("pills", minutes: 30)], .refused),
    ("a reminder put off for years", [snooze("cast", minutes: 10_081)], .refused),
    ("a contact", [nora], .done),
    ("a contact deleted", [nora, withoutNora], .done),
    ("no contact to delete", [withoutNora], .refused),
    ("a contact without a name", [nobody], .refused),
    ("a channel", [addMailbox], .done),
    ("two channels, the second first", [addMailbox, addTopic, topicFirst], .done),
    ("a channel removed", [addMailbox, addTopic, topicFirst, withoutMailbox], .done),
    ("a channel in plain text through the internet", [plainChannel], .refused),
    ("a reading", [reading("bodyTemperature", "37.2")], .done),
    ("a reading with its unit", [reading("bodyTemperature", "98.6 F")], .done),
    ("a weight that completes its task", [reading("bodyMass", "64 kg")], .done),
    ("a weight said twice", [reading("bodyMass", "64"), reading("bodyMass", "64")], .done),
    ("a pressure", [reading("bloodPressureSystolic", "120/80")], .done),
    ("a pressure by its lower name", [reading("bloodPressureDiastolic", "120/80 mmHg")], .done),
    ("a pressure turned round", [reading("bloodPressureSystolic", "80/120")], .refused),
    ("a reading of nothing", [reading("bodyMass", "heavy")], .refused),
    ("a reading that nobody has", [reading("bodyMass", "6390")], .refused),
    ("a reading in a unit of something else", [reading("bodyMass", "64 mmHg")], .refused),
    ("a reading of a sensor", [reading("stepCount", "6400")], .refused),
    (
      "a reading of a time to come", [reading("bodyMass", "64", at: "2999-01-01T07:10")], .refused
    ),
    ("the plan's zone", [zone("Asia/Taipei")], .done),
    ("no zone", [zone("Berlin")], .refused),
    ("at home", [presence("anna", isHome: true)], .done),
    (
      "at home, then away", [presence("anna", isHome: true), presence("anna", isHome: false)], .done
    ),
    ("at home without being asked", [presence("karl", isHome: true)], .refused),
    ("at home for no time", [presence("anna", isHome: true, to: "07:00")], .refused),
    ("agreed", [consent("agree", "agreed")], .done),
    ("not agreed", [consent("withdraw", "withdrawn")], .done),
    (
      "agreed and withdrawn", [consent("agree", "agreed"), consent("withdraw", "withdrawn")], .done
    ),
    ("agreed by nobody", [consent("agree", "agreed", by: " ")], .refused),
    ("agreed to another document", [consent("agree", "agreed", to: "00")], .refused),
    ("deleted", [change(["delete", "1"], "delete", "", .delete, "", "")], .done),
    (
      "restored",
      [
        change(["delete", "1"], "delete", "", .delete, "", ""),
        change(["restore", "1"], "restore", "", .post, "/restoration", ""),
      ], .done
    ),
    (
      "corrected",
      [
        assign,
        change(
          ["correct", "1", "--value", "81.5", "--unit", "kg"], "correct", "value=81.5&unit=kg",
          .post, "/correction", #"{"value":81.5,"unit":"kg"}"#),
      ], .done
    ),
    (
      "corrected to a unit of something else",
      [
        change(
          ["correct", "1", "--value", "81.5", "--unit", "bpm"], "correct", "value=81.5&unit=bpm",
          .post, "/correction", #"{"value":81.5,"unit":"bpm"}"#)
      ], .refused
    ),
  ]

  @Test(arguments: table.map(\.name))
  func `every face does the same`(name: String) async throws {
    let row = try #require(Self.table.first { $0.name == name })
    try await check(row, in: Self.prepared)
  }

  @Test(arguments: [weigher, noWeigher].map(\.command))
  func `every face names who uses the scale`(command: [String]) async throws {
    let step = try #require([Self.weigher, Self.noWeigher].first { $0.command == command })
    try await check(("", [step], .done), in: Self.shared)
  }

  private func check(
    _ row: (name: String, steps: [Step], outcome: Outcome), in prepared: PreparedStore
  ) async throws {
    var states: [[String]] = []
    let faces = Face.allCases.filter { face in
      face != .form || row.steps.allSatisfy { $0.form != nil }
    }
    for face in faces {
      let folder = try TemporaryFolder()
      let path = folder.path("s.sqlite")
      try await prepared.copy(to: path)
      let before = try await Self.state(path)
      var outcome = Outcome.refused
      for step in row.steps {
        outcome = try await Self.perform(step, through: face, in: path)
        if step.command != row.steps.last?.command { #expect(outcome == .done, "\(face)") }
      }
      #expect(outcome == row.outcome, "\(face)")
      let after = try await Self.state(path)
      if row.steps.count == 1 { #expect((after != before) == (row.outcome == .done), "\(face)") }
      states.append(after)
    }
    for (state, face) in zip(states, faces) { #expect(state == states[0], "\(face)") }
  }
}
