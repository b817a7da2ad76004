import Care
import Foundation
import Motion
import Testing

/// The properties that tell values of one quantity apart.
@Suite struct MeasurandTests {
  @Test(arguments: Joint.allCases, [Side.left, .right, nil])
  func `a movement keeps its joint and side, also as a word of an address`(
    joint: Joint, side: Side?
  ) {
    let context = MeasurementContext(
      ActiveTask(type: "rangeOfMotion", joint: joint, side: side))
    #expect(context.joint == joint)
    #expect(context.side == side)
    #expect(context.names == (side.map { [$0.rawValue] } ?? []) + [joint.rawValue])
    let measurand = Measurand(.rangeOfMotion, in: context.union(.stress))
    #expect(measurand.place == context)
    #expect(measurand.word.flatMap { Measurand(.rangeOfMotion, word: $0) } == measurand)
  }

  @Test(arguments: [
    (Quantity.bodyTemperature, MeasurementContext.mouth, true), (.bodyTemperature, .left, false),
    (.bloodGlucose, .fasting, true), (.bloodGlucoseMass, .afterMeal, true),
    (.bloodGlucose, .finger, false), (.bloodPressureSystolic, .irregularPulse, false),
  ])
  func `sites tell temperatures apart, and meals glucose`(
    quantity: Quantity, context: MeasurementContext, isApart: Bool
  ) {
    #expect((Measurand(quantity, in: context) != Measurand(quantity)) == isApart)
  }

  @Test func `a word of something else is no place`() {
    #expect(Measurand(.rangeOfMotion, word: "left-toes") == nil)
    #expect(Measurand(.rangeOfMotion).word == nil)
  }

  @Test(
    arguments: [
      (MeasurementContext([.left, .knee]), true), ([.right, .knee], false), ([.knee], false),
      ([], true),
    ] as [(MeasurementContext, Bool)])
  func `an event of a joint takes no other joint's movement`(
    context: MeasurementContext, isTaken: Bool
  ) throws {
    let start = try date("2023-05-01T12:00")
    let event = try CareTests.event(
      of: task(
        schedule("2023-05-01T12:00", every: Interval(days: 1)),
        linkage: Linkage(quantity: .rangeOfMotion, type: .discrete, unit: .degree),
        activeTask: ActiveTask(type: "rangeOfMotion", joint: .knee, side: .left)))
    let sample = Sample(
      reading: Reading(
        quantity: .rangeOfMotion, value: 90, arrival: start,
        device: DeviceIdentity(address: "left-shank"), kind: "range", context: context),
      patient: event.task.patient, start: start, end: start)
    #expect(event.takes(sample) == isTaken)
  }
}
