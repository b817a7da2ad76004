import Care
import CareStore
import Foundation

/// Prints how fast the store is in a file and on the server at `address`, by turns.
///
/// The server should wait for its disk as the file does:
///
///     MEASURED_POSTGRESQL_FSYNC=on ../Tests/PostgreSQL/with-server sh -c 'measured-bench engines "$MEASURED_POSTGRESQL"'
func printEngineSpeeds(address: String) async throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "measured-bench-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let source = try await BenchStore(folder.path + "/source.db", tasks: 200)
  let (years, last) = (2, BenchPlan.dayCount)
  try source.addOutcomes(days: last - 365 * years..<last)
  try await source.addBeats(days: last - 3..<last)
  let export = folder.path + "/export.jsonl"
  try await source.store.export(to: export)
  let lines = try String(contentsOfFile: export, encoding: .utf8).utf8.count { $0 == 10 }
  let places = [folder.path + "/file.db", address]
  func each(_ name: String, bound: String, _ work: (SQLStore, Int) async throws -> Double)
    async throws
  {
    var figures: [Double] = []
    for (place, store) in stores.enumerated() { figures.append(try await work(store, place)) }
    print(
      column(name, width: 44), column(figures[0], digits: 2, width: 10),
      column(figures[1], digits: 2, width: 10),
      column(figures[1] / figures[0], digits: 2, width: 8), "  " + bound)
  }
  let stores = try places.map { try SQLStore.open(path: $0, makeUUID: { UUID() }) }
  print("\nthe store: 200 tasks for \(years) years, 3 days of a strap, \(lines) lines")
  print(column("", width: 44), "      file", "    server", "   ratio", "  bound")
  try await each("merged lines/s", bound: "10000") { store, _ in
    let seconds = try await seconds { _ = try await store.merge(contentsOf: export) }
    return Double(lines) / seconds
  }
  try await each("opening, ms", bound: "1000") { _, place in
    try await median(11) { _ = try SQLStore.open(path: places[place], makeUUID: { UUID() }) }
  }
  let (from, to) = (BenchPlan.day(last - 100), BenchPlan.day(last - 99))
  try await each("events of 200 tasks, ms", bound: "5") { store, _ in
    try await median(31) {
      let events = try await store.read {
        try $0.events(patient: "anna", task: nil, from: from, to: to)
      }
      precondition(events.count { $0.outcome?.values.count == 1 } >= 200)
    }
  }
  try await each("today with 86 400 heart rates, ms", bound: "10") { store, _ in
    try await median(15) {
      let day = try await store.read {
        try CareDay($0, patient: "ben", on: BenchPlan.day(last) - 3600, in: BenchPlan.zone)
      }
      precondition(!day.events.isEmpty)
    }
  }
  try await each("durable answer, ms", bound: "") { store, _ in
    var day = last + 10
    return try await median(200) {
      let event = try await store.read { [day] in
        try $0.events(
          patient: "anna", task: "task0", from: BenchPlan.day(day), to: BenchPlan.day(day + 1)
        ).last?.reference
      }
      guard let event else { return }
      _ = try await store.write { [day] in
        try $0.setOutcome(
          [OutcomeValue(value: .double(1), time: BenchPlan.day(day), provenance: .manual)],
          of: event, now: BenchPlan.day(day + 1))
      }
      day += 1
    }
  }
  try await each("samples/s in batches of 1000", bound: "") { store, _ in
    var batch = 0
    let milliseconds = try await median(20) {
      let start = BenchPlan.day(last + 500) + Double(batch) * 1000
      let samples = (0..<1000).map { [batch] in
        BenchPlan.single(.pulseRate, at: start + Double($0), batch * 1000 + $0)
      }
      _ = try await store.write { writer in try samples.count { try writer.insert($0) } }
      batch += 1
    }
    return 1_000_000 / milliseconds
  }
  try await each("an hour of a strap, s", bound: "") { store, _ in
    try await seconds {
      for batch in stride(from: 0, to: 3600, by: 60) {
        try await store.write { writer in
          for second in batch..<batch + 60 {
            _ = try writer.insert(BenchPlan.beat(second, from: BenchPlan.day(last + 600)))
          }
        }
      }
    }
  }
  try await each("days of 50 readers at a time, 1/s", bound: "300") { store, _ in
    let (readers, each) = (50, 20)
    let seconds = try await seconds {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<readers {
          group.addTask {
            for _ in 0..<each {
              _ = try await store.read {
                try $0.events(patient: "ben", task: nil, from: from, to: to)
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    return Double(readers * each) / seconds
  }
}

private func seconds(_ work: () async throws -> Void) async throws -> Double {
  let begin = ContinuousClock().now
  try await work()
  let took = (ContinuousClock().now - begin).components
  return Double(took.seconds) + Double(took.attoseconds) / 1e18
}

/// The median of some runs, in milliseconds.
private func median(_ count: Int, _ work: () async throws -> Void) async throws -> Double {
  var found: [Double] = []
  for _ in 0..<count { found.append(try await seconds(work) * 1e3) }
  return found.sorted()[count / 2]
}
