import Foundation
import Testing

/// `measured calibrate` from a motion file to the store and back.
@Suite struct CalibrateCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A motion file of a sensor that rests on each of `sides` for two seconds; y reads 30 mg too much.
  private func file(_ sides: [[Double]]) throws -> String {
    var rows = ["t,x,y,z"]
    for side in sides {
      for _ in 0..<100 {
        rows.append("\(Double(rows.count) / 50),\(side[0]),\(side[1] + 0.03),\(side[2])")
      }
    }
    return try folder.write(rows.joined(separator: "\n"), to: "still.csv")
  }

  private func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(["calibrate"] + arguments)
  }

  @Test func `finds lists and deletes`() async throws {
    let store = folder.path("store.sqlite")
    let found = try await run(
      try file([[0, 0, 1]]), "--sensor", "left-thigh", "--store", store, "--json")
    #expect(found.status == 0)
    let calibration = try #require(found.objects.first)
    #expect(calibration["sensor"] as? String == "left-thigh")
    #expect(calibration["method"] as? String == "atRest")
    #expect(calibration["offset"] as? [Double] == [0, 30, 0])
    #expect(calibration["scale"] as? [Double] == [1, 1, 1])
    let quality = try #require(calibration["quality"] as? [String: Any])
    #expect(quality["positions"] as? Int == 1)
    #expect(quality["errorAfter"] as? Double == 0)

    let listed = try await run("list", "--store", store, "--json")
    #expect(listed.objects.count == 1)
    #expect(listed.objects.first?["offset"] as? [Double] == [0, 30, 0])
    let text = try await run("list", "--store", store)
    #expect(text.lines.first?.hasPrefix("left-thigh: calibrated at rest, ") == true)
    #expect(text.lines.last == "  offset 0.0 30.0 0.0 mg, scale 1.0000 1.0000 1.0000")

    #expect(try await run("delete", "left-thigh", "--store", store).status == 0)
    #expect(try await run("list", "--store", store, "--json").lines.isEmpty)
    #expect(try await run("delete", "left-thigh", "--store", store).status == 4)
  }

  @Test func `six sides give the scale`() async throws {
    let sides = [[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1.02], [0, 0, -1.02]]
    let found = try await run(
      try file(sides), "--sensor", "left-thigh", "--store", folder.path("store.sqlite"), "--json")
    let calibration = try #require(found.objects.first)
    #expect(calibration["method"] as? String == "sixPositions")
    let scale = try #require(calibration["scale"] as? [Double])
    #expect(abs(scale[2] - 1 / 1.02) < 0.0001)
  }

  /// A sensor at rest that reads 30 mg too much leans by 1.7°, until that is put right.
  @Test func `what was found puts a measurement right`() async throws {
    let recording = try file([[0, 0, 1]])
    let found = try await run(
      recording, "--sensor", "x", "--store", folder.path("store.sqlite"), "--json")
    let calibration = try folder.write(found.output, to: "calibration.json")
    func leaning(_ arguments: String...) async throws -> Double {
      let result = await InProcess.run(["measure", "inclination", recording] + arguments)
      #expect(result.status == 0)
      let columns = try #require(result.lines.last?.split(separator: ","))
      return try #require(columns.dropFirst(2).first.flatMap { Double($0) })
    }
    #expect(abs(try await leaning() - 0.03) < 0.001)
    #expect(abs(try await leaning("--calibration", calibration)) < 0.0001)
    #expect(abs(try await leaning("--smooth", "--calibration", calibration)) < 0.0001)
    for text in ["", "{}", #"{"offset":[1,2],"scale":[1,1,1]}"#] {
      let broken = try await InProcess.run([
        "measure", "steps", recording, "--calibration", folder.write(text, to: "broken.json"),
      ])
      #expect(broken.status == 1)
      #expect(broken.error.contains("broken.json cannot be used: "))
    }
    #expect(
      try await run(recording, "--sensor", "x", "--calibration", calibration).status == 2)
  }

  @Test func `a refusal has its reason`() async throws {
    let store = folder.path("store.sqlite")
    let refused = try await run(
      try file([[0, 0.6, 0.8]]), "--sensor", "left-thigh", "--store", store, "--json")
    #expect(refused.status == 3)
    #expect(
      refused.objects.first?["reason"] as? String
        == "Not calibrated: the sensor lay askew. Lay it flat on one of its sides.")
    #expect(try await run(try file([[0, 0, 1]])).status == 2)
    #expect(try await run("/nonexistent.csv", "--sensor", "x", "--store", store).status == 1)
  }
}
