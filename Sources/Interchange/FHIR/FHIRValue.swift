import Care

/// A value of FHIR's JSON, in which a decimal keeps its digits and an object its order.
public indirect enum FHIRValue: Hashable, Sendable {
  case object(FHIRObject)
  case array([FHIRValue])
  case string(String)
  case number(FHIRDecimal)
  case boolean(Bool)
  case null
}

extension FHIRValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  public init(stringLiteral text: String) { self = .string(text) }

  public init(booleanLiteral flag: Bool) { self = .boolean(flag) }
}

/// The members of a JSON object, each key once, in order.
public struct FHIRObject: Hashable, Sendable {
  /// A key and its value.
  public struct Member: Hashable, Sendable {
    public var key: String
    public var value: FHIRValue
  }

  /// The members, in order.
  public private(set) var members: [Member] = []

  /// Makes an object without members.
  public init() {}

  /// The value of a key; a new one comes last, and `nil` removes it.
  public subscript(key: String) -> FHIRValue? {
    get { members.first { $0.key == key }?.value }
    set {
      let place = members.firstIndex { $0.key == key }
      switch (place, newValue) {
      case (let place?, let value?): members[place].value = value
      case (let place?, nil): members.remove(at: place)
      case (nil, let value?): members.append(Member(key: key, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Adds an element to the list under a key.
  public mutating func append(_ value: FHIRValue, to key: String) {
    if case .array(let list) = self[key] {
      self[key] = .array(list + [value])
    } else {
      self[key] = .array([value])
    }
  }
}

extension FHIRObject: ExpressibleByDictionaryLiteral {
  /// Members without a value are left out.
  public init(dictionaryLiteral elements: (String, FHIRValue?)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension FHIRValue {
  /// A list; `nil` if it is empty, which FHIR does not allow.
  static func list(_ values: [FHIRValue]) -> FHIRValue? { values.isEmpty ? nil : .array(values) }

  /// A whole number.
  static func integer(_ number: Int) -> FHIRValue { .number(FHIRDecimal(number)) }

  /// The text of a string; `nil` for any other value.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The members of an object; `nil` for any other value.
  public var object: FHIRObject? { if case .object(let object) = self { object } else { nil } }

  /// The elements of a list; `nil` for any other value.
  public var elements: [FHIRValue]? { if case .array(let list) = self { list } else { nil } }
}

// MARK: - Decimals

/// A number as it is written: FHIR's decimals say by their digits how precise they are.
public struct FHIRDecimal: Hashable, Sendable, CustomStringConvertible {
  /// The number as JSON: `72.40`.
  public let description: String

  /// The number that a text says in JSON; `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    var rest = text.utf8[...]
    func digits() -> Int {
      let count = rest.prefix { (0x30...0x39).contains($0) }.count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let hasLeadingZero = rest.first == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, !hasLeadingZero || whole == 1 else { return nil }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard digits() > 0 else { return nil }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
        rest = rest.dropFirst()
      }
      guard digits() > 0 else { return nil }
    }
    guard rest.isEmpty, text.utf8.count <= Self.longest else { return nil }
    description = String(text)
  }

  /// More characters than any number of a measurement has.
  static let longest = 64

  /// A whole number.
  public init(_ number: some FixedWidthInteger) { description = String(number) }

  /// The shortest digits that say exactly this number; `nil` for one that is not finite.
  public init?(exactly number: Double) {
    guard number.isFinite else { return nil }
    description = String(number)
  }

  /// The nearest number; infinite beyond the range of the type.
  public var double: Double { Double(description) ?? .nan }

  /// The number, if it is written as a whole one and the type has it.
  public var integer: Int64? { Int64(description) }

  /// The number times ten to `places`, digit by digit, so that metres become centimetres exactly.
  func shifted(by places: Int) -> FHIRDecimal? {
    let parts = description.split(separator: "e", omittingEmptySubsequences: false)
    let upper = description.split(separator: "E", omittingEmptySubsequences: false)
    guard parts.count == 1, upper.count == 1 else {
      let pair = parts.count > 1 ? parts : upper
      guard let exponent = Int(pair[1]) else { return nil }
      return FHIRDecimal("\(pair[0])e\(exponent.saturatingSum(places))")
    }
    let isNegative = description.hasPrefix("-")
    let halves = description.drop { $0 == "-" }.split(
      separator: ".", omittingEmptySubsequences: false)
    var whole = String(halves[0])
    var fraction = halves.count > 1 ? String(halves[1]) : ""
    for _ in 0..<max(0, places) {
      whole.append(fraction.isEmpty ? "0" : fraction.removeFirst())
    }
    for _ in 0..<max(0, -places) {
      fraction.insert(whole.removeLast(), at: fraction.startIndex)
      if whole.isEmpty { whole = "0" }
    }
    whole = String(whole.drop { $0 == "0" })
    if whole.isEmpty { whole = "0" }
    return FHIRDecimal(
      (isNegative ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction))
  }
}

extension FHIRObject {
  /// Adds a member whose key the object does not have.
  mutating func appendNew(_ key: String, _ value: FHIRValue) {
    members.append(Member(key: key, value: value))
  }
}
