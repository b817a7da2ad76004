extension Quantity: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let quantity = Quantity(rawValue: name) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "there is no quantity ‘\(name)’")
    }
    self = quantity
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension UnitOfMeasure: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let code = try container.decode(String.self)
    guard let unit = UnitOfMeasure(code) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "there is no unit ‘\(code)’")
    }
    self = unit
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(code)
  }
}

extension Aggregation: Codable {}
