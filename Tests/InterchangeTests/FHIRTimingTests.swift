import Care
import Foundation
import Interchange
import Testing

/// The traps of FHIR's Timing, in requests of another system.
@Suite struct FHIRTimingTests {
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  /// The elements of a request with that rule, a line each.
  private static func elements(
    _ repetition: String, timing: String = "", zone: String? = nil, start: Date? = nil,
    mapping: FHIRMapping = FHIRMapping()
  ) throws -> [String] {
    let zone = zone.map {
      #""extension":[{"url":"http://hl7.org/fhir/StructureDefinition/tz-code","valueCode":"\#($0)"}],"#
    }
    let text = """
      {"resourceType":"ServiceRequest","id":"r1","status":"active","intent":"order",
      "code":{"text":"Walk"},"subject":{"reference":"Patient/p"},
      "occurrenceTiming":{\(zone ?? "")\(timing)"repeat":{\(repetition)}}}
      """
    let coder = FHIRCoder(mapping: mapping, timeZone: berlin, start: start)
    let plan = try coder.plan(FHIRJSON.value(of: Data(text.utf8))).value
    return plan.tasks.flatMap(\.schedule.elements).map { element in
      let end = element.end?.rfc3339(in: element.timeZone) ?? "open"
      let duration =
        switch element.duration {
        case .allDay: "all day"
        case .seconds(let seconds): "\(Int(saturating: seconds)) s"
        }
      let steps = element.interval
      let step =
        "\(steps.years)a \(steps.months)mo \(steps.weeks)wk \(steps.days)d \(steps.hours)h \(steps.minutes)min \(steps.seconds)s"
        .split(separator: " ").filter { $0.first != "0" }.joined(separator: " ")
      return "\(element.start.rfc3339(in: element.timeZone)) \(end) \(step) \(duration)"
    }
  }

  static let read: [(rule: String, elements: [String])] = [
    // The end of a period is included, to its precision.
    (
      #""boundsPeriod":{"start":"2026-11-01","end":"2026-12-01"},"frequency":1,"period":1,"periodUnit":"d""#,
      ["2026-11-01T00:00:00+01:00 2026-12-02T00:00:00+01:00 1d all day"]
    ),
    (
      #""boundsPeriod":{"start":"2026-11-01","end":"2026-11"},"period":2,"periodUnit":"d","timeOfDay":["09:00:00"]"#,
      ["2026-11-01T09:00:00+01:00 2026-12-01T00:00:00+01:00 2d 3600 s"]
    ),
    (
      #""boundsPeriod":{"start":"2026-11-01T09:00:00+01:00","end":"2026-11-05T08:59:59+01:00"},"period":2,"periodUnit":"d","duration":30,"durationUnit":"min""#,
      ["2026-11-01T09:00:00+01:00 2026-11-05T09:00:00+01:00 2d 1800 s"]
    ),
    // No occurrence of several without times is dropped.
    (
      #""boundsPeriod":{"start":"2026-11-01"},"frequency":3,"period":1,"periodUnit":"d""#,
      Array(repeating: "2026-11-01T00:00:00+01:00 open 1d all day", count: 3)
    ),
    (
      #""boundsPeriod":{"start":"2026-11-01T08:00:00+01:00"},"frequency":2,"period":12,"periodUnit":"h""#,
      ["2026-11-01T08:00:00+01:00 open 21600s 3600 s"]
    ),
    // Times and weekdays each make an element; what is before the start is of the next step.
    (
      #""boundsPeriod":{"start":"2026-11-02T10:00:00+01:00"},"frequency":2,"period":1,"periodUnit":"d","timeOfDay":["08:00:00","20:00:00"]"#,
      [
        "2026-11-02T20:00:00+01:00 open 1d 3600 s", "2026-11-03T08:00:00+01:00 open 1d 3600 s",
      ]
    ),
    (
      #""boundsPeriod":{"start":"2026-11-04"},"frequency":2,"period":1,"periodUnit":"wk","dayOfWeek":["mon","wed"],"timeOfDay":["09:00:00"]"#,
      [
        "2026-11-04T09:00:00+01:00 open 1wk 3600 s", "2026-11-09T09:00:00+01:00 open 1wk 3600 s",
      ]
    ),
    (
      #""boundsPeriod":{"start":"2026-11-01"},"boundsDuration":{"value":10,"code":"d"},"period":1,"periodUnit":"d""#,
      []
    ),
    // A day of FHIR is 24 hours.
    (
      #""boundsPeriod":{"start":"2026-11-01"},"period":1,"periodUnit":"d","duration":1,"durationUnit":"d""#,
      ["2026-11-01T00:00:00+01:00 open 1d 86400 s"]
    ),
    (
      #""boundsDuration":{"value":10,"unit":"days","system":"http://unitsofmeasure.org","code":"d"},"count":3,"period":1,"periodUnit":"d""#,
      ["2026-11-20T00:00:00+01:00 2026-11-23T00:00:00+01:00 1d all day"]
    ),
  ]

