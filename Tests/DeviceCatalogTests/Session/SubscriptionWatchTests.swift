import Care
import Foundation
import GATT
import Radio
import Testing

@testable import DeviceCatalog

/// A link does not stay up without a word.
@Suite struct SubscriptionWatchTests {
  private static let address = SessionBench.address
  private static let advertisement = RadioEvent.advertisement(
    Advertisement(address: address, addressType: .random, rssi: nil, data: []))

  private static func refusal(
    _ characteristic: UInt16, _ kind: LinkFailure = .other,
    _ operation: LinkError.Operation = .subscribe
  ) -> RadioEvent {
    .failed(
      address,
      LinkError(kind, .refused(operation, BluetoothUUID(characteristic), .att(0x0E))))
  }

  private static func subscribe(_ characteristic: UInt16) -> RadioCommand {
    .subscribe(address, characteristic: BluetoothUUID(characteristic))
  }

  private static func notes(_ outputs: [SessionOutput]) -> [SessionNote.Kind] {
    outputs.compactMap { if case .note(let note) = $0 { note.kind } else { nil } }
  }

  @Test func `asks again after a refusal`() throws {
    var bench = try SessionBench("sig-heart-rate")
    _ = try bench.connect(["2A37"])
    #expect(bench.handle(Self.refusal(0x2A37), at: 1).commands == [])
    #expect(bench.session.wakeAt == SessionBench.time(3).steady)
    #expect(bench.session.wake(at: SessionBench.time(3)).commands == [Self.subscribe(0x2A37)])
    #expect(try bench.value("2A37", "0048", at: 4).readings.map(\.value) == [72])
    #expect(bench.session.wakeAt == SessionBench.time(65).steady)
  }

  @Test func `renews the link after a second refusal`() throws {
    var bench = try SessionBench("sig-heart-rate")
    _ = bench.handle(Self.advertisement)
    var time = 1.0
    // The pause doubles, up to a minute.
    for pause in [5.0, 10, 20, 40, 60, 60] {
      _ = try bench.connect(["2A37", "2A19"], at: time)
      _ = bench.handle(Self.refusal(0x2A37), at: time)
      // It answers other requests.
      _ = try bench.value("2A19", "5f", at: time + 1)
      #expect(
        bench.session.wake(at: SessionBench.time(time + 2)).commands.first
          == Self.subscribe(0x2A37))
      let outputs = bench.handle(Self.refusal(0x2A37), at: time + 2)
      #expect(outputs.commands == [.disconnect(Self.address)])
      #expect(Self.notes(outputs) == [.subscriptionRefused(BluetoothUUID(0x2A37))])
      _ = bench.handle(.disconnected(Self.address), at: time + 3)
      #expect(bench.handle(Self.advertisement, at: time + 3 + pause - 1) == [])
      #expect(
        bench.handle(Self.advertisement, at: time + 3 + pause).commands
          == [.connect(Self.address)])
      time += 4 + pause
    }
  }

  @Test func `a device that sends keeps its link`() throws {
    var bench = try SessionBench("sig-heart-rate")
    _ = try bench.connect(["2A37", "2A19"])
    _ = try bench.value("2A37", "0048", at: 1)
    for time in 2..<6 {
      #expect(bench.handle(Self.refusal(0x2A37), at: Double(time)).commands == [])
    }
    // Its battery level matters to no measurement.
    for time in 6..<9 {
      #expect(bench.handle(Self.refusal(0x2A19), at: Double(time)).commands == [])
    }
  }

  /// A person has to pair it first; that is tried more rarely.
  @Test(arguments: [LinkFailure.unauthorized, .staleBond])
  func `does not ask again without a bond`(kind: LinkFailure) throws {
    var bench = try SessionBench("sig-blood-pressure")
    _ = try bench.connect(["2A35"])
    #expect(bench.handle(Self.refusal(0x2A35, kind), at: 1).commands == [])
    // It stays linked for a minute: something else may be measured with it.
    #expect(bench.session.wakeAt == SessionBench.time(62).steady)
    let outputs = bench.session.wake(at: SessionBench.time(62))
    #expect(outputs.commands == [.disconnect(Self.address)])
    #expect(bench.session.wakeAt == nil)
  }

  @Test func `keeps the link of a device that sends something else`() throws {
    var bench = try SessionBench("sig-blood-pressure")
    _ = try bench.connect(["2A35", "2A36"])
    #expect(bench.handle(Self.refusal(0x2A36, .unauthorized), at: 1).commands == [])
    _ = try bench.value("2A35", "04 78 00 50 00 5a 00 48 00", at: 30)
    #expect(bench.session.wakeAt == nil)
  }

  /// The user pairs it on the same link.
  @Test func `begins again after a new bond`() throws {
    var bench = try SessionBench("sig-blood-pressure")
    let steps = try bench.connect(["2A35"])
    _ = bench.handle(Self.refusal(0x2A35, .unauthorized), at: 1)
    #expect(bench.handle(.bondChanged(Self.address), at: 20).commands == steps.commands)
    #expect(bench.session.wakeAt == nil)
    #expect(bench.handle(.bondChanged(Self.address), at: 21).commands == [])
  }

  @Test func `renews the link with a sensor that falls silent`() throws {
    var bench = try SessionBench("sig-heart-rate")
    _ = try bench.connect(["2A37"])
    _ = try bench.value("2A37", "0048", at: 10)
    #expect(bench.session.wakeAt == SessionBench.time(71).steady)
    let outputs = bench.session.wake(at: SessionBench.time(71))
    #expect(outputs.commands == [.disconnect(Self.address)])
    #expect(Self.notes(outputs) == [.silent(seconds: 61)])
    #expect(bench.session.wakeAt == nil)
  }

  /// A cuff is silent until somebody measures.
  @Test func `a device that waits for a person keeps its link`() throws {
    var bench = try SessionBench("sig-blood-pressure")
    _ = try bench.connect(["2A35"])
    #expect(bench.session.wakeAt == nil)
  }

  /// A refused subscription does not end the wait for another step's answer.
  @Test func `leaves the step that waits`() throws {
    var bench = try SessionBench("polar-h10")
    let control = "FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8"
    _ = try bench.connect([
      "2A37", control, "FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8", "2A19",
    ])
    #expect(bench.handle(Self.refusal(0x2A37), at: 1).commands == [])
    #expect(bench.session.wakeAt == SessionBench.time(3).steady)
  }
}
