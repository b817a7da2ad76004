import Foundation
import Testing

@testable import Terminal

/// `measured message test`, without a daemon.
@Suite struct MessageCommandTests {
  private let folder: TemporaryFolder
  private let store: String

  init() async throws {
    folder = try TemporaryFolder()
    store = folder.path("s.sqlite")
    let plan = try folder.write(
      """
      timeZone: Europe/Berlin
      patients:
        - {id: anna, channels: [{email: anna@example.org}]}
      contacts:
        - id: nora
          name: {given: Nora}
          channels:
            - ntfy: {server: "http://127.0.0.1:1", topic: box, token: tk_unmistakable}
            - webhook: {url: "http://127.0.0.1:1/hook", secret: whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX}
      """, to: "plan.yaml")
    let imported = await InProcess.run(["plan", "import", plan, "--store", store])
    try #require(imported.status == 0, "\(imported.error)")
  }

  private func test(_ arguments: String...) async -> MeasuredProcess.Result {
    await InProcess.run(
      ["message", "test"] + arguments
        + ["--store", store, "--settings", folder.path("none.yaml")])
  }

  @Test func `tries each channel of a person, and says what is in the way`() async throws {
    let result = await test("nora")
    #expect(result.status == 1)
    let reason =
      "127.0.0.1 does not answer: check the address and the port, and whether the server runs."
    #expect(
      result.output
        == "ntfy:http://127.0.0.1:1/box: \(reason)\nwebhook:http://127.0.0.1:1/hook: \(reason)\n")
    #expect(result.error == "")
  }

  @Test func `one channel, for programs`() async throws {
    let result = await test("email:anna@example.org", "--json")
    #expect(result.status == 1)
    #expect(
      result.output.hasPrefix(
        #"{"channel":"email:anna@example.org","person":"anna","reason":"The settings name no"#))
    #expect(result.output.contains(#""state":"later""#))
  }

  @Test(arguments: ["karl", "email:anna@example.com", ""])
  func `sends nothing to whom the plan does not have`(channel: String) async {
    let result = await test(channel)
    #expect(result.status == 4 && result.output == "")
  }

  @Test func `contacts and exports show the channels without their secrets`() async throws {
    let contacts = await InProcess.run(["contacts", "--store", store])
    #expect(contacts.output.contains("  ntfy:http://127.0.0.1:1/box\n"))
    let plan = await InProcess.run(["plan", "export", "--store", store])
    let export = await InProcess.run(["store", "export", "--store", store])
    for text in [contacts.output, plan.output, export.output] {
      #expect(text.contains("127.0.0.1:1/hook"))
      #expect(!text.contains("tk_unmistakable") && !text.contains("whsec_"))
    }
  }
}
