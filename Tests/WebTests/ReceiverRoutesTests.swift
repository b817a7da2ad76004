import Access
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing
import WebTestSupport

@testable import Web

/// Batches that phones send, over HTTP.
@Suite struct ReceiverRoutesTests {
  /// The batch that the protocol's document gives as an example.
  ///
  /// Source: ryanbr/noop, docs/PUSH_PROTOCOL.md at 8377102.
  private static let published = """
    {"type":"batch","protocolVersion":"1.0","batchId":"e835f32f-60e7-4c93-90a0-51eb6830119a","sourceId":"3a3486dd-5030-4e17-a00d-a781399890f9","deviceId":"strap-local-id","stream":"hrSample","delivery":"append","recordCount":2,"startCursor":{"rowId":48110,"keySha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},"endCursor":{"rowId":48119,"keySha256":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}}
    {"type":"record","key":{"ts":1723939201},"data":{"bpm":61}}
    {"type":"record","key":{"ts":1723939202},"data":{"bpm":62}}

    """

  /// A body of Health Auto Export, as a program that receives it tests with.
  ///
  /// Weights in pounds, an energy that is not kept, a body fat below one percent point: 0.192 is what the
  /// app writes for 19.2 %.
  private static let export = """
    {"data":{"workouts":[{"id":"wk-1","name":"Traditional Strength Training","start":"2026-08-10 18:04:11 -0500","end":"2026-08-10 19:02:41 -0500"}],"metrics":[{"name":"active_energy","units":"kcal","data":[{"date":"2026-08-10 09:00:00 -0500","qty":300}]},{"name":"weight_body_mass","units":"lb","data":[{"date":"2026-08-10 06:10:00 -0500","qty":203.4},{"date":"2026-08-10 9:10:00\u{202F}pm -0500","qty":205.1}]},{"name":"blood_pressure","units":"mmHg","data":[{"date":"2026-08-10 06:20:00 -0500","systolic":128,"diastolic":82}]}]}}
    """

  private static let noop = "/api/v1/phones/noop"
  private static let scale = "/api/v1/phones/openscale"
  private static let health = "/api/v1/phones/health-auto-export"

  private func samples(_ access: TestAccess, _ quantity: Quantity) async throws -> [Sample] {
    try await access.site.store.read { try $0.samples(SampleQuery(quantity: quantity)) }
  }

  private func push(
    _ access: TestAccess, _ body: String, as credentials: TestAccess.Credentials,
    type: String = "application/x-ndjson; charset=utf-8"
  ) async throws -> SiteAnswer {
    try await access.send(.post, Self.noop, as: credentials, type: type, body: body)
  }

