package import Care
import Foundation
import Interchange

/// Measurements as points of InfluxDB, by its line protocol.
///
/// A quantity is a measurement, the person and the device are tags, the value is a field. InfluxDB keeps one
/// point of one time and tags, so that writing it again changes nothing and a correction takes its place.
/// Points that count no more are deleted.
package struct InfluxOutlet: DataOutlet {
  /// Where the points go.
  package enum Database: Hashable, Sendable {
    /// Version 1: a database, with a retention policy or without.
    case v1(database: String, policy: String?)
    /// Version 2: a bucket of an organisation.
    case v2(organisation: String, bucket: String)
  }

  private let address: WebAddress
  private let database: Database
  private let secret: Secret<String>?
  private let send: @Sendable (HTTPRequest) async -> TransferResult

  /// Makes an outlet.
  ///
  /// - Parameters:
  ///   - address: The server: `http://127.0.0.1:8086`.
  ///   - database: Where the points go.
  ///   - secret: Of version 1 `user:password`, of version 2 a token; `nil` for a server without.
  ///   - send: The transport.
  package init(
    to address: WebAddress, database: Database, secret: Secret<String>?,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) {
    (self.address, self.database, self.secret, self.send) = (address, database, secret, send)
  }

  package func send(_ batch: [OutletPiece]) async -> OutletAnswer {
    for span in batch.flatMap(\.replacedSpans) {
      let result = await remove(span)
      guard result == .delivered else { return OutletAnswer(result) }
    }
    let lines = batch.flatMap(\.lines)
    guard !lines.isEmpty else { return OutletAnswer(.delivered) }
    return OutletAnswer(await write(lines))
  }

  package func test() async -> DeliveryResult { await write([]) }

  private func write(_ lines: [String]) async -> DeliveryResult {
    let query =
      switch database {
      case .v1(let database, let policy):
        "/write?precision=ns&db=\(database.queryValue)"
          + (policy.map { "&rp=\($0.queryValue)" } ?? "")
      case .v2(let organisation, let bucket):
        "/api/v2/write?precision=ns&org=\(organisation.queryValue)&bucket=\(bucket.queryValue)"
      }
    return await request(query, type: "text/plain; charset=utf-8", lines.joined(separator: "\n"))
  }

  private func remove(_ span: Span) async -> DeliveryResult {
    switch database {
    case .v1(let database, _):
      // A deletion has no precision of its own: whole nanoseconds.
      let condition =
        "\"patient\" = '\(span.patient.influxText)' AND time >= \(span.from) AND time < \(span.to)"
      let devices = span.device.map { " AND \"device\" = '\($0.influxText)'" } ?? ""
      return await request(
        "/query?db=\(database.queryValue)", type: "application/x-www-form-urlencoded",
        "q=" + "DELETE FROM \"\(span.quantity)\" WHERE \(condition)\(devices)".queryValue)
    case .v2(let organisation, let bucket):
      let (from, to) = (Self.time(span.from), Self.time(span.to))
      let predicate = "_measurement=\"\(span.quantity)\" AND patient=\"\(span.patient.influxText)\""
      let body = ["start": from, "stop": to, "predicate": predicate]
      guard let json = try? JSONEncoder().encode(body) else { return .delivered }
      return await request(
        "/api/v2/delete?org=\(organisation.queryValue)&bucket=\(bucket.queryValue)",
        type: "application/json", String(decoding: json, as: UTF8.self))
    }
  }

  /// A time of version 2, to the nanosecond.
  private static func time(_ nanoseconds: Int64) -> String {
    let (seconds, rest) = nanoseconds.flooredDivision(by: 1_000_000_000)
    let whole = Date(microseconds: seconds * 1_000_000).rfc3339(in: .gmt)
    let fraction = String(rest + 1_000_000_000).dropFirst()
    return whole.replacingOccurrences(of: "Z", with: ".\(fraction)Z")
  }

  private func request(_ path: String, type: String, _ body: String) async -> DeliveryResult {
    guard let address = address.appending(path) else {
      return .later(.unexpected(detail: "the names do not fit into an address"), after: nil)
    }
    var headers = [HTTPRequest.HeaderField("Content-Type", type)]
    if let secret {
      switch database {
      case .v1:
        let code = Data(secret.revealed.utf8).base64EncodedString()
        headers.append(.init("Authorization", "Basic \(code)"))
      case .v2: headers.append(.init("Authorization", "Token \(secret.revealed)"))
      }
    }
    let result = await send(
      HTTPRequest("POST", address, headers: headers, body: Data(body.utf8)))
    guard case .answered(let status, _, let answer) = result else { return result.meaning }
    // Version 1 answers a wrong query with 200 and an error.
    if (200..<300).contains(status), !answer.isEmpty {
      let words = String(decoding: answer.prefix(400), as: UTF8.self)
      guard !words.contains("\"error\"") else {
        return .later(.unexpected(detail: answer.firstLine.shortened(toBytes: 200)), after: nil)
      }
    }
    return result.meaning
  }

  /// Points of one person and quantity: from ns since 1970, for so many ns.
  fileprivate struct Span {
    var quantity: String
    var patient: String
    /// `nil` for any.
    var device: String?
    var from: Int64
    var length: Int64

    var to: Int64 { from.saturatingSum(length) }
  }
}

