import Foundation
import Testing

/// `measured devices` for those who write definitions.
@Suite struct DevicesCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(["devices"] + arguments)
  }

  private func draft() async throws -> String {
    let trace = try folder.write(Recordings.heartBeats(3), to: "strap.jsonl")
    let draft = try await run("new", "--from-capture", trace, "--id", "my-strap")
    #expect(draft.status == 0, "\(draft.error)")
    return draft.output
  }

  @Test func `a draft of a recording passes its vectors and has no findings`() async throws {
    let text = try await draft()
    #expect(text.contains("codec: heart-rate"))
    let file = try folder.write(text, to: "my-strap.yaml")
    let tested = try await run("test", file)
    #expect(tested.status == 0)
    #expect(tested.lines.last == "3 passed, 0 failed")
    // A fact that a person has to find out is marked, and read as it stands.
    #expect(text.contains("TODO"))
  }

  @Test func `prints what comes out as it is expected`() async throws {
    let file = try folder.write(
      try await draft().replacing("value: 61}", with: "value: 99, user: 2}"), to: "my-strap.yaml")
    let tested = try await run("test", "--print", file)
    #expect(tested.status != 0)
    #expect(tested.lines.contains("    heartRate 61.0 instead of heartRate 99.0"))
    #expect(tested.lines.contains("    heartRate has the user none instead of 2"))
    #expect(tested.lines.contains("      - {quantity: heartRate, value: 61}"))
    #expect(tested.lines.contains("      - {quantity: rrInterval, value: 1}"))
    let json = try await run("test", "--json", file).objects
    #expect(json.first?["results"] as? [String] != nil)
  }

  @Test func `the findings are those of the file`() async throws {
    let file = try folder.write(
      try await draft().replacing("mode: connect", with: "mode: conect")
        .replacing("vendor", with: "vendro"), to: "my-strap.yaml")
    let found = try await run("lint", file)
    #expect(found.status != 0)
    #expect(found.lines.count == 2)
    #expect(found.lines.allSatisfy { $0.contains("did you mean") })
  }

  @Test func `a recording of several devices needs an address`() async throws {
    let other = Recordings.heartBeats(1).replacing("A0:9E:1A:00:00:02", with: "A0:9E:1A:00:00:03")
      .replacing(#""t":0,"#, with: #""t":2,"#).replacing(#""t":0.5,"#, with: #""t":2.5,"#)
      .replacing(#""t":1,"#, with: #""t":3,"#)
      .split(separator: "\n").dropFirst().joined(separator: "\n")
    let trace = try folder.write(Recordings.heartBeats(1) + "\n" + other, to: "two.jsonl")
    let refused = try await run("new", "--from-capture", trace)
    #expect(refused.status != 0)
    #expect(refused.error.contains("A0:9E:1A:00:00:02, A0:9E:1A:00:00:03"))
    #expect(
      try await run("new", "--from-capture", trace, "--address", "A0:9E:1A:00:00:03").output
        .contains("what A0:9E:1A:00:00:03 sent"))
    #expect(
      try await run("new", "--from-capture", trace, "--address", "A0:9E:1A:00:00:04").status == 4)
  }

  @Test func `the list has a hundred columns`() async throws {
    let list = try await run("list")
    #expect(list.status == 0)
    #expect(list.lines.count > 100)
    #expect(list.lines.filter { $0.count > 100 } == [])
    let row = try #require(list.lines.first { $0.hasPrefix("qn-scale") })
    #expect(row.contains("weight, impedance, history,"))
    #expect(row.contains("recorded"))
    #expect(row.contains("step on barefoot"))
    #expect(
      list.lines.last
        == "protocol: after a published protocol; no frame of a device has been read with it"
    )
  }

  /// By product, in either case and without the hyphens; by several words; by vendor and id.
  @Test(arguments: [
    (["es26m"], ["qn-scale"]), (["Renpho", "MSC04"], ["renpho-r-msc04"]),
    (["nonin"], ["nonin-3230"]), (["sig-thermo"], ["sig-thermometer"]),
  ])
  func `words find a device`(words: [String], ids: [String]) async throws {
    let found = await InProcess.run(["devices", "list", "--json"] + words)
    #expect(found.objects.map { $0["id"] as? String } == ids)
  }

  @Test func `the product that was searched for is shown`() async throws {
    let found = try await run("list", "fitindex")
    #expect(found.lines.contains { $0.contains("FITINDEX") })
  }

  @Test func `what is not found says what to do`() async throws {
    let none = try await run("list", "yumai")
    #expect(none.status == 4)
    #expect(none.output.isEmpty)
    #expect(none.error.contains("did you mean ‘Yunmai’?"))
    #expect(none.error.contains("measured devices new"))
  }

  @Test func `the list as JSON has what the table has`() async throws {
    let scale = try #require(try await run("list", "--json", "beurer-bf7xx").objects.first)
    #expect(
      scale["families"] as? [String] == [
        "Beurer BF105", "Beurer BF600", "Beurer BF720", "Beurer BF788", "Beurer BF850",
        "Beurer BF915", "Beurer BF950",
      ])
    #expect((scale["reads"] as? [String])?.first == "weight")
    #expect(scale["evidence"] as? String == "recorded")
    #expect(scale["pairing"] as? String == "pair it once; user and code in the plan")
    #expect(scale["bond"] as? String == "required")
    #expect(scale["setsClock"] as? Bool == true)
    #expect(scale["kind"] as? String == "Scales")
  }

  @Test func `the table of the readme is printed`() async throws {
    let table = try await run("list", "--markdown")
    #expect(table.lines.first == "| what | how sure | devices |")
    #expect(try await run("list", "--markdown", "polar").status == 2)
  }
}
