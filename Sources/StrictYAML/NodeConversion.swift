import Yams

/// Takes over a parsed tree, refusing what strict files do not have.
struct NodeConversion {
  let file: String
  let maximumDepth: Int

  func node(_ node: Yams.Node, depth: Int) throws(YAMLError) -> YAMLNode {
    let location = location(of: node)
    guard depth <= maximumDepth else {
      throw location.error("lists and mappings are nested more than \(maximumDepth) deep")
    }
    switch node {
    case .scalar(let scalar):
      let isQuoted = scalar.style != .plain
      try refuseAnchor(scalar.anchor, at: location)
      // The binding gives every quoted scalar the string tag.
      try refuseTag(scalar.tag, at: location, except: isQuoted ? Tag.Name.str.rawValue : "")
      return YAMLNode(.scalar(YAMLScalar(scalar.string, isQuoted: isQuoted)), at: location)
    case .sequence(let sequence):
      try refuseAnchor(sequence.anchor, at: location)
      try refuseTag(sequence.tag, at: location)
      var elements: [YAMLNode] = []
      for element in sequence {
        elements.append(try self.node(element, depth: depth + 1))
      }
      return YAMLNode(.sequence(elements), at: location)
    case .mapping(let mapping):
      try refuseAnchor(mapping.anchor, at: location)
      try refuseTag(mapping.tag, at: location)
      var pairs: [YAMLPair] = []
      for (key, value) in mapping {
        let (text, place) = try self.key(key)
        pairs.append(YAMLPair(text, at: place, try self.node(value, depth: depth + 1)))
      }
      return YAMLNode(.mapping(pairs), at: location)
    case .alias:
      throw location.error("aliases are not taken")
    }
  }

  private func key(_ key: Yams.Node) throws(YAMLError) -> (String, YAMLLocation) {
    let location = location(of: key)
    guard case .scalar(let scalar) = key else {
      throw location.error("a key must be a single value")
    }
    try refuseAnchor(scalar.anchor, at: location)
    // The binding has compared the keys by now, which gave each of them the string tag.
    try refuseTag(scalar.tag, at: location, except: Tag.Name.str.rawValue)
    return (scalar.string, location)
  }

  private func location(of node: Yams.Node) -> YAMLLocation {
    YAMLLocation(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
  }

  private func refuseAnchor(_ anchor: Anchor?, at location: YAMLLocation) throws(YAMLError) {
    guard anchor == nil else { throw location.error("anchors are not taken") }
  }

  private func refuseTag(
    _ tag: Tag, at location: YAMLLocation, except allowed: String = ""
  ) throws(YAMLError) {
    let name = tag.description
    guard name.isEmpty || name == allowed else {
      throw location.error("tags are not taken, here ‘\(name)’")
    }
  }
}
