import GATT
import StrictYAML

extension DeviceDefinition {
  /// Reads a definition.
  ///
  /// - Throws: ``YAMLError`` for the first thing that is not as the format wants it.
  init(_ file: DefinitionFile) throws(YAMLError) {
    var root = try YAMLDocument.parse(file.text, file: file.name).mapping()
    let id = try root.required("id")
    self.origin = id.location
    self.id = try id.identifier()
    self.name = try root.required("name").string()
    self.vendor = try root.required("vendor").string()
    self.description = try root.required("description").string()
    self.match = try MatchRule(try root.required("match"))
    self.link = try Link(try root.required("link"))
    self.session = try root.optional("session").map(SessionScript.init(_:)) ?? SessionScript()
    self.records = try root.required("records").elements(atMost: 64, RecordRule.init(_:))
    self.vectors =
      try root.optional("vectors")?.elements(atMost: 256, DefinitionVector.init(_:)) ?? []
    try root.finish()
  }
}

extension DeviceDefinition.Link {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var link = try node.mapping()
    self.init(
      mode: try link.required("mode").choice(),
      bond: try link.optional("bond")?.choice() ?? .none,
      keepsHistory: try link.optional("history")?.boolean() ?? false)
    try link.finish()
  }
}

extension Optional where Wrapped == YAMLNode {
  /// What `read` makes of the node, where there is one.
  func map<Value>(
    _ read: (YAMLNode) throws(YAMLError) -> Value
  ) throws(YAMLError) -> Value? {
    guard let self else { return nil }
    return try read(self)
  }
}
