import Foundation
import Testing

/// Help for what people type.
@Suite struct HelpTests {
  private func run(_ arguments: String...) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments)
  }

  @Test func `shows the options of a default subcommand`() async throws {
    for arguments in [["samples", "--help"], ["help", "samples"], ["samples", "-h"]] {
      let help = await InProcess.run(arguments)
      #expect(help.status == 0 && help.output.contains("--unassigned"))
      #expect(help.output.contains("assign "))
    }
    #expect(try await run("patient", "--help").output.contains("--deleted"))
  }

  @Test func `finds nested commands`() async throws {
    let help = try await run("help", "settle")
    #expect(help.status == 0)
    #expect(help.output.contains("measured task settle"))
    #expect(help.output.contains("measured patient settle"))
    let command = try await run("settle")
    #expect(command.status == 2)
    #expect(command.error.contains("it is measured task settle or measured patient settle"))
  }

  @Test func `a command that is none is named`() async throws {
    let help = try await run("help", "weigh")
    #expect(help.status == 2)
    #expect(help.output.isEmpty)
    #expect(help.error.hasPrefix("measured: "))
    #expect(help.error.contains("‘weigh’"))
    #expect(try await run("help").status == 0)
    #expect(try await run("help", "today").status == 0)
  }

  /// A refusal says what can be written.
  @Test(arguments: [
    (["serve", "--page", "abc"], "write a port such as 8473"),
    (["run", "--page", "70000"], "write a port such as 8473"),
    (["demo", "--page", "a:b:1"], "write a port such as 8473"),
    (["pair", "5C:CA"], "such as 5C:CA:D3:70:D4:A2"),
    (["identify", "scale"], "such as 5C:CA:D3:70:D4:A2"),
    (["record", "out.jsonl", "--device", "x"], "such as 5C:CA:D3:70:D4:A2"),
    (["today", "--date", "2026-02-30"], "There is no time ‘2026-02-30’"),
  ])
  func `a refused value has its reason`(arguments: [String], reason: String) async throws {
    let result = await InProcess.run(arguments)
    #expect(result.status == 2)
    #expect(result.error.contains(reason), "\(result.error)")
  }

  @Test func `the shell completes tasks by their ids`() async throws {
    let script = try await run("--generate-completion-script", "bash").output
    #expect(script.contains("measured tasks --json 2>/dev/null"))
  }

  @Test func `has one version option`() async throws {
    let help = try await run("outcome", "set", "--help")
    #expect(help.lines.count { $0.contains("  --version ") } == 1)
    let version = try await run("--version")
    #expect(version.status == 0 && version.output.hasPrefix("0."))
  }
}
