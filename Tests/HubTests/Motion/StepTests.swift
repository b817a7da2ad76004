import Care
import CareStore
import Foundation
import Hub
import Measurement
import Motion
import Radio
import Testing
import Traces

/// From a sensor's bytes to a task with a daily step count.
@Suite struct StepTests {
  private static let start = time("2026-11-20T17:00:20-08:00")
  private static let walk = GaitModel().samples(seconds: 200)

  @Test(arguments: [false, true])
  func `a walk becomes minutes of steps`(compressed: Bool) async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(250)))
    let run = try await bench.play(
      polar(Self.walk, compressed: compressed, at: Self.start))
    let samples = try await bench.samples(.stepCount)
    #expect(samples.map(\.value).reduce(0, +) == Double(steps(in: Self.walk)))
    #expect(
      samples.map(\.start) == (0..<4).map { time("2026-11-20T17:00:00-08:00") + Double($0) * 60 })
    #expect(samples.map { $0.end.timeIntervalSince($0.start) } == [60, 60, 60, 60])
    #expect(samples.allSatisfy { $0.patient == "john" && $0.isClockTrusted })
    // 108 steps a minute: 250 are reached in the third minute, and reported at once.
    #expect(
      run.progressed.map(\.value) == [samples[0].value, samples[0].value + samples[1].value])
    #expect(run.completed == ["walk"])
  }

  @Test func `is near the ground truth`() {
    // 200 s at 108 a minute.
    #expect(abs(steps(in: Self.walk) - 360) <= 7)
  }

  @Test func `a replay is recognised`() async throws {
    let store = try SQLStore.counted()
    let bench = try await Bench(Plans.john(tasks: Plans.steps(250)), on: store)
    let events = polar(Self.walk, compressed: false, at: Self.start)
    try await bench.play(events)
    let contents = try await store.contents()
    let run = try await bench.play(events)
    #expect(run.summary.duplicates == 4)
    #expect(run.reports.count == 4)
    #expect(try await store.contents() == contents)
  }

  /// A trunk's rhythm is none of a foot's, which swings once in two steps.
  @Test(
    arguments: [("trunk", .trunk), ("left-foot", .foot), ("left-hand", .hand), ("chest", nil)]
      as [(String, Segment?)])
  func `a sensor counts for its place`(sensor: String, segment: Segment?) async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(250)))
    try await bench.play(motion(of: sensor, Self.walk, at: Self.start))
    let counted = try await bench.samples(.stepCount).map(\.value).reduce(0, +)
    #expect(counted == Double(steps(in: Self.walk, on: segment)))
    #expect((counted > 300) == (segment != .foot))
  }

  /// Completed minutes are stored while the walk continues.
  @Test func `progress shows while walking`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(250)))
    let radio = PausingRadio(polar(Self.walk, compressed: false, at: Self.start))
    let store = bench.store
    radio.observe = { _ in
      try await store.read { reader in
        try reader.events(
          patient: "john", task: "walk", from: Self.start, to: Self.start + 1
        ).first?.progress.value ?? 0
      }
    }
    try await bench.play(radio)
    let counts = try await bench.samples(.stepCount).map(\.value)
    let sums = (0...counts.count).map { counts.prefix($0).reduce(0, +) }
    #expect(radio.observations.reduce(into: []) { if $0.last != $1 { $0.append($1) } } == sums)
    #expect(sums.count == 5)
  }

  @Test func `a disconnected sensors last minute is stored`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(50)))
    let walk = Array(Self.walk.prefix(50 * 45))
    let events = polar(walk, compressed: false, at: Self.start)
    let run = try await bench.play(
      events + [TimedEvent(time: Self.start + 46, event: .disconnected(.strap))])
    #expect(
      run.stored.filter { $0.quantity == .stepCount }.map(\.value).reduce(0, +)
        == Double(steps(in: walk)))
    #expect(run.completed == ["walk"])
  }

  /// A sensor that is silent for a minute and a half, and then continues to walk.
  @Test func `a silence ends a walk and loses no step`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(1000)))
    let first = Array(Self.walk.prefix(50 * 40))
    let second = first.map { sample in
      MotionSample(time: sample.time + 130_000_000, acceleration: sample.acceleration)
    }
    let events = motion(of: "chest", first + second, at: Self.start)
    try await bench.play(events)
    let samples = try await bench.samples(.stepCount)
    #expect(samples.map(\.value).reduce(0, +) == Double(steps(in: first + second)))
    #expect(steps(in: first + second) == 2 * steps(in: first))
    #expect(Set(samples.map(\.start)).count == samples.count)
  }

  /// Steps that a sensor recorded out of range, and sends after their minute is closed, are not
  /// lost.
  @Test func `late steps are not lost`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(1000)))
    let start = time("2026-11-20T17:00:00-08:00")
    let first = Array(Self.walk.prefix(50 * 30))
    // Measured from second 40 on, received at second 75: the first minute was closed at its end.
    let late = first.map {
      MotionSample(time: $0.time + 40_000_000, acceleration: $0.acceleration)
    }
    let events =
      motion(of: "chest", first, at: start)
      + motion(of: "chest", late, at: start).map { event in
        guard case .motion(var motion) = event.event else { return event }
        for index in motion.samples.indices { motion.samples[index].time -= 35_000_000 }
        return TimedEvent(time: event.time + 35, event: .motion(motion))
      }
    try await bench.play(events)
    let samples = try await bench.samples(.stepCount)
    #expect(
      samples.map(\.value).reduce(0, +) == Double(steps(in: first) + steps(in: late)))
  }

  /// Two sensors on one body count the same steps; both counts are stored, and one is used.
  @Test func `two sensors on one body count a step once`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(1000)))
    let chest = motion(of: "chest", Self.walk, at: Self.start)
    let pocket = motion(of: "pocket", Array(Self.walk.dropLast(50 * 60)), at: Self.start)
    let both = (chest + pocket).enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    try await bench.play(both.map(\.element))
    let event = try await bench.events(
      "walk", from: "2026-11-20T17:00:00-08:00", to: "2026-11-20T18:00:00-08:00"
    ).first
    #expect(event?.progress.value == Double(steps(in: Self.walk)))
    #expect(Set(try await bench.samples(.stepCount).map(\.device.address)) == ["chest", "pocket"])
  }

  /// Two sensors whose names differ only in case are two streams; none is dropped.
  @Test func `two spellings of a name are two streams`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(1000)))
    let events =
      motion(of: "chest", Self.walk, at: Self.start)
      + motion(of: "Chest", Self.walk, at: Self.start)
    let both = events.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }
    try await bench.play(both.map(\.element))
    let event = try await bench.events(
      "walk", from: "2026-11-20T17:00:00-08:00", to: "2026-11-20T18:00:00-08:00"
    ).first
    #expect(event?.progress.value == Double(steps(in: Self.walk)))
    #expect(
      Set(try await bench.samples(.stepCount).map(\.device.address.text)) == ["chest", "Chest"])
  }

  @Test func `invalid sensor times are harmless`() async throws {
    let bench = try await Bench(Plans.john(tasks: Plans.steps(1000)))
    let sample = MotionSample(time: .max, acceleration: Vector3(x: 0, y: 0, z: 1_000_000))
    let other = MotionSample(time: .min, acceleration: Vector3(x: 0, y: 0, z: 1_000_000))
    let run = try await bench.play([
      TimedEvent(
        time: Self.start, event: .motion(RecordedMotion(sensor: "a", samples: [sample, other]))),
      TimedEvent(
        time: Self.start + 1, event: .motion(RecordedMotion(sensor: "a", samples: [other, sample]))),
      TimedEvent(time: Self.start + 2, event: .motion(RecordedMotion(sensor: "b", samples: []))),
    ])
    #expect(run.reports.isEmpty)
    #expect(run.summary.events == 3)
  }
}
