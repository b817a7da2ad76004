import Foundation
import Testing

/// Recordings of real devices that people have published, in `Tests/RealTraces`.
@Suite struct RealTracesTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var trace: String
    var device: String
    var definition: String
    /// The stored readings: quantity, value and patient.
    var readings: [String]
    var testDescription: String { trace }
  }

  private static let cases = [
    Case(
      trace: "mi-scale-1-history-real", device: "C8:47:8C:00:00:01",
      definition: "xiaomi-mi-scale-1",
      readings: ["bodyMass 70.47", "bodyMass 70.7", "bodyMass 70.4"]),
    Case(
      trace: "mi-scale-1-removed-only", device: "C8:47:8C:00:00:01",
      definition: "xiaomi-mi-scale-1", readings: ["bodyMass 86.55"]),
    Case(
      trace: "eufy-p3-real", device: "CF:E7:00:00:00:01", definition: "eufy-c20",
      readings: ["bodyMass 82.8"]),
    // It has not settled.
    Case(
      trace: "eufy-c20-real", device: "BC:0F:B7:00:00:01", definition: "eufy-c20", readings: []),
    Case(
      trace: "beurer-bm85-real", device: "5C:31:3E:00:00:01", definition: "beurer-bm85",
      readings: [
        "bloodPressureSystolic 106.0", "bloodPressureDiastolic 71.0", "pulseRate 63.0",
      ]),
    // A plan that was written before there was a definition for it.
    Case(
      trace: "beurer-bm85-real", device: "5C:31:3E:00:00:01", definition: "sig-blood-pressure",
      readings: [
        "bloodPressureSystolic 106.0", "bloodPressureDiastolic 71.0", "pulseRate 63.0",
      ]),
    Case(
      trace: "glucose-1", device: "6C:30:2A:00:00:01", definition: "sig-glucose",
      readings: ["bloodGlucoseMass 111.0"]),
  ]

  private static func trace(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../RealTraces/\(name).jsonl").standardizedFileURL.path
  }

  private static func plan(_ device: String?, _ definition: String = "") -> String {
    """
    timeZone: UTC
    patients:
      - {id: john, name: {given: John, family: Appleseed}}
    """
      + (device.map {
        "\ndevices:\n  - {address: \"\($0)\", definition: \(definition), patient: john}\n"
      } ?? "\n")
  }

  private static func readings(_ result: MeasuredProcess.Result) -> [String] {
    result.objects.filter { $0["type"] as? String == "reading" }.map {
      "\($0["quantity"] as? String ?? "") \($0["value"] as? Double ?? .nan)"
    }
  }

  @Test(arguments: cases)
  func `gives what was measured`(example: Case) async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.plan(example.device, example.definition), to: "plan.yaml")
    let result = await InProcess.run(
      ["replay", Self.trace(example.trace), "--plan", plan, "--json"])
    #expect(result.status == 0)
    #expect(Self.readings(result) == example.readings)
    #expect(result.objects.last?["rejected"] as? Int == 0)
  }

  /// 172.4 lb; the same record of a scale that was set to stones is kept, and no measurement.
  @Test func `converts pounds, and keeps stones`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(
      Self.plan("FE:59:97:00:00:01", "medisana-bs4xx-1970"), to: "plan.yaml")
    let pounds = await InProcess.run(
      ["replay", Self.trace("medisana-lb"), "--plan", plan, "--json"])
    let weight = try #require(pounds.objects.first)
    #expect(abs((weight["value"] as? Double ?? 0) - 78.2) < 0.01)
    #expect(Self.readings(pounds).count == 4)
    let text = try String(contentsOfFile: Self.trace("medisana-lb"), encoding: .utf8)
    let stones = try folder.write(
      text.replacing("3dbc0600ff6e0a", with: "5dbc0600ff6e0a"), to: "stones.jsonl")
    let kept = await InProcess.run(["replay", stones, "--plan", plan, "--json"])
    #expect(kept.objects.first?["type"] as? String == "notTaken")
    #expect(kept.objects.last?["notTaken"] as? Int == 1)
    #expect(!Self.readings(kept).contains { $0.hasPrefix("bodyMass") || $0.hasPrefix("impedance") })
  }

  /// A record with another offset of time is the record that is stored.
  @Test func `takes a glucose record once`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.plan("6C:30:2A:00:00:01", "sig-glucose"), to: "plan.yaml")
    let arguments = ["--plan", plan, "--store", folder.path("s.sqlite"), "--json"]
    _ = await InProcess.run(["replay", Self.trace("glucose-1")] + arguments)
    let again = await InProcess.run(["replay", Self.trace("glucose-2-offset")] + arguments)
    #expect(again.objects.map { $0["type"] as? String } == ["duplicate", "summary"])
  }

  /// A thermometer of a room is nobody's, also where the plan has one person.
  @Test func `gives nobody a room's temperature`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(
      Self.plan(nil), to: "plan.yaml")
    let result = await InProcess.run(
      ["replay", Self.trace("room-thermometer-1809"), "--plan", plan, "--json"])
    #expect(result.objects.map { $0["type"] as? String } == ["unassigned", "summary"])
    #expect((result.objects.first?["reason"] as? String)?.contains("whose is this device?") == true)
  }
}
