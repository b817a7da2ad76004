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

  @Test func `an exported plan has no topic, and is the same plan where the topic is`() async throws
  {
    let exported = await InProcess.run(["plan", "export", "-", "--store", store])
    #expect(exported.status == 0)
    #expect(!exported.output.contains("topic: box") && exported.output.contains("topic: kept-"))
    let plan = try folder.write(exported.output, to: "exported.yaml")
    let again = await InProcess.run(["plan", "import", plan, "--store", store])
    #expect(again.status == 0 && again.output.contains("Nothing changed"), "\(again.output)")
    let channels = await InProcess.run(["message", "list", "--store", store])
    #expect(channels.output.contains("ntfy:http://127.0.0.1:1/box"))
    // Another store cannot know it, and says so.
    let other = folder.path("other.sqlite")
    let refused = await InProcess.run(["plan", "import", plan, "--store", other])
    #expect(refused.status == 3)
    #expect(refused.error.contains("this store does not have that topic"), "\(refused.error)")
    // A person's own file names it.
    let whole = exported.output.replacing(/kept-[0-9a-f]{16}/, with: "box")
    let typed = try folder.write(whole, to: "typed.yaml")
    #expect(await InProcess.run(["plan", "import", typed, "--store", other]).status == 0)
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
