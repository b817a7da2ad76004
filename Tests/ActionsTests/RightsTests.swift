import Access
import Care
import CareStore
import Foundation
import Outlets
import Interchange
import Measurement
import Plans
import Testing
import TestSupport

@testable import Actions

/// Every action with every role and every scope of a token.
@Suite struct RightsTests {
  private let store: SQLStore
  private static let now = Date(rfc3339: "2026-03-20T12:00:00Z") ?? .distantPast
  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: ann, name: {given: Ann}, presence: true}
      - {id: bob, name: {given: Bob}}
    carePlans:
      - {id: heart, patient: ann, title: Heart, consent: {version: 1, sections: [{text: Here.}]}}
    tasks:
      - {id: weigh-in, patient: ann, title: Weigh, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], linkage: {quantity: bodyMass}}
      - {id: pills, patient: ann, title: Pills, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
    """
  private static let device = DeviceID("00:00:5E:00:53:07")

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = try PlanFile.parse(Self.plan, file: "plan.yaml", activeTasks: [])
    _ = try await store.write { try $0.importPlan(plan, now: Self.now - 86_400 * 40) }
  }

  /// An action on what is ann's, and all that it needs.
  private struct Row: Sendable {
    var type: any Action.Type
    var name: String
    var needs: [(permission: Permission, target: Target)]
    /// Prepares the action, and returns what performs it.
    var prepared: @Sendable (any StoreWriter) throws -> (Performer) throws -> Void

    /// Makes a row; `prepare` does what the owner did before, and makes the action.
    init<A: Action>(
      _ type: A.Type, _ name: String, needs: [(Permission, Target)],
      _ prepare: @escaping @Sendable (any StoreWriter) throws -> A
    ) {
      self.type = type
      self.name = name
      self.needs = needs
      prepared = { writer in
        let action = try prepare(writer)
        return { _ = try action.perform(in: writer, by: $0, now: RightsTests.now) }
      }
    }

    func isPermitted(_ grant: Grant) -> Bool {
      needs.allSatisfy { grant.permits($0.permission, on: $0.target) }
    }
  }

  /// A batch of a phone.
  private static let pushed =
    #"{"type":"batch","protocolVersion":"1.0","batchId":"e835f32f-60e7-4c93-90a0-51eb6830119a","#
    + #""sourceId":"3a3486dd-5030-4e17-a00d-a781399890f9","deviceId":"d","stream":"hrSample","#
    + #""delivery":"append","recordCount":1,"startCursor":null,"endCursor":{"rowId":1,"#
    + "\"keySha256\":\"\(String(repeating: "a", count: 64))\"}}\n"
    + #"{"type":"record","key":{"ts":1723939201},"data":{"bpm":61}}"# + "\n"

  private static let ann = Target.patient("ann")
  private static let rows: [Row] = [
    Row(ImportHistory.self, "import a person's history", needs: [(.add, ann)]) { _ in
      ImportHistory([], of: .openScale, patient: "ann", zone: nil)
    },
    Row(ImportHistory.self, "import a history", needs: [(.add, .box)]) { _ in
      ImportHistory([], of: .openScale, patient: nil, zone: nil)
    },
    Row(ImportAnswers.self, "import a person's answers", needs: [(.answer, ann)]) { _ in
      ImportAnswers([], patient: "ann", zone: nil)
    },
    Row(AnswerFromHomeAssistant.self, "answer from Home Assistant", needs: [(.answer, ann)]) { _ in
      let topics = HomeAssistantTopics(box: "home")
      let message = MQTTMessage(topics.command("pills", of: "ann"), Data("done".utf8))
      return AnswerFromHomeAssistant(try #require(HomeAssistantAnswer(message, topics)))
    },
    Row(ReceivePush.self, "take a phone's batch", needs: [(.add, ann)]) { _ in
      try ReceivePush(Array(pushed.utf8), patient: "ann")
    },
    Row(ReceivePush.self, "take a batch of anybody", needs: [(.add, .box)]) { _ in
      try ReceivePush(Array(pushed.utf8), patient: nil)
    },
    Row(ReceiveScale.self, "take a row of a phone", needs: [(.add, ann)]) { _ in
      try ReceiveScale(Array(#"{"event":"clear","userId":1}"#.utf8), patient: "ann")
    },
    Row(FinishHistory.self, "end the import of a history", needs: [(.correct, .box)]) { _ in
      FinishHistory(.openScale, ImportHistory.Result(), follows: true)
    },
    Row(AnswerEvent.self, "answer", needs: [(.answer, ann)]) {
      AnswerEvent(try event("pills", $0))
    },
    Row(AddValues.self, "add a value", needs: [(.answer, ann)]) {
      AddValues(try event("weigh-in", $0), [EnteredValue(text: "64")])
    },
    Row(TakeBack.self, "take an answer back", needs: [(.answer, ann)]) { writer in
      _ = try AnswerEvent(try event("pills", writer)).perform(in: writer, by: .owner, now: now)
      return TakeBack(try event("pills", writer))
    },
    Row(PutBack.self, "put an answer back", needs: [(.answer, ann)]) { writer in
      _ = try AnswerEvent(try event("pills", writer)).perform(in: writer, by: .owner, now: now)
      _ = try TakeBack(try event("pills", writer)).perform(in: writer, by: .owner, now: now + 1)
      return PutBack(try event("pills", writer))
    },
    Row(
      SayHomeAssistantPresence.self, "say what Home Assistant says of who is at home",
      needs: [(.answer, ann)]
    ) { _ in
      SayHomeAssistantPresence(
        try #require(HomeAssistantPresence(Data("home".utf8), of: "ann")))
    },
    Row(SayPresence.self, "say who is at home", needs: [(.answer, ann)]) { _ in
      SayPresence(Presence(patient: "ann", isHome: true, from: now - 3_600, to: now))
    },
    Row(
      NameWeigher.self, "say who of the scale's users is the patient",
      needs: [(.correct, .tray), (.correct, ann)]
    ) { _ in NameWeigher("ann", weighing: nil) },
    Row(Snooze.self, "put a reminder off", needs: [(.answer, ann)]) {
      Snooze(try event("pills", $0), until: now + 600)
    },
    Row(PerformOnScreen.self, "perform on a screen", needs: [(.answer, ann)]) {
      PerformOnScreen(try event("pills", $0), ScreenPerformance())
    },
    Row(AcknowledgeAlerts.self, "look after alerts", needs: [(.correct, ann)]) { _ in
      AcknowledgeAlerts(of: "ann", by: "Nora")
    },
    Row(InviteBoxes.self, "invite a box", needs: [(.administer, .box)]) { _ in
      InviteBoxes(people: ["ann"], cohort: "home", codes: ["AAAA-BBBB-CCCC"])
    },
    Row(SendMessage.self, "write", needs: [(.answer, ann)]) { _ in
      SendMessage("My knee is better.", patient: "ann")
    },
    Row(SendMessage.self, "write to a patient", needs: [(.correct, ann)]) { _ in
      SendMessage("Well done.", patient: "ann", sender: .contact)
    },
    Row(AgreeToConsent.self, "agree", needs: [(.answer, ann)]) { _ in
      AgreeToConsent(ConsentEntry(patient: "ann", carePlan: "heart", name: "Ann"))
    },
    Row(WithdrawConsent.self, "not agree", needs: [(.answer, ann)]) { _ in
      WithdrawConsent(ConsentEntry(patient: "ann", carePlan: "heart", name: "Ann"))
    },
    Row(ChangeSamples.self, "delete a sample", needs: [(.correct, ann)]) { writer in
      let sample = sample(of: "ann")
      _ = try writer.insert(sample)
      return ChangeSamples([.sample(sample.identity)], .delete, reason: nil)
    },
    Row(
      ChangeSamples.self, "assign one of the tray", needs: [(.correct, .tray), (.correct, ann)]
    ) { writer in
      let sample = sample(of: nil)
      _ = try writer.insert(sample)
      return ChangeSamples([.sample(sample.identity)], .assign(patient: "ann"), reason: nil)
    },
    Row(
      ChangeSamples.self, "give a sample to another",
      needs: [(.correct, ann), (.correct, .patient("bob"))]
    ) { writer in
      let sample = sample(of: "ann")
      _ = try writer.insert(sample)
      return ChangeSamples([.sample(sample.identity)], .assign(patient: "bob"), reason: nil)
    },
    Row(AddSample.self, "add a reading", needs: [(.answer, ann)]) { _ in
      AddSample(.bodyMass, "64 kg", of: "ann")
    },
    Row(CorrectSample.self, "correct", needs: [(.correct, ann)]) { writer in
      let sample = sample(of: "ann")
      _ = try writer.insert(sample)
      return CorrectSample(sample.identity, to: .number(65), unit: .kilogram, reason: nil)
    },
    Row(PutTasks.self, "change a task", needs: [(.plan, ann)]) { writer in
      let history = try #require(try writer.histories(patient: "ann").first)
      var task = try #require(history.versions.last?.planned)
      task.title += " again"
      return PutTasks([task])
    },
    Row(ChangeTaskVideo.self, "take a task's video away", needs: [(.plan, ann)]) { _ in
      ChangeTaskVideo(TaskReference(patient: "ann", task: "pills"), nil)
    },
    Row(ChangeThing.self, "end a task", needs: [(.plan, ann)]) { _ in
      ChangeThing(ThingReference(.task, patient: "ann", id: "pills"), .end())
    },
    Row(ChangeThing.self, "delete a person", needs: [(.plan, ann), (.plan, .box)]) { _ in
      ChangeThing(ThingReference(.patient, patient: "ann", id: "ann"), .delete())
    },
    Row(ChangeThing.self, "revive a person", needs: [(.plan, ann), (.plan, .box)]) { writer in
      let thing = ThingReference(.patient, patient: "ann", id: "ann")
      _ = try ChangeThing(thing, .delete()).perform(in: writer, by: .owner, now: now - 1)
      return ChangeThing(thing, .revive())
    },
    Row(SettleThing.self, "settle a task", needs: [(.plan, ann)]) { _ in
      SettleThing(ThingReference(.task, patient: "ann", id: "pills"))
    },
    Row(PutPerson.self, "change a person", needs: [(.plan, ann)]) { writer in
      var person = try #require(try writer.patients().first { $0.id == "ann" })
      person.name.family = "Other"
      return PutPerson(person, isKnown: true, zone: .gmt)
    },
    Row(PutPerson.self, "add a person", needs: [(.plan, .box)]) { _ in
      PutPerson(Patient(id: "eve", name: PersonName(given: "Eve")), isKnown: false, zone: .gmt)
    },
    Row(PutContact.self, "add a contact", needs: [(.plan, ann)]) { _ in
      PutContact(Contact(id: "rosa", patient: "ann", name: PersonName(given: "Rosa")))
    },
    Row(PutContact.self, "add a contact of everyone", needs: [(.plan, .box)]) { _ in
      PutContact(Contact(id: "rosa", name: PersonName(given: "Rosa")))
    },
    Row(SetChannels.self, "set a person's channels", needs: [(.plan, ann)]) { _ in
      SetChannels(
        ReachedPerson(patient: "ann"), [try #require(Channel("email:ann@example.org"))])
    },
    Row(SetPlanZone.self, "set the plan's zone", needs: [(.plan, .box)]) { _ in SetPlanZone(.gmt) },
    Row(RenamePatient.self, "rename a person", needs: [(.plan, ann), (.plan, .box)]) { _ in
      RenamePatient("ann", to: "anne")
    },
    Row(ImportPlan.self, "import a plan", needs: [(.plan, .box)]) { _ in
      ImportPlan(try PlanFile.parse(plan, file: "plan.yaml", activeTasks: []))
    },
    Row(ChangeDevice.self, "bind to a person", needs: [(.devices, .box), (.devices, ann)]) { _ in
      ChangeDevice(device, .bind(DeviceBinding(address: device, patient: "ann")))
    },
    Row(ChangeDevice.self, "bind to everybody", needs: [(.devices, .box)]) { _ in
      ChangeDevice(device, .bind(DeviceBinding(address: device, patient: nil)))
    },
    Row(ChangeDevice.self, "unbind a person's", needs: [(.devices, .box), (.devices, ann)]) {
      try bind(to: "ann", $0)
      return ChangeDevice(device, .unbind)
    },
    Row(UndoEdit.self, "undo a task's end", needs: [(.plan, ann)]) {
      try undo(ChangeThing(ThingReference(.task, patient: "ann", id: "pills"), .end()), $0)
    },
    Row(UndoEdit.self, "undo a new person", needs: [(.plan, .patient("eve")), (.plan, .box)]) {
      let eve = Patient(id: "eve", name: PersonName(given: "Eve"))
      return try undo(PutPerson(eve, isKnown: false, zone: .gmt), $0)
    },
    Row(UndoEdit.self, "undo a person's deletion", needs: [(.plan, ann), (.plan, .box)]) {
      try undo(ChangeThing(ThingReference(.patient, patient: "ann", id: "ann"), .delete()), $0)
    },
    Row(UndoEdit.self, "undo a binding", needs: [(.devices, .box), (.devices, ann)]) {
      try undo(ChangeDevice(device, .bind(DeviceBinding(address: device, patient: "ann"))), $0)
    },
    Row(
      UndoEdit.self, "undo an unbinding", needs: [(.devices, .box), (.devices, ann)]
    ) {
      try bind(to: "ann", $0)
      return try undo(ChangeDevice(device, .unbind), $0)
    },
    Row(UndoFiring.self, "undo what a rule did", needs: [(.plan, ann)]) { writer in
      let key = try event("weigh-in", writer).key
      let firing = Firing(Firing.Key(.reminder, key), due: now, date: now)
      return UndoFiring(try #require(try writer.record(firing, making: nil, now: now)).id)
    },
  ]

  // MARK: Subjects of the rows

  private static func event(_ task: String, _ reader: any StoreReader) throws -> Event {
    let start = now - 86_400
    let events = try reader.events(
      EventQuery(patient: "ann", task: task, from: start, to: start + 1, now: now))
    return try #require(events.first)
  }

  private static func sample(of patient: String?) -> Sample {
    let reading = Reading(
      quantity: .bodyMass, value: 64, arrival: now - 3_600,
      device: DeviceIdentity(address: DeviceID("00:00:5E:00:53:01")))
    var sample = Sample(
      identity: SampleIdentity(reading), reading: reading,
      unassignedReason: patient == nil ? "far from everyone" : nil, start: reading.arrival,
      end: reading.arrival, provenance: .passive)
    sample.patient = patient
    return sample
  }

  private static func bind(to patient: String, _ writer: any StoreWriter) throws {
    _ = try ChangeDevice(device, .bind(DeviceBinding(address: device, patient: patient)))
      .perform(in: writer, by: .owner, now: now - 1)
  }

  /// Taking back an action of the owner.
  private static func undo(
    _ action: some Action<Int64?>, _ writer: any StoreWriter
  ) throws -> UndoEdit {
    let number: Int64 = try #require(
      try action.perform(in: writer, by: .owner, now: now - 1))
    return UndoEdit(number)
  }

  // MARK: Tests

  /// Each role for one person, for another and for all, and each scope of a token.
  private static let grants: [Grant] =
    Role.allCases.flatMap { role in
      [PatientScope.all, .only(["ann"]), .only(["bob"]), .only([])].map {
        Grant(role.permissions, role == .administrator ? .all : $0)
      }
    }
    + Permission.allCases.flatMap { scope in
      [PatientScope.all, .only(["ann"]), .only(["bob"])].flatMap {
        [Grant([scope], $0), Grant(Set(Permission.allCases).subtracting([scope]), $0)]
      }
    }

  private struct TakenBack: Error {}

  /// Whether the action's right is there; what it does is taken back.
  private func isPermitted(_ row: Row, _ grant: Grant) async throws -> Bool {
    do {
      try await store.write { writer in
        let perform = try row.prepared(writer)
        do {
          try perform(Performer(grant: grant))
        } catch let error as AccessDenied {
          throw error
        } catch StoreError.unknown(.firing) {
          // A firing of a plan that the performer does not know is none.
          throw AccessDenied()
        } catch {}
        throw TakenBack()
      }
    } catch is AccessDenied {
      return false
    } catch is TakenBack {
      return true
    }
    return true
  }

  @Test(arguments: rows.map(\.name))
  func `an action is permitted to whom the table permits it`(name: String) async throws {
    let row = try #require(Self.rows.first { $0.name == name })
    #expect(try await isPermitted(row, .everything))
    for grant in Self.grants {
      let expected = row.isPermitted(grant)
      #expect(try await isPermitted(row, grant) == expected, "\(grant)")
    }
  }

  /// The actions on messages, which need the whole plan.
  private static let messageRows: [any MessageAction] = [
    PauseOutlet("nora", true), RetryRefused("nora"),
  ]

  private static func token() -> TapToken {
    var random = SeededGenerator(seed: 1)
    return TapToken(using: &random)
  }

  /// The actions on outlets, which need who looks after the box: `ReceiversTests` has them.
  private static let outletRows: [any MessageAction] = [
    AddOutlet("hook", OutletDefinition(.webhook), reserved: []), RemoveOutlet("hook"),
    TakeProposal("clinic", digest: "", plan: PlanDocument(timeZone: .gmt, patients: [], tasks: [])),
    DeclineProposal("clinic", digest: ""), AddCalendarLink(of: "ann", token: token()),
    RemoveCalendarLink(""),
  ]

  @Test func `messages are stopped and tried again by who plans for everybody`() async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let now = Date(timeIntervalSince1970: 1_773_000_000)
    try await store.writeMessages { writer in
      var outbox = Outbox()
      outbox.pause(WayID(Recipient(contact: "nora"), 0), false)
      try outbox.keep(in: writer)
    }
    func perform(_ action: some MessageAction, _ grant: Grant) async throws {
      try await store.writeMessages {
        _ = try action.perform(in: $0, by: Performer(grant: grant), now: now)
      }
    }
    for grant in Self.grants where !grant.permits(.plan, on: .box) {
      for row in Self.messageRows {
        await #expect(throws: AccessDenied.self, "\(row): \(grant)") {
          try await perform(row, grant)
        }
      }
    }
    for grant in Self.grants where grant.permits(.plan, on: .box) {
      for row in Self.messageRows { try await perform(row, grant) }
    }
    let planner = Grant([.plan], .all)
    try await perform(PauseOutlet("nora", true), planner)
    try await perform(RetryRefused("nora"), planner)
    await #expect(throws: UnknownOutlet(name: "tom", known: ["nora"])) {
      try await perform(PauseOutlet("tom", true), planner)
    }
    let states = try await store.readMessages {
      try OutletStatus.all(in: $0, now: now).map(\.state)
    }
    #expect(states == [.paused])
  }

  @Test func `every action has a row`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/Actions")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    var actions: Set<String> = []
    for file in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /struct (\w+)(?:<.*>)?: (?:\w+, )*(?:Message)?Action\b/) {
        actions.insert(String(match.1))
      }
    }
    #expect(actions.count > 10)
    let rows =
      Self.rows.map { "\($0.type)" }
      + (Self.messageRows + Self.outletRows).map { "\(type(of: $0))" }
    #expect(Set(rows) == actions)
  }
}
