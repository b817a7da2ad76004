import Care
import CareStore
import Foundation
import Interchange
import Synchronization
import TestSupport
import Testing

@testable import Outlets

/// The troubles between the store and a receiver, and those that befall the values meanwhile.
enum OutletTrouble: String, CaseIterable {
  case cutAfterCommit, busyForAWhile, busy, serverError, page, timeout, refusedConnection, fullDisk
  case killed, clockBack, correction, deletion, moved, erased, renamed
}

/// The kinds of receivers of these tests.
enum OutletKindUnderTest: String, CaseIterable {
  case webhook, influxDB, fhir, fhirWithoutIDs, file, mail

  func receiver() -> any Receiver {
    switch self {
    case .webhook: WebhookReceiver()
    case .influxDB: InfluxReceiver()
    case .fhir: FHIRReceiver(takesIDs: true)
    case .fhirWithoutIDs: FHIRReceiver(takesIDs: false)
    case .file: FolderReceiver()
    case .mail: MailboxReceiver()
    }
  }

  /// An outlet at work.
  func work(
    of store: SQLStore, scope: OutletScope, now: @escaping @Sendable () -> Date,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) async throws -> any OutletWork {
    guard let outlet = try outlet(of: store, now: now, send: send) else {
      let run = try MailboxReceiver.run(
        of: store, scope: scope, now: now,
        post: { mail in
          await send(HTTPRequest("PUT", mail.address, body: Data(mail.text.utf8))).meaning
        })
      try await run.begin(receiver: "here")
      return run
    }
    let run = OutletRun(
      "clinic", of: outlet, scope: scope, from: store, now: now, random: SeededGenerator(seed: 7))
    try await run.begin(receiver: "here")
    return run
  }

  private func outlet(
    of store: SQLStore, now: @escaping @Sendable () -> Date,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) throws -> (any DataOutlet)? {
    let address = try #require(WebAddress("http://127.0.0.1:9"))
    switch self {
    case .webhook:
      let secret = try #require(WebhookSecret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"))
      return WebhookOutlet(to: address, secret: secret, now: now, send: send)
    case .influxDB:
      return InfluxOutlet(
        to: address, database: .v1(database: "health", policy: nil), secret: nil, send: send)
    case .fhir, .fhirWithoutIDs:
      return FHIROutlet(to: FHIRServer(address, send: send), coder: FHIRCoder(timeZone: .gmt))
    case .file:
      return FileOutlet(
        in: .gmt,
        write: { patient, date in
          await FolderReceiver.write(patient, on: date, of: store, to: address, send: send)
        }, probe: { .delivered })
    case .mail: return nil
    }
  }
}

/// A clock that a test sets.
final class SetClock: Sendable {
  private let date = Mutex(OutletFaultTests.noon)
  var now: Date { date.withLock { $0 } }
  func set(_ new: Date) { date.withLock { $0 = new } }
}

/// The way to a receiver, on which the trouble happens once.
final class Line: Sendable {
  private let receiver: any Receiver
  private let trouble: Mutex<OutletTrouble?>
  private let count = Mutex(0)
  /// The happening in the midst of a request.
  private let meanwhile: @Sendable () async -> Void

  init(
    to receiver: any Receiver, trouble: OutletTrouble?,
    meanwhile: @escaping @Sendable () async -> Void = {}
  ) {
    self.receiver = receiver
    self.trouble = Mutex(trouble)
    self.meanwhile = meanwhile
  }

  /// How many requests the receiver took.
  var requests: Int { count.withLock { $0 } }