  @Test(arguments: read)
  func `a rule becomes elements`(_ rule: String, _ elements: [String]) throws {
    let start = Date(rfc3339: "2026-11-20T00:00:00+01:00")
    guard !elements.isEmpty else {
      // Two bounds are no choice.
      let refusal = #expect(throws: FHIRRefusal.self) { try Self.elements(rule) }
      #expect(refusal?.reason == .contradiction(rule: "bounds[x]"))
      return
    }
    #expect(try Self.elements(rule, start: start) == elements)
  }

  @Test func `times are of the zone that is named`() throws {
    let rule =
      #""boundsPeriod":{"start":"2026-11-01"},"period":1,"periodUnit":"d","timeOfDay":["09:00:00"]"#
    #expect(
      try Self.elements(rule, zone: "Asia/Tokyo") == [
        "2026-11-01T09:00:00+09:00 open 1d 3600 s"
      ])
  }

  @Test func `a rule beside its code counts`() throws {
    let code = #""code":{"coding":[{"code":"BID"}]},"#
    #expect(
      try Self.elements(
        #""boundsPeriod":{"start":"2026-11-01"},"frequency":1,"period":1,"periodUnit":"d""#,
        timing: code
      ).count == 1)
  }

  @Test func `a mapping gives the times of when`() throws {
    var mapping = FHIRMapping()
    mapping.times = ["MORN": "07:30:00"]
    #expect(
      try Self.elements(
        #""boundsPeriod":{"start":"2026-11-01"},"period":1,"periodUnit":"d","when":["MORN"]"#,
        mapping: mapping) == ["2026-11-01T07:30:00+01:00 open 1d 3600 s"])
  }

  private static let path = "ServiceRequest.occurrenceTiming.repeat."

  static let refused: [(rule: String, path: String, reason: FHIRRefusal.Reason)] = [
    (#""frequency":1,"period":1,"periodUnit":"d""#, "boundsPeriod.start", .noStart),
    (#""frequency":3,"period":1,"periodUnit":"wk""#, "frequency", .noTimes(frequency: 3)),
    (#""period":1"#, "period", .contradiction(rule: "tim-2")),
    (#""period":1,"periodUnit":"d","duration":1"#, "duration", .contradiction(rule: "tim-1")),
    (
      #""period":1,"periodUnit":"d","duration":-1,"durationUnit":"h""#, "duration",
      .contradiction(rule: "tim-4")
    ),
    (
      #""period":1,"periodUnit":"d","when":["AC"],"timeOfDay":["08:00:00"]"#, "when",
      .contradiction(rule: "tim-10")
    ),
    (#""period":1,"periodUnit":"d","when":["AC"]"#, "when", .unsupportedValue("AC")),
    (#""period":1,"periodUnit":"d","offset":30"#, "offset", .unsupported),
    (#""period":1,"periodMax":2,"periodUnit":"d""#, "periodMax", .unsupported),
    (#""period":1,"periodUnit":"d","countMax":2"#, "countMax", .unsupported),
    (#""period":0,"periodUnit":"d""#, "period", .unsupportedValue("0")),
    (#""period":1e999,"periodUnit":"d""#, "period", .unsupportedValue("1e999")),
    (#""period":1,"periodUnit":"fortnight""#, "periodUnit", .unsupportedValue("fortnight")),
    (#""period":2,"periodUnit":"wk","dayOfWeek":["mon"]"#, "dayOfWeek", .unsupported),
    (
      #""period":1,"periodUnit":"d","timeOfDay":["09:00"]"#, "timeOfDay[0]",
      .wrongType(expected: "time")
    ),
    (#""period":1,"periodUnit":"d","colour":1"#, "colour", .unknownElement),
    (
      #""frequency":3,"period":1,"periodUnit":"d","timeOfDay":["09:00:00","10:00:00"]"#,
      "frequency", .contradiction(rule: "frequency")
    ),
  ]

  @Test(arguments: refused)
  func `what a plan cannot say is refused with its path`(
    _ rule: String, _ path: String, _ reason: FHIRRefusal.Reason
  ) {
    let start = reason == .noStart ? nil : Date(rfc3339: "2026-11-20T00:00:00+01:00")
    let refusal = #expect(throws: FHIRRefusal.self) { try Self.elements(rule, start: start) }
    #expect(refusal == FHIRRefusal(at: Self.path + path, reason))
  }
}
