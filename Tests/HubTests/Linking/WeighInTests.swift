import Care
import CareStore
import Foundation
import GATT
import Hub
import Radio
import TestSupport
import Testing
import Traces

/// A recorded weigh-in of a real scale: moving, stable, and removed weight.
@Suite struct WeighInTests {
  /// The sequence of the guide (lolouk44/xiaomi_mi_scale, thread 4), three seconds apart.
  static let frames = [
    "0204e3070a1e163b0d00005230", "0224e3070a1e163b2cfdff3e30", "02a4e3070a1e17000bfdff3e30",
  ]

  static func weighIn(at start: Date = time("2019-10-30T22:59:40-07:00")) -> [TimedEvent] {
    frames.enumerated().map { index, frame in
      .serviceData(0x181B, bytes(frame), at: start + Double(index) * 3)
    }
  }

  static let plan = Plans.john(expects: "62 kg")

  @Test func `completes the task once at the frames own time`() async throws {
    let bench = try await Bench(Self.plan)
    let run = try await bench.play(Self.weighIn())
    let sample = try #require(run.stored.first)
    #expect(sample.patient == "john")
    #expect(sample.value == 61.75)
    #expect(sample.start == time("2019-10-30T22:59:44-07:00"))
    #expect(sample.isClockTrusted)
    #expect(run.completed == ["weigh-in"])
    #expect(run.reports.count == 2)
    #expect(run.summary.events == 3)
    #expect(run.summary.stored == 1)
  }

  @Test func `a replay is recognised`() async throws {
    let store = try SQLStore.counted()
    let bench = try await Bench(Self.plan, on: store)
    try await bench.play(Self.weighIn())
    let contents = try await store.contents()
    let run = try await bench.play(Self.weighIn())
    #expect(run.reports.count == 1)
    #expect(run.summary.duplicates == 1)
    #expect(try await store.contents() == contents)
    #expect(!contents.isEmpty)
  }

  @Test func `ignores repeated frames`() async throws {
    let bench = try await Bench(Self.plan)
    let start = time("2019-10-30T22:59:40-07:00")
    let again = (2...100).map { index in
      TimedEvent.serviceData(
        0x181B, bytes(Self.frames[index.isMultiple(of: 2) ? 1 : 2]), at: start + Double(index) * 3)
    }
    let run = try await bench.play(Self.weighIn(at: start) + again)
    #expect(run.reports.count == 2)
    #expect(try await bench.samples().map(\.value) == [61.75])
  }

  /// Twenty-five seconds ahead of this machine's clock: what is over would lie in the future.
  @Test func `removed frames alone give no reading`() async throws {
    let bench = try await Bench(Self.plan)
    let run = try await bench.play([Self.weighIn()[2], Self.weighIn()[0]])
    #expect(run.reports.isEmpty)
  }

  /// The box was out of reach while the person stood on the scale.
  @Test func `frames after stepping off count if the clock shows that it was just now`()
    async throws
  {
    let start = time("2019-10-30T23:00:13-07:00")
    let removed = [0.0, 3].map {
      TimedEvent.serviceData(0x181B, bytes(Self.frames[2]), at: start + $0)
    }
    let bench = try await Bench(Self.plan)
    let late = try await bench.play(removed)
    #expect(late.stored.map(\.value) == [61.75])
    #expect(late.stored.map(\.start) == [time("2019-10-30T23:00:11-07:00")])
    // Not after a restart.
    let again = try await bench.play(removed)
    #expect(again.stored.isEmpty && again.unassigned.isEmpty)
    // Ten minutes later the same frames may be of a weighing that is known from elsewhere.
    let empty = try await Bench(Self.plan)
    let stale = try await empty.play(
      removed.map { TimedEvent(time: $0.time + 600, event: $0.event) })
    #expect(stale.reports.isEmpty)
  }

  /// The box was restarted between the two; the scale tells the time of stepping off.
  @Test func `what was heard is not heard again after stepping off`() async throws {
    let bench = try await Bench(Self.plan)
    try await bench.play([Self.weighIn()[0], Self.weighIn()[1]])
    let run = try await bench.play([
      .serviceData(0x181B, bytes(Self.frames[2]), at: time("2019-10-30T23:00:12-07:00"))
    ])
    #expect(run.stored.isEmpty && run.summary.duplicates == 1)
    #expect(try await bench.samples().map(\.value) == [61.75])
  }

  @Test func `reads the trace format alike`() async throws {
    let text = """
      {"measured-trace":1,"start":"2019-10-30T22:59:40-07:00"}
      {"t":3,"type":"advertisement","address":"5C:CA:D3:70:D4:A2","data":"10161b180224e3070a1e163b2cfdff3e30"}
      {"t":6,"type":"advertisement","address":"5C:CA:D3:70:D4:A2","data":"10161b1802a4e3070a1e17000bfdff3e30"}
      """
    let bench = try await Bench(Self.plan)
    let reader = try RadioTraceReader(MemoryStream(name: "trace.jsonl", bytes: Array(text.utf8)))
    let run = try await bench.play(TraceRadio([reader]))
    #expect(run.completed == ["weigh-in"])
    #expect(run.stored.map(\.value) == [61.75])
  }

  @Test func `two weighings of the same weight are two`() async throws {
    let bench = try await Bench(Self.plan)
    let morning = time("2026-11-20T07:10:00-08:00")
    let run = try await bench.play([
      .mi(MiFrame(kilograms: 61.75, clock: "2026-11-20T07:10:00"), at: morning),
      .mi(MiFrame(kilograms: 61.75, clock: "2026-11-20T07:30:00"), at: morning + 1200),
      .mi(MiFrame(kilograms: 61.75, clock: "2026-11-20T07:10:00"), at: morning + 2400),
    ])
    #expect(
      run.stored.map(\.start) == [morning, morning + 1200])
  }

  /// A passive reading completes the all-day event at its own time, once; after the next
  /// local midnight it belongs to the next day.
  @Test func `a passive reading completes the day once at its own time`() async throws {
    let bench = try await Bench(Plans.john(expects: "72 kg"))
    let morning = time("2026-11-20T07:10:00-08:00")
    let frame = TimedEvent.mi(MiFrame(kilograms: 72.4, clock: "2026-11-20T07:10:00"), at: morning)
    let run = try await bench.play([
      frame, TimedEvent(time: morning + 1, event: frame.event),
      .mi(
        MiFrame(kilograms: 72.6, clock: "2026-11-21T00:00:00"),
        at: time("2026-11-21T00:00:00-08:00")),
    ])
    #expect(run.completed == ["weigh-in", "weigh-in"])
    let events = try await bench.events(
      "weigh-in", from: "2026-11-20T00:00:00-08:00", to: "2026-11-22T00:00:00-08:00"
    ).filter { $0.outcome != nil }
    #expect(
      events.map(\.occurrence.start)
        == [time("2026-11-20T00:00:00-08:00"), time("2026-11-21T00:00:00-08:00")])
    let value = try #require(events.first?.outcome?.values.first)
    #expect(events.first?.outcome?.values.count == 1)
    #expect(value.value == .double(72.4))
    #expect(value.time == morning)
    #expect(value.provenance == .passive)
    #expect(events.map(\.progress.isCompleted) == [true, true])
  }
}
