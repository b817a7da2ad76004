import Care
import Foundation
import Testing

@testable import Interchange

/// Files for other programs.
///
/// Their bytes are those that those programs' own readers were given.
@Suite struct SampleFileTests {
  /// 2026-11-20 07:09:58 UTC.
  private static let time = Date(timeIntervalSince1970: 1_795_158_598)

  private static func sample(
    _ quantity: Quantity, _ value: Double, _ offset: TimeInterval = 0, lasts: TimeInterval = 0,
    by device: String = "C0:FF:EE:00:00:01", _ provenance: Provenance = .passive
  ) -> Sample {
    let time = time + offset
    let reading = Reading(
      quantity: quantity, value: value, arrival: time + lasts,
      device: DeviceIdentity(address: DeviceID(device)), raw: [])
    var sample = Sample(reading: reading, patient: "ann", start: time, end: time + lasts)
    sample.provenance = provenance
    return sample
  }

  // MARK: FIT

  @Test func `a weight and its companions`() {
    let samples: [Sample] = [
      Self.sample(.bodyMass, 82.15), Self.sample(.bodyFatPercentage, 22.5),
      Self.sample(.basalMetabolicRate, 6694.4), Self.sample(.bodyMassIndex, 25.1),
      // It is another measurement, and none that a weighing has.
      Self.sample(.heartRate, 61), Self.sample(.impedance, 480),
    ]
    let file = FITFile(.weight, of: samples)
    #expect(file.count == 1)
    #expect(
      file.bytes?.hexString
        == "0e103408510000002e464954819f4000000000040001000102840202840404860009ff00000046a66245"
        + "4100001e0009fd04860002840102840202840402840502840702840b01020d0284"
        + "0146a662451720ca08ffffffffffff0019fffb0002fa")
  }

  @Test func `the pressures of one measurement`() {
    let samples: [Sample] = [
      Self.sample(.bloodPressureSystolic, 128), Self.sample(.bloodPressureDiastolic, 82),
      Self.sample(.pulseRate, 64),
    ]
    let file = FITFile(.bloodPressure, of: samples)
    #expect(file.count == 1)
    #expect(
      file.bytes?.hexString
        == "0e1034083d0000002e46495487e240000000000400010001028402028404048600"
        + "0eff00000046a66245410000330005fd048600028401028402028406010201"
        + "46a6624580005200ffff40a842")
  }

  /// A record without a weight makes the receiver refuse the whole file.
  @Test(arguments: [
    [sample(.bodyFatPercentage, 22.5)], [sample(.bodyMass, 700)], [sample(.bodyMass, -1)],
    [sample(.bodyMass, .nan)], [sample(.bodyMass, 80, -1e12)], [sample(.bodyMass, 80, 1e12)],
    [sample(.bloodPressureSystolic, 128)], [],
  ])
  func `no file is made of what is no whole measurement`(_ samples: [Sample]) {
    for kind in FITFile.Kind.allCases {
      let file = FITFile(kind, of: samples)
      #expect(file.bytes == nil && file.count == 0)
    }
  }

  @Test func `a companion that the field cannot have is left out, and the weight stays`() throws {
    let file = FITFile(
      .weight, of: [Self.sample(.bodyMass, 80), Self.sample(.bodyFatPercentage, 1e300)])
    let bytes = try #require(file.bytes)
    // The record ends the file, before the check.
    #expect(bytes.suffix(22).prefix(9).dropFirst(5) == [0x40, 0x1F, 0xFF, 0xFF])
    #expect(FITFile.check(bytes) == 0)
  }

  @Test func `two scales at one moment are two weighings, in the order of their times`() {
    let samples: [Sample] = [
      Self.sample(.bodyMass, 80, 60), Self.sample(.bodyMass, 70),
      Self.sample(.bodyMass, 71, by: "C0:FF:EE:00:00:02"),
    ]
    let file = FITFile(.weight, of: samples)
    #expect(file.count == 3)
    #expect(file.bytes == FITFile(.weight, of: [samples[1], samples[2], samples[0]]).bytes)
  }

  @Test func `the check is CRC-16 ARC`() {
    #expect(FITFile.check(Array("123456789".utf8)) == 0xBB3D)
  }

  // MARK: Open mHealth

  private static func lines(_ samples: Sample...) throws -> [String] {
    try OpenMHealth(in: .gmt).dataPoints(of: samples).map {
      String(decoding: try JSONText.of($0), as: UTF8.self)
    }
  }

  @Test func `a weight that a person typed`() throws {
    let line = try #require(
      try Self.lines(Self.sample(.bodyMass, 82.15, by: "entered", .manual)).first)
    let body =
      #"{"body":{"body_weight":{"unit":"kg","value":82.15},"#
      + #""effective_time_frame":{"date_time":"2026-11-20T07:09:58+00:00"}},"#
    #expect(line.hasPrefix(body))
    #expect(line.contains(#""modality":"self-reported""#))
    #expect(
      line.contains(#""schema_id":{"name":"body-weight","namespace":"omh","version":"3.0"}"#))
  }

  @Test func `two pressures are one data point, and the pulse is one of its own`() throws {
    let lines = try Self.lines(
      Self.sample(.bloodPressureSystolic, 128), Self.sample(.bloodPressureDiastolic, 82),
      Self.sample(.pulseRate, 64))
    try #require(lines.count == 2)
    #expect(
      lines[0].hasPrefix(
        #"{"body":{"diastolic_blood_pressure":{"unit":"mmHg","value":82},"#
          + #""effective_time_frame":{"date_time":"2026-11-20T07:09:58+00:00"},"#
          + #""systolic_blood_pressure":{"unit":"mmHg","value":128}}"#))
    #expect(lines[1].contains(#""heart_rate":{"unit":"beats/min","value":64}"#))
  }

  @Test func `steps have a span, and without one they are not written`() throws {
    let lines = try Self.lines(
      Self.sample(.stepCount, 40, lasts: 60), Self.sample(.stepCount, 41))
    try #require(lines.count == 1)
    #expect(
      lines[0].contains(
        #""effective_time_frame":{"time_interval":{"end_date_time":"2026-11-20T07:10:58+00:00","#
          + #""start_date_time":"2026-11-20T07:09:58+00:00"}}"#))
  }

  @Test func `what has no schema is not written, and a correction keeps its name`() throws {
    let weight = Self.sample(.bodyMass, 82.15)
    var corrected = Self.sample(.bodyMass, 81)
    corrected.corrects = weight.identity
    #expect(try Self.lines(Self.sample(.impedance, 480)).isEmpty)
    let names = OpenMHealth(in: .gmt).dataPoints(of: [weight]).map(\.header.uuid)
    #expect(names == OpenMHealth(in: .gmt).dataPoints(of: [corrected]).map(\.header.uuid))
    var moved = weight
    moved.patient = "bob"
    #expect(names != OpenMHealth(in: .gmt).dataPoints(of: [moved]).map(\.header.uuid))
  }
}
