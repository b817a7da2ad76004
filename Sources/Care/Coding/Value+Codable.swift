import Foundation

/// A value is coded under the name of its type, `{"double":72.4}`, so that it comes back as the same.
extension Value: Codable {
  private enum CodingKeys: String, CodingKey {
    case integer, double, boolean, text, binary, date
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a value has exactly one type"))
    }
    switch key {
    case .integer: self = .integer(try container.decode(Int64.self, forKey: key))
    case .double: self = .double(try container.decode(Double.self, forKey: key))
    case .boolean: self = .boolean(try container.decode(Bool.self, forKey: key))
    case .text: self = .text(try container.decode(String.self, forKey: key))
    case .binary: self = .binary(Array(try container.decode(Data.self, forKey: key)))
    case .date: self = .date(try container.decode(CodedTime.self, forKey: key).date)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .integer(let value): try container.encode(value, forKey: .integer)
    case .double(let value): try container.encode(value, forKey: .double)
    case .boolean(let value): try container.encode(value, forKey: .boolean)
    case .text(let value): try container.encode(value, forKey: .text)
    case .binary(let value): try container.encode(Data(value), forKey: .binary)
    case .date(let value): try container.encode(CodedTime(value), forKey: .date)
    }
  }
}

extension OutcomeValue: Codable {
  private enum CodingKeys: String, CodingKey {
    case value, unit, kind, time, provenance
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      value: try container.decode(Value.self, forKey: .value),
      unit: try container.decodeIfPresent(UnitOfMeasure.self, forKey: .unit),
      kind: try container.decodeIfPresent(String.self, forKey: .kind),
      time: try container.decode(CodedTime.self, forKey: .time).date,
      provenance: try container.decode(Provenance.self, forKey: .provenance))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(value, forKey: .value)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encodeIfPresent(kind, forKey: .kind)
    try container.encode(CodedTime(time), forKey: .time)
    try container.encode(provenance, forKey: .provenance)
  }
}
