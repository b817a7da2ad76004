import Foundation
import Testing

/// Help for what people type.
@Suite struct HelpTests {
  private func run(_ arguments: String...) throws -> MeasuredProcess.Result {
    try MeasuredProcess.run(arguments)
  }

  @Test func showsTheOptionsOfADefaultSubcommand() throws {
    for arguments in [["samples", "--help"], ["help", "samples"], ["samples", "-h"]] {
      let help = try MeasuredProcess.run(arguments)
      #expect(help.status == 0 && help.output.contains("--unassigned"))
      #expect(help.output.contains("assign "))
    }
    #expect(try run("patient", "--help").output.contains("--deleted"))
  }

  @Test func findsNestedCommands() throws {
    let help = try run("help", "settle")
    #expect(help.status == 0)
    #expect(help.output.contains("measured task settle"))
    #expect(help.output.contains("measured patient settle"))
    let command = try run("settle")
    #expect(command.status == 2)
    #expect(command.error.contains("it is measured task settle or measured patient settle"))
  }

  @Test func hasOneVersionOption() throws {
    let help = try run("outcome", "set", "--help")
    #expect(help.lines.count { $0.contains("  --version ") } == 1)
    let version = try run("--version")
    #expect(version.status == 0 && version.output.hasPrefix("0."))
  }
}
