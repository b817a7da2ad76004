import Care
import Foundation
import StrictYAML

// MARK: - Patients

extension PlanReader {
  /// The people of a plan, each id once, with the housemates of whom nothing is stored.
  func patients(_ node: YAMLNode?, others: YAMLNode?) throws(YAMLError) -> [Patient] {
    var patients = try list(
      node, twice: { "there are two patients ‘\($0.id)’" }, isSame: { $0.id == $1.id }
    ) { node throws(YAMLError) in
      try patient(node)
    }
    let housemates = try self.others(others)
    if let others, patients.isEmpty { throw others.error("there are others but no patients") }
    for index in patients.indices { patients[index].others = housemates }
    return patients
  }

  /// The weights of housemates: `{weight: 80 kg}`, or with `tolerance`.
  private func others(_ node: YAMLNode?) throws(YAMLError) -> [Expectation] {
    let nodes = try node?.sequence() ?? []
    // A household; more would only slow down the attribution.
    guard nodes.count <= 16 else { throw nodes[16].error("there are more than 16 others") }
    var others: [Expectation] = []
    for node in nodes {
      var reader = try node.mapping()
      var other = Expectation(value: try reader.required("weight").possible(.bodyMass))
      other.tolerance = try tolerance(reader.optional("tolerance"), of: .bodyMass)
      try reader.finish()
      others.append(other)
    }
    return others
  }

  private func tolerance(_ node: YAMLNode?, of quantity: Quantity) throws(YAMLError) -> Double? {
    guard let node else { return nil }
    let tolerance = try node.measure(of: quantity, isDifference: true)
    guard tolerance >= 0 else { throw node.error("a tolerance cannot be negative") }
    let widest = quantity.possible.upperBound - quantity.possible.lowerBound
    guard tolerance <= widest else {
      throw node.error("a tolerance is at most \(quantity.unit.text(widest.plainText))")
    }
    return tolerance
  }

  private func patient(_ node: YAMLNode) throws(YAMLError) -> Patient {
    var reader = try node.mapping()
    let patient = Patient(
      id: try reader.required("id").identifier(), name: try name(reader.optional("name")),
      expects: try expectations(reader.optional("expects")),
      units: try reader.optional("units")?.choice(),
      timeZone: try reader.optional("timeZone")?.timeZone(),
      stays: try stays(reader.optional("timeZones")),
      language: try reader.optional("language")?.language(),
      sex: try reader.optional("sex")?.sex(),
      birthday: try reader.optional("birthday")?.calendarDate(),
      allergies: try texts(reader.optional("allergies")),
      notify: try notify(reader.optional("notify")), quiet: try quiet(reader.optional("quiet")),
      away: try away(reader.optional("away")),
      saysPresence: try reader.optional("presence")?.boolean() ?? false,
      channels: try channels(reader.optional("channels")))
    try reader.finish()
    return patient
  }

