import Care
import CareStore
import Exchange
import Foundation
import Testing

@testable import Terminal

/// A centre and a box, by the commands of both.
@Suite struct CentreCommandTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) async -> MeasuredProcess.Result {
    await InProcess.run(arguments)
  }

  private func store(_ name: String) async throws -> SQLStore {
    let store = try SQLStore.open(path: folder.path(name), makeUUID: { UUID() })
    try await store.write { writer in
      _ = try writer.put(
        Patient(id: "anna", name: PersonName(given: "Anna")),
        now: Date(timeIntervalSince1970: 1_796_000_000))
    }
    return store
  }

  @Test func `an invitation names its people, and makes those who are asked for`() async throws {
    _ = try await store("centre.sqlite")
    let path = folder.path("centre.sqlite")
    #expect(await run("centre", "invite", "--store", path).status == 2)
    #expect(
      await run("centre", "invite", "--store", path, "--cohort", "A b", "--people", "1").status == 2
    )
    let invited = await run(
      "centre", "invite", "--store", path, "--cohort", "north", "--person", "anna", "--people", "2",
      "--address", "https://centre.example")
    #expect(invited.status == 0)
    #expect(
      invited.output.contains(
        /measured join https:\/\/centre.example [0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}/))
    #expect(invited.output.contains("‘anna’, ‘north-1’, ‘north-2’"))
    let people = await run("patient", "list", "--store", path, "--json")
    #expect(
      people.objects.compactMap { $0["id"] as? String }.sorted() == ["anna", "north-1", "north-2"])
    let file = folder.path("invitation.txt")
    #expect(
      await run(
        "centre", "invite", "--store", path, "--person", "anna", "--file", file, "--address",
        "https://centre.example"
      ).status == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.hasPrefix("https://centre.example "))
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(
      await run("centre", "boxes", "--store", path).output.hasPrefix("No box has joined yet."))
  }

  @Test(
    arguments: [
      ["join", "http://192.168.1.5", "AAAA-BBBB-CCCC"], ["join", "ftp://x", "A"],
      ["join", "https://user:pass@x.example", "A"], ["join", "https://x.example/?a=b", "A"],
      ["join", "https://x.example"], ["join"],
    ])
  func `a centre is joined by TLS, or on this machine`(arguments: [String]) async throws {
    let result = await InProcess.run(arguments + ["--store", folder.path("box.sqlite")])
    #expect(result.status == 2, "\(result.error)")
  }

  @Test func `whoever has joined nothing is told how`() async throws {
    _ = try await store("box.sqlite")
    let path = folder.path("box.sqlite")
    #expect(await run("sync", "--store", path).output.contains("measured join"))
    #expect(await run("sync", "now", "--store", path).status == 4)
    #expect(await run("leave", "--store", path).status == 4)
    #expect(await run("centre", "revoke", "abcd", "--store", path).status == 4)
    #expect(await run("sync", "--json", "--store", path).output == "")
  }

  /// Two programs on one machine.
  @Test func `a box joins a centre, both have what each did, and a revoked one is refused`()
    async throws
  {
    let (centre, box) = (try await store("centre.sqlite"), folder.path("box.sqlite"))
    let path = folder.path("centre.sqlite")
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    try await centre.write { try $0.setPlanTimeZone(berlin, now: Date()) }
    let server = try CentreProcess(store: path)
    let address = try server.address()
    let invited = await run(
      "centre", "invite", "--store", path, "--cohort", "north", "--person", "anna", "--address",
      address)
    let code = try #require(invited.output.firstMatch(of: /code is ([0-9A-Z-]+)\./)).output.1
    #expect(
      try MeasuredProcess.run(["join", address, "AAAA-AAAA-AAAA", "--store", box]).status == 3)
    let joined = try MeasuredProcess.run(["join", address, String(code), "--store", box])
    #expect(joined.status == 0, "\(joined.error)")
    #expect(joined.output.contains("takes the centre's: Europe/Berlin"), "\(joined.output)")
    // The key is the box's own, for its owner alone, and in no export.
    let secrets = try String(contentsOfFile: box + SQLStore.secretsSuffix, encoding: .utf8)
    let key = try #require(secrets.firstMatch(of: /"key":"([0-9a-f]{64})"/)).output.1
    #expect(!(await run("store", "export", "-", "--store", box).output.contains(key)))
    #expect(try MeasuredProcess.run(["sync", "now", "--store", box]).status == 0)

    let own = try SQLStore.open(path: box, makeUUID: { UUID() })
    #expect(try await own.read { try $0.patients().map(\.id) } == ["anna"])
    let now = Date(timeIntervalSince1970: 1_796_000_000)
    let reading = Reading(
      quantity: .bodyMass, value: 64.25, arrival: now,
      device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"), raw: [7])
    let weighing = Sample(
      identity: SampleIdentity(reading), reading: reading, patient: "anna", start: now, end: now)
    try await own.write { _ = try $0.insert(weighing) }
    let task = PlannedTask(
      id: "walk", patient: "anna", title: "Walk",
      schedule: try Schedule([
        try ScheduleElement(
          start: now, interval: Interval(days: 1), duration: .allDay, timeZone: .gmt)
      ]))
    let stored = try await centre.write { writer in try writer.put(task, now: now) }
    _ = try await centre.write { writer in
      try writer.setOutcome(
        [OutcomeValue(value: .boolean(true), time: now, provenance: .manual)],
        of: EventReference(taskUUID: stored.uuid, occurrence: 0), now: now)
    }
    #expect(try MeasuredProcess.run(["sync", "now", "--store", box]).status == 0)
    let values = try await centre.read {
      try $0.samples(SampleQuery(owner: .patient("anna"))).map(\.reading.value)
    }
    #expect(values == [64.25])
    let answered = try await own.read { reader in
      try reader.events(patient: "anna", task: "walk", from: now - 86_400, to: now + 86_400)
        .contains { $0.outcome != nil }
    }
    #expect(answered)

    let boxes = await run("centre", "boxes", "--store", path, "--json").objects
    let name = try #require(boxes.first?["box"] as? String)
    #expect(boxes.count == 1 && boxes[0]["state"] as? String == "ready")
    #expect(boxes[0]["contact"] != nil)
    let morning = await run("centre", "morning", "--store", path, "--json").objects
    #expect(morning.count == 1 && morning[0]["patient"] as? String == "anna")
    #expect(morning[0]["contact"] != nil && morning[0]["silence"] as? [String] == [])
    #expect(await run("centre", "revoke", String(name.prefix(8)), "--store", path).status == 0)
    let refused = try MeasuredProcess.run(["sync", "now", "--store", box])
    #expect(refused.status == 3 && refused.error.contains("does not know this box any more"))
    #expect(await run("sync", "--store", box).output.contains("does not know this box any more"))
    #expect(await run("leave", "--store", box).status == 0)
    let left = try String(contentsOfFile: box + SQLStore.secretsSuffix, encoding: .utf8)
    #expect(!left.contains(key))
  }
}

/// `measured serve --centre`, which prints where it listens.
private final class CentreProcess {
  private let process = Process()
  private let output = Pipe()

  init(store: String) throws {
    MeasuredProcess.prepare(
      process, ["serve", "--centre", "--store", store, "--page", "127.0.0.1:0"])
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// The address, once it is printed.
  func address() throws -> String {
    var text = ""
    while true {
      if let match = text.firstMatch(of: /(http:\/\/[0-9.]+:[0-9]+)\//) {
        return String(match.output.1)
      }
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { break }
      text += String(decoding: bytes, as: UTF8.self)
    }
    throw NeverCame(what: "the centre’s address, but: \(text)")
  }

  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
