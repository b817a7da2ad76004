import Care
import Foundation
import Testing

/// Samples and the events that they complete.
@Suite struct LinkageTests {
  private let start: Date
  private let end: Date

  init() throws {
    start = try date("2023-05-01T12:00")
    end = try date("2023-05-01T13:00")
  }

  private func event(
    _ quantity: Quantity, _ type: Aggregation, _ unit: String, device: DeviceID? = nil,
    lasting duration: EventDuration = .seconds(3600)
  ) throws -> Event {
    let linkage = try Linkage(
      quantity: quantity, type: type, unit: #require(UnitOfMeasure(unit)), device: device)
    return try CareTests.event(
      of: task(
        schedule("2023-05-01T12:00", every: Interval(days: 1), lasting: duration),
        linkage: linkage))
  }

  private func sample(
    _ quantity: Quantity, _ value: Double, from: Date, to: Date? = nil, arrival: Date? = nil,
    patient: String? = "john", device: DeviceID = "left-thigh", provenance: Provenance = .passive,
    kind: String? = nil
  ) -> Sample {
    Sample(
      identity: SampleIdentity(text: "\(device)|\(from.microseconds)|\(value)"),
      reading: Reading(
        quantity: quantity, value: value, arrival: arrival ?? from,
        device: DeviceIdentity(address: device), kind: kind),
      patient: patient, start: from, end: to ?? from, provenance: provenance)
  }

  private func values(
    _ event: Event, _ samples: [Sample], existing: [OutcomeValue] = []
  ) throws -> [OutcomeValue] {
    try #require(event.task.linkage).values(for: event, samples: samples, existing: existing)
  }

  @Test func `steps add up`() throws {
    let event = try event(.stepCount, .cumulative, "count")
    let samples = [
      sample(.stepCount, 20, from: start + 120, to: start + 180),
      sample(.stepCount, 10, from: start + 60, to: start + 120),
    ]
    #expect(
      try values(event, samples) == [
        value(.double(30), "count", at: start + 120, provenance: .passive)
      ])
    #expect(try values(event, []).isEmpty)
  }

  /// Two devices that counted over the same span counted the same steps.
  @Test func `the same span is counted once`() throws {
    let event = try event(.stepCount, .cumulative, "1")
    let span = (from: start + 60, to: start + 120)
    let shank = sample(.stepCount, 50, from: span.from, to: span.to, device: "shank")
    let thigh = sample(.stepCount, 52, from: span.from, to: span.to, device: "thigh")
    let next = sample(.stepCount, 20, from: span.to, to: span.to + 60, device: "shank")
    let overlapping = sample(.stepCount, 5, from: span.from, to: span.to + 1, device: "other")
    func sum(_ samples: Sample...) throws -> [Double?] {
      try values(event, samples).map(\.value.number)
    }
    #expect(try sum(shank, thigh) == [52])
    #expect(try sum(thigh, shank) == [52])
    // Another span is counted by itself, by whichever device.
    #expect(try sum(shank, thigh, next) == [72])
    #expect(try sum(thigh, overlapping) == [57])
  }

  /// Several samples of one device over one span add up before the devices are compared.
  @Test func `a device is compared by its sum of a span`() throws {
    let event = try event(.stepCount, .cumulative, "1")
    let span = (from: start + 60, to: start + 120)
    let samples = [
      sample(.stepCount, 30, from: span.from, to: span.to, device: "shank"),
      sample(.stepCount, 25, from: span.from, to: span.to, device: "shank"),
      sample(.stepCount, 52, from: span.from, to: span.to, device: "thigh"),
    ]
    #expect(try values(event, samples).map(\.value.number) == [55])
  }

  /// Samples under two spellings of one name are two recordings of the same steps.
  @Test func `two spellings of a name are counted once`() throws {
    let event = try event(.stepCount, .cumulative, "1")
    let span = (from: start + 60, to: start + 120)
    let samples = ["Left-Thigh", "left-thigh"].map {
      sample(.stepCount, 52, from: span.from, to: span.to, device: DeviceID($0))
    }
    #expect(try values(event, samples).map(\.value.number) == [52])
  }

  /// Instants are no spans: two devices may each count one at the same moment.
  @Test func `counts at one moment add up`() throws {
    let event = try event(.stepCount, .cumulative, "1")
    let samples = ["shank", "thigh"].map { device in
      sample(.stepCount, 1, from: start + 60, device: DeviceID(device))
    }
    #expect(try values(event, samples).map(\.value.number) == [2])
  }

