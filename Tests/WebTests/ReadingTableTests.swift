import Care
import CareStore
import Foundation
import HTTPTypes
import Pages
import Testing
import WebTestSupport

@testable import Web

/// Readings that a person adds on the page, and all of them as a table.
@Suite struct ReadingTableTests {
  let site: TestSite

  init() async throws {
    site = try TestSite()
    try await site.store.importHousehold()
  }

  private func add(_ form: String) async throws -> String {
    let answer = try await site.form("/samples", "return=/measurements?patient=anna&" + form)
    #expect(answer.status == 303)
    return answer.headers[.location] ?? ""
  }

  @Test func `a reading is added where nothing was measured, and undone`() async throws {
    let empty = try await site.get("/measurements?patient=anna").text
    #expect(empty.contains("Add a reading") && !empty.contains("measurements.csv"))
    let back = try await add(
      "patient=anna&quantity=bloodPressureSystolic&value=120/80&at=2026-11-20T07:10")
    #expect(back.contains("notice=sampleAdded&sample=1.2"), "\(back)")
    let page = try await site.get(back).text
    #expect(page.contains("The reading is added."))
    #expect(page.contains(#"name="with" value="2""#))
    #expect(page.contains("07:10 by hand"))
    _ = try await site.form("/samples/1/delete", "with=2")
    #expect(try await site.get("/api/v1/samples").list("samples").isEmpty)
  }

  /// A row has microseconds, the clock more of them.
  @Test func `what is measured now is not yet to come`() async throws {
    for fraction in [0.123_456_4, 0.123_456_7, 0.999_999_9] {
      site.set(TestSite.noon + fraction)
      let back = try await add("patient=anna&quantity=bodyMass&value=\(64 + fraction)")
      #expect(back.contains("notice=sampleAdded"), "\(fraction): \(back)")
    }
    #expect(try await site.get("/api/v1/samples").list("samples").count == 3)
  }

  /// The form says at its field why, and is still open.
  @Test(arguments: [
    ("value=heavy", "value", "Please enter a number."), ("value=", "value", ""),
    ("value=64&at=2027-01-01T08:00", "at", "That time has not come yet."),
    ("value=6400", "value", ""),
  ])
  func `a refusal stands at its field`(
    fields: String, field: String, text: String
  ) async throws {
    let back = try await add("patient=anna&quantity=bodyMass&" + fields)
    #expect(back.contains("notice=refused"), "\(back)")
    let page = try await site.get(back).text
    let fold = #/<section[^>]*id="add-anna"(.*?)<\/section>/#.dotMatchesNewlines()
    let form = try #require(page.firstMatch(of: fold))
    #expect(form.0.contains("<details class=\"more\" open>"))
    #expect(form.0.contains("add-anna-\(field == "at" ? "at-" : "")error"))
    #expect(text.isEmpty || form.0.contains(text), "\(form.0)")
    #expect(try await site.get("/api/v1/samples").list("samples").isEmpty)
  }

  @Test func `the table has every reading once, in its order and bounds`() async throws {
    let noon = TestSite.noon
    try await site.store.write { writer in
      for number in 0..<9_001 {
        let time = noon - Double(number) * 60
        let reading = Reading(
          quantity: .bodyMass, value: 60 + Double(number % 50) / 10, arrival: time,
          device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"))
        _ = try writer.insert(Sample(reading: reading, patient: "anna", start: time, end: time))
      }
    }
    let answer = try await site.get("/measurements.csv?patient=anna")
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "text/csv; charset=utf-8")
    let lines = answer.text.split(separator: "\r\n")
    #expect(lines.count == 9_002)
    #expect(lines.first?.hasPrefix("id,quantity,value,unit") == true)
    let times = lines.dropFirst().map { $0.split(separator: ",")[4] }
    #expect(times == times.sorted() && Set(times).count == 9_001)
    let hour = try await site.get(
      "/measurements.csv?patient=anna&quantity=bodyMass&from=2026-11-20T11:00&to=2026-11-20T12:00")
    #expect(hour.text.split(separator: "\r\n").count == 61)
    #expect(
      try await site.get("/measurements.csv?patient=kim").text.split(separator: "\r\n").count == 1)
    #expect(try await site.get("/measurements.csv?quantity=luck").status == 404)
    #expect(try await site.get("/measurements.csv?patient=eve").status == 404)
    let page = try await site.get("/measurements/bodyMass?patient=anna").text
    #expect(page.contains("measurements.csv"))
  }

  /// A stream of a night is more than a table has.
  @Test func `more than a table has is refused with the way out`() async throws {
    let count = ReadingTable.most + 1
    let start = TestSite.noon - Double(count)
    for part in 0..<(count / 10_000 + 1) {
      try await site.store.write { writer in
        for second in (part * 10_000)..<min((part + 1) * 10_000, count) {
          let time = start + Double(second)
          let reading = Reading(
            quantity: .heartRate, value: 70, arrival: time,
            device: DeviceIdentity(address: "A0:9E:1A:00:00:02"), isStreamed: true)
          _ = try writer.insert(Sample(reading: reading, patient: "anna", start: time, end: time))
        }
      }
    }
    let answer = try await site.get("/measurements.csv?patient=anna")
    #expect(answer.status == 400 && answer.text.contains("shorter span"), "\(answer.text)")
    #expect(try await !site.get("/measurements?patient=anna").text.contains("measurements.csv"))
    let part = try await site.get("/measurements.csv?patient=anna&from=2026-11-20T11:00")
    #expect(part.text.split(separator: "\r\n").count == 3_601)
  }
}
