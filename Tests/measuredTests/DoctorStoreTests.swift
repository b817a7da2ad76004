import Care
import CareStore
import Foundation
import Testing

@testable import Daemon
@testable import Terminal

/// The findings of `measured doctor` in a store.
@Suite struct DoctorStoreTests {
  private func findings(_ store: String) async throws -> [[String: Any]] {
    await InProcess.run(["doctor", "--json", "--store", store]).objects
  }

  private func importing(_ title: String, into folder: TemporaryFolder) throws -> [String] {
    let text = Recordings.plan.replacing("Weigh yourself", with: title)
    return ["--plan", try folder.write(text, to: "plan.yaml"), "--store", folder.path("s.sqlite")]
  }

  /// A recording of the year 2100 imports a plan as a machine does whose clock is ahead.
  @Test func `finds a plan that was imported while the clock was ahead`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    let now = try folder.write(Recordings.weighIn, to: "now.jsonl")
    let ahead = try folder.write(
      #"{"measured-trace":1,"start":"2100-01-01T00:00:00Z"}"# + "\n"
        + #"{"t":0,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#, to: "ahead.jsonl")
    let first = try importing("Weigh yourself", into: folder)
    #expect(await InProcess.run(["replay", now] + first).status == 0)
    #expect(!(try await findings(store).contains { $0["subject"] as? String == "plan" }))
    let second = try importing("Step on the scale", into: folder)
    #expect(await InProcess.run(["replay", ahead] + second).status == 0)
    let found = try await findings(store).filter { $0["subject"] as? String == "plan" }
    #expect(found.count == 1)
    #expect((found.first?["finding"] as? String)?.contains("2100-01-01") == true)

    let imported = await InProcess.run(
      ["plan", "import", folder.path("plan.yaml"), "--store", store])
    #expect(imported.status == 0)
    #expect(imported.output.contains("will not take effect"))
    #expect(!(try await findings(store).contains { $0["subject"] as? String == "plan" }))
    let today = await InProcess.run(["today", "--store", store])
    #expect(today.output.contains("Step on the scale"))
    let again = await InProcess.run(
      ["plan", "import", folder.path("plan.yaml"), "--store", store])
    #expect(again.output.contains("Nothing changed"))
  }

  @Test func `says what keeps the service's group from its store`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    func fault(_ mode: Int, _ file: String = "") -> MachineFacts.GroupFault? {
      #expect(unsafe chmod(file.isEmpty ? folder.url.path : file, mode_t(mode)) == 0)
      return MachineFacts.GroupFault(store: store, service: store)
    }
    _ = try folder.write("", to: "s.sqlite")
    _ = try folder.write("", to: "s.sqlite-wal")
    #expect(fault(0o700) == .folder(folder.url.path))
    #expect(fault(0o770) == .folder(folder.url.path))
    #expect(fault(0o2770) == .file(store))
    #expect(fault(0o660, store) == .file(store + "-wal"))
    #expect(fault(0o660, store + "-wal") == nil)
    // Another store is its user's own.
    #expect(fault(0o600, store) == .file(store))
    #expect(MachineFacts.GroupFault(store: store, service: folder.path("other")) == nil)
    var facts = MachineFacts(now: Date())
    facts.groupFault = .file(store)
    let found = facts.findings.first {
      $0.finding.message.contains("the group measured may not write")
    }
    #expect(
      found?.verdict == .warning && found?.advice?.message.contains("systemd-tmpfiles") == true)
  }

  @Test func `names a device whose clock is wrong`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    // The recording arrives a day after the time of the scale's clock.
    let trace = try folder.write(
      Recordings.weighIn.replacing("2019-10-30", with: "2019-10-31"), to: "late.jsonl")
    let arguments = try importing("Weigh yourself", into: folder)
    #expect(await InProcess.run(["replay", trace] + arguments).status == 0)
    let found = try await findings(store).filter { $0["subject"] as? String == "device" }
    #expect(found.count == 1)
    let finding = try #require(found.first?["finding"] as? String)
    #expect(finding.contains("5C:CA:D3:70:D4:A2 is 1 day behind"))

    let right = try folder.write(Recordings.weighIn, to: "right.jsonl")
    let other = ["--plan", folder.path("plan.yaml"), "--store", folder.path("o.sqlite")]
    #expect(await InProcess.run(["replay", right] + other).status == 0)
    #expect(
      !(try await findings(folder.path("o.sqlite")).contains {
        $0["subject"] as? String == "device"
      }))
  }

  /// Damage is found in pages that no command reads, too; in a free page it does no harm.
  @Test func `finds damage`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path("s.sqlite")
    let trace = try folder.write(Recordings.weighIn, to: "now.jsonl")
    let arguments = try importing("Weigh yourself", into: folder)
    #expect(await InProcess.run(["replay", trace] + arguments).status == 0)
    let intact = try Data(contentsOf: URL(fileURLWithPath: store))
    let pages = intact.count / 4096
    #expect(pages > 10)
    var missed: [Int] = []
    var foundCount = 0
    for page in stride(from: 2, to: pages, by: 5) {
      var bytes = intact
      bytes.replaceSubrange(
        page * 4096..<(page + 1) * 4096, with: [UInt8](repeating: 0xA5, count: 4096))
      try bytes.write(to: URL(fileURLWithPath: store))
      let found = try await findings(store).first { $0["subject"] as? String == "store" }
      guard found?["verdict"] as? String != "problem" else {
        foundCount += 1
        continue
      }
      let check = await InProcess.run(["store", "check", "--store", store])
      if check.status != 0 { missed.append(page) }
    }
    #expect(missed.isEmpty)
    #expect(foundCount > 0)
  }
}
