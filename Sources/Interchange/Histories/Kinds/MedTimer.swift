import Care

extension HistoryKind {
  /// The events of medTimer.
  package static let medTimer = HistoryKind(id: "medTimer", title: "medTimer")
}

/// The CSV of medTimer's events: `Reminded;Name;Dosage;Taken;Tags;Interval;Notes;…(ISO 8601);…(ISO 8601)`.
///
/// Its heads are in the telephone's language but for the last two, and nothing is quoted: the notes may
/// have semicolons and line breaks, so the last two fields are counted from the end.
struct MedTimerTable: TableHistory {
  static let kind = HistoryKind.medTimer
  static let hasQuotes = false
  /// Rows with more fields are none.
  private static let mostFields = 200

  /// The fields of a row whose notes go on in the next line, and its line.
  private var begun: (line: Int, fields: [String])?

  init?(_ head: TableHead) {
    guard let header = head.rows.first?.fields, header.count == 9,
      header.suffix(2).allSatisfy({ $0.hasSuffix("(ISO 8601)") })
    else { return nil }
  }

  mutating func read(_ row: TableRow, into sink: inout HistorySink) {
    // A row that is whole by itself ends one that has no end.
    if Self.due(row.fields) != nil { end(into: &sink) }
    let line = begun?.line ?? row.line
    let fields = (begun?.fields ?? []) + row.fields
    begun = nil
    guard let due = Self.due(fields) else {
      guard (7..<Self.mostFields).contains(fields.count) else { return sink.skip(line, .damaged) }
      begun = (line, fields)
      return
    }
    guard let taken = fields.last, !taken.isEmpty else { return sink.skip(line, .unanswered) }
    guard let at = Self.instant(taken) else {
      return sink.skip(line, .time(String(taken.prefix(40))))
    }
    sink.add(
      HistoryAnswer(
        line: line, name: String(fields[1].prefix(120)), due: due, state: .done, at: at))
  }

  mutating func end(into sink: inout HistorySink) {
    if let begun { sink.skip(begun.line, .damaged) }
    begun = nil
  }

  /// When the medicine was due; `nil` for a row that is not whole.
  private static func due(_ fields: [String]) -> HistoryTime? {
    guard fields.count >= 9, !fields[1].isEmpty else { return nil }
    return instant(fields[fields.count - 2])
  }

  private static func instant(_ text: String) -> HistoryTime? {
    guard let clock = ClockText(text), clock.offset != nil, let time = HistoryTime(clock) else {
      return nil
    }
    return time
  }
}
