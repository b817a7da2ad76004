import Foundation
import TestSupport
import Testing

/// `measured done --file`.
@Suite struct FileAnswerTests {
  let folder: TemporaryFolder
  let store: [String]

  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: anna, name: {given: Anna}}
    tasks:
      - id: wound
        patient: anna
        title: The wound
        schedule:
          - {start: 2026-03-01, interval: {days: 1}, duration: allDay}
        survey:
          - {kind: picture, type: photo}
          - {kind: pain, type: scale, minimum: 0, maximum: 10}
    """

  init() async throws {
    folder = try TemporaryFolder()
    store = ["--store", folder.path("s.sqlite")]
    try await Self.prepared.copy(to: folder.path("s.sqlite"))
  }

  private static let prepared = PreparedStore(plan: plan)

  private func write(_ bytes: [UInt8], to name: String) throws -> String {
    try Data(bytes).write(to: URL(filePath: folder.path(name)))
    return folder.path(name)
  }

  private func done(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(["done", "wound"] + arguments + ["--date", "2026-03-02"] + store)
  }

  @Test func `a picture answers its question`() async throws {
    let picture = try write(MediaFiles.png(length: 2_100_000), to: "knee.png")
    let today = await InProcess.run(["today", "--date", "2026-03-02"] + store)
    #expect(
      today.output.contains("--file picture=… --value … --kind pain"), "\(today.output)")
    let answered = try await done(
      "--file", "picture=" + picture, "--value", "3", "--kind", "pain", "--json")
    #expect(answered.status == 0, "\(answered.error)")
    let values = try #require(answered.objects.first?["values"] as? [[String: Any]])
    #expect(values.map { $0["kind"] as? String } == ["pain", "picture"])
    let reference = try #require(values.last?["value"] as? [String: Any])
    #expect(reference["type"] as? String == "image/png")
    #expect(reference["bytes"] as? Int == 2_100_000)
    #expect((reference["sha256"] as? String)?.count == 64)
    let events = await InProcess.run(
      ["events", "--from", "2026-03-02", "--to", "2026-03-03"] + store)
    #expect(events.output.contains("picture, 2.1 MB"), "\(events.output)")
    #expect(await InProcess.run(["store", "check"] + store).status == 0)
  }

  @Test func `what is no picture is refused by name`() async throws {
    let text = try write(Array("Hello".utf8), to: "knee.jpg")
    let refused = try await done("--file", "picture=" + text, "--value", "3", "--kind", "pain")
    #expect(refused.status == 3)
    #expect(refused.error.contains("\(text): This is a text, neither a picture nor a video."))
    let video = try write(MediaFiles.boxes("isom"), to: "knee.mp4")
    let other = try await done("--file", "picture=" + video, "--value", "3", "--kind", "pain")
    #expect(other.status == 3)
    #expect(other.error.contains("a picture"), "\(other.error)")
    #expect(try await done("--file", "picture=" + folder.path("none.jpg")).status == 1)
    #expect(try await done("--file", "picture").status == 2)
    #expect(try await done("--not", "--file", "picture=" + text).status == 2)
    let events = await InProcess.run(
      ["events", "--from", "2026-03-02", "--to", "2026-03-03", "--json"] + store)
    #expect((events.objects.first?["values"] as? [Any])?.isEmpty == true)
  }
}
