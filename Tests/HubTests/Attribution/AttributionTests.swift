import Care
import Foundation
import Hub
import Plans
import Radio
import Testing

/// A weight, the expected weights of the plan, and the resulting patient.
struct WeighingCase: Sendable, CustomTestStringConvertible {
  var john: String?
  var mary: String?
  var kilograms: Double
  var owner: String?

  init(_ john: String?, _ mary: String? = nil, weighs kilograms: Double, owner: String?) {
    self.john = john
    self.mary = mary
    self.kilograms = kilograms
    self.owner = owner
  }

  var testDescription: String {
    "\(kilograms) kg of \(john ?? "–") and \(mary ?? "–") is \(owner ?? "nobody")'s"
  }
}

/// A binding, the scale's user slot, and the resulting patient.
struct BindingCase: Sendable, CustomTestStringConvertible {
  var devices: String
  var slot: UInt8?
  var owner: String?

  init(_ devices: String, slot: UInt8?, owner: String?) {
    self.devices = devices
    self.slot = slot
    self.owner = owner
  }

  var testDescription: String { "slot \(slot.map(String.init) ?? "–") of \(devices)" }
}

@Suite struct AttributionTests {
  private static let morning = time("2026-11-20T07:10:00-08:00")
  private static let clock = "2026-11-20T07:10:00"

  /// Only one weight as evidence; what many days teach is tested in ``WeighingTests``.
  @Test(arguments: [
    WeighingCase("80 kg", "60 kg", weighs: 81, owner: "john"),
    WeighingCase("80 kg", "60 kg", weighs: 79, owner: "john"),
    WeighingCase("80 kg", "60 kg", weighs: 86.4, owner: nil),
    WeighingCase("80 kg", "60 kg", weighs: 73.6, owner: nil),
    WeighingCase("80 kg", "60 kg", weighs: 60.5, owner: "mary"),
    WeighingCase("80 kg", "20 kg", weighs: 20.2, owner: "mary"),
    WeighingCase("80 kg", "20 kg", weighs: 23, owner: nil),
    WeighingCase("{value: 80 kg, tolerance: 1 kg}", "60 kg", weighs: 81, owner: "john"),
    // A wide tolerance says little: beside a visitor's odds it is not enough.
    WeighingCase("{value: 80 kg, tolerance: 15 kg}", "60 kg", weighs: 95, owner: nil),
    // Two matching patients, and none.
    WeighingCase("80 kg", "75 kg", weighs: 77.5, owner: nil),
    WeighingCase("80 kg", "75 kg", weighs: 80.5, owner: "john"),
    WeighingCase("80 kg", "60 kg", weighs: 120, owner: nil),
    // It could be Mary's, of whose weight nothing is known.
    WeighingCase("80 kg", nil, weighs: 79, owner: nil),
    WeighingCase("80 kg", nil, weighs: 60, owner: nil),
    WeighingCase(nil, nil, weighs: 80, owner: nil),
    // Only a foot on the scale.
    WeighingCase("{value: 5 kg, tolerance: 5 kg}", "60 kg", weighs: 4, owner: nil),
  ])
  func weighs(_ example: WeighingCase) async throws {
    let bench = try await Bench(Plans.couple(example.john, example.mary))
    let run = try await bench.play([
      .mi(MiFrame(kilograms: example.kilograms, clock: Self.clock), at: Self.morning)
    ])
    let sample = try #require(try await bench.samples().first)
    #expect(sample.patient == example.owner)
    #expect((sample.unassignedReason == nil) == (example.owner != nil))
    #expect(run.unassigned.count == (example.owner == nil ? 1 : 0))
  }