  /// The hours in which nothing rings that can wait: `{from: 22:00, to: 7:00}`.
  private func quiet(_ node: YAMLNode?) throws(YAMLError) -> QuietHours? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let (from, to) = (try reader.required("from").minute(), try reader.required("to").minute())
    try reader.finish(meant: ["start": "from", "end": "to", "until": "to"])
    guard let hours = QuietHours(from: from, to: to) else {
      throw node.error("quiet hours end at another time than they begin")
    }
    return hours
  }

  /// When a person is away: `{from: 2026-12-24, to: 2026-12-27}`.
  private func away(_ node: YAMLNode?) throws(YAMLError) -> [Absence] {
    try list(node, twice: { "the days from \($0.from) are given twice" }, isSame: ==) {
      node throws(YAMLError) in
      var reader = try node.mapping()
      let from = try reader.required("from").calendarDate()
      let end = try reader.required("to")
      let to = try end.calendarDate()
      try reader.finish(meant: ["start": "from", "end": "to", "until": "to"])
      guard let absence = Absence(from: from, to: to) else {
        throw end.error("it ends before it begins on \(from)")
      }
      return absence
    }
  }

  /// The zones in which a person is, by their first days.
  private func stays(_ node: YAMLNode?) throws(YAMLError) -> [Stay] {
    let stays: [Stay] = try list(
      node, twice: { "two zones begin on \($0.from)" }, isSame: { $0.from == $1.from }, read: stay)
    return stays.sorted { $0.from < $1.from }
  }

  private func stay(_ node: YAMLNode) throws(YAMLError) -> Stay {
    var reader = try node.mapping()
    let stay = Stay(
      from: try reader.required("from").calendarDate(),
      timeZone: try reader.required("zone").timeZone())
    try reader.finish(meant: ["timeZone": "zone", "start": "from"])
    return stay
  }

  private func name(_ node: YAMLNode?) throws(YAMLError) -> PersonName {
    guard let node else { return PersonName() }
    if case .scalar(let scalar) = node.content, !node.isNull {
      let words = scalar.text.split(separator: " ", maxSplits: 1)
      let family = words.count > 1 ? ", family: \(words[1])" : ""
      throw node.error("a name has parts; write {given: \(words.first ?? "Anna")\(family)}")
    }
    var reader = try node.mapping()
    let name = PersonName(
      given: try reader.optional("given")?.string(), family: try reader.optional("family")?.string()
    )
    try reader.finish()
    return name
  }

  /// The expected values, by quantity: `82 kg`, or `{value: 82 kg, tolerance: 6 kg}`.
  private func expectations(_ node: YAMLNode?) throws(YAMLError) -> [String: Expectation] {
    var expectations: [String: Expectation] = [:]
    let pairs = try node?.pairs() ?? []
    for (index, pair) in pairs.enumerated() {
      // A decimal comma ends an entry in braces, so that its second half is a key.
      if index + 1 < pairs.count, pairs[index + 1].value.isNull,
        pairs[index + 1].key.first?.isNumber == true, let whole = try? pair.value.scalar().text
      {
        throw (node ?? pair.value).error(
          "a comma ends the entry; write the number with a point:"
            + " \(whole).\(pairs[index + 1].key)")
      }
      let quantity = try pair.location.quantity(named: pair.key)
      expectations[quantity.rawValue] = try expectation(pair.value, of: quantity)
    }
    return expectations
  }

  private func expectation(
    _ node: YAMLNode, of quantity: Quantity
  ) throws(YAMLError) -> Expectation {
    guard case .mapping = node.content else {
      return Expectation(value: try node.possible(quantity))
    }
    var reader = try node.mapping()
    var expectation = Expectation(value: try reader.required("value").possible(quantity))
    expectation.tolerance = try tolerance(reader.optional("tolerance"), of: quantity)
    try reader.finish()
    return expectation
  }
}

