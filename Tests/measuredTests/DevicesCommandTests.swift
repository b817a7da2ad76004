import Foundation
import Testing

/// `measured devices` for those who write definitions.
@Suite struct DevicesCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) throws -> MeasuredProcess.Result {
    try MeasuredProcess.run(["devices"] + arguments)
  }

  private func draft() throws -> String {
    let trace = try folder.write(Recordings.heartBeats(3), to: "strap.jsonl")
    let draft = try run("new", "--from-capture", trace, "--id", "my-strap")
    #expect(draft.status == 0, "\(draft.error)")
    return draft.output
  }

  @Test func aDraftOfARecordingPassesItsVectorsAndHasNoFindings() throws {
    let text = try draft()
    #expect(text.contains("codec: heart-rate"))
    let file = try folder.write(text, to: "my-strap.yaml")
    let tested = try run("test", file)
    #expect(tested.status == 0)
    #expect(tested.lines.last == "3 passed, 0 failed")
    // What a person has to find out is marked, and read as it stands.
    #expect(text.contains("TODO"))
  }

  @Test func printsWhatComesOutAsItIsExpected() throws {
    let file = try folder.write(
      try draft().replacing("value: 61}", with: "value: 99, user: 2}"), to: "my-strap.yaml")
    let tested = try run("test", "--print", file)
    #expect(tested.status != 0)
    #expect(tested.lines.contains("    heartRate 61.0 instead of heartRate 99.0"))
    #expect(tested.lines.contains("    heartRate has the user none instead of 2"))
    #expect(tested.lines.contains("      - {quantity: heartRate, value: 61}"))
    #expect(tested.lines.contains("      - {quantity: rrInterval, value: 1}"))
    let json = try run("test", "--json", file).objects
    #expect(json.first?["results"] as? [String] != nil)
  }

  @Test func theFindingsAreThoseOfTheFile() throws {
    let file = try folder.write(
      try draft().replacing("mode: connect", with: "mode: conect")
        .replacing("vendor", with: "vendro"), to: "my-strap.yaml")
    let found = try run("lint", file)
    #expect(found.status != 0)
    #expect(found.lines.count == 2)
    #expect(found.lines.allSatisfy { $0.contains("did you mean") })
  }

  @Test func aRecordingOfSeveralDevicesNeedsAnAddress() throws {
    let other = Recordings.heartBeats(1).replacing("A0:9E:1A:00:00:02", with: "A0:9E:1A:00:00:03")
      .replacing(#""t":0,"#, with: #""t":2,"#).replacing(#""t":0.5,"#, with: #""t":2.5,"#)
      .replacing(#""t":1,"#, with: #""t":3,"#)
      .split(separator: "\n").dropFirst().joined(separator: "\n")
    let trace = try folder.write(Recordings.heartBeats(1) + "\n" + other, to: "two.jsonl")
    let refused = try run("new", "--from-capture", trace)
    #expect(refused.status != 0)
    #expect(refused.error.contains("A0:9E:1A:00:00:02, A0:9E:1A:00:00:03"))
    #expect(
      try run("new", "--from-capture", trace, "--address", "A0:9E:1A:00:00:03").output
        .contains("what A0:9E:1A:00:00:03 sent"))
    #expect(try run("new", "--from-capture", trace, "--address", "A0:9E:1A:00:00:04").status == 4)
  }

  @Test func theSchemaIsJSON() throws {
    let schema = try run("schema")
    #expect(schema.status == 0)
    #expect((try? JSONSerialization.jsonObject(with: Data(schema.output.utf8))) is [String: Any])
  }
}
