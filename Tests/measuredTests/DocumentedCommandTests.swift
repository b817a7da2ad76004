import ArgumentParser
import Foundation
import Testing

@testable import measured

/// Each command that a document types is one of the program, with arguments that it takes.
@Suite struct DocumentedCommandTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardizedFileURL

  private static let pages: [String] = {
    let folders = ["docs", "Examples", "Devices"].flatMap { folder in
      let names = try? FileManager.default.contentsOfDirectory(
        atPath: repository.appending(path: folder).path)
      return (names ?? []).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
    return ["README.md"] + folders.sorted()
  }()

  /// The commands of a page's shell blocks, as words without the program's name.
  private static func commands(_ text: String) -> [[String]] {
    var commands: [[String]] = []
    var isShell = false
    for line in text.replacing("\\\n", with: " ").split(separator: "\n") {
      let mark = line.trimmingPrefix { $0 == " " }
      if mark.hasPrefix("```") {
        isShell = mark == "```sh"
      } else if isShell {
        for part in line.split(separator: /(^|\s)#.*|\|\|?|&&|;/) {
          let prefix = /^\s*(sudo -u measured |podman exec measured )?measured\s+/
          guard let match = part.prefixMatch(of: prefix) else { continue }
          let rest = part[match.range.upperBound...].replacing(/\$\([^)]*\)/, with: "X")
          let words = rest.matches(of: /"([^"]*)"|(\S+)/)
          commands.append(words.compactMap { ($0.output.1 ?? $0.output.2).map(String.init) })
        }
      }
    }
    return commands
  }

  @Test(arguments: pages) func `every command of a page is taken`(page: String) throws {
    let text = try String(
      contentsOf: Self.repository.appending(path: page), encoding: .utf8)
    for command in Self.commands(text) {
      #expect(throws: Never.self, "\(page): measured \(command.joined(separator: " "))") {
        _ = try Measured.parseAsRoot(command)
      }
    }
  }

  @Test func `the pages have commands, and a wrong one is found`() throws {
    let found = try Self.pages.map {
      Self.commands(
        try String(contentsOf: Self.repository.appending(path: $0), encoding: .utf8)
      ).count
    }
    #expect(found.reduce(0, +) > 60)
    let text =
      "```sh\nsudo -u measured measured join a b # c; d\nmeasured done \"weigh in\" --vale 3\n```"
    let commands = Self.commands(text)
    #expect(commands == [["join", "a", "b"], ["done", "weigh in", "--vale", "3"]])
    #expect(throws: (any Error).self) { _ = try Measured.parseAsRoot(commands[1]) }
  }
}