extension OutletPiece {
  /// The points that it takes the place of, other than by their time.
  fileprivate var replacedSpans: [InfluxOutlet.Span] {
    let hour: Int64 = 3_600_000_000_000
    switch change {
    case .put(let item, _, let isKnown):
      guard isKnown, part == 0 else { return [] }
      let kept = item.hour == nil ? Set(item.samples.map(\.quantity)) : []
      // An hour had values that it may have no more; so had the pressures of one measurement.
      return Self.quantities(with: item.quantity, isHour: item.hour != nil)
        .filter { !kept.contains($0) }
        .map {
          .init(
            quantity: $0.rawValue, patient: item.patient,
            device: item.samples.first?.device.address.text,
            from: item.start.nanoseconds + (item.hour == nil ? item.origin.nanosecond : 0),
            length: item.hour == nil ? 1 : hour)
        }
    case .remove(let item):
      return Self.quantities(with: item.quantity, isHour: item.isHour).map {
        .init(
          quantity: $0.rawValue, patient: item.patient, device: nil,
          from: item.start.nanoseconds + (item.isHour ? 0 : item.origin.nanosecond),
          length: item.isHour ? hour : 1)
      }
    }
  }

  /// The quantities of one item.
  private static func quantities(with quantity: Quantity, isHour: Bool) -> [Quantity] {
    guard quantity == .bloodPressureSystolic, !isHour else { return [quantity] }
    return [.bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean]
  }

  /// Its points.
  fileprivate var lines: [String] {
    guard case .put(let item, _, _) = change else { return [] }
    let patient = item.patient.influxTag
    // The device of the values of an hour is one.
    let address = item.samples.first?.device.address.text ?? ""
    let device = address.influxTag
    return samples.map { sample in
      let time =
        sample.start.nanoseconds
        + (item.hour == nil ? item.origin.nanosecond : Int64(sample.ordinal.magnitude % 1_000))
      var fields = "value=\(sample.value.data(of: sample.quantity))"
      if sample.end > sample.start {
        fields += ",seconds=\(sample.end.timeIntervalSince(sample.start))"
      }
      fields += ",provenance=\"\(sample.provenance.rawValue)\""
      return "\(sample.quantity.rawValue),device=\(device),patient=\(patient)"
        + " \(fields) \(time)"
    }
  }
}

extension FeedOrigin {
  /// The nanosecond that tells measurements of one instant apart; a correction has the same one.
  ///
  /// InfluxDB keeps one point of a time and its tags. No device measures nanoseconds.
  fileprivate var nanosecond: Int64 {
    bytes.prefix(2).reduce(0) { $0 * 256 + Int64($1) } % 1_000
  }
}

extension Date {
  /// Nanoseconds since 1970, of a date that InfluxDB can have: 1678 to 2262.
  fileprivate var nanoseconds: Int64 {
    let longest: Int64 = 9_223_372_036_000_000
    return min(max(microseconds, -longest), longest) * 1_000
  }
}

extension String {
  /// A tag's value, in which a comma, a space and an equals sign would end it.
  fileprivate var influxTag: String {
    // Most have nothing to escape, and are looked through once a point.
    let ends = [UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "\\")]
    if !isEmpty, utf8.allSatisfy({ (0x21...0x7E).contains($0) && !ends.contains($0) }) {
      return self
    }
    var text = oneLine
    // A backslash at the end would escape what follows.
    while text.last == "\\" { text.removeLast() }
    for character in [",", " ", "="] {
      text = text.replacingOccurrences(of: character, with: "\\" + character)
    }
    return text.isEmpty ? "-" : text
  }

  /// A text of a query or of a predicate, in which a quote would end it.
  fileprivate var influxText: String {
    var text = oneLine
    for character in ["\\", "'", "\""] {
      text = text.replacingOccurrences(of: character, with: "\\" + character)
    }
    return text
  }

  /// The value of a query's parameter.
  fileprivate var queryValue: String {
    let kept = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return addingPercentEncoding(withAllowedCharacters: kept) ?? ""
  }
}
