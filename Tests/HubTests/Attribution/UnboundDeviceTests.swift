import Actions
import Care
import Foundation
import GATT
import Hub
import Radio
import TestSupport
import Testing

/// Neighbours: their devices give nothing to anybody until somebody says whose they are.
@Suite struct UnboundDeviceTests {
  private static let start = time("2026-11-20T18:00:00-08:00")
  private static let neighbour = DeviceAddress(rawValue: 0xC2_00_00_00_00_01)
  private static let plan = Plans.john()

  private static func beats(_ rates: [UInt8], from strap: DeviceAddress) -> [TimedEvent] {
    rates.enumerated().map { index, rate in
      .value(0x2A37, of: 0x180D, hex([0, rate]), from: strap, at: start + Double(index))
    }
  }

  private func bind(_ device: DeviceAddress, to patient: String, in bench: Bench) async throws {
    let device = DeviceID(device.description)
    _ = try await bench.store.write { writer in
      try ChangeDevice(device, .bind(DeviceBinding(address: device, patient: patient)))
        .perform(in: writer, by: .owner, now: Self.start + 60)
    }
  }

  /// John wears his strap while somebody runs upstairs, where a thermometer hangs on the wall.
  @Test func `of two neighbours each has their own heart`() async throws {
    let bench = try await Bench(Self.plan)
    let run = try await bench.play(
      (Self.beats([72, 73], from: .strap) + Self.beats([150, 151], from: Self.neighbour))
        .sorted { $0.time < $1.time }
        + [.value(0x2A1C, of: 0x1809, "00190100ff", from: Self.neighbour, at: Self.start + 9)])
    #expect(run.stored.map(\.value) == [72, 73])
    #expect(run.stored.allSatisfy { $0.patient == "john" })
    #expect(run.unassigned.map(\.value) == [150, 151, 28.1])
    #expect(
      Set(run.unassigned.map(UnassignedReason.init)) == [.unbound])
  }

  @Test func `the answer gives what waits and what follows`() async throws {
    let bench = try await Bench(Self.plan)
    let temperature = { (seconds: Double) in
      TimedEvent.value(
        0x2A1C, of: 0x1809, "00720100ff", from: Self.neighbour, at: Self.start + seconds)
    }
    try await bench.play(Self.beats([150, 151], from: Self.neighbour) + [temperature(9)])
    #expect(try await bench.samples().map(\.patient) == [nil, nil, nil])
    try await bind(Self.neighbour, to: "john", in: bench)
    #expect(try await bench.samples().map(\.patient) == ["john", "john", "john"])
    let later = try await bench.play([temperature(90)])
    #expect(later.stored.map(\.patient) == ["john"])
  }

  /// A sample that a person gave to somebody, or that is beyond its range, does not wait.
  @Test func `the answer leaves what was decided`() async throws {
    let bench = try await Bench(Plans.couple("80 kg", "60 kg"))
    let frames = ["00720100ff", "00730100ff", "00f40100ff"]
    try await bench.play(
      frames.enumerated().map { index, frame in
        .value(
          0x2A1C, of: 0x1809, frame, from: Self.neighbour, at: Self.start + Double(index) * 60)
      })
    let first = try #require(try await bench.samples().first)
    _ = try await bench.store.write { writer in
      try writer.change(
        .sample(first.identity), .assign(patient: "mary"), reason: nil, now: Self.start + 200)
    }
    try await bind(Self.neighbour, to: "john", in: bench)
    #expect(try await bench.samples().map(\.patient) == ["mary", "john", nil])
  }

  @Test func `what is nobodys is not asked about again`() async throws {
    let bench = try await Bench(Self.plan)
    let cuff = { (seconds: Double) in
      TimedEvent.value(
        0x2A35, of: 0x1810, "00780050005d00", from: Self.neighbour, at: Self.start + seconds)
    }
    try await bench.play(Self.beats([150], from: Self.neighbour) + [cuff(5)])
    let span = SampleSelection.span(
      device: DeviceID(Self.neighbour.description), from: nil, to: nil)
    _ = try await bench.store.write { writer in
      try ChangeSamples([span], .disown, reason: nil)
        .perform(in: writer, by: .owner, now: Self.start + 20)
    }
    let later = try await bench.play(
      [cuff(60)]
        + Self.beats([152], from: Self.neighbour).map {
          TimedEvent(time: $0.time + 70, event: $0.event)
        })
    #expect(later.stored.isEmpty && later.unassigned.isEmpty)
    // The device may have deleted it: it is kept, without a name.
    #expect(
      later.reports.compactMap { if case .disowned(let sample) = $0 { sample.value } else { nil } }
        == [120, 80, 93])
    #expect(later.summary.passedOver == 1)
  }

  // MARK: Links

  private static func visit(
    _ data: String, from device: DeviceAddress, of service: (UInt16, UInt16) = (0x180D, 0x2A37),
    values: [TimedEvent] = [], at seconds: Double
  ) -> [TimedEvent] {
    let begin = start + seconds
    let advertisement = RadioEvent.advertisement(
      Advertisement(address: device, addressType: .random, rssi: nil, data: bytes(data)))
    return [
      TimedEvent(time: begin, event: advertisement),
      TimedEvent(time: begin + 1, event: .connected(device)),
      TimedEvent(
        time: begin + 2,
        event: .services(
          device,
          [
            GATTService(
              uuid: BluetoothUUID(service.0),
              characteristics: [
                GATTCharacteristic(uuid: BluetoothUUID(service.1), properties: [.notify])
              ])
          ])),
    ] + values + [
      TimedEvent(time: begin + 30, event: .disconnected(device)),
      TimedEvent(time: begin + 60, event: advertisement),
      TimedEvent(time: begin + 90, event: advertisement),
    ]
  }

  private func links(_ radio: PausingRadio) -> Int {
    radio.sent.count { if case .connect = $0 { true } else { false } }
  }

  @Test func `a neighbours strap is linked once, and a bound one again and again`() async throws {
    let beat = TimedEvent.value(
      0x2A37, of: 0x180D, "0096", from: Self.neighbour, at: Self.start + 5)
    let bench = try await Bench(Self.plan)
    let radio = PausingRadio(Self.visit("03030d18", from: Self.neighbour, values: [beat], at: 0))
    try await bench.play(radio)
    #expect(links(radio) == 1)
    // Its reading waits in the store, also after a restart.
    let restarted = PausingRadio(Self.visit("03030d18", from: Self.neighbour, at: 600))
    try await bench.play(restarted)
    #expect(links(restarted) == 0)
    try await bind(Self.neighbour, to: "john", in: bench)
    let bound = PausingRadio(Self.visit("03030d18", from: Self.neighbour, at: 1200))
    try await bench.play(bound)
    #expect(links(bound) == 2)
  }

  @Test func `a scale that nobody has bound is linked as any other`() async throws {
    let bench = try await Bench(Self.plan)
    let radio = PausingRadio(
      Self.visit("03031d18", from: .scale, of: (0x181D, 0x2A9D), at: 0))
    try await bench.play(radio)
    #expect(links(radio) == 2)
  }

  @Test func `a device that asks to be paired is linked again once it is`() async throws {
    let bench = try await Bench(Self.plan)
    let refused = TimedEvent(
      time: Self.start + 4,
      event: .failed(
        Self.neighbour, LinkError(.unauthorized, reason: "it asks for a bond")))
    let radio = PausingRadio(
      Self.visit("03030d18", from: Self.neighbour, values: [refused], at: 0)
        + [TimedEvent(time: Self.start + 100, event: .bondChanged(Self.neighbour))]
        + Self.visit("03030d18", from: Self.neighbour, at: 101))
    try await bench.play(radio)
    #expect(links(radio) == 2)
  }
}