  func send(_ request: HTTPRequest) async -> TransferResult {
    let trouble = trouble.withLock { trouble in
      defer { trouble = nil }
      return trouble
    }
    func failed(_ status: Int, _ body: String = "", after: String? = nil) -> TransferResult {
      .answered(status: status, retryAfter: after, body: Data(body.utf8))
    }
    switch trouble {
    case .busyForAWhile: return failed(429, "slower", after: "600")
    case .busy: return failed(429)
    case .serverError: return failed(500, "oops")
    case .page: return failed(200, "<html>captive</html>")
    case .timeout: return .ended(.unknown(.timeout))
    case .refusedConnection: return .ended(.later(.unreachable("127.0.0.1"), after: nil))
    default: break
    }
    count.withLock { $0 += 1 }
    let answer = receiver.answer(request)
    if trouble != nil { await meanwhile() }
    switch trouble {
    case .cutAfterCommit: return .ended(.unknown(.unexpected(detail: "cut")))
    case .killed:
      // It never hears of the answer.
      try? await Task.sleep(for: .seconds(1_000_000))
      return .ended(.unknown(.timeout))
    default: return answer
    }
  }
}

/// Everything that leaves is right, once, whatever happens in between.
struct OutletFaultTests {
  static let noon = Date(timeIntervalSince1970: 1_795_003_200)

  private static func plan() -> PlanDocument {
    PlanDocument(
      timeZone: .gmt,
      patients: ["john", "mary", "nora"].map { Patient(id: $0, name: PersonName(given: $0)) },
      tasks: [])
  }

  private static func reading(
    _ quantity: Quantity, _ value: Double, _ minutes: Double, ordinal: Int = 0,
    isStreamed: Bool = false
  ) -> Reading {
    Reading(
      quantity: quantity, value: value, arrival: noon - 86_400 + minutes * 60,
      device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"), ordinal: ordinal,
      isStreamed: isStreamed, raw: isStreamed ? [] : [UInt8(saturating: minutes), 1])
  }

  private static func sample(_ reading: Reading, of patient: String?) -> Sample {
    Sample(
      reading: reading, patient: patient, start: reading.arrival, end: reading.arrival)
  }

  /// Weights, pressures and a strap's beats of two people, one that waits, and one of somebody whose
  /// values do not leave.
  private static func samples() -> [Sample] {
    var samples: [Sample] = []
    for index in 0..<40 {
      let owner = index % 3 == 0 ? "mary" : "john"
      samples.append(sample(reading(.bodyMass, 60 + Double(index) / 10, Double(index)), of: owner))
    }
    for index in 0..<5 {
      let at = 100 + Double(index)
      samples.append(sample(reading(.bloodPressureSystolic, 120 + at, at), of: "john"))
      samples.append(
        sample(reading(.bloodPressureDiastolic, 70 + Double(index), at, ordinal: 1), of: "john"))
    }
    for index in 0..<200 {
      let beat = reading(
        .heartRate, 60 + Double(index % 40), 200 + Double(index) / 60, isStreamed: true)
      samples.append(sample(beat, of: "john"))
    }
    samples.append(sample(reading(.bodyMass, 99, 300), of: nil))
    samples.append(sample(reading(.bodyMass, 88, 301), of: "nora"))
    return samples
  }

  /// The facts that the receiver must have in the end.
  static func facts(of store: SQLStore, people: [String]) async throws -> [Fact] {
    try await store.read { try facts(in: $0, people: people) }
  }

  static func facts(in reader: any StoreReader, people: [String]) throws -> [Fact] {
    try people.flatMap { person in
      try reader.samples(SampleQuery(owner: .patient(person), states: [.live])).map { sample in
        Fact(
          patient: person, quantity: sample.quantity.rawValue, time: sample.start.microseconds,
          value: sample.value)
      }
    }.sorted()
  }

