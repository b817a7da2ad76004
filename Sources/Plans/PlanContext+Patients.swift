import Care
import StrictYAML

extension PlanContext {
  /// The people of a plan, each id once.
  func patients(_ node: YAMLNode?) throws(YAMLError) -> [Patient] {
    var patients: [Patient] = []
    for element in try node?.sequence() ?? [] {
      let patient = try patient(element)
      guard !patients.contains(where: { $0.id == patient.id }) else {
        throw element.error("there are two patients ‘\(patient.id)’")
      }
      patients.append(patient)
    }
    return patients
  }

  private func patient(_ node: YAMLNode) throws(YAMLError) -> Patient {
    var reader = try node.mapping()
    let patient = Patient(
      id: try reader.required("id").identifier(), name: try name(reader.optional("name")),
      expects: try expectations(reader.optional("expects")))
    try reader.finish()
    return patient
  }

  private func name(_ node: YAMLNode?) throws(YAMLError) -> PersonName {
    guard let node else { return PersonName() }
    var reader = try node.mapping()
    let name = PersonName(
      given: try reader.optional("given")?.string(), family: try reader.optional("family")?.string()
    )
    try reader.finish()
    return name
  }

  /// What is expected, by quantity: `82 kg`, or `{value: 82 kg, tolerance: 6 kg}`.
  private func expectations(_ node: YAMLNode?) throws(YAMLError) -> [String: Expectation] {
    var expectations: [String: Expectation] = [:]
    for pair in try node?.pairs() ?? [] {
      let quantity = try pair.location.quantity(named: pair.key)
      expectations[quantity.rawValue] = try expectation(pair.value, of: quantity)
    }
    return expectations
  }

  private func expectation(
    _ node: YAMLNode, of quantity: Quantity
  ) throws(YAMLError) -> Expectation {
    guard case .mapping = node.content else {
      return Expectation(value: try node.measure(of: quantity))
    }
    var reader = try node.mapping()
    var expectation = Expectation(value: try reader.required("value").measure(of: quantity))
    if let node = reader.optional("tolerance") {
      let tolerance = try node.measure(of: quantity, isDifference: true)
      guard tolerance >= 0 else { throw node.error("a tolerance cannot be negative") }
      expectation.tolerance = tolerance
    }
    try reader.finish()
    return expectation
  }
}