  @Test func `the published batch is acknowledged, again and again`() async throws {
    let access = try await TestAccess()
    let phone = try await access.token([.add], .only(["anna"]))
    let first = try await push(access, Self.published, as: phone)
    #expect(first.status == 200)
    #expect(first.headers[.contentType] == "application/json")
    #expect(
      first.text
        == #"{"protocolVersion":"1.0","batchId":"e835f32f-60e7-4c93-90a0-51eb6830119a","#
        + #""stream":"hrSample","deviceId":"strap-local-id","endCursor":{"rowId":48119,"#
        + #""keySha256":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},"#
        + #""acceptedRows":2,"status":"accepted"}"#)
    #expect(try await push(access, Self.published, as: phone).text == first.text)
    #expect(try await samples(access, .heartRate).map(\.value) == [61, 62])
    #expect(try await samples(access, .heartRate).allSatisfy { $0.patient == "anna" })
    let other = Self.published.replacing(#""bpm":62"#, with: #""bpm":63"#)
    let conflict = try await push(access, other, as: phone)
    #expect(conflict.status == 409)
    #expect(conflict.text.contains(#""code":"batch_id_conflict""#))
    #expect(try await samples(access, .heartRate).map(\.value) == [61, 62])
  }

  @Test func `a sender is told the version, the streams and the store's name`() async throws {
    let access = try await TestAccess()
    var phone = try await access.token([.add], .only(["anna"]))
    phone.fields["NOOP-Push-Accept-Version"] = "1.1, 1.0"
    let answer = try await access.get(Self.noop, as: phone)
    #expect(answer.status == 200)
    #expect(
      answer.text.hasPrefix(#"{"type":"capabilities","protocolVersion":"1.1","receiverStateId":""#))
    #expect(answer.text.hasSuffix(#""streams":["hrSample","rrInterval","dailyMetric"]}"#))
    #expect(try await access.get(Self.noop, as: phone).text == answer.text)
    phone.fields["NOOP-Push-Accept-Version"] = "2.0"
    #expect(try await access.get(Self.noop, as: phone).status == 406)
  }

  private static let refusals: [(body: String, type: String, status: Int)] = [
    ("nonsense", "application/x-ndjson", 400), (published, "application/json", 415),
    (published.replacing("hrSample", with: "metricSeries"), "application/x-ndjson", 422),
    (published.replacing("1723939202", with: "1723939201"), "application/x-ndjson", 422),
    (String(repeating: " ", count: 4 << 20) + published, "application/x-ndjson", 413),
    (String(repeating: " ", count: 5 << 20), "application/x-ndjson", 413),
  ]

  @Test(arguments: refusals.indices)
  func `what is no batch is refused, and nothing of it is stored`(index: Int) async throws {
    let (body, type, status) = Self.refusals[index]
    let access = try await TestAccess()
    let phone = try await access.token([.add], .only(["anna"]))
    #expect(try await push(access, body, as: phone, type: type).status == status)
    #expect(try await samples(access, .heartRate).isEmpty)
  }

  @Test func `a token that adds does nothing else, and for its person alone`() async throws {
    let access = try await TestAccess()
    let phone = try await access.token([.add], .only(["anna"]))
    for path in ["/api/v1/samples", "/api/v1/events", "/api/v1/patients", "/today", "/metrics"] {
      #expect(try await access.get(path, as: phone).status == 403, "\(path)")
    }
    #expect(
      try await access.send(
        .delete, "/api/v1/samples/1", as: phone, type: "application/json", body: ""
      ).status == 403)
    let reader = try await access.token([.read], .all)
    #expect(try await push(access, Self.published, as: reader).status == 403)
    let several = try await access.token([.add], .only(["anna", "kim"]))
    #expect(try await push(access, Self.published, as: several).status == 409)
    // Kim's phone has the same batch: it is not Kim's because of that.
    let kim = try await access.token([.add], .only(["kim"]))
    #expect(try await push(access, Self.published, as: phone).status == 200)
    #expect(try await push(access, Self.published, as: kim).status == 200)
    #expect(Set(try await samples(access, .heartRate).map(\.patient)) == ["anna"])
  }

  @Test func `openScale-sync's test, rows and deletion are taken`() async throws {
    let access = try await TestAccess()
    let phone = try await access.token([.add], .only(["anna"]))
    func send(_ body: String) async throws -> SiteAnswer {
      try await access.send(
        .post, Self.scale, as: phone, type: "application/json; charset=utf-8", body: body)
    }
    #expect(try await send(#"{"event":"test"}"#).status == 200)
    let row =
      #"{"id":17,"userId":1,"username":"Anna","date":"2026-03-02T06:04:31.000Z","weight":63.95,"#
      + #""body_fat":21.4,"water":0.0,"muscle":0.0,"event":"insert"}"#
    let taken = try await send(row)
    #expect(taken.status == 200)
    #expect(
      taken.text
        == #"{"known":0,"new":2,"read":2,"removed":0,"skipped":0,"unassigned":0}"#)
    #expect(try await send(row).text.contains(#""new":0"#))
    let deletion = #"{"event":"delete","userId":1,"date":"2026-03-02T06:04:31.000Z"}"#
    #expect(try await send(deletion).text.contains(#""removed":2"#))
    #expect(try await send(#"{"event":"boom"}"#).status == 422)
    #expect(try await send("[").status == 422)
  }

  @Test func `Health Auto Export's body is taken once, late or not`() async throws {
    let access = try await TestAccess()
    let phone = try await access.token([.add], .only(["anna"]))
    func send(_ body: String, _ fields: [String: String] = [:]) async throws -> SiteAnswer {
      var phone = phone
      phone.fields.merge(fields) { $1 }
      return try await access.send(
        .post, Self.health, as: phone, type: "application/json", body: body)
    }
    let before = try await samples(access, .bodyMass).count
    let first = try await send(Self.export, ["automation-period": "Since Last Sync"])
    #expect(first.status == 200, "\(first.text)")
    #expect(first.text.contains(#""new":4"#))
    #expect(try await send(Self.export).text.contains(#""new":0"#))
    let weights = try await samples(access, .bodyMass).filter { $0.device.definition != nil }
    #expect(weights.map { ($0.value * 100).rounded() } == [9226, 9303])
    #expect(
      weights.map(\.start)
        == ["2026-08-10T11:10:00Z", "2026-08-11T02:10:00Z"].compactMap { Date(rfc3339: $0) })
    #expect(weights.allSatisfy { $0.patient == "anna" })
    #expect(try await samples(access, .bodyMass).count == before + 2)
    #expect(try await samples(access, .bloodPressureSystolic).map(\.value) == [128])
    let means = try await send(Self.export, ["automation-aggregation": "Hours"])
    #expect(means.status == 422)
    #expect(try await send("{}").status == 422)
    #expect(try await send(String(Self.export.dropLast(40))).status == 400)
  }
}