extension YAMLNode {
  /// A BCP 47 tag: letters, then letters and digits after hyphens.
  fileprivate func language() throws(YAMLError) -> String {
    let text = try string()
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let areValid = parts.enumerated().allSatisfy { index, part in
      (index == 0 ? 2...8 : 1...8).contains(part.count)
        && part.allSatisfy { byte in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || index > 0 && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
    guard areValid else { throw error("‘\(text)’ is no language; write a tag such as de or pt-BR") }
    return text
  }

  /// `male`, `female`, or `{other: text}`.
  fileprivate func sex() throws(YAMLError) -> Sex {
    if case .mapping = content {
      var reader = try mapping()
      let text = try reader.required("other").string()
      try reader.finish()
      return .other(text)
    }
    switch try string() {
    case "male": return .male
    case "female": return .female
    case let text: throw error("‘\(text)’ is not one of male, female, {other: …}")
    }
  }

  /// A day: `1952-02-29`.
  func calendarDate() throws(YAMLError) -> CalendarDate {
    let text = try string()
    guard let date = CalendarDate(text) else {
      throw error("‘\(text)’ is no date; write 1952-02-29")
    }
    return date
  }
}

extension YAMLNode {
  /// An address on the web.
  fileprivate func webAddress() throws(YAMLError) -> WebAddress {
    let text = try string()
    guard let address = WebAddress(text) else {
      throw error(
        "‘\(text)’ is no address that a message may go to: https://…, or http://… within the house")
    }
    return address
  }
}

// MARK: - Contacts

extension PlanReader {
  /// The contacts of a plan, each id once for each patient; without a patient they are everyone's.
  func contacts(_ node: YAMLNode?, of patients: [Patient]) throws(YAMLError) -> [Contact] {
    try list(
      node, twice: { "there are two contacts ‘\($0.id)’" },
      isSame: { $0.id == $1.id && $0.patient == $1.patient }
    ) { node throws(YAMLError) in
      try contact(node, of: patients)
    }
  }

  private func contact(_ node: YAMLNode, of patients: [Patient]) throws(YAMLError) -> Contact {
    var reader = try node.mapping()
    var owner: String?
    if let node = reader.optional("patient") { owner = try patient(node, of: patients) }
    let contact = Contact(
      id: try reader.required("id").identifier(), patient: owner,
      name: try name(reader.required("name")), title: try reader.optional("title")?.string(),
      role: try reader.optional("role")?.string(),
      organization: try reader.optional("organization")?.string(),
      category: try reader.optional("category")?.choice() ?? .careTeam,
      phoneNumbers: try labeledValues(reader.optional("phoneNumbers")),
      emailAddresses: try labeledValues(reader.optional("emailAddresses")),
      messagingNumbers: try labeledValues(reader.optional("messagingNumbers")),
      address: try address(reader.optional("address")),
      language: try reader.optional("language")?.language(),
      timeZone: try reader.optional("timeZone")?.timeZone(),
      quiet: try quiet(reader.optional("quiet")),
      channels: try channels(reader.optional("channels")))
    try reader.finish()
    return contact
  }

  /// The ways to a person: `- email: nora@example.org`.
  private func channels(_ node: YAMLNode?) throws(YAMLError) -> [Channel] {
    guard let node else { return [] }
    guard try node.sequence().count <= Channel.most else {
      throw node.error("there are more than \(Channel.most) channels")
    }
    return try list(node, twice: { "\($0.text) is there twice" }, isSame: ==) {
      node throws(YAMLError) in try channel(node)
    }
  }

  private func channel(_ node: YAMLNode) throws(YAMLError) -> Channel {
    var reader = try node.mapping()
    let found = (
      ntfy: reader.optional("ntfy"), email: reader.optional("email"),
      webhook: reader.optional("webhook"), home: reader.optional("homeAssistant")
    )
    try reader.finish(meant: ["mail": "email", "url": "webhook"])
    switch found {
    case (let ntfy?, nil, nil, nil):
      var keys = try ntfy.mapping()
      let server = try keys.required("server")
      let topic = try keys.required("topic")
      let secret = keys.optional("token")
      try keys.finish(meant: ["url": "server", "password": "token"])
      let name = try topic.string()
      guard let topic = NtfyTopic(name) else {
        throw topic.error("‘\(name)’ is no topic: 1 to 64 letters, digits, _ and -")
      }
      let channel = Channel.ntfy(server: try server.webAddress(), topic: topic)
      try note(secret, of: channel, "a token has no spaces and at most 200 characters")
      return channel
    case (nil, let email?, nil, nil):
      let text = try email.string()
      guard let address = MailAddress(text) else {
        throw email.error("‘\(text)’ is no mail address; write nora@example.org")
      }
      return .email(address)
    case (nil, nil, let webhook?, nil):
      var keys = try webhook.mapping()
      let address = try keys.required("url")
      // An exported plan has none; the store keeps it.
      let secret = keys.optional("secret")
      try keys.finish(meant: ["address": "url", "key": "secret"])
      let channel = Channel.webhook(try address.webAddress())
      try note(secret, of: channel, "a secret is whsec_ and 24 to 64 bytes in base64")
      return channel
    case (nil, nil, nil, let home?):
      var keys = try home.mapping()
      let server = try keys.required("server")
      let service = try keys.required("service")
      let secret = keys.optional("token")
      try keys.finish(meant: ["url": "server", "password": "token"])
      // As Home Assistant writes it, too.
      let name = try service.string().trimmingPrefix("notify.")
      guard let service = NotifyService(String(name)) else {
        throw service.error("‘\(name)’ is no service, such as mobile_app_phone")
      }
      let channel = Channel.homeAssistant(server: try server.webAddress(), service: service)
      try note(secret, of: channel, "a token has no spaces and at most 1000 characters")
      return channel
    default: throw node.error("a channel is one of ntfy, email, webhook, homeAssistant")
    }
  }

  private func note(
    _ node: YAMLNode?, of channel: Channel, _ rule: String
  ) throws(YAMLError) {
    guard let node else { return }
    // The text itself is in no message.
    guard let secret = ChannelSecret(channel, try node.string()) else { throw node.error(rule) }
    secrets.note(secret)
  }

  /// Numbers or addresses: `+1 555 0100`, or `{label: home, value: +1 555 0100}`.
  private func labeledValues(_ node: YAMLNode?) throws(YAMLError) -> [LabeledValue] {
    var values: [LabeledValue] = []
    for element in try node?.sequence() ?? [] {
      guard case .mapping = element.content else {
        values.append(LabeledValue(value: try element.string()))
        continue
      }
      var reader = try element.mapping()
      values.append(
        LabeledValue(
          label: try reader.optional("label")?.string(),
          value: try reader.required("value").string()))
      try reader.finish()
    }
    return values
  }

  private func address(_ node: YAMLNode?) throws(YAMLError) -> PostalAddress? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let address = PostalAddress(
      street: try reader.optional("street")?.string(), city: try reader.optional("city")?.string(),
      state: try reader.optional("state")?.string(),
      postalCode: try reader.optional("postalCode")?.string(),
      country: try reader.optional("country")?.string())
    try reader.finish()
    return address
  }
}

// MARK: - Care plans and notes

extension PlanReader {
  /// The care plans of a plan file, each id once for each patient.
  func carePlans(_ node: YAMLNode?, of patients: [Patient]) throws(YAMLError) -> [CarePlan] {
    try list(
      node, twice: { "there are two care plans ‘\($0.id)’ of patient ‘\($0.patient)’" },
      isSame: { $0.id == $1.id && $0.patient == $1.patient }
    ) { node throws(YAMLError) in
      var reader = try node.mapping()
      let carePlan = CarePlan(
        id: try reader.required("id").identifier(), patient: try owner(&reader, of: patients),
        title: try reader.required("title").string(),
        effectiveDate: try reader.optional("effectiveDate")?.date(in: timeZone),
        consent: try consent(reader.optional("consent")))
      try reader.finish()
      return carePlan
    }
  }