  @Test func `heart rates stand in the order of arrival`() throws {
    let event = try event(.heartRate, .discrete, "count/min")
    let samples = [
      sample(.heartRate, 80, from: start, arrival: start + 20),
      sample(.heartRate, 70, from: start + 5, arrival: start + 10),
    ]
    #expect(
      try values(event, samples) == [
        value(.double(70), "/min", at: start + 5, provenance: .passive),
        value(.double(80), "/min", at: start, provenance: .passive),
      ])
  }

  /// A cumulative sample belongs to where it began; a single value touches the start.
  @Test(arguments: [(Quantity.stepCount, Aggregation.cumulative), (.heartRate, .discrete)])
  func `a border belongs to one side`(quantity: Quantity, type: Aggregation) throws {
    let event = try event(quantity, type, quantity.unit.code)
    func isTaken(_ from: Date, _ to: Date) -> Bool {
      event.takes(sample(quantity, 1, from: from, to: to))
    }
    let isDiscrete = type == .discrete
    #expect(isTaken(start - 1, start) == isDiscrete)
    #expect(isTaken(start - 9, end + 9) == isDiscrete)
    #expect(isTaken(start - 30, start + 30) == isDiscrete)
    #expect(isTaken(start, start + 60))
    #expect(isTaken(end - 1, end))
    #expect(isTaken(end - 30, end + 30))
    #expect(!isTaken(start - 2, start - 1))
    #expect(!isTaken(end, end + 1))
    #expect(isTaken(end - 0.5, end - 0.5))
  }

  @Test func `a sum of a day counts a span once`() throws {
    var counts = SpanCounts()
    for (device, value) in [("left-thigh", 90.0), ("trunk", 100), ("trunk", 5)] {
      counts.add(sample(.stepCount, value, from: start, to: end, device: DeviceID(device)))
    }
    counts.add(sample(.stepCount, 7, from: start))
    #expect(counts.reached?.sum == 112)
    #expect(counts.reached?.count == 3)
    #expect(SpanCounts().reached == nil)
  }

  @Test func `the time is the samples and minus one survives`() throws {
    let event = try event(
      .airTemperature, .discrete, "Cel")
    let sample = sample(
      event.task.linkage?.quantity ?? .bodyMass, -1, from: start + 7, arrival: end)
    #expect(
      try values(event, [sample]) == [
        value(.double(-1), "Cel", at: start + 7, provenance: .passive)
      ])
  }

  @Test func `values are converted to the linkages unit`() throws {
    let pounds = try event(.bodyMass, .discrete, "lb")
    let weight = sample(.bodyMass, 45.359237, from: start)
    #expect(try values(pounds, [weight]).map(\.value) == [.double(100)])
    #expect(try values(pounds, [weight]).map(\.unit?.code) == ["[lb_av]"])
    let wrong = try event(.bodyMass, .discrete, "Cel")
    #expect(try values(wrong, [weight]).isEmpty)
  }

  @Test func `an all day event takes until midnight`() throws {
    let event = try event(.bodyMass, .discrete, "kg", lasting: .allDay)
    let midnight = try date("2023-05-02")
    func isTaken(_ date: Date) -> Bool { event.takes(sample(.bodyMass, 72.4, from: date)) }
    #expect(try isTaken(date("2023-05-01T07:10")))
    #expect(try isTaken(date("2023-05-01")))
    #expect(isTaken(midnight - 0.5))
    #expect(!isTaken(midnight))
    #expect(try !isTaken(date("2023-04-30T23:59:59")))
    #expect(event.occurrence.linkageEnd == midnight)
  }

  @Test func `an event of no length takes what is there`() throws {
    let event = try event(.bodyMass, .discrete, "kg", lasting: .seconds(0))
    #expect(event.takes(sample(.bodyMass, 72, from: start)))
    #expect(event.takes(sample(.bodyMass, 72, from: start - 1, to: start + 1)))
    #expect(!event.takes(sample(.bodyMass, 72, from: start + 1)))
  }

  @Test func `samples of others do not count`() throws {
    let event = try event(.bodyMass, .discrete, "kg", device: "left-thigh")
    #expect(event.takes(sample(.bodyMass, 72, from: start)))
    #expect(!event.takes(sample(.bodyMass, 72, from: start, patient: "jane")))
    #expect(!event.takes(sample(.bodyMass, 72, from: start, patient: nil)))
    #expect(!event.takes(sample(.bodyMass, 72, from: start, device: "other")))
    #expect(event.takes(sample(.bodyMass, 72, from: start, device: "Left-Thigh")))
    #expect(!event.takes(sample(.heartRate, 72, from: start)))
    let plain = try CareTests.event(
      of: task(schedule("2023-05-01T12:00", every: Interval(days: 1))))
    #expect(!plain.takes(sample(.bodyMass, 72, from: start)))
  }

  @Test func `a value that a person entered is kept`() throws {
    let typed = [value(.double(73), "kg", at: start)]
    let event = try event(.bodyMass, .discrete, "kg")
    #expect(
      try values(event, [sample(.bodyMass, 72, from: start + 9)], existing: typed) == typed)
  }

  @Test func `a performed measurement stays once`() throws {
    let event = try event(.rangeOfMotion, .discrete, "deg")
    let stored = sample(
      .rangeOfMotion, 80, from: start + 1, provenance: .active, kind: "range")
    let performed = [
      value(.double(80), "deg", kind: "range", at: start + 1, provenance: .active),
      value(.double(10), "deg", kind: "start", at: start + 1, provenance: .active),
    ]
    #expect(
      try values(event, [stored], existing: performed) == [performed[1], performed[0]])
  }
}
