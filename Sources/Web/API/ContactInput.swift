import Care
import StrictYAML

/// A contact as JSON, without its id: the whole of it, in place of what was there.
struct ContactInput: JSONInput {
  private var contact: Contact

  init(_ node: YAMLNode) throws(YAMLError) {
    var body = try node.mapping()
    contact = Contact(id: "", name: try Self.name(body.required("name")))
    contact.patient = try body.optional("patient")?.string()
    contact.title = try body.optional("title")?.string()
    contact.role = try body.optional("role")?.string()
    contact.organization = try body.optional("organization")?.string()
    contact.category = try body.optional("category")?.choice() ?? contact.category
    contact.phoneNumbers = try Self.values(body.optional("phoneNumbers"))
    contact.emailAddresses = try Self.values(body.optional("emailAddresses"))
    contact.messagingNumbers = try Self.values(body.optional("messagingNumbers"))
    contact.address = try body.optional("address").map(Self.address)
    try body.finish()
    guard contact.patient?.isEmpty != true else { throw node.error("‘patient’ is empty") }
  }

  /// The contact of that id.
  func contact(id: String) -> Contact {
    var contact = contact
    contact.id = id
    return contact
  }

  private static func name(_ node: YAMLNode) throws(YAMLError) -> PersonName {
    var body = try node.mapping()
    let name = PersonName(
      given: try body.optional("given")?.string(), family: try body.optional("family")?.string())
    try body.finish()
    return name
  }

  private static func values(_ node: YAMLNode?) throws(YAMLError) -> [LabeledValue] {
    var values: [LabeledValue] = []
    for node in try node?.sequence() ?? [] {
      var body = try node.mapping()
      values.append(
        LabeledValue(
          label: try body.optional("label")?.string(), value: try body.required("value").string()))
      try body.finish()
    }
    return values
  }

  private static func address(_ node: YAMLNode) throws(YAMLError) -> PostalAddress {
    var body = try node.mapping()
    let address = PostalAddress(
      street: try body.optional("street")?.string(), city: try body.optional("city")?.string(),
      state: try body.optional("state")?.string(),
      postalCode: try body.optional("postalCode")?.string(),
      country: try body.optional("country")?.string())
    try body.finish()
    return address
  }
}
