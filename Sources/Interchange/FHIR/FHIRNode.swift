import Care
import Foundation

/// An element of a resource that is read: its value, its path, and what of it was taken over.
///
/// Whatever a reader does not take over is found at the end: what describes is named, anything else
/// refuses the resource. So nothing is dropped in silence, also when a table grows.
struct FHIRNode {
  let value: FHIRValue
  let path: String
  let type: String
  let log: Log

  /// The paths that were taken over, of one resource.
  final class Log {
    let tables: FHIRTables
    private(set) var taken: Set<String> = []
    /// The paths below which something was taken over.
    private(set) var touched: Set<String> = []
    /// The paths of what was not taken over.
    private(set) var omitted: [String] = []

    /// Says that an element is not taken over, though it is read.
    func note(_ path: String) { omitted.append(path) }

    init(_ tables: FHIRTables) { self.tables = tables }

    func take(_ path: String) {
      guard taken.insert(path).inserted else { return }
      var rest = path[...]
      while let end = rest.lastIndex(where: { $0 == "." || $0 == "[" }) {
        rest = rest[..<end]
        guard touched.insert(String(rest)).inserted else { return }
      }
    }
  }

  /// A resource whose elements have the names and types of a release.
  init(_ value: FHIRValue, release: FHIRRelease, at path: String? = nil) throws(FHIRRefusal) {
    guard let type = value.object?["resourceType"]?.text else {
      throw FHIRRefusal(at: (path.map { $0 + "." } ?? "") + "resourceType", .missing)
    }
    let log = Log(FHIRTables.of(release))
    guard log.tables.types[type]?["resourceType"] != nil else {
      throw FHIRRefusal(at: path ?? type, .unknownResource(type))
    }
    self.init(value: value, path: path ?? type, type: type, log: log)
    try FHIRCheck(log.tables).check(value, type: type, at: self.path)
    log.take(self.path + ".resourceType")
  }

  private init(value: FHIRValue, path: String, type: String, log: Log) {
    self.value = value
    self.path = path
    self.type = type
    self.log = log
  }

  /// A refusal of this element.
  func refusal(_ reason: FHIRRefusal.Reason, of key: String? = nil) -> FHIRRefusal {
    FHIRRefusal(at: key.map { path + "." + $0 } ?? path, reason)
  }

  /// Whether there is such an element.
  func has(_ key: String) -> Bool { value.object?[key] != nil }

  /// An element below; `nil` if there is none.
  subscript(key: String) -> FHIRNode? {
    guard let value = value.object?[key], let element = log.tables.types[type]?[key] else {
      return nil
    }
    return FHIRNode(value: value, path: path + "." + key, type: element.type, log: log)
  }

  /// The elements of a list below.
  func list(_ key: String) -> [FHIRNode] {
    guard let node = self[key], let elements = node.value.elements else { return [] }
    return elements.indices.compactMap(node.at)
  }

  /// An element of the list that this is.
  func at(_ place: Int) -> FHIRNode? {
    guard let elements = value.elements, elements.indices.contains(place) else { return nil }
    return FHIRNode(
      value: elements[place], path: "\(path)[\(place)]", type: type, log: log)
  }

  /// Takes all of it over.
  @discardableResult
  func take() -> FHIRValue {
    log.take(path)
    return value
  }

  /// Takes a text over.
  func text(_ key: String) -> String? { self[key]?.take().text }

  /// Takes a flag over.
  func flag(_ key: String) -> Bool? {
    if case .boolean(let flag)? = self[key]?.take() { flag } else { nil }
  }

  /// Takes a number over.
  func number(_ key: String) -> FHIRDecimal? {
    if case .number(let number)? = self[key]?.take() { number } else { nil }
  }

  /// Takes a text over that has to be one of a few.
  func text(_ key: String, among known: [String]) throws(FHIRRefusal) -> String? {
    guard let text = text(key) else { return nil }
    guard known.contains(text) else { throw refusal(.unsupportedValue(text), of: key) }
    return text
  }

