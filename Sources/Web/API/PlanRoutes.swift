import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import Localization
import StrictYAML

/// People, contacts, messages, devices and adherence.
struct PlanRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder

  func add(to group: RouterGroup<WebContext>) {
    group.get("patients", use: patients)
    group.put("patients/:patient/presence", use: sayPresence)
    group.get("contacts", use: contacts)
    group.put("contacts/:contact", use: putContact)
    group.delete("contacts/:contact", use: deleteContact)
    group.put("plan/zone", use: setZone)
    group.get("messages", use: messages)
    group.post("messages", use: post)
    group.get("devices", use: devices)
    group.get("adherence", use: adherence)
  }

  // MARK: People

  /// A patient as JSON.
  private struct PatientOutput: Encodable {
    var id: String
    var name: String
    var units: PreferredUnits?
    var timeZone: String?
    var language: String?
  }

  private struct PatientList: Encodable {
    var patients: [PatientOutput]
  }

  @Sendable private func patients(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    return try await responder.respond(to: request, context, key: ["patients"]) { reader, _ in
      try JSONText.of(
        PatientList(
          patients: try reader.patients().map {
            PatientOutput(
              id: $0.id, name: $0.displayName, units: $0.units,
              timeZone: $0.timeZone?.identifier, language: $0.language)
          }))
    }
  }

  private struct PresenceOutput: Encodable {
    var home: Bool
    var from: String
    var to: String?
  }

  private struct PresenceInput: JSONInput {
    var isHome: Bool
    var from: String
    var to: String?

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      isHome = try body.required("home").boolean()
      from = try body.required("from").string()
      to = try body.optional("to")?.string()
      try body.finish()
    }
  }

  @Sendable private func sayPresence(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let patient = try context.parameters.require("patient")
    let input = try await JSONBody.decode(PresenceInput.self, from: request, in: context)
    let now = environment.now()
    return try await environment.store.write { writer in
      try context.demand(.answer, on: .patient(patient))
      let zone = try writer.zone(of: patient, at: now)
      func date(_ text: String) throws(Fault) -> Date {
        guard let date = Date(text, in: zone) else {
          throw Fault(.malformed, "‘\(text)’ is no date or time.")
        }
        return date
      }
      let presence = Presence(
        patient: patient, isHome: input.isHome, from: try date(input.from),
        to: try input.to.map(date))
      _ = try SayPresence(presence).perform(in: writer, by: context.performer, now: now)
      return try JSONBody.response(
        PresenceOutput(
          home: presence.isHome, from: presence.from.rfc3339(in: zone),
          to: presence.to?.rfc3339(in: zone)))
    }
  }

  private struct ContactList: Encodable {
    var contacts: [Contact]
  }

  @Sendable private func contacts(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let items = try QueryItems(request, known: ["patient"])
    return try await responder.respond(to: request, context, key: ["contacts"] + items.key) {
      reader, _ in
      let patient = try items["patient"].map { try reader.patient(named: $0) }
      let contacts = try reader.things(Contact.self).filter {
        patient == nil || $0.patient == nil || $0.patient == patient
      }
      return try JSONText.of(ContactList(contacts: contacts.map(\.withoutChannels)))
    }
  }

  @Sendable private func putContact(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("contact")
    let input = try await JSONBody.decode(ContactInput.self, from: request, in: context)
    let contact = input.contact(id: id)
    let (_, text) = try await environment.perform(PutContact(contact), context) { _, _ in
      try JSONText.of(contact)
    }
    return JSONBody.response(text: text)
  }

  @Sendable private func deleteContact(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let id = try context.parameters.require("contact")
    let items = try QueryItems(request, known: ["patient"])
    let thing = ThingReference(.contact, patient: items["patient"] ?? "", id: id)
    let (_, text) = try await environment.perform(ChangeThing(thing, .delete()), context) {
      _, reader in
      try JSONText.of(ContactList(contacts: reader.things(Contact.self).map(\.withoutChannels)))
    }
    return JSONBody.response(text: text)
  }

  // MARK: The plan's zone

  private struct ZoneOutput: Encodable {
    var timeZone: String
  }

  private struct ZoneInput: JSONInput {
    var zone: TimeZone

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      let name = try body.required("timeZone")
      try body.finish()
      guard let zone = TimeZone(iana: try name.string()) else {
        throw name.error("there is no such time zone; give an IANA name such as Europe/Berlin")
      }
      self.zone = zone
    }
  }

  @Sendable private func setZone(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let zone = try await JSONBody.decode(ZoneInput.self, from: request, in: context).zone
    try await environment.perform(SetPlanZone(zone), context)
    return try JSONBody.response(ZoneOutput(timeZone: zone.identifier))
  }

  // MARK: Messages

  private struct MessageList: Encodable {
    var messages: [Message]
  }

  @Sendable private func messages(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let items = try QueryItems(request, known: ["patient"])
    return try await responder.respond(to: request, context, key: ["messages"] + items.key) {
      reader, _ in
      let patient = try items["patient"].map { try reader.patient(named: $0) }
      let messages = try reader.things(Message.self, patient: patient)
        .sorted { ($0.sentDate, $0.id) < ($1.sentDate, $1.id) }
      return try JSONText.of(MessageList(messages: messages))
    }
  }

  private struct MessageInput: JSONInput {
    var patient: String
    var contact: String?
    var sender: Message.Sender?
    var text: String

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      patient = try body.required("patient").string()
      contact = try body.optional("contact")?.string()
      sender = try body.optional("sender")?.choice()
      text = try body.required("text").scalar().text
      try body.finish()
    }
  }

  @Sendable private func post(_ request: Request, _ context: WebContext) async throws -> Response {
    let input = try await JSONBody.decode(MessageInput.self, from: request, in: context)
    let (_, text) = try await environment.perform(
      SendMessage(
        input.text, patient: input.patient, contact: input.contact,
        sender: input.sender ?? .patient), context
    ) { message, _ in try JSONText.of(message) }
    return JSONBody.response(text: text, status: .created)
  }

  // MARK: Devices

  private struct DeviceList: Encodable {
    var devices: [DeviceBinding]
  }

  @Sendable private func devices(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    return try await responder.respond(to: request, context, key: ["devices"]) { reader, _ in
      try JSONText.of(DeviceList(devices: try reader.deviceBindings()))
    }
  }

  // MARK: Adherence

  private enum Period: String, CaseIterable {
    case day, week, month

    var period: Adherence.Period {
      switch self {
      case .day: .day
      case .week: .week
      case .month: .month
      }
    }
  }

  private struct AdherenceList: Encodable {
    var adherence: [AdherenceOutput]
  }

  @Sendable private func adherence(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let items = try QueryItems(request, known: ["patient", "task", "from", "to", "by"])
    let period = try items.choice("by", Period.self)?.period ?? .day
    return try await responder.respond(to: request, context, key: ["adherence"] + items.key) {
      reader, now in
      let patient = try items["patient"].map { try reader.patient(named: $0) }
      func outputs(of person: String?) throws -> [AdherenceOutput] {
        let zone = try reader.zone(of: person, at: now)
        let to =
          try items.date("to", in: zone)
          ?? Adherence.Period.day.span(around: now, in: zone).upperBound
        let from = try items.date("from", in: zone) ?? to - 7 * 86_400
        guard from < to, to.timeIntervalSince(from) <= 3_660 * 86_400 else {
          throw Fault(.malformed, "Give ‘from’ and a later ‘to’, at most ten years apart.")
        }
        return try reader.adherence(
          by: period, patient: person, task: items["task"], from: from, to: to, in: zone, now: now
        ).map { AdherenceOutput($0, task: items["task"], in: zone) }
      }
      // Each person's days are those of the person's zone.
      let people = try patient.map { [$0] } ?? reader.patients().map(\.id)
      let all = try people.isEmpty ? outputs(of: nil) : people.flatMap(outputs)
      return try JSONText.of(AdherenceList(adherence: all))
    }
  }
}
