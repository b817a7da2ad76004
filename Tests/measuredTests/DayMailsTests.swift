import Care
import CareStore
import Foundation
import Interchange
import Outlets
import Synchronization
import Testing

@testable import Terminal

/// The files of days by mail: what a mail says and what goes with it.
struct DayMailsTests {
  private static let noon = Date(timeIntervalSince1970: 1_795_003_200)
  private static let device = DeviceIdentity(address: "5C:CA:D3:70:D4:A2")

  private struct Sent: Sendable {
    var message: OutgoingMessage
    var files: [MailAttachment]
  }

  private final class World: Sendable {
    let store: SQLStore
    let sent = Mutex<[Sent]>([])
    private let date = Mutex(DayMailsTests.noon)
    var now: Date { date.withLock { $0 } }

    init(language: String?) async throws {
      store = try SQLStore.inMemory(makeUUID: { UUID() })
      let plan = PlanDocument(
        timeZone: .gmt,
        patients: [Patient(id: "john", name: PersonName(given: "John"), language: language)],
        tasks: [])
      _ = try await store.write { try $0.importPlan(plan, now: noon) }
      for (index, value) in [70.5, 71, 72].enumerated() {
        try await add(.bodyMass, value, at: noon - 86_400 * Double(index / 2 + 1) + Double(index))
      }
      try await add(.heartRate, 61, at: noon - 86_300)
    }

    func add(_ quantity: Quantity, _ value: Double, at time: Date) async throws {
      try await store.write { writer in
        let reading = Reading(
          quantity: quantity, value: value, arrival: time, device: device,
          raw: [UInt8(value), quantity == .bodyMass ? 1 : 2])
        _ = try writer.insert(Sample(reading: reading, patient: "john", start: time, end: time))
      }
    }

    /// Works until nothing is left, with the clock ahead to when it wakes.
    func drain(_ keys: [String: [String]] = [:]) async throws {
      let definition = OutletDefinition(
        .file,
        ["people": ["all"], "mail": ["nora@example.org"], "since": ["2026-01-01"]]
          .merging(keys) { $1 })
      let settings = try #require(OutletSettings("days", definition))
      let address = try #require(definition.mailbox)
      var run = settings.mails(
        to: address, of: store, zone: .gmt, now: { self.now },
        post: { message, files in
          self.sent.withLock { $0.append(Sent(message: message, files: files)) }
          return .delivered
        })
      try await run.begin(receiver: settings.receiver)
      for _ in 0..<100 {
        switch try await run.round() {
        case .round: continue
        case .rest(nil): return
        case .rest(let until?): date.withLock { $0 = until }
        }
      }
      Issue.record("It comes to no end")
    }

    var mails: [Sent] { sent.withLock { $0 } }
  }

  @Test func `it says the days, the values and what went before`() async throws {
    let world = try await World(language: nil)
    try await world.drain()
    let first = try #require(world.mails.first)
    #expect(first.message.title == "Measurements of john: 2026-11-16 to 2026-11-17")
    #expect(
      first.message.body == """
        Measurements of john: the number of values, by day.

        2026-11-16: Weight (1). File: john-2026-11-16.csv.

        2026-11-17: Heart rate (1) and Weight (2). File: john-2026-11-17.csv.
        """)
    let all = try await world.store.read { reader in
      try reader.samples(SampleQuery(owner: .patient("john"), states: [.live]))
    }
    let oldest = try #require(all.min { $0.start < $1.start })
    _ = try await world.store.write { [now = world.now] writer in
      try writer.change(
        .sample(oldest.identity), .delete, decidedBy: .person, reason: nil, now: now)
    }
    let light = try #require(all.first { $0.value == 70.5 })
    _ = try await world.store.write { [now = world.now] in
      try $0.correct(light.identity, value: 69, source: nil, reason: nil, now: now)
    }
    try await world.drain()
    let second = try #require(world.mails.last)
    #expect(world.mails.count == 2)
    #expect(second.message.title == "Measurements of john: 2026-11-16 to 2026-11-17, corrected")
    #expect(
      second.message.body.contains(
        "2026-11-16: nothing any more. File: john-2026-11-16.csv. "
          + "This replaces what was sent of that day before."))
    #expect(second.files.map(\.name) == first.files.map(\.name))
    let tables = second.files.map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(tables[0] == SampleOutput.csvHeading + "\n")
    #expect(tables[1].contains(",69.0,") && !tables[1].contains(",70.5,"))
    try await world.store.erase(patient: "john", now: world.now)
    try await world.drain()
    let last = try #require(world.mails.last)
    #expect(last.message.title == "Measurements of john: no longer valid")
    #expect(last.files.isEmpty && last.message.body.contains("Please delete every file of john"))
  }

  @Test func `it is in the language of the person`() async throws {
    let world = try await World(language: "zh-Hant")
    try await world.drain()
    let mail = try #require(world.mails.first)
    #expect(mail.message.title == "john 的量測資料：2026-11-16 至 2026-11-17")
    #expect(mail.message.body.contains("2026-11-16：體重（1）。檔案：john-2026-11-16.csv。"))
  }

  @Test(
    arguments: [
      (
        "csv", ["quantities": ["heartRate"]], ["john-2026-11-17.csv"], "2026-11-17: Heart rate (1)."
      ),
      (
        "fit", [:], ["john-2026-11-16-weight.fit", "john-2026-11-17-weight.fit"],
        "2026-11-17: Weight (2)."
      ),
      (
        "omh", [:], ["john-2026-11-16.ndjson", "john-2026-11-17.ndjson"],
        "2026-11-17: Heart rate (1) and Weight (2)."
      ),
      ("csv", ["since": ["2026-11-17"]], ["john-2026-11-17.csv"], "2026-11-17: Heart rate (1) and"),
      ("csv", ["people": ["nora"]], [], ""),
    ] as [(String, [String: [String]], [String], String)])
  func `what goes is what the outlet says`(
    format: String, keys: [String: [String]], files: [String], words: String
  ) async throws {
    let world = try await World(language: "en")
    try await world.drain(keys.merging(["format": [format]]) { $1 })
    #expect(world.mails.flatMap(\.files).map(\.name) == files)
    #expect(words.isEmpty || world.mails.first?.message.body.contains(words) == true)
  }

  @Test func `no folder is written for mails`() async throws {
    let definition = OutletDefinition(
      .file, ["people": ["all"], "mail": ["nora@example.org"]])
    let settings = try #require(OutletSettings("days", definition))
    let outlet = try settings.outlet(
      of: nil, folder: "/nowhere", zone: .gmt, now: { Self.noon },
      send: { _ in .ended(.later(.timeout, after: nil)) })
    #expect(outlet == nil)
    let result = try await settings.test(
      in: nil, folder: "/nowhere", authorities: nil, mail: nil, now: { Self.noon })
    #expect(result == .later(.noMailServer, after: nil))
  }
}