  /// Takes an element over that has to be there.
  func required<T>(_ value: T?, _ key: String) throws(FHIRRefusal) -> T {
    guard let value else { throw refusal(.missing, of: key) }
    return value
  }

  /// The value of an extension of that address, taken over; `nil` without one.
  func extended(_ url: String) throws(FHIRRefusal) -> FHIRValue? {
    for node in list("extension") where node.value.object?["url"]?.text == url {
      node.take()
      return node.value.object?.members.first { $0.key.hasPrefix("value") }?.value
    }
    return nil
  }

  /// The values of every extension of that address, taken over.
  func allExtended(_ url: String) -> [FHIRValue] {
    list("extension").filter { $0.value.object?["url"]?.text == url }.compactMap { node in
      node.take()
      return node.value.object?.members.first { $0.key.hasPrefix("value") }?.value
    }
  }

  /// Names what was not taken over, and refuses what changes the meaning.
  ///
  /// - Returns: The paths of what only describes.
  func finish() throws(FHIRRefusal) -> [String] {
    try finish(value, type: type, at: path)
    return log.omitted
  }

  private func finish(_ value: FHIRValue, type: String, at path: String) throws(FHIRRefusal) {
    guard !log.taken.contains(path), let object = value.object else { return }
    for member in object.members {
      let below = path + "." + member.key
      guard !log.taken.contains(below) else { continue }
      guard !member.key.hasPrefix("_") else {
        log.note(below)
        continue
      }
      guard let element = log.tables.types[type]?[member.key] else { continue }
      if element.isDescriptive && !hasTaken(below: below) {
        // An extension of ours says a thing that would be lost.
        for (place, value) in (member.value.elements ?? []).enumerated()
        where element.name == "extension" && !log.taken.contains("\(below)[\(place)]") {
          let url = value.object?["url"]?.text ?? ""
          guard !url.hasPrefix(FHIRName.base) else {
            throw FHIRRefusal(at: "\(below)[\(place)]", .unsupportedValue(url))
          }
        }
        log.note(below)
        continue
      }
      guard !FHIRTables.primitives.contains(element.type), element.type != "Resource" else {
        throw FHIRRefusal(at: below, .unsupported)
      }
      if let elements = member.value.elements {
        for (place, value) in elements.enumerated() {
          let path = "\(below)[\(place)]"
          guard !log.taken.contains(path) else { continue }
          guard hasTaken(below: path) else {
            guard element.isDescriptive else { throw FHIRRefusal(at: path, .unsupported) }
            let url = value.object?["url"]?.text ?? ""
            guard element.name != "extension" || !url.hasPrefix(FHIRName.base) else {
              throw FHIRRefusal(at: path, .unsupportedValue(url))
            }
            log.note(path)
            continue
          }
          try finish(value, type: element.type, at: path)
        }
      } else {
        guard hasTaken(below: below) else { throw FHIRRefusal(at: below, .unsupported) }
        try finish(member.value, type: element.type, at: below)
      }
    }
  }

  private func hasTaken(below path: String) -> Bool { log.touched.contains(path) }
}

/// Compares a resource with the tables of a release: names, types, lists, and what has to be there.
struct FHIRCheck {
  let tables: FHIRTables

  init(_ tables: FHIRTables) { self.tables = tables }