  /// A device and its user slots precede any weight: 60 kg is Mary's by weight.
  @Test(arguments: [
    BindingCase(Self.slots, slot: 1, owner: "john"),
    BindingCase(Self.slots, slot: 2, owner: "mary"),
    BindingCase(Self.slots, slot: 3, owner: nil),
    BindingCase(Self.slots, slot: nil, owner: "mary"),
    // The expected weight vetoes a device, but no user slot.
    BindingCase(Self.whole, slot: nil, owner: nil),
    BindingCase(Self.whole, slot: 1, owner: nil),
    BindingCase(Self.known, slot: 1, owner: "mary"),
    BindingCase(#"  - {address: "5c:ca:d3:70:d4:a2", patient: john}"#, slot: nil, owner: nil),
    BindingCase(#"  - {address: "5C:CA:D3:70:D4:FF", patient: john}"#, slot: 1, owner: "mary"),
  ])
  func `devices come before weights`(_ example: BindingCase) async throws {
    let bench = try await Bench(Plans.couple("80 kg", "60 kg", devices: example.devices))
    try await bench.play([
      .weight(kilograms: 60, clock: Self.clock, user: example.slot, at: Self.morning)
    ])
    #expect(try await bench.samples().map(\.patient) == [example.owner])
  }

  private static let slots = """
      - {address: "5C:CA:D3:70:D4:A2", patient: john, userIndex: 1}
      - {address: "5C:CA:D3:70:D4:A2", patient: mary, userIndex: 2}
    """
  private static let whole = #"  - {address: "5C:CA:D3:70:D4:A2", patient: john}"#
  private static let known =
    #"  - {address: "5C:CA:D3:70:D4:A2", definition: sig-weight-scale}"#

  @Test func `an implausible weight on a bound scale is unassigned`() async throws {
    let bench = try await Bench(Plans.couple("80 kg", "60 kg", devices: Self.whole))
    let run = try await bench.play([
      .mi(MiFrame(kilograms: 4, clock: Self.clock), at: Self.morning)
    ])
    #expect(run.unassigned.map(UnassignedReason.init) == [.implausible])
    #expect(run.stored.isEmpty)
  }

  @Test(arguments: [(61.75, "john"), (9.995, nil), (10, "john"), (300, "john")])
  func `a patient without an expected weight takes any plausible weight`(
    kilograms: Double, owner: String?
  ) async throws {
    let bench = try await Bench(Plans.john(expects: nil))
    try await bench.play([
      .mi(MiFrame(kilograms: kilograms, clock: Self.clock), at: Self.morning)
    ])
    #expect(try await bench.samples().map(\.patient) == [owner])
  }

  @Test func `without a plan everything is unassigned`() async throws {
    let bench = try await Bench()
    let run = try await bench.play([
      .mi(MiFrame(kilograms: 72, clock: Self.clock, impedance: 500), at: Self.morning),
      .value(0x2A37, of: 0x180D, "0048", from: .strap, at: Self.morning + 1),
    ])
    #expect(
      run.unassigned.map(UnassignedReason.init) == [.noPlan, .withUnassignedWeight, .noPlan])
    #expect(run.stored.isEmpty)
  }

  /// The plan names the strap: for John, or for whomever wears it.
  private static let shared = #"  - {address: "A0:9E:1A:00:00:02", definition: polar-h10}"#

  @Test func `other quantities need a device of the plan`() async throws {
    let pulse = TimedEvent.value(0x2A37, of: 0x180D, "0048", from: .strap, at: Self.morning)
    for devices in [Plans.strap, Self.shared] {
      let one = try await Bench(Plans.john(devices: devices))
      #expect(try await one.play([pulse]).stored.map(\.patient) == ["john"])
    }
    // Before the first device is bound, nothing tells one from a stranger's.
    let first = try await Bench(Plans.john(devices: ""))
    #expect(try await first.play([pulse]).stored.map(\.patient) == ["john"])
    let none = try await Bench(
      Plans.john(
        devices: #"  - {address: "A0:9E:1A:00:00:99", definition: polar-h10, patient: john}"#))
    #expect(
      try await none.play([pulse]).unassigned.map(UnassignedReason.init) == [.unbound])
    let two = try await Bench(Plans.couple("80 kg", "60 kg", devices: Self.shared))
    #expect(
      try await two.play([pulse]).unassigned.map(UnassignedReason.init) == [
        .severalPatients(count: 2)
      ])
  }

  @Test func `other expectations need a tolerance`() async throws {
    let plan = """
      timeZone: UTC
      patients:
        - {id: john, expects: {heartRate: {value: 70 bpm, tolerance: 30 bpm}}}
      devices:
      \(Plans.strap)
      """
    let bench = try await Bench(plan)
    try await bench.play([
      .value(0x2A37, of: 0x180D, "0064", from: .strap, at: Self.morning),
      .value(0x2A37, of: 0x180D, "0065", from: .strap, at: Self.morning + 1),
    ])
    #expect(try await bench.samples().map(\.patient) == ["john", nil])
  }

  @Test func `a chosen patient gets no readings of anothers device`() async throws {
    let bench = try await Bench(
      Plans.couple("80 kg", "60 kg", devices: Self.slots), patient: "mary")
    try await bench.play([
      .weight(kilograms: 60, clock: "2026-11-20T07:10:00", user: 2, at: Self.morning),
      .weight(kilograms: 60, clock: "2026-11-20T07:11:00", user: 1, at: Self.morning + 60),
    ])
    #expect(
      try await bench.samples().map(UnassignedReason.init) == [nil, .notStored(patient: "john")])
  }
}
