import Assessments
import Care
import Foundation
import Motion
import Testing

@testable import TestSupport

/// Every assessment has one name and one unit for each figure: in its description, in `measure`, in
/// the events that a replay of the same recording completes, and in the documents.
@Suite struct AssessmentContractTests {
  /// A recording of an assessment, and how to ask for it.
  struct Recording {
    /// The keys of the plan's active task beside its type.
    var keys = ""
    /// The sensor, and with it the file's name.
    var sensor: String
    /// The subcommand of `measure` with its options.
    var command: [String]
    /// The options that its JSON repeats.
    var options: Set<String> = []
    var samples: [MotionSample]
  }

  static func recording(of type: ActiveTaskType) -> Recording? {
    switch type {
    case RangeOfMotionAssessment.type:
      Recording(
        keys: ", joint: knee, side: left", sensor: "left-shank",
        command: ["range-of-motion", "--joint", "knee", "--side", "left"],
        options: ["joint", "side"],
        samples: SyntheticLimb(hasGyroscope: true).samples([0, 95, 0]).map(\.sample))
    case ExerciseAssessment.type:
      Recording(
        keys: ", joint: knee, side: left, sets: 2, repetitions: 4, rest: 30s, minimum: 60 deg",
        sensor: "left-shank", command: ["exercise", "--minimum", "60", "--rest", "30"],
        samples: SyntheticExercise(sets: [[75, 80, 40, 75, 75], [80, 75, 75, 80]]).samples())
    case TimedUpAndGoAssessment.type:
      Recording(
        sensor: "left-thigh", command: ["timed-up-and-go"],
        samples: SyntheticTimedUpAndGo().samples())
    case FiveTimesSitToStandAssessment.type:
      Recording(
        keys: ", side: right", sensor: "right-thigh", command: ["chair-stand"], options: ["test"],
        samples: SyntheticChairStand().samples(stands: 5))
    case ThirtySecondChairStandAssessment.type:
      Recording(
        sensor: "left-thigh", command: ["chair-stand", "--test", "thirty-seconds"],
        options: ["test"], samples: SyntheticChairStand().samples(stands: 12))
    case TimedWalkAssessment.type:
      Recording(
        keys: ", distance: 20 m", sensor: "pelvis", command: ["walk", "--distance", "20"],
        samples: SyntheticGait().samples(steps: 36))
    case ShortWalkAssessment.type:
      Recording(
        keys: ", stepsPerLeg: 20, rest: 5s", sensor: "pelvis",
        command: ["walk", "--steps-per-leg", "20", "--rest-time", "5"],
        samples: SyntheticWalk(rest: 10).samples)
    case SixMinuteWalkAssessment.type:
      Recording(
        keys: ", stepLength: 60 cm", sensor: "pelvis",
        command: ["walk", "--six-minute", "--step-length", "0.6"],
        samples: SyntheticGait(rate: 25).samples(steps: 660))
    case TremorAssessment.type:
      Recording(sensor: "left-hand", command: ["tremor"], samples: SyntheticTremor().samples)
    case SwayAssessment.type:
      Recording(
        keys: ", axis: z", sensor: "pelvis", command: ["sway", "--axis", "z"],
        samples: SyntheticStance().samples)
    default: nil
    }
  }

  @Test(arguments: AssessmentList.all.filter { $0.sensors != .screen }.map { $0.type.rawValue })
  func `has one name and one unit for each figure`(type: String) async throws {
    let assessment = try #require(AssessmentList.all.first { $0.type.rawValue == type })
    let recording = try #require(
      Self.recording(of: assessment.type), "give this test a recording of \(type)")
    let folder = try TemporaryFolder()
    let file = try folder.write(csv(recording.samples), to: recording.sensor + ".csv")
    let line = try await measured(recording, file)
    let event = try await replayed(recording, file, type: type, in: folder)