  func check(_ value: FHIRValue, type: String, at path: String) throws(FHIRRefusal) {
    guard !FHIRTables.primitives.contains(type) else {
      guard FHIRPrimitive.isValue(value, of: type) else {
        throw FHIRRefusal(at: path, .wrongType(expected: type))
      }
      return
    }
    guard let object = value.object else {
      throw FHIRRefusal(at: path, .wrongType(expected: type))
    }
    // A resource inside is checked when it is read.
    guard type != "Resource" else { return }
    let elements = tables.types[type] ?? [:]
    var choices: [String: String] = [:]
    for member in object.members {
      let below = path + "." + member.key
      if member.key.hasPrefix("_") || ["id", "fhir_comments"].contains(member.key) {
        let base = String(member.key.drop { $0 == "_" })
        guard base == member.key || elements[base] != nil else {
          throw FHIRRefusal(at: below, .unknownElement)
        }
        if elements[member.key] == nil { continue }
      }
      guard let element = elements[member.key] else {
        throw FHIRRefusal(at: below, .unknownElement)
      }
      try check(member.value, element, at: below)
      for prefix in FHIRPrimitive.choices where member.key.hasPrefix(prefix) {
        let rest = member.key.dropFirst(prefix.count)
        guard let first = rest.first, first.isUppercase, elements[prefix] == nil else { continue }
        guard elements[prefix + rest]?.type.lowercased() == rest.lowercased() else { continue }
        guard choices.updateValue(member.key, forKey: prefix) == nil else {
          throw FHIRRefusal(at: below, .contradiction(rule: prefix + "[x]"))
        }
      }
    }
    for element in elements.values.sorted(by: { $0.name < $1.name })
    where element.isRequired && object[element.name] == nil {
      let prefix = FHIRPrimitive.choices.first { element.name.hasPrefix($0) }
      if let prefix, choices[prefix] != nil { continue }
      throw FHIRRefusal(at: path + "." + (prefix.map { $0 + "[x]" } ?? element.name), .missing)
    }
  }

  private func check(
    _ value: FHIRValue, _ element: FHIRElement, at path: String
  ) throws(FHIRRefusal) {
    guard element.isList else { return try check(value, type: element.type, at: path) }
    guard let list = value.elements, !list.isEmpty else {
      throw FHIRRefusal(at: path, .wrongType(expected: element.type + "*"))
    }
    for (place, value) in list.enumerated() {
      try check(value, type: element.type, at: "\(path)[\(place)]")
    }
  }
}

/// The values of FHIR's primitive types.
enum FHIRPrimitive {
  /// The elements of several types.
  static let choices = [
    "value", "effective", "occurrence", "occurred", "asNeeded", "bounds", "scheduled", "medication",
    "product", "dose", "rate", "deceased", "multipleBirth", "answer", "quantity", "reported",
    "allowed", "site", "author", "reason",
  ]

  static func isValue(_ value: FHIRValue, of type: String) -> Bool {
    switch (type, value) {
    case ("boolean", .boolean), ("decimal", .number): return true
    case ("integer", .number(let number)):
      return number.integer.map { Int32(exactly: $0) != nil } ?? false
    case ("positiveInt", .number(let number)):
      return number.integer.map { (1...Int64(Int32.max)).contains($0) } ?? false
    case ("unsignedInt", .number(let number)):
      return number.integer.map { (0...Int64(Int32.max)).contains($0) } ?? false
    case (_, .string(let text)): return isText(text, of: type)
    default: return false
    }
  }

  private static func isText(_ text: String, of type: String) -> Bool {
    guard !text.isEmpty, !text.unicodeScalars.contains("\0") else { return false }
    switch type {
    case "boolean", "decimal", "integer", "positiveInt", "unsignedInt": return false
    case "date": return !text.contains("T") && FHIRTime(text) != nil
    case "dateTime": return FHIRTime(text) != nil
    case "instant": return FHIRTime(text)?.precision ?? .day >= .second
    case "time": return FHIRTime.secondOfDay(text) != nil
    case "id":
      return text.utf8.count <= 64
        && text.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D
            || byte == 0x2E
        }
    case "code": return text.first != " " && text.last != " " && !text.contains("  ")
    case "uri", "url", "canonical": return !text.contains(where: \.isWhitespace)
    case "base64Binary": return Data(base64Encoded: text) != nil
    default: return true
    }
  }
}
