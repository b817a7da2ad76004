import Foundation
import TestSupport
import Testing

@Suite struct ReplayCommandTests {
  @Test func `completes a weigh in once when replayed twice`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let trace = try folder.write(Recordings.weighIn, to: "trace.jsonl")
    let arguments = ["replay", trace, "--plan", plan, "--store", folder.path("s.sqlite"), "--json"]

    let first = await InProcess.run(arguments)
    #expect(first.status == 0)
    #expect(first.objects.map { $0["type"] as? String } == ["reading", "completed", "summary"])
    #expect(first.objects[0]["value"] as? Double == 61.75)
    #expect(first.objects[0]["time"] as? String == "2019-10-30T22:59:44-07:00")
    #expect(first.objects[1]["task"] as? String == "weigh-in")
    #expect(first.objects[1]["occurrence"] as? Int == 29)

    let again = await InProcess.run(arguments)
    #expect(again.status == 0)
    #expect(again.objects.map { $0["type"] as? String } == ["duplicate", "summary"])

    let people = await InProcess.run(arguments.dropLast())
    #expect(people.output.contains("Nothing changed: 1 reading was in the store already."))
  }

  @Test func `makes no store without a plan or for a recording that cannot be read`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let trace = try folder.write(Recordings.weighIn, to: "trace.jsonl")
    let newer = try folder.write("{\"measured-trace\":99}\n", to: "newer.jsonl")
    let motion = try folder.write("t,x,y,z\n0,0,0,1\n", to: "motion.csv")
    for arguments in [
      [trace], [folder.path("none.jsonl"), "--plan", plan], [newer, "--plan", plan],
      [motion, "--plan", plan],
    ] {
      let result = await InProcess.run(["replay"] + arguments + ["--store", store])
      #expect(result.status != 0, "\(arguments)")
      #expect(!FileManager.default.fileExists(atPath: store), "\(arguments)")
    }
  }

  @Test func `uses a temporary store without store flag`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let result = await InProcess.run(
      ["replay", "-", "--plan", plan, "--json"], input: Recordings.weighIn,
      environment: ["XDG_STATE_HOME": folder.path("state")])
    #expect(result.status == 0)
    #expect(result.objects.last?["completed"] as? Int == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path("state")))
  }

  @Test func `says once that values of a room are not kept`() async throws {
    let folder = try TemporaryFolder()
    let tag = { (t: Int) in
      #"{"t":\#(t),"type":"advertisement","address":"CB:B8:33:4C:88:4F","addressType":"random","#
        + #""rssi":-60,"data":"0201061bff99040512FC5394C37C0004FFFC040CAC364200C\#(t)CBB8334C884F"}"#
    }
    let room = [Recordings.header, tag(1), tag(2)].joined(separator: "\n")
    let line =
      "16 readings of a room or battery not stored: only those of a patient's device are, and the"
      + " plan gives CB:B8:33:4C:88:4F to nobody."
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let result = await InProcess.run(["replay", "-", "--plan", plan], input: room)
    #expect(result.lines.filter { $0.contains("room") } == [line])
    let bound = try folder.write(
      Recordings.plan
        + "\ndevices:\n  - {address: \"CB:B8:33:4C:88:4F\", definition: ruuvitag, patient: john}\n",
      to: "bound.yaml")
    let kept = await InProcess.run(["replay", "-", "--plan", bound], input: room)
    #expect(kept.status == 0)
    #expect(!kept.output.contains("not stored: only"))
  }

  @Test func `says why a recording measures nothing`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    // Complete local name "Kettle", and no definition that matches it.
    let kettle = [
      Recordings.header,
      #"{"t":1,"type":"advertisement","address":"C4:00:00:00:00:01","addressType":"random","#
        + #""rssi":-60,"data":"02010607094B6574746C65"}"#,
    ].joined(separator: "\n")
    let result = await InProcess.run(["replay", "-", "--plan", plan], input: kettle)
    #expect(result.status == 0)
    #expect(
      result.error.split(separator: "\n") == [
        "measured: no definition matches C4:00:00:00:00:01 (Kettle); ‘measured devices list’ has those"
          + " that are read, and Devices/README.md tells how to add one."
      ])
    let bound = try folder.write(
      Recordings.plan
        + "\ndevices:\n  - {address: \"CB:B8:33:4C:88:4F\", definition: ruuvitag, patient: john}\n",
      to: "bound.yaml")
    let missing = await InProcess.run(["replay", "-", "--plan", bound], input: kettle)
    #expect(
      missing.error.split(separator: "\n").first
        == "measured: not in the recording: CB:B8:33:4C:88:4F.")
    #expect(missing.error.split(separator: "\n").count == 2)
  }

  @Test func `reads a motion file only with its start`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let motion = try folder.write("t,x,y,z\n0,0,0,1\n0.02,0,0,1\n", to: "still.csv")
    let refused = await InProcess.run(["replay", motion, "--plan", plan])
    #expect(refused.status == 1)
    #expect(refused.error.contains("add --start with its time"))
    let played = await InProcess.run(
      ["replay", motion, "--plan", plan, "--start", "2019-10-30T10:00:00", "--json"])
    #expect(played.status == 0)
    #expect(played.objects.last?["events"] as? Int == 1)
  }

  @Test func `says where a trace is damaged and keeps what came before`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let trace = try folder.write(Recordings.weighIn + "\n{\"t\":61,\"ty\n", to: "cut.jsonl")
    let store = folder.path("s.sqlite")
    let result = await InProcess.run(["replay", trace, "--plan", plan, "--store", store])
    #expect(result.status == 1)
    #expect(result.error.contains("cut.jsonl:5: "))
    let samples = await InProcess.run(["samples", "--store", store, "--json"])
    #expect(samples.objects.map { $0["value"] as? Double } == [61.75])
  }

  /// A recording may end at any moment.
  @Test func `leaves out a line that is cut off`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let trace = try folder.write(Recordings.weighIn + "\n{\"t\":61,\"ty", to: "cut.jsonl")
    let result = await InProcess.run(["replay", trace, "--plan", plan, "--json"])
    #expect(result.status == 0)
    #expect(result.error.contains("cut.jsonl: lost 1 event: the last line is cut off"))
    #expect(result.objects.last?["readings"] as? Int == 1)
  }

  /// Killed at any point and replayed, the store ends as after one undisturbed replay.
  @Test(arguments: 0..<Rounds.count(12)) func `survives kill 9`(trial: Int) async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let trace = try folder.write(Recordings.heartBeats(600), to: "beats.jsonl")
    let undisturbed = folder.path("undisturbed.sqlite")
    let clock = ContinuousClock()
    let took = try clock.measure {
      let result = try MeasuredProcess.run(
        ["replay", trace, "--plan", plan, "--store", undisturbed])
      #expect(result.status == 0)
    }
    let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) * 1e-18

    let store = folder.path("killed.sqlite")
    let arguments = ["replay", trace, "--plan", plan, "--store", store, "--json"]
    for part in 0..<3 {
      let fraction = Double((trial * 3 + part) * 37 % 100) / 100
      _ = try MeasuredProcess.killed(arguments, after: seconds * fraction)
    }
    let last = await InProcess.run(arguments)
    #expect(last.status == 0)
    #expect(try await Self.content(store) == Self.content(undisturbed))
  }

  /// A store's content without random ids, sorted because these order the events of one day.
  static func content(_ store: String) async throws -> [String] {
    let samples = await InProcess.run(["samples", "--store", store, "--json"])
    let events = await InProcess.run(
      ["events", "--store", store, "--from", "2019-10-28", "--to", "2019-11-02", "--json"])
    #expect(samples.status == 0 && events.status == 0)
    return try (samples.objects + events.objects.map { $0.filter { $0.key != "id" } }).map {
      String(
        decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys),
        as: UTF8.self)
    }.sorted()
  }

  @Test func `warns of an unknown sensor`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let motion = try folder.write("t,x,y,z\n0,0,0,1\n0.02,0,0,1\n", to: "still.csv")
    func replay(_ sensor: String) async throws -> MeasuredProcess.Result {
      await InProcess.run([
        "replay", motion, "--plan", plan, "--start", "2019-10-30T10:00:00", "--sensor", sensor,
      ])
    }
    let misspelt = try await replay("lft-thigh")
    #expect(misspelt.status == 0 && misspelt.error.contains("(did you mean ‘left-thigh’?)"))
    #expect(try await replay("left-thigh").error.isEmpty)
    #expect(try await replay("trunk").error.isEmpty)
  }
}
