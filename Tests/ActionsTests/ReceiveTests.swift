import Access
import Care
import CareStore
import Foundation
import Interchange
import Testing

@testable import Actions

/// Batches that phones send, without a face.
@Suite struct ReceiveTests {
  private let store: SQLStore
  private let now = time("2026-11-01T12:00:00Z")

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    try await store.importTwoPatients()
  }

  // MARK: Making batches

  private static let device = "strap"
  private static let source = "3a3486dd-5030-4e17-a00d-a781399890f9"

  /// The id of a batch or replacement of a number.
  private static func id(_ number: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
  }

  private static func heartRates(
    _ number: Int, _ rates: [(Int, Int)], from start: Int? = nil, source: String = source
  ) -> String {
    let key = String(repeating: "a", count: 64)
    let begin = start.map { #"{"rowId":\#($0),"keySha256":"\#(key)"}"# } ?? "null"
    let end = #"{"rowId":\#((start ?? 0) + rates.count),"keySha256":"\#(key)"}"#
    return
      ([
        #"{"type":"batch","protocolVersion":"1.0","batchId":"\#(id(number))","sourceId":"\#(source)","#
          + #""deviceId":"\#(device)","stream":"hrSample","delivery":"append","#
          + #""recordCount":\#(rates.count),"startCursor":\#(begin),"endCursor":\#(end)}"#
      ] + rates.map { #"{"type":"record","key":{"ts":\#($0.0)},"data":{"bpm":\#($0.1)}}"# })
      .map { $0 + "\n" }.joined()
  }

  private static func days(
    _ number: Int, _ steps: [(String, Int)], replacement: Int, part: Int = 1, of parts: Int = 1
  ) -> String {
    ([
      #"{"type":"batch","protocolVersion":"1.0","batchId":"\#(id(number))","sourceId":"\#(source)","#
        + #""deviceId":"\#(device)","stream":"dailyMetric","delivery":"replace_window","#
        + #""recordCount":\#(steps.count),"startCursor":null,"endCursor":null,"window":{"#
        + #""replacementId":"\#(id(replacement))","selector":"day","startInclusive":"2026-08-05","#
        + #""endExclusive":"2026-08-19","part":\#(part),"parts":\#(parts)}}"#
    ] + steps.map { #"{"type":"record","key":{"day":"\#($0.0)"},"data":{"steps":\#($0.1)}}"# })
    .map { $0 + "\n" }.joined()
  }

  @discardableResult
  private func push(
    _ text: String, patient: String? = "ann", performer: Performer = .owner,
    to other: SQLStore? = nil,
    after seconds: TimeInterval = 0
  ) async throws -> ReceivePush.Result {
    let receive = try ReceivePush(Array(text.utf8), patient: patient)
    return try await (other ?? store).write { [now] in
      try receive.perform(in: $0, by: performer, now: now + seconds)
    }
  }

  @discardableResult
  private func scale(_ text: String, patient: String? = "ann") async throws -> ReceiveScale.Result {
    let receive = try ReceiveScale(Array(text.utf8), patient: patient)
    return try await store.write { [now] in
      try receive.perform(in: $0, by: .owner, now: now)
    }
  }

  private func samples(
    _ quantity: Quantity, of owner: SampleQuery.Owner = .anyone
  ) async throws -> [Sample] {
    try await store.read { try $0.samples(SampleQuery(owner: owner, quantity: quantity)) }
  }

  // MARK: Batches

  @Test func `a repeated batch is answered alike and stored once`() async throws {
    let batch = Self.heartRates(1, [(1_785_000_000, 61), (1_785_000_001, 62)])
    #expect(try await push(batch).imported.new == 2)
    let again = try await push(batch)
    #expect(again.isRepeated && again.imported.new == 0)
    #expect(try await samples(.heartRate).map(\.value) == [61, 62])
    #expect(try await samples(.heartRate).allSatisfy { $0.patient == "ann" })
    // The same rows under another id, as after a change of the receiver's name.
    #expect(try await push(batch.replacing(Self.id(1), with: Self.id(2))).imported.known == 2)
  }

  @Test func `another batch of the same id is a conflict and changes nothing`() async throws {
    try await push(Self.heartRates(1, [(1_785_000_000, 61)]))
    await #expect(throws: PushRefusal(.batchConflict)) {
      try await push(Self.heartRates(1, [(1_785_000_000, 62), (1_785_000_009, 70)]))
    }
    #expect(try await samples(.heartRate).map(\.value) == [61])
  }

  @Test func `rows that come late and out of order are kept`() async throws {
    try await push(Self.heartRates(1, [(1_785_000_000, 61)]))
    try await push(Self.heartRates(2, [(1_783_000_000, 55), (1_782_000_000, 54)], from: 1))
    #expect(try await samples(.heartRate).map(\.value) == [54, 55, 61])
  }

  @Test func `rows of a clock that is ahead are left out, the rest is acknowledged`() async throws {
    let seconds = Int(now.timeIntervalSince1970.rounded())
    let result = try await push(
      Self.heartRates(1, [(seconds - 9, 61), (seconds + 299, 62), (seconds + 301, 63)]))
    #expect(result.imported.new == 2)
    #expect(result.imported.skips.map(\.line) == [4])
    #expect(try await samples(.heartRate).map(\.value) == [61, 62])
  }

  @Test func `two installations of one device's name do not meet`() async throws {
    let other = "9a3486dd-5030-4e17-a00d-a781399890f9"
    try await push(Self.heartRates(1, [(1_785_000_000, 61)]))
    #expect(
      try await push(Self.heartRates(1, [(1_785_000_000, 71)], source: other)).imported.new == 1)
    #expect(Set(try await samples(.heartRate).map(\.device.address)).count == 2)
  }

  @Test func `a token of another person takes nothing over`() async throws {
    let batch = Self.heartRates(1, [(1_785_000_000, 61)])
    try await push(batch)
    let result = try await push(batch, patient: "bob")
    #expect(!result.isRepeated && result.imported.new == 0)
    #expect(try await samples(.heartRate).map(\.patient) == ["ann"])
    try await push(Self.days(2, [("2026-08-06", 8000)], replacement: 1))
    #expect(try await push(Self.days(3, [], replacement: 2), patient: "bob").removed == 0)
    #expect(try await samples(.stepCount).map(\.value) == [8000])
    let performer = Performer(grant: Grant([.add], .only(["bob"])))
    await #expect(throws: AccessDenied()) { try await push(batch, performer: performer) }
    let reading = Performer(grant: Grant([.read, .answer, .plan], .all))
    await #expect(throws: AccessDenied()) { try await push(batch, performer: reading) }
  }

  // MARK: Windows

  @Test func `a window takes the place of the one before, and of nothing else`() async throws {
    let seconds = time("2026-08-06T10:00:00Z")
    let own = Reading(
      quantity: .stepCount, value: 12, arrival: seconds,
      device: DeviceIdentity(address: "C0:00:00:00:00:01"))
    _ = try await store.write {
      try $0.insert(Sample(reading: own, patient: "ann", start: seconds, end: seconds))
    }
    try await push(
      Self.days(1, [("2026-08-05", 100), ("2026-08-06", 200), ("2026-08-18", 300)], replacement: 1))
    #expect(try await samples(.stepCount).map(\.value) == [100, 200, 12, 300])
    let second = try await push(
      Self.days(2, [("2026-08-05", 100), ("2026-08-06", 250)], replacement: 2), after: 1)
    #expect(second.removed == 2 && second.imported.new == 1)
    #expect(try await samples(.stepCount).map(\.value) == [100, 250, 12])
    // A value that comes back is the one that was there.
    try await push(Self.days(3, [("2026-08-06", 200)], replacement: 3), after: 2)
    #expect(try await samples(.stepCount).map(\.value) == [200, 12])
    try await push(Self.days(4, [], replacement: 4), after: 3)
    #expect(try await samples(.stepCount).map(\.value) == [12])
  }

  @Test func `what a person deleted does not come back with a window`() async throws {
    let window = Self.days(1, [("2026-08-05", 100)], replacement: 1)
    try await push(window)
    let sample = try #require(try await samples(.stepCount).first)
    _ = try await store.write { [now] in
      try $0.change(.sample(sample.identity), .delete, reason: nil, now: now)
    }
    try await push(Self.days(2, [("2026-08-05", 100)], replacement: 2))
    #expect(try await samples(.stepCount).isEmpty)
  }

  @Test func `parts wait until all are there, in whatever order`() async throws {
    let parts = [
      Self.days(1, [("2026-08-05", 100)], replacement: 7, part: 1, of: 3),
      Self.days(2, [("2026-08-06", 200)], replacement: 7, part: 2, of: 3),
      Self.days(3, [("2026-08-07", 300)], replacement: 7, part: 3, of: 3),
    ]
    try await push(Self.days(9, [("2026-08-08", 400)], replacement: 6))
    #expect(try await push(parts[2]).imported.new == 0)
    #expect(try await push(parts[0]).imported.new == 0)
    #expect(try await push(parts[0]).isRepeated)
    #expect(try await samples(.stepCount).map(\.value) == [400])
    let last = try await push(parts[1])
    #expect(last.imported.new == 3 && last.removed == 1)
    #expect(try await samples(.stepCount).map(\.value) == [100, 200, 300])
    #expect(try await push(parts[1]).isRepeated)
  }

  @Test func `a part that waits is read when its turn comes, not with the others`() async throws {
    let part = Self.days(1, [("2026-08-05", 100)], replacement: 7, part: 1, of: 2)
    try await push(part)
    try await store.write { writer in
      let sender = "noop/\(Self.source)/\(Self.device)"
      let waiting = try writer.receipts(of: sender, patient: "ann", named: "part/")
      #expect(waiting.map(\.content) == [[]])
      let content = try writer.content(
        ofReceipt: waiting[0].name, of: sender, patient: "ann")
      #expect(content == Array(part.utf8))
      #expect(try writer.content(ofReceipt: "part/", of: sender, patient: "ann") == nil)
    }
  }

  @Test func `parts that contradict each other are refused`() async throws {
    try await push(Self.days(1, [("2026-08-05", 100)], replacement: 7, part: 1, of: 2))
    await #expect(throws: PushRefusal(.windowConflict)) {
      try await push(Self.days(2, [("2026-08-05", 101)], replacement: 7, part: 1, of: 2))
    }
    await #expect(throws: PushRefusal(.windowConflict)) {
      try await push(Self.days(3, [("2026-08-06", 101)], replacement: 7, part: 2, of: 3))
    }
    await #expect(throws: PushRefusal(.duplicateKey)) {
      try await push(Self.days(4, [("2026-08-05", 100)], replacement: 7, part: 2, of: 2))
    }
    #expect(try await samples(.stepCount).isEmpty)
    // A later replacement has taken the place of the one that was never complete.
    try await push(Self.days(5, [("2026-08-09", 900)], replacement: 8))
    await #expect(throws: PushRefusal(.superseded)) {
      try await push(Self.days(6, [("2026-08-06", 200)], replacement: 7, part: 2, of: 2))
    }
    #expect(try await samples(.stepCount).map(\.value) == [900])
  }

  // MARK: The store

  @Test func `a restored store has another name, and no acknowledgement`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "store.sqlite").path
    let copy = folder.appending(path: "copy.sqlite").path
    let first = Self.heartRates(1, [(1_785_000_000, 61)])
    let opened = try SQLStore.open(path: path, makeUUID: { UUID() })
    try await opened.importTwoPatients()
    try await push(first, to: opened)
    let name = try await opened.write { try $0.receiverState() }
    #expect(try await opened.write { try $0.receiverState() } == name)
    try await opened.backup(to: copy)
    try await push(Self.heartRates(2, [(1_785_000_005, 62)], from: 1), to: opened)
    try opened.close()
    try await SQLStore.restore(from: copy, to: path, makeUUID: { UUID() })
    let restored = try SQLStore.open(path: path, makeUUID: { UUID() })
    #expect(try await restored.write { try $0.receiverState() } != name)
    // Rows that it has stay; acknowledgements made since count no longer, so all comes again.
    #expect(try await push(first, to: restored).imported.known == 1)
    #expect(
      try await push(Self.heartRates(2, [(1_785_000_005, 62)], from: 1), to: restored)
        .imported.new == 1)
    try restored.close()
  }

  @Test func `a patient who is erased leaves no part that waits`() async throws {
    try await push(Self.days(1, [("2026-08-05", 100)], replacement: 7, part: 1, of: 2))
    _ = try await store.write { [now] in try $0.erase(patient: "ann", now: now) }
    let left = try await store.write { writer in
      try writer.receipts(
        of: "noop/\(Self.source)/\(Self.device)", patient: "ann", named: "")
    }
    #expect(left.isEmpty)
  }

  // MARK: openScale

  private static func row(
    _ id: Int, _ weight: Double, at date: String = "2026-03-02T06:04:31.000Z",
    event: String = "insert",
    user: Int = 1
  ) -> String {
    #"{"id":\#(id),"userId":\#(user),"username":"Ann","date":"\#(date)","weight":\#(weight),"#
      + #""body_fat":21.4,"water":0.0,"muscle":0.0,"event":"\#(event)"}"#
  }

  @Test func `openScale's row is changed, moved and deleted as openScale says`() async throws {
    #expect(try await scale(Self.row(17, 64.5)).imported.new == 2)
    #expect(try await scale(Self.row(17, 64.5)).imported.new == 0)
    let changed = try await scale(Self.row(17, 64.7, event: "update"))
    #expect(changed.imported.new == 1 && changed.removed == 1)
    #expect(try await samples(.bodyMass).map(\.value) == [64.7])
    #expect(try await samples(.bodyFatPercentage).map(\.value) == [21.4])
    try await scale(Self.row(17, 64.7, at: "2026-03-02T07:00:00.000Z", event: "update"))
    #expect(try await samples(.bodyMass).map(\.start) == [time("2026-03-02T07:00:00Z")])
    // Another user's row at the same time stays.
    try await scale(Self.row(3, 90.1, at: "2026-03-02T07:00:00.000Z", user: 2))
    let deletion = #"{"event":"delete","userId":1,"date":"2026-03-02T07:00:00.000Z"}"#
    #expect(try await scale(deletion).removed == 2)
    #expect(try await samples(.bodyMass).map(\.value) == [90.1])
    #expect(try await scale(#"{"event":"clear","userId":2}"#).removed == 0)
    #expect(try await samples(.bodyMass).count == 1)
  }

  @Test func `the phone's copy of the box's own weighing is one measurement`() async throws {
    let arrival = time("2026-03-02T06:04:40Z")
    let own = Reading(
      quantity: .bodyMass, value: 64.52, arrival: arrival,
      device: DeviceIdentity(address: "C0:00:00:00:00:01"))
    _ = try await store.write {
      try $0.insert(Sample(reading: own, patient: "bob", start: arrival, end: arrival))
    }
    #expect(try await scale(Self.row(17, 64.5), patient: nil).imported.known == 1)
    #expect(try await samples(.bodyMass).map(\.value) == [64.52])
    #expect(
      try await scale(#"{"event":"delete","userId":1,"date":"2026-03-02T06:04:31.000Z"}"#)
        .removed == 0)
    #expect(try await samples(.bodyMass).count == 1)
  }
}
