import Care
import Foundation
import Testing

/// When something was done, as far as anybody said.
@Suite struct DoneTimeTests {
  @Test(arguments: [
    ("13:58", nil, "13:58"), ("14:30", nil, "14:30"), ("15:00", nil, nil), ("20:16", nil, nil),
    ("20:16", "14:20", "14:20"),
  ])
  func `a dose of which somebody says later that it was taken has its own time or none`(
    answered: String, stated: String?, done: String?
  ) throws {
    var event = try CareTests.event(
      of: task(schedule("2023-05-01T14:00", every: Interval(days: 1))), values: [])
    event.outcome?.createdDate = try date("2023-05-01T" + answered)
    event.outcome?.answer.at = try stated.map { try date("2023-05-01T" + $0) }
    #expect(try event.doneTime() == done.map { try date("2023-05-01T" + $0) })
  }

  @Test func `what was measured, and an answer to a question, keep their time`() throws {
    let late = try date("2023-05-01T20:16")
    let times = try schedule("2023-05-01T14:00", every: Interval(days: 1))
    let value = OutcomeValue(value: .double(64), unit: .kilogram, time: late, provenance: .passive)
    let linkage = Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)
    let measured = try CareTests.event(of: task(times, linkage: linkage), values: [value])
    #expect(measured.doneTime(by: value) == late)
    let plain = try CareTests.event(
      of: task(times),
      values: [OutcomeValue(value: .double(10), time: late, provenance: .manual)])
    #expect(plain.doneTime(by: plain.outcome?.values.first) == nil)
  }
}
