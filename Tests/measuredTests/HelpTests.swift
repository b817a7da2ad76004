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

  @Test func `has one version option`() async throws {
    let help = try await run("outcome", "set", "--help")
    #expect(help.lines.count { $0.contains("  --version ") } == 1)
    let version = try await run("--version")
    #expect(version.status == 0 && version.output.hasPrefix("0."))
  }
}
