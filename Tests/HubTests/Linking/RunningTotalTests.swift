import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Radio
import TestSupport
import Testing
import Traces

/// A band that broadcasts the steps of its day.
struct RunningTotalTests {
  private static let start = time("2026-11-20T09:00:00-08:00")
  private static let devices = "  - {address: 5C:CA:D3:70:D4:A2, patient: john}"

  private static func catalog(counter: String) throws -> DeviceCatalog {
    try DeviceCatalog.load([
      [
        DefinitionFile(
          name: "band.yaml",
          text: """
            id: band
            name: Band
            vendor: Nobody
            description: Broadcasts its steps.
            match:
              all:
                - serviceData: {uuid: "FEE0", length: 4}
            link: {mode: advertisement}
            records:
              - serviceData: "FEE0"
                length: 4
                fields:
                  - {name: steps, type: u32le, quantity: stepCount\(counter)}
            vectors:
              - name: eleven steps
                provenance: derived
                from: the layout
                frames:
                  - {serviceData: "FEE0", hex: 0b000000}
                expect:
                  - {quantity: stepCount, value: 11}
            """)
      ]
    ])
  }

  private static func advertisements(
    _ totals: [Int], from first: Date = start, every seconds: Double = 60
  ) -> [TimedEvent] {
    totals.enumerated().map { index, total in
      .serviceData(
        0xFEE0, (0..<4).map { UInt8(truncatingIfNeeded: total >> (8 * $0)) },
        at: first + Double(index) * seconds)
    }
  }

  @discardableResult
  private func play(
    _ events: [TimedEvent], on store: SQLStore, counter: String = ", counter: daily"
  ) async throws -> HubRun {
    let log = ReportLog()
    var hub = try await Hub(
      radio: TraceRadio([SyntheticTrace(events)]), store: store,
      catalog: try Self.catalog(counter: counter), patient: nil, isClockSynchronized: { true }
    ) { log.add($0) }
    let summary = try await hub.run()
    return HubRun(reports: log.reports, summary: summary)
  }

  private func steps(in store: SQLStore) async throws -> [Double] {
    try await store.read { try $0.samples(SampleQuery(quantity: .stepCount)).map(\.value) }
  }

  private func store(_ plan: String = Plans.john(tasks: Plans.steps(2000), devices: devices))
    async throws
    -> SQLStore
  {
    let store = try SQLStore.counted()
    _ = try await Bench(plan, on: store)
    return store
  }

  @Test func `totals of a day are not added up`() async throws {
    let store = try await store()
    let run = try await play(Self.advertisements([1000, 1010, 1020]), on: store)
    #expect(run.stored.map(\.value) == [1000, 10, 10])
    #expect(run.completed == [])
    let events = try await Bench(on: store).events(
      "walk", from: "2026-11-20T00:00:00-08:00", to: "2026-11-20T23:00:00-08:00")
    #expect(events.map(\.progress.value) == [1020])
  }

  @Test func `a repeated total is one sample`() async throws {
    let store = try await store()
    let run = try await play(
      Self.advertisements(Array(repeating: 500, count: 100), every: 40), on: store)
    #expect(run.stored.map(\.value) == [500])
    #expect(run.summary.duplicates == 99)
  }

  @Test func `the next day begins at zero`() async throws {
    let store = try await store()
    try await play(Self.advertisements([900, 1990], every: 3600), on: store)
    let run = try await play(
      Self.advertisements([300, 2010], from: Self.start + 86_400, every: 3600), on: store)
    #expect(run.stored.map(\.value) == [300, 1710])
    #expect(run.completed == ["walk"])
  }

  @Test func `the last total survives a restart`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "measured-hub-\(ProcessInfo.processInfo.processIdentifier)-totals")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "care.db").path
    do {
      let store = try SQLStore.counted(at: path)
      _ = try await Bench(Plans.john(tasks: Plans.steps(2000), devices: Self.devices), on: store)
      try await play(
        Self.advertisements([70_000, 70_010]), on: store, counter: ", counter: continuous")
      try store.close()
    }
    let store = try SQLStore.counted(at: path)
    let run = try await play(
      Self.advertisements([70_050, 70_060], from: Self.start + 7200), on: store,
      counter: ", counter: continuous")
    #expect(run.stored.map(\.value) == [40, 10])
    #expect(try await steps(in: store) == [10, 40, 10])
    try store.close()
  }

  @Test func `a recording that is played again counts nothing`() async throws {
    let store = try await store()
    let events = Self.advertisements([1000, 1010, 40, 60])
    try await play(events, on: store)
    let again = try await play(events, on: store)
    #expect(again.stored.isEmpty)
    #expect(try await steps(in: store) == [1000, 10, 40, 20])
  }

  @Test func `the first of a continuous total is reported`() async throws {
    let store = try await store()
    let run = try await play(
      Self.advertisements([70_000, 70_010]), on: store, counter: ", counter: continuous")
    #expect(run.stored.map(\.value) == [10])
    let reasons = run.reports.compactMap {
      if case .uncounted(_, let reason) = $0 { reason } else { nil }
    }
    #expect(reasons == [.first])
  }

  @Test func `what was added is stored as it is`() async throws {
    let store = try await store()
    let run = try await play(
      Self.advertisements([10, 20, 30]), on: store, counter: ", counter: none")
    #expect(run.stored.map(\.value) == [10, 20, 30])
  }

  @Test func `a late frame adds nothing`() async throws {
    let store = try await store()
    let late = [(0.0, 71_000), (60, 71_038), (60.4, 71_000), (60.8, 71_038), (90, 71_060)]
    let run = try await play(
      late.flatMap { Self.advertisements([$0.1], from: Self.start + $0.0) }, on: store,
      counter: ", counter: continuous")
    #expect(run.stored.map(\.value) == [38, 22])
    #expect(run.summary.duplicates == 2)
  }

  @Test func `recordings of days may be played in any order`() async throws {
    let store = try await store()
    try await play(
      Self.advertisements([500, 5000], from: Self.start + 86_400, every: 36_000), on: store)
    let run = try await play(Self.advertisements([400, 4000], every: 36_000), on: store)
    #expect(run.stored.map(\.value) == [400, 3600])
    #expect(run.completed == ["walk"])
    #expect(try await steps(in: store) == [400, 3600, 500, 4500])
  }

  @Test func `nobody gets erased steps`() async throws {
    let store = try await store()
    try await play(Self.advertisements([1000]), on: store)
    try await store.write { try $0.erase(patient: "john", now: Self.start + 60) }
    let devices = "  - {address: 5C:CA:D3:70:D4:A2, patient: mary}"
    // An erased id is never taken again.
    let plan = Plans.couple(nil, nil, devices: devices)
      .replacing("  - {id: john}\n", with: "")
    _ = try await Bench(plan, on: store)
    let run = try await play(
      Self.advertisements([1600, 1610], from: Self.start + 4000), on: store)
    #expect(run.stored.map(\.value) == [10])
    #expect(run.stored.map(\.patient) == ["mary"])
  }
}