  /// The notes of a plan, each id once for each patient; they are about the patient or a task.
  func notes(
    _ node: YAMLNode?, of patients: [Patient], about tasks: [PlannedTask]
  ) throws(YAMLError) -> [Note] {
    try list(
      node, twice: { "there are two notes ‘\($0.id)’ of patient ‘\($0.patient)’" },
      isSame: { $0.id == $1.id && $0.patient == $1.patient }
    ) { node throws(YAMLError) in
      var reader = try node.mapping()
      let id = try reader.required("id").identifier()
      let patient = try owner(&reader, of: patients)
      let note = Note(
        id: id, patient: patient,
        task: try task(reader.optional("task"), of: patient, among: tasks),
        title: try reader.optional("title")?.string(),
        content: try reader.required("content").string(),
        author: try reader.optional("author")?.string(),
        date: try reader.optional("date")?.date(in: timeZone))
      try reader.finish()
      return note
    }
  }

  /// The task that `node` names, which must be one of the patient's.
  private func task(
    _ node: YAMLNode?, of patient: String, among tasks: [PlannedTask]
  ) throws(YAMLError) -> String? {
    guard let node else { return nil }
    let id = try node.string()
    let known = tasks.filter { $0.patient == patient }.map(\.id)
    guard known.contains(id) else {
      throw node.error(
        "there is no task ‘\(id)’ of patient ‘\(patient)’ in this plan",
        meant: Spelling.Suggestion(for: id, among: known))
    }
    return id
  }
}
