import Care
import StrictYAML

extension FieldRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    origin = node.location
    var field = try node.mapping()
    name = try field.required("name").string()
    type = try field.required("type").choice()
    at = try field.optional("at")?.integer(in: 0...511)
    bits = try field.optional("bits").map(BitRange.init(_:))
    presence = try field.optional("if")?.flagTest()
    validity = try field.optional("validIf")?.flagTest()
    repeats = try field.optional("repeat").map(Repetition.init(_:)) != nil
    let invalid =
      try field.optional("invalid")?.elements(atMost: 16) { node throws(YAMLError) in
        Int64(try node.integer())
      } ?? []
    self.invalid = Set(invalid)
    value = try ValueRule(&field)
    try field.finish()
    if bits != nil || !invalid.isEmpty, !type.isInteger {
      throw node.error("‘bits’ and ‘invalid’ are for integers, ‘\(type.rawValue)’ is none")
    }
    if repeats, at != nil { throw node.error("a field that repeats cannot stay at one place") }
  }

  /// How often a field may come.
  private struct Repetition {
    init(_ node: YAMLNode) throws(YAMLError) {
      guard try node.string() == "toEnd" else { throw node.error("‘repeat’ can only be ‘toEnd’") }
    }
  }
}

extension BitRange {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var bits = try node.mapping()
    first = try bits.required("first").integer(in: 0...31)
    count = try bits.required("count").integer(in: 1...32)
    try bits.finish()
  }
}

extension ValueRule {
  /// Reads `quantity` with `scale`, `offset`, `unit`, or with `scales`; `nil` without a quantity.
  fileprivate init?(_ field: inout MappingReader) throws(YAMLError) {
    let quantityNode = field.optional("quantity")
    let scalesNode = field.optional("scales")
    let single = ["scale", "offset", "unit"].compactMap { field.optional($0) }
    guard let quantityNode else {
      if let lost = scalesNode ?? single.first {
        throw lost.error("a scale or unit without a ‘quantity’")
      }
      return nil
    }
    let quantity = try quantityNode.quantity()
    self.quantity = quantity
    if let scalesNode {
      guard single.isEmpty else {
        throw scalesNode.error("‘scales’ takes the place of ‘scale’, ‘offset’ and ‘unit’")
      }
      scales = try scalesNode.elements(atMost: 8) { node throws(YAMLError) in
        var scale = try node.mapping()
        let rule = try ScaleRule(&scale, of: quantity)
        try scale.finish()
        return rule
      }
      guard let last = scales.last, last.condition == nil else {
        throw scalesNode.error("the last of ‘scales’ must hold without an ‘if’")
      }
    } else {
      scales = [try ScaleRule(&field, of: quantity, takesCondition: false)]
    }
  }
}

extension ScaleRule {
  fileprivate init(
    _ mapping: inout MappingReader, of quantity: Quantity, takesCondition: Bool = true
  ) throws(YAMLError) {
    condition =
      takesCondition
      ? try mapping.optional("if")?.flagTest() : nil
    scale = try mapping.optional("scale")?.ratio() ?? .one
    offset =
      try mapping.optional("offset")?.ratio() ?? .zero
    let unitNode = mapping.optional("unit")
    unit = try unitNode?.unit() ?? quantity.unit
    guard unit.convert(1, to: quantity.unit) != nil else {
      throw (unitNode?.location ?? mapping.location).error(
        "‘\(unit.code)’ does not measure \(quantity.rawValue), which is in \(quantity.unit.code)")
    }
  }
}
