import Foundation

/// An instant as the payloads of a store hold it: RFC 3339 in UTC, exact to the microsecond, the
/// same whatever strategy a coder has for dates.
struct CodedTime: Codable {
  var date: Date

  init(_ date: Date) {
    self.date = date
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = Date(rfc3339: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "‘\(text)’ is no RFC 3339 time")
    }
    self.date = date
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(date.rfc3339(in: .gmt))
  }
}

/// A time zone under its name.
struct CodedZone: Codable {
  var timeZone: TimeZone

  init(_ timeZone: TimeZone) {
    self.timeZone = timeZone
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let timeZone = TimeZone(identifier: name) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "this system knows no time zone ‘\(name)’")
    }
    self.timeZone = timeZone
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(timeZone.identifier)
  }
}
