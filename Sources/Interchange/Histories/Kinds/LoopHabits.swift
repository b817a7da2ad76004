import Care

extension HistoryKind {
  /// Loop Habit Tracker.
  package static let loopHabits = HistoryKind(id: "loopHabits", title: "Loop Habit Tracker")
}

/// The marks of all habits of Loop Habit Tracker: `Date,Meditate,Wake up early,`.
///
/// A mark is a word, in older versions a number. `YES_AUTO` follows from a habit's frequency: nobody did
/// it on that day. Names stand as they are, so one with a comma cannot be told from two.
struct LoopHabitsTable: TableHistory {
  static let kind = HistoryKind.loopHabits
  static let hasQuotes = false
  /// More habits are nobody's.
  private static let mostHabits = 500
  private static let words: Set = ["YES_MANUAL", "YES_AUTO", "NO", "SKIP", "UNKNOWN"]

  private let names: [String]
  /// Whether marks are words: a 0 of older versions is also a day without a mark.
  private let hasWords: Bool

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields, header.first == "Date", header.last == "",
      (3...Self.mostHabits).contains(header.count), head.rows.count > 1
    else { return nil }
    let marks = head.rows.dropFirst().map { $0.fields.dropFirst() }
    guard
      marks.allSatisfy({ row in
        row.last == ""
          && row.dropLast().allSatisfy { Self.words.contains($0) || Int($0) != nil }
      })
    else { return nil }
    hasWords = marks.contains { $0.contains(where: Self.words.contains) }
    // A table of weights has numbers, too.
    guard hasWords || AnyTable(head) == nil && marks.contains(where: { $0.contains("2") }) else {
      return nil
    }
    names = header.dropFirst().dropLast().map { String($0.prefix(120)) }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    guard let time = sink.time(row[0], line: row.line) else { return }
    let marks = row.fields.dropFirst().dropLast()
    guard marks.count == names.count else {
      return sink.skip(row.line, .unsupported("habits with a comma in a name"))
    }
    for (index, (name, mark)) in zip(names, marks).enumerated() where !name.isEmpty {
      guard !sink.isSurvey else {
        if let number = Int(mark), !(-1...3).contains(number) {
          sink.survey.numbered.insert(index)
        }
        continue
      }
      // A number of a thousandth of a unit that the file does not name.
      guard !sink.survey.numbered.contains(index) else {
        if Int(mark) ?? 0 > 3 { sink.skip(row.line, .unsupported("habit with a number")) }
        continue
      }
      let state: HistoryAnswer.State
      switch mark {
      case "YES_MANUAL", "2": state = .done
      case "SKIP", "3": state = .skipped
      case "NO" where hasWords: state = .notDone
      case "YES_AUTO", "1":
        sink.skip(row.line, .implied)
        continue
      default: continue
      }
      sink.add(HistoryAnswer(line: row.line, name: name, due: time, state: state, at: nil))
    }
  }
}
