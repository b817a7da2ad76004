import Foundation

/// One line of a radio trace as JSON spells it; which keys count depends on `type`.
struct TraceLine: Codable {
  var t: Double
  var type: String
  var address: String?
  var addressType: String?
  var rssi: Int?
  var data: String?
  var connectable: Bool?
  var services: [Service]?
  var service: String?
  var characteristic: String?
  var kind: String?
  var reason: String?
  var count: Int?
  var sensor: String?
  var samples: [[Double]]?

  struct Service: Codable {
    var uuid: String
    var characteristics: [Characteristic]?
  }

  struct Characteristic: Codable {
    var uuid: String
    var properties: [String]?
  }
}

/// The first line of a radio trace.
struct TraceHeader: Codable {
  var version: Int
  var start: String
  var adapter: String?

  enum CodingKeys: String, CodingKey {
    case version = "measured-trace"
    case start, adapter
  }
}

/// What is wrong with a line, before the file and its number are added.
struct LineProblem: Error {
  var reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