  private static func change(_ store: SQLStore, _ trouble: OutletTrouble, at date: Date)
    async throws
  {
    if trouble == .erased { return try await store.erase(patient: "john", now: date) }
    if trouble == .renamed {
      return try await store.write { writer in
        let isOld = try writer.patients().contains { $0.id == "mary" }
        try writer.renamePatient(
          isOld ? "mary" : "maria", to: isOld ? "maria" : "mary", now: date)
      }
    }
    let values = try await store.read { reader in
      try reader.samples(SampleQuery(owner: .patient("john"), states: [.live]))
    }
    let weight = try #require(values.first { $0.quantity == .bodyMass })
    let systolic = try #require(values.first { $0.quantity == .bloodPressureSystolic })
    let strap = DeviceID("5C:CA:D3:70:D4:A2")
    let beats = values.filter { $0.quantity == .heartRate }
    let (from, to) = (beats[beats.count / 4].start, beats[beats.count / 2].start)
    _ = try await store.write { writer in
      switch trouble {
      case .correction:
        _ = try writer.correct(weight.identity, value: 61.5, source: nil, reason: nil, now: date)
        _ = try writer.correct(systolic.identity, value: 131, source: nil, reason: nil, now: date)
      case .deletion:
        _ = try writer.change(
          .sample(weight.identity), .delete, decidedBy: .person, reason: nil, now: date)
        _ = try writer.change(
          .sample(systolic.identity), .delete, decidedBy: .person, reason: nil, now: date)
        _ = try writer.change(
          .span(device: strap, from: from, to: to), .delete,
          decidedBy: .person, reason: nil, now: date)
      case .moved:
        _ = try writer.change(
          .sample(weight.identity), .assign(patient: "mary"), decidedBy: .person, reason: nil,
          now: date)
        _ = try writer.change(
          .span(device: strap, from: from, to: to),
          .assign(patient: "mary"), decidedBy: .person, reason: nil, now: date)
      default: break
      }
    }
  }

  @Test(arguments: OutletKindUnderTest.allCases, OutletTrouble.allCases)
  func `nothing is lost, nothing is there twice, and what changes follows`(
    kind: OutletKindUnderTest, trouble: OutletTrouble
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "outlet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "store.sqlite").path
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    let clock = SetClock()
    _ = try await store.write { writer in
      _ = try writer.importPlan(Self.plan(), options: PlanImportOptions(), now: clock.now)
      for sample in Self.samples() { _ = try writer.insert(sample) }
    }
    let receiver = kind.receiver()
    let line = Line(to: receiver, trouble: trouble) {
      switch trouble {
      case .fullDisk: try? FileManager.default.moveItem(atPath: path, toPath: path + ".away")
      case .clockBack: clock.set(Self.noon - 200_000)
      default: try? await Self.change(store, trouble, at: clock.now)
      }
    }
    let people: Set<String> = ["john", "mary", "maria"]
    func run() async throws -> any OutletWork {
      try await kind.work(
        of: store, scope: OutletScope(people: people, since: .distantPast), now: { clock.now },
        send: line.send)
    }
    if trouble == .killed {
      let first = try await run()
      let task = Task {
        var run = first
        while !Task.isCancelled {
          if case .rest(let date?) = try await run.round() { clock.set(date) }
        }
      }
      while line.requests == 0 { await Task.yield() }
      // The first program is gone; the second finds what it noted. A value is deleted in between.
      try await Self.change(store, .deletion, at: clock.now)
      try await Self.drain(try await run(), clock)
      #expect(try await Self.facts(of: store, people: people.sorted()) == receiver.facts)
      task.cancel()
      return
    }
    var first = try await run()
    do {
      first = try await Self.drain(first, clock)
    } catch let error as StoreError {
      #expect(trouble == .fullDisk, "\(error)")
      try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
      first = try await Self.drain(first, clock)
    }
    // The same changes when everything was sent before.
    try await Self.change(store, trouble, at: clock.now)
    try await Self.drain(first, clock)
    let expected = try await Self.facts(of: store, people: people.sorted())
    #expect(expected.count >= (trouble == .erased ? 10 : 150))
    #expect(receiver.facts == expected)
    let refused = try await store.readOutlets { try $0.refusedCount(by: "clinic") }
    #expect(refused == 0)
    // Nothing is left to send, and so nothing is.
    let requests = line.requests
    try await Self.drain(try await run(), clock)
    #expect(line.requests == requests)
  }

  /// Works until nothing is left; its clock goes on to when it wakes.
  @discardableResult static func drain<Work: OutletWork>(
    _ run: Work, _ clock: SetClock
  ) async throws -> Work {
    var run = run
    for _ in 0..<1_000 {
      switch try await run.round() {
      case .round: continue
      case .rest(nil): return run
      case .rest(let date?): clock.set(date)
      }
    }
    Issue.record("It comes to no end")
    return run
  }
}