    let figures = assessment.figureDescriptions
    #expect(figures.last == .confidence)
    let values = try #require(event["values"] as? [[String: Any]])
    #expect(values.first?["kind"] as? String == figures.first?.kind)
    #expect(Set(values.compactMap { $0["kind"] as? String }).isSubset(of: figures.map(\.kind)))
    for figure in figures {
      let own = values.filter { $0["kind"] as? String == figure.kind }
      #expect(own.allSatisfy { $0["unit"] as? String == figure.unit?.code }, "\(figure.kind)")
      let inEvent = own.map { Self.text($0["value"]) }
      switch figure.presence {
      case .always: #expect(inEvent.count == 1, "\(figure.kind)")
      case .optional: #expect(inEvent.count <= 1, "\(figure.kind)")
      case .repeated: #expect(!inEvent.isEmpty, "\(figure.kind)")
      }
      guard figure != .confidence else {
        let quality = try #require(line["quality"] as? [String: Any])
        #expect(inEvent == [Self.text(quality["verdict"])])
        continue
      }
      if figure.presence == .repeated {
        let printed = try #require(line[figure.kind] as? [Any])
        #expect(printed.map(Self.text) == inEvent, "\(figure.kind)")
      } else {
        #expect(Self.text(line[figure.kind]) == inEvent.first ?? "null", "\(figure.kind)")
      }
    }
    let names = figures.map(\.kind).filter { $0 != FigureDescription.confidence.kind }
    #expect(Set(line.keys) == recording.options.union(["file", "quality"] + names))
    #expect(
      try readmeFigures(of: type)
        == figures.filter { $0 != .confidence }.map { [$0.kind, $0.unit?.code ?? ""] })
  }

  /// A scalar of JSON as text; `null` is one, an absent key is none.
  private static func text(_ value: Any?) -> String {
    guard let value else { return "absent" }
    return value is NSNull ? "null" : "\(value)"
  }

  /// The line of `measure --json`.
  private func measured(_ recording: Recording, _ file: String) async throws -> [String: Any] {
    let result = await InProcess.run(["measure"] + recording.command + [file, "--json"])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.firstMatch(of: /[0-9]\.[0-9]{10}/) == nil, "\(result.output)")
    let line = try #require(result.objects.first)
    #expect(result.objects.count == 1)
    #expect(line["file"] as? String == file)
    return line
  }

  /// The event that a replay completes, as `events --json` has it.
  private func replayed(
    _ recording: Recording, _ file: String, type: String, in folder: TemporaryFolder
  ) async throws -> [String: Any] {
    let plan = try folder.write(
      """
      timeZone: UTC
      patients: [{id: john}]
      tasks:
        - id: test
          title: Do the test
          schedule:
            - {start: 2026-11-01T09:00, interval: {days: 1}, duration: 1h}
          activeTask: {type: \(type)\(recording.keys)}
      """, to: "plan.yaml")
    let store = folder.path("store.sqlite")
    let replay = await InProcess.run([
      "replay", file, "--plan", plan, "--store", store, "--start", "2026-11-20T09:10:00Z", "--json",
    ])
    #expect(replay.status == 0, "\(replay.error)")
    #expect(replay.objects.contains { $0["type"] as? String == "completed" }, "\(replay.output)")
    let events = await InProcess.run([
      "events", "--store", store, "--from", "2026-11-20", "--to", "2026-11-21", "--json",
    ])
    return try #require(events.objects.first)
  }

  /// The figures of an assessment with their units, as the plan's document lists them.
  private func readmeFigures(of type: String) throws -> [[String]] {
    let readme = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/plan.md").standardizedFileURL, encoding: .utf8)
    let rows = readme.split(separator: "\n").filter { $0.hasPrefix("| `\(type)` | ") }
    let cells = try #require(rows.last).split(separator: "|")
    return try #require(cells.last).split(separator: ",").map { figure in
      let words = figure.split(separator: " ")
      return [
        String(words[0].filter { !"`?…".contains($0) }), words.count > 1 ? String(words[1]) : "",
      ]
    }
  }

  private func csv(_ samples: [MotionSample]) -> String {
    func decimal(_ value: some BinaryInteger, _ digits: Int) -> String {
      let text = String(value.magnitude)
      let padded = String(repeating: "0", count: max(digits + 1 - text.count, 0)) + text
      return (value < 0 ? "-" : "") + padded.dropLast(digits) + "." + padded.suffix(digits)
    }
    let hasRate = samples.first?.angularRate != nil
    let rows = samples.map { sample in
      let force = sample.acceleration
      let fields =
        [decimal(sample.time, 6)] + [force.x, force.y, force.z].map { decimal($0, 6) }
        + (sample.angularRate.map { [$0.x, $0.y, $0.z].map { decimal($0, 3) } } ?? [])
      return fields.joined(separator: ",")
    }
    return (["t,ax,ay,az" + (hasRate ? ",gx,gy,gz" : "")] + rows).joined(separator: "\n") + "\n"
  }
}
