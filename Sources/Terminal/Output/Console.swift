import Care
package import Foundation
import Interchange
package import Localization

/// The console of the command that runs in this task: its ``Surroundings``, by their usual verbs.
package enum Console {
  /// The surroundings of the command that runs in this task.
  @TaskLocal package static var surroundings: any Surroundings = OwnProcess()

  /// The language of the command that runs in this task; English unless another was chosen.
  @TaskLocal package static var language: Language = LanguageCatalogue.embedded.english

  /// Where text goes.
  package enum Stream {
    case standardOutput, standardError
  }

  /// Whether standard error is a terminal.
  package static var isErrorTerminal: Bool { surroundings.terminals.error }

  /// Whether standard output is a terminal.
  package static var isOutputTerminal: Bool { surroundings.terminals.output }

  /// How many columns standard output has; `nil` if it is no terminal.
  package static var outputWidth: Int? {
    surroundings.terminals.output ? surroundings.terminals.width : nil
  }

  /// How many columns help has: `$COLUMNS`, else the terminal's, else 80.
  static var helpWidth: Int { variables["COLUMNS"].flatMap { Int($0) } ?? outputWidth ?? 80 }

  /// Whether standard input is a terminal.
  package static var isInputTerminal: Bool { surroundings.terminals.input }

  /// The variables of the environment.
  package static var variables: [String: String] { surroundings.variables }

  /// The time that the clock shows.
  package static var now: Date { surroundings.now }

  /// The person's time zone.
  package static var timeZone: TimeZone {
    variables["TZ"].flatMap(TimeZone.init(iana:)) ?? TimeZone(iana: TimeZone.current.identifier)
      ?? .gmt
  }

  /// Asks a question on standard error; anything but yes is no.
  package static func confirm(_ question: String) async -> Bool {
    await surroundings.confirm(question)
  }

  /// The next line of the input, without its end, read on a thread of its own; `nil` at the end of
  /// the input, and for a line that is longer than any answer.
  package static func line() async -> String? { await surroundings.line() }

  /// As ``line()``, on this thread.
  package static func nextLine() -> String? { surroundings.nextLine() }

  /// The longest answer.
  static let longestLine = 4096

  /// Prints a line for people.
  package static func out(_ text: String) {
    write(harmless(text) + "\n", to: .standardOutput)
  }

  /// Prints a line for people to standard error.
  package static func error(_ text: String) {
    write(harmless(text) + "\n", to: .standardError)
  }

  /// Prints a line of data for programs, unchanged.
  package static func data(_ line: String) {
    write(line + "\n", to: .standardOutput)
  }

  /// The text with `�` for each character that controls a terminal, but line ends and tabs, and for
  /// each that sets the direction of what follows: messages contain what files and devices say.
  package static func harmless(_ text: String) -> String {
    func controls(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        || ("\u{202A}"..."\u{202E}").contains(scalar)
        || ("\u{2066}"..."\u{2069}").contains(scalar)
    }
    guard text.unicodeScalars.contains(where: controls) else { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { controls($0) ? "\u{FFFD}" : $0 }))
  }

  /// Prints one object as a line of JSON.
  ///
  /// - Throws: ``CommandFailure`` for what JSON cannot hold: a script must not miss it in silence.
  package static func json(_ value: some Encodable) throws(CommandFailure) {
    let text: Data
    do {
      text = try JSONText.of(value)
    } catch {
      throw CommandFailure(
        .failed, LocalizedText("command.output.json", ["reason": "\(error)"]))
    }
    data(String(decoding: text, as: UTF8.self))
  }

  /// Writes text as it is.
  package static func write(_ text: String, to stream: Stream) {
    surroundings.write(text, to: stream)
  }
}

extension String {
  /// The text without line breaks: a title cannot make a line of its own.
  package var oneLine: String {
    contains(where: \.isNewline)
      ? split(whereSeparator: \.isNewline).joined(separator: " ") : self
  }
}

// MARK: - Text table

/// Columns of text, each as wide as its widest cell.
package struct TextTable {
  private var rows: [[String]]
  private let limits: [Int?]

  /// Makes a table with a heading.
  ///
  /// - Parameters:
  ///   - heading: The names of the columns.
  ///   - widths: The most columns of each cell, which has further lines where it is longer; `nil`,
  ///     and what is missing at the end, are any.
  package init(_ heading: [LocalizedText], widths: [Int?] = []) {
    let heading = heading.map(\.message)
    rows = [heading, heading.map { String(repeating: "─", count: $0.columns) }]
    limits = widths
  }

  /// Adds a row, with further lines in its first column.
  package mutating func add(_ row: [String], below: [String] = []) {
    var cells = row.map(\.oneLine).enumerated().map { column, cell in
      column < limits.count && limits[column] != nil ? cell.wrapped(to: limits[column]) : [cell]
    }
    if !cells.isEmpty { cells[0] += below }
    for line in 0..<(cells.map(\.count).max() ?? 0) {
      rows.append(cells.map { line < $0.count ? $0[line] : "" })
    }
  }

  /// The lines of the table, without trailing spaces.
  package var lines: [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
    }
    return rows.enumerated().map { index, row in
      let isRule = index == 1
      let cells = row.enumerated().map { column, cell in
        let padding = String(repeating: isRule ? "─" : " ", count: widths[column] - cell.columns)
        return cell + padding
      }
      var line = cells.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}

/// Lines on a terminal that are redrawn in place.
package struct LiveTable {
  private var height = 0

  package init() {}

  /// Draws `lines` over the previous ones.
  package mutating func show(_ lines: [String]) {
    let up = height > 0 ? "\u{1B}[\(height)A" : ""
    let drawn = lines.map { "\u{1B}[K\($0)\n" }.joined()
    Console.write("\r\(up)\(drawn)\u{1B}[J", to: .standardOutput)
    height = lines.count
  }
}
