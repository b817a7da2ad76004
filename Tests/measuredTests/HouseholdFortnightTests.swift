import Foundation
import Testing

@testable import Terminal

/// Two weeks of two people with one scale and one strap, at the command line.
///
/// Every command is one that is printed for people before, or begins with ids that are; nothing is
/// read from `--json`.
@Suite struct HouseholdFortnightTests {
  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: anna, name: {given: Anna}, expects: {bodyMass: 64 kg}}
      - {id: karl, name: {given: Karl}, expects: {bodyMass: 82 kg}}
    tasks:
      - id: weigh-in
        patient: anna
        title: Weigh yourself
        schedule: [{start: 2019-10-01, interval: {days: 1}, duration: allDay}]
        linkage: {quantity: bodyMass}
      - id: weigh-in
        patient: karl
        title: Weigh yourself
        schedule: [{start: 2019-10-01, interval: {days: 1}, duration: allDay}]
        linkage: {quantity: bodyMass}
      - id: pulse
        patient: karl
        title: Heart rate on the walk
        schedule: [{start: 2019-10-01, interval: {days: 1}, duration: allDay}]
        linkage: {quantity: heartRate}
      - id: pills
        patient: karl
        title: Take the pills
        instructions: With food.
        schedule: [{start: 2019-10-01T08:00, interval: {days: 1}, duration: 2h}]
    devices:
      - {address: "A0:9E:1A:00:00:03", definition: polar-h10, patient: karl}
    """

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a command line as it would be typed, with the household's store.
  private func measured(
    _ line: String, _ location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    var words = line.split(separator: " ").map(String.init)
    words = words.map { $0.contains("/") || !$0.contains(".") ? $0 : folder.path($0) }
    let result = await InProcess.run(
      words, environment: ["MEASURED_STORE": folder.path("home.sqlite")])
    #expect(result.status == 0, "\(line): \(result.error)", sourceLocation: location)
    return result.output
  }

  /// The text that is printed on a line after a mark, up to its end.
  private func text(after mark: String, in output: String) throws -> String {
    let line = try #require(
      output.split(separator: "\n").first { $0.contains(mark) }, "\(mark) in \(output)")
    return String(line[try #require(line.range(of: mark)).upperBound...])
  }

  /// Weights on the scale, one each five minutes of a morning in October 2019.
  private func weighings(_ day: Int, _ kilograms: [Double]) throws -> String {
    func hex(_ number: Int) -> String { (number < 16 ? "0" : "") + String(number, radix: 16) }
    var lines = [
      #"{"measured-trace":1,"start":"2019-10-\#(day < 10 ? "0" : "")\#(day)T07:00:00+02:00","adapter":"hci0"}"#
    ]
    for (index, weight) in kilograms.enumerated() {
      let raw = Int((weight * 200).rounded())
      let date = "e3070a" + hex(day) + "07" + hex(index * 5) + "00"
      lines.append(
        Recordings.miScale(
          Double(index * 300), "0222" + date + "fdff" + hex(raw & 255) + hex(raw >> 8)))
    }
    return try folder.write(lines.joined(separator: "\n"), to: "day\(day).jsonl")
  }

  @Test func `everything is done from what is printed`() async throws {
    let planFile = try folder.write(Self.plan, to: "plan.yaml")
    #expect(
      try await measured("plan import plan.yaml").contains("device A0:9E:1A:00:00:03 (karl): added")
    )

    // Each on the scale: told apart by their weights.
    for day in [1, 2, 3] {
      _ = try weighings(day, [64.1, 82.2])
      let replayed = try await measured("replay day\(day).jsonl --store home.sqlite")
      #expect(replayed.contains("Weight 64.1 kg  anna"))
      #expect(replayed.contains("Weight 82.2 kg  karl"))
    }

    // Anna with a suitcase is taken for Karl, which she puts right.
    _ = try weighings(9, [82.1])
    #expect(
      try await measured("replay day9.jsonl --store home.sqlite").contains("Weight 82.1 kg  karl"))
    let list = try await measured("samples --from 2019-10-09 --to 2019-10-10")
    let row = try #require(list.split(separator: "\n").first { $0.contains("82.1 kg") })
    let id = try #require(row.split(separator: " ").first)
    #expect(try await measured("samples assign \(id) --patient anna").contains("assigned to anna"))
    var day = try await measured("today --date 2019-10-09")
    #expect(day.contains("Anna\n  ✓ anytime  Weigh yourself: 82.1 kg  [weigh-in]"))
    #expect(day.contains("Karl\n  ! anytime  Weigh yourself  [weigh-in]  (not recorded)"))
    #expect(try await measured("samples unassign \(id)").contains("unassigned"))
    #expect(try await measured("samples assign \(id) --nobody").contains("\(id)  Weight 82.1 kg"))

    // The strap's address is wrong in the plan: a walk waits, until the plan is corrected.
    let strap = Recordings.heartBeats(60)
    _ = try folder.write(
      strap.replacing("2019-10-30T22:59:00-07:00", with: "2019-10-10T18:00:00+02:00"),
      to: "walk.jsonl")
    let waiting = try await measured("replay walk.jsonl --store home.sqlite")
    #expect(
      waiting.contains(
        "unassigned: A0:9E:1A:00:00:02 is bound to nobody: whose is this device?"))
    day = try await measured("today --date 2019-10-10")
    let command = try text(after: "are unassigned; see measured ", in: day)
    #expect(try await measured(command + " --last 5").contains("A0:9E:1A:00:00:02"))
    let corrected = Self.plan.replacing("00:00:03", with: "00:00:02")
    try Data(corrected.utf8).write(to: URL(fileURLWithPath: planFile))
    let imported = try await measured("plan import plan.yaml")
    #expect(imported.contains("device A0:9E:1A:00:00:03 (karl): not in this plan; it stays."))
    let assignment = try text(after: "To give them to karl: measured ", in: imported)
    #expect(try await measured(assignment).contains("of a stream: assigned to karl"))
    let prune = try text(after: "To unbind it: measured plan import ", in: imported)
    #expect(
      try await measured("plan import plan.yaml \(prune)").contains(
        "device A0:9E:1A:00:00:03 (karl): unbound"))
    day = try await measured("today --date 2019-10-10")
    #expect(day.contains("✓ anytime  Heart rate on the walk: ⌀ "))
    #expect(!day.contains("unassigned"))
    #expect(try await measured("samples --unassigned").contains("There are no unassigned samples."))

    // The pills, with the command that is printed below them.
    #expect(day.contains("! 08:00    Take the pills  [pills]  (not recorded)"))
    let done = try text(after: "→ measured done pills", in: day)
    #expect(
      try await measured("done pills" + done).contains("✓ Take the pills, 2019-10-10 08:00: done"))
    #expect(try await measured("today --date 2019-10-10").contains("✓ 08:00    Take the pills"))
    #expect(try await measured("undo pills --date 2019-10-10").contains("taken back"))
    #expect(try await measured("done pills" + done).contains("done"))

    // A task ends; the plan is edited; neither undoes the other.
    #expect(
      try await measured("task end pulse --at 2019-10-12").contains(
        "[pulse] of karl ends at 2019-10-12"))
    #expect(try await !measured("today --date 2019-10-12").contains("[pulse]"))
    let edited = corrected.replacing("Take the pills", with: "Take two pills")
    try Data(edited.utf8).write(to: URL(fileURLWithPath: planFile))
    #expect(
      try await measured("plan import plan.yaml").contains(
        "task pills of karl: changed (title), now version 2"))
    #expect(try await !measured("today --date 2019-10-12").contains("[pulse]"))

    // A backup brings back what was deleted since.
    #expect(try await measured("store backup backup.sqlite").contains("backup.sqlite is a copy of"))
    #expect(try await measured("samples delete 1").contains("Weight 64.1 kg"))
    #expect(
      try await measured("today --date 2019-10-01").contains(
        "! anytime  Weigh yourself  [weigh-in]"))
    #expect(
      try await measured("store restore backup.sqlite").contains("has the content of"))
    #expect(
      try await measured("today --date 2019-10-01").contains("✓ anytime  Weigh yourself: 64.1 kg"))

    let week = try await measured("week --date 2019-10-10")
    #expect(week.contains("✓ ⌀ "))
    #expect(
      try await measured("samples --summary --from 2019-10-01 --to 2019-10-04").contains("64.1 kg"))
    #expect(try await measured("store check").isEmpty == false)
  }
}
