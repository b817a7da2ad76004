import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// The figures for Prometheus.
@Suite struct MetricsTests {
  @Test
  func `the text is as Prometheus reads it`() {
    let text = Metric.text(of: [
      Metric("a_total", "Back\\slash\nand line.", .counter, 3),
      Metric(
        "b", "By name.", .gauge, by: "name", ["x\"y\\z\n": 1.5, "a": -2, "n": .nan, "o": .infinity]),
    ])
    #expect(
      text == """
        # HELP a_total Back\\\\slash\\nand line.
        # TYPE a_total counter
        a_total 3
        # HELP b By name.
        # TYPE b gauge
        b{name="a"} -2
        b{name="n"} NaN
        b{name="o"} +Inf
        b{name="x\\"y\\\\z\\n"} 1.5

        """)
  }

  @Test
  func `answers are counted by class, and open streams while they are open`() async throws {
    let site = try TestSite()
    try await site.store.importHousehold()
    _ = try await site.get("/today")
    _ = try await site.get("/nothing")
    try? await site.stream("/api/v1/patients") { _ in false }
    let answer = try await site.get("/metrics")
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
    let lines = answer.text.split(separator: "\n").map(String.init)
    #expect(lines.contains(#"measured_http_answers_total{status="2xx"} 2"#))
    #expect(lines.contains(#"measured_http_answers_total{status="4xx"} 1"#))
    #expect(lines.contains(#"measured_http_answers_total{status="5xx"} 0"#))
    #expect(lines.contains("measured_http_streams 0"))
    for line in lines where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /[a-z_]+(\{[a-z]+="[^"]*"\})? -?[0-9.e+-]+/) != nil, "\(line)")
    }
    #expect(!answer.text.contains("anna") && !answer.text.contains("Anna"))
  }
}
