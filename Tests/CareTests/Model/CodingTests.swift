import Care
import Foundation
import TestSupport
import Motion
import Testing

/// The JSON that a store holds.
@Suite struct CodingTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decoded<T: Codable>(_ value: T) throws -> T {
    try JSONDecoder().decode(T.self, from: JSONEncoder().encode(value))
  }

  private func full() throws -> PlannedTask {
    let element = try ScheduleElement(
      start: date("2026-11-01T09:00") + 0.25, end: date("2027-01-01"),
      interval: Interval(months: 1, hours: 2), duration: .seconds(90.5),
      targets: [
        TargetValue(value: .integer(3)),
        TargetValue(value: .double(90), unit: UnitOfMeasure("deg"), kind: "range"),
      ], text: "noon", timeZone: zone("America/New_York"))
    let allDay = try schedule("2026-12-01", every: Interval(days: 1), lasting: .allDay)
    return try PlannedTask(
      id: "knee", patient: "john", kind: .assessment, title: "Bend", instructions: "Slowly.",
      schedule: Schedule([element] + allDay.elements),
      linkage: Linkage(
        quantity: .rangeOfMotion, type: .discrete, unit: #require(UnitOfMeasure("deg")),
        device: "left-thigh"),
      activeTask: ActiveTask(type: "rangeOfMotion", joint: .knee, side: .left), isOptional: true,
      isResettable: true, effectiveDate: date("2026-11-02"))
  }

  @Test func case14ATaskIsReadBackUnchanged() throws {
    let task = try full()
    #expect(try decoded(task) == task)
    #expect(try decoded(task.schedule) == task.schedule)
  }

  @Test func aScheduleIsCodedAsItsElements() throws {
    let schedule = try schedule("2026-11-01", every: Interval(days: 1), lasting: .allDay)
    #expect(
      try json(schedule)
        == #"[{"duration":"allDay","interval":{"days":1},"start":"2026-11-01T04:00:00+00:00","#
        + #""timeZone":"America/New_York"}]"#)
  }

  @Test(arguments: [
    (Value.integer(.max), #"{"integer":9223372036854775807}"#),
    (.double(72.4), #"{"double":72.4}"#), (.boolean(true), #"{"boolean":true}"#),
    (.text("ja"), #"{"text":"ja"}"#), (.binary([0, 255]), #"{"binary":"AP8="}"#),
    (.date(Date(microseconds: 1)), #"{"date":"1970-01-01T00:00:00.000001+00:00"}"#),
  ])
  func aValueKeepsItsType(value: Value, text: String) throws {
    #expect(try json(value) == text)
    #expect(try decoded(value) == value)
  }

  @Test func anOutcomeValueIsReadBackUnchanged() throws {
    let value = value(
      .double(72.4), "kg", kind: "a", at: Date(microseconds: 1_700_000_000_123_456),
      provenance: .passive)
    #expect(try decoded(value) == value)
  }

  @Test(arguments: [
    #"[{"duration":"allDay","interval":{},"start":"2026-11-01T04:00:00Z","timeZone":"UTC"}]"#,
    #"[{"duration":"short","interval":{"days":1},"start":"2026-11-01T04:00:00Z","timeZone":"UTC"}]"#,
    #"[{"duration":1,"interval":{"days":1},"start":"2026-11-01","timeZone":"UTC"}]"#,
    #"[{"duration":1,"interval":{"days":1},"start":"2026-11-01T04:00:00Z","timeZone":"No/Zone"}]"#,
    "[]",
  ])
  func refusesWhatIsNoSchedule(text: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(Schedule.self, from: Data(text.utf8))
    }
  }

  @Test(arguments: ["{}", #"{"integer":1,"double":1}"#, #"{"integer":1.5}"#])
  func refusesWhatIsNoValue(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
  }

  @Test(arguments: 0..<20)
  func timesAreExactToTheMicrosecond(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let time = Int64.random(
        in: -2_000_000_000_000_000...200_000_000_000_000_000, using: &generator)
      let value = Value.date(Date(microseconds: time))
      #expect(try decoded(value) == .date(Date(microseconds: time)))
    }
  }
}
