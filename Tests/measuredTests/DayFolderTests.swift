import Care
import CareStore
import Foundation
import Outlets
import TestSupport
import Testing

@testable import Terminal

/// Files by day in a folder, as an outlet writes them.
struct DayFolderTests {
  private static let noon = Date(timeIntervalSince1970: 1_795_003_200)
  private static let device = DeviceIdentity(address: "5C:CA:D3:70:D4:A2")

  /// A store with weights of two people over three days, and an outlet of them.
  private final class World {
    let folder: URL
    let store: SQLStore
    let days: String

    init(isBlocked: Bool = false) async throws {
      folder = FileManager.default.temporaryDirectory.appending(path: "days-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      store = try SQLStore.open(
        path: folder.appending(path: "s.sqlite").path, makeUUID: { UUID() })
      days = folder.appending(path: "outlets/days").path
      let plan = PlanDocument(
        timeZone: .gmt,
        patients: ["john", "mary"].map { Patient(id: $0, name: PersonName(given: $0)) }, tasks: [])
      _ = try await store.write { writer in
        _ = try writer.importPlan(plan, now: noon)
        for day in 0..<3 {
          for (index, person) in ["john", "mary"].enumerated() {
            let value = 70 + Double(day) + Double(index * 10)
            let reading = Reading(
              quantity: .bodyMass, value: value,
              arrival: noon - 86_400 * Double(day) + Double(index),
              device: device, raw: [UInt8(day), UInt8(index)])
            _ = try writer.insert(
              Sample(
                reading: reading, patient: person, start: reading.arrival, end: reading.arrival))
          }
        }
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func run(format: String = "csv") async throws -> OutletRun {
      let definition = OutletDefinition(
        .file, ["people": ["all"], "format": [format], "since": ["2026-01-01"]])
      let settings = try #require(OutletSettings("days", definition))
      let outlet = try #require(
        try settings.outlet(
          of: store, folder: folder.path, zone: .gmt, now: { noon },
          send: { _ in .ended(.later(.timeout, after: nil)) }))
      let run = OutletRun(
        "days", of: outlet, scope: settings.scope, from: store, now: { noon },
        random: SeededGenerator(seed: 7))
      try await run.begin(receiver: settings.receiver)
      return run
    }

    /// Works until nothing is left, or something waits for a time.
    func drain(format: String = "csv") async throws {
      var run = try await run(format: format)
      for _ in 0..<100 { if case .rest = try await run.round() { return } }
      Issue.record("It comes to no end")
    }

    /// The files by their names, below the folder of the outlet.
    var files: [String: String] {
      let paths = FileManager.default.enumerator(atPath: days)?.compactMap { $0 as? String } ?? []
      let pairs = paths.compactMap { path in
        (try? String(contentsOfFile: days + "/" + path, encoding: .utf8)).map { (path, $0) }
      }
      return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The weights that the files have, by file.
    var weights: [String: [Double]] {
      files.mapValues { text in
        text.split(separator: "\n").dropFirst().compactMap {
          Double($0.split(separator: ",", omittingEmptySubsequences: false)[2])
        }
      }
    }

    func first(of patient: String) async throws -> Sample {
      let all = try await store.read { reader in
        try reader.samples(SampleQuery(owner: .patient(patient), states: [.live]))
      }
      return try #require(all.first)
    }
  }

  private static let days = ["2026-11-16", "2026-11-17", "2026-11-18"]

  @Test func `a day of a person is a file, for its owner alone, and nothing else is left`()
    async throws
  {
    let world = try await World()
    try await world.drain()
    let names = ["john", "mary"].flatMap { person in Self.days.map { "\(person)/\($0).csv" } }
    #expect(Set(world.files.keys) == Set(names))
    #expect(world.weights["john/2026-11-18.csv"] == [70])
    #expect(world.weights["mary/2026-11-16.csv"] == [82])
    let first = try #require(world.files["john/2026-11-18.csv"]?.split(separator: "\n").first)
    #expect(first.hasPrefix("id,quantity,value,unit,kind,time"))
    let path = world.days + "/john/2026-11-18.csv"
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a correction, a deletion, a move and an erasure follow`() async throws {
    let world = try await World()
    try await world.drain()
    let (john, mary) = (try await world.first(of: "john"), try await world.first(of: "mary"))
    _ = try await world.store.write { writer in
      _ = try writer.correct(
        john.identity, value: 71.5, source: nil, reason: nil, now: Self.noon)
    }
    try await world.drain()
    #expect(world.weights["john/2026-11-16.csv"] == [71.5])
    _ = try await world.store.write { writer in
      _ = try writer.change(
        .sample(mary.identity), .assign(patient: "john"), decidedBy: .person, reason: nil,
        now: Self.noon)
    }
    try await world.drain()
    #expect(world.weights["mary/2026-11-16.csv"] == nil)
    #expect(world.weights["john/2026-11-16.csv"]?.sorted() == [71.5, 82])
    _ = try await world.store.write { writer in
      _ = try writer.change(
        .sample(mary.identity), .delete, decidedBy: .person, reason: nil, now: Self.noon)
    }
    try await world.drain()
    #expect(world.weights["john/2026-11-16.csv"] == [71.5])
    try await world.store.erase(patient: "john", now: Self.noon)
    try await world.drain()
    #expect(Set(world.files.keys) == ["mary/2026-11-17.csv", "mary/2026-11-18.csv"])
  }

  @Test func `what cannot be written waits, and is written later`() async throws {
    let world = try await World()
    // A file where the folder should be.
    let above = world.folder.appending(path: "outlets").path
    _ = FileManager.default.createFile(atPath: above, contents: Data())
    try await world.drain()
    let course = try await world.store.readOutlets { try OutletCourse("days", in: $0) }
    guard case .folder(let path, _)? = course.fault else {
      Issue.record("\(String(describing: course.fault))")
      return
    }
    #expect(path == world.days)
    #expect(try await world.store.readOutlets { try $0.refusedCount(by: "days") } == 0)
    try FileManager.default.removeItem(atPath: above)
    try await world.store.writeOutlets { writer in
      var course = try OutletCourse("days", in: writer)
      course.retryNow()
      try course.keep("days", in: writer)
    }
    try await world.drain()
    #expect(world.files.count == 6)
  }

  @Test func `an end in the midst, and a draft that it left, change nothing`() async throws {
    let world = try await World()
    let first = try await world.run()
    let task = Task {
      var run = first
      _ = try await run.round()
    }
    task.cancel()
    _ = try? await task.value
    try FileManager.default.createDirectory(
      atPath: world.days + "/john", withIntermediateDirectories: true)
    _ = FileManager.default.createFile(
      atPath: world.days + "/john/2026-11-18.csv.new", contents: Data("half".utf8))
    try await world.store.writeOutlets { writer in
      var course = try OutletCourse("days", in: writer)
      course.sendPast(from: nil, isForced: true)
      try course.keep("days", in: writer)
    }
    try await world.drain()
    #expect(world.files.count == 6)
    #expect(world.files.keys.allSatisfy { $0.hasSuffix(".csv") })
  }

  @Test func `the other formats are written by the same rules`() async throws {
    let world = try await World()
    try await world.drain(format: "fit")
    let fit = FileManager.default.contents(
      atPath: world.days + "/john/2026-11-18-weight.fit")
    #expect(fit?.count == 76 || (fit?.count ?? 0) > 40)
    #expect(fit.map { Array($0[8..<12]) } == Array(".FIT".utf8))
    let other = try await World()
    try await other.drain(format: "omh")
    #expect(other.files["mary/2026-11-18.ndjson"]?.contains(#""body_weight""#) == true)
  }

  @Test(arguments: [
    ("john", "john"), ("../x", "%2e%2e%2fx"), (".", "%2e"), ("a b", "a%20b"), ("周", "%e5%91%a8"),
  ])
  func `an id leads out of no folder`(id: String, name: String) {
    #expect(DayFolder.name(of: id) == name)
  }
}
