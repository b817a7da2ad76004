import GATT
import StrictYAML

extension MatchRule {
  /// Reads `all` and `any`.
  ///
  /// - Throws: ``YAMLError``; also where the rule would be met by a bare 16-bit service that its
  ///   vendor does not own, which is how other software takes one scale for another.
  init(_ node: YAMLNode) throws(YAMLError) {
    var rule = try node.mapping()
    all = try rule.optional("all")?.elements(atMost: 16, MatchClause.init(_:)) ?? []
    any = try rule.optional("any")?.elements(atMost: 16, MatchClause.init(_:)) ?? []
    try rule.finish()
    guard !(all.isEmpty && any.isEmpty) else {
      throw node.error("‘match’ needs a clause under ‘any’ or ‘all’")
    }
    for clauses in alternatives where clauses.allSatisfy(\.isOnlyUnownedService) {
      throw node.error(
        "a match by nothing but \(clauses.map(\.description).joined(separator: " and ")) is"
          + " refused: unrelated devices share that service; add the name or advertised data")
    }
  }
}

extension MatchClause {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var clause = try node.mapping()
    service = try clause.optional("service")?.uuid()
    serviceData = try clause.optional("serviceData").map { node throws(YAMLError) in
      var data = try node.mapping()
      return try DataClause(key: try data.required("uuid").uuid(), &data)
    }
    manufacturerData = try clause.optional("manufacturerData").map { node throws(YAMLError) in
      var data = try node.mapping()
      let company = try data.required("company").integer(in: 0...0xFFFF)
      return try DataClause(key: UInt16(truncatingIfNeeded: company), &data)
    }
    namePrefix = try clause.optional("namePrefix")?.string()
    try clause.finish()
    guard self != MatchClause() else {
      throw node.error(
        "a clause needs one of ‘service’, ‘serviceData’, ‘manufacturerData’, ‘namePrefix’")
    }
  }
}

extension DataClause {
  fileprivate init(key: Key, _ data: inout MappingReader) throws(YAMLError) {
    self.key = key
    length = try data.optional("length")?.integer(in: 0...254)
    bytes = try data.optional("bytes")?.pattern()
    if let bytes, let length, bytes.count > length {
      throw data.location(of: "bytes").error(
        "the pattern looks at \(bytes.count) bytes of data that has \(length)")
    }
    try data.finish()
  }
}
