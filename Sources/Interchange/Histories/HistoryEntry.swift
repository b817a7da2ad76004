package import Care
package import Foundation

/// A value in the history of another program, as its file says it.
package struct HistoryEntry: Hashable, Sendable {
  /// The line of the file, or the number of the record, from 1.
  package var line: Int
  /// The measured quantity.
  package var quantity: Quantity
  /// The value in the quantity's canonical unit.
  package var value: Double
  /// The value as the file has it, if its unit is another one of the same dimension.
  package var sourceValue: SourceValue?
  /// The number in the file's own digits.
  package var digits: String
  /// When it was measured.
  package var time: HistoryTime
  /// When the measured span ended; `nil` for a single moment.
  package var end: HistoryTime?
  /// The name that the other program gave the record; `nil` if its file has none.
  package var id: String?
  /// The program that wrote the file, and its device as far as the file names it.
  package var source: String
  /// Whether the other program computed it by a formula, as body fat of an impedance.
  package var isDerived = false
  /// Whether a person typed it into the other program.
  package var isTyped = false
  /// Whether it is one of a dense series, such as a watch's heart rates.
  package var isStreamed = false
  /// Tells it from others of its quantity at the same moment.
  package var ordinal = 0
}

/// A time as a file says it.
package enum HistoryTime: Hashable, Sendable {
  /// An instant, since the file says UTC or an offset.
  case instant(Date)
  /// The time on a clock; the file does not say in which zone.
  case local(LocalDateTime)
  /// A day without a time: the midnight with which it begins.
  case day(LocalDateTime)

  /// The instant or day in `zone`.
  ///
  /// - Returns: `nil` for a time that does not exist there: February 30, an hour that a change of
  ///   clocks skips.
  package func span(in zone: TimeZone) -> Span? {
    switch self {
    case .instant(let date): return Span(start: date, end: date)
    case .local(let local):
      let instants = local.instants(in: zone)
      guard let first = instants.first, LocalDateTime(first, in: zone) == local else { return nil }
      return Span(start: first, end: first, isAmbiguous: instants.count > 1)
    case .day(let day):
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = zone
      guard let start = day.resolved(in: zone),
        let end = calendar.date(byAdding: .day, value: 1, to: start)
      else { return nil }
      return Span(start: start, end: end)
    }
  }

  /// The instants that a time stands for.
  package struct Span: Hashable, Sendable {
    package var start: Date
    /// The next midnight of a day, else the start.
    package var end: Date
    /// Whether clocks showed this time twice; it then is the first.
    package var isAmbiguous = false
  }

  /// Whether it needs a zone to become an instant.
  package var needsZone: Bool {
    if case .instant = self { return false }
    return true
  }
}

extension HistoryTime: CustomStringConvertible {
  /// The time as the file says it.
  package var description: String {
    switch self {
    case .instant(let date): date.rfc3339(in: .gmt)
    case .local(let local): local.description
    case .day(let day): String(day.description.prefix(10))
    }
  }
}

/// A part of a file that was left out, and why.
package struct HistorySkip: Hashable, Sendable {
  /// The line, or the number of the record, from 1; `nil` for many records of one kind.
  package var line: Int?
  package var reason: Reason
  /// How many records.
  package var count: Int

  /// Makes a note.
  package init(line: Int?, reason: Reason, count: Int = 1) {
    (self.line, self.reason, self.count) = (line, reason, count)
  }

  package enum Reason: Hashable, Sendable {
    /// The row has no time, or one that no calendar has.
    case time(String)
    /// The time is an hour that clocks skipped in the zone.
    case skippedHour(String)
    /// The text is no number.
    case number(String, column: String)
    /// The unit is unknown, or none of the quantity.
    case unit(String, column: String)
    /// The file does not say whether its weights are kilograms, pounds or stones.
    case unknownWeightUnit
    /// Day and month cannot be told apart in any row of the file.
    case dayOrMonth(String)
    /// A quotation mark has no end.
    case openQuote
    /// The record is damaged, or longer than any program writes.
    case damaged
    /// It has one of the two values of a blood pressure.
    case halfPressure
    /// It is a mean of several measurements, not one.
    case aggregated
    /// The other program computed, or scanned, it a second time.
    case copy
    /// This program has no quantity for it.
    case unsupported(String)
    /// The value is `Low` or `High`, beyond what the sensor measures.
    case beyondSensor(String)
    /// It was skipped or missed; the file does not say which.
    case unanswered
    /// It follows from a habit's frequency; nobody did it.
    case implied
    /// Nobody said whose the answer is.
    case ownerless
    /// It was erased with a person, and nobody said that it is another one's.
    case erased
    /// The person has no task, or several, of this name.
    case noTask(String)
    /// The task has no event at that time, or none that takes the answer.
    case noEvent(String)
    /// The task asks for more than that it was done.
    case asksForMore(String)
  }
}

/// Why a file cannot be read as a history.
package struct HistoryError: Error, Hashable, Sendable {
  /// The file, with the name in the archive behind a colon.
  package var file: String
  /// The line, from 1; `nil` if it concerns the whole file.
  package var line: Int?
  package var problem: Problem

  package enum Problem: Hashable, Sendable {
    /// Nothing in it is known; what it looks like.
    case unknownLayout(Look)
    /// The archive cannot be read.
    case archive(ArchiveFault)
    /// The database cannot be read.
    case database(DatabaseFault)
    /// The file has nothing in it.
    case empty
    /// The text ends within a record.
    case cutOff
    /// It is no JSON from here on.
    case malformedJSON
    /// The operating system could not read it.
    case readFailure(reason: String)
    /// A column that the command names is none of the file.
    case missingColumn(String, header: String)
    /// A text of the command does not say a column: `weight=3:lb`.
    case malformedColumn(String)
  }

  /// The looks of an unknown file, for advice.
  package enum Look: Hashable, Sendable {
    /// A table with these columns.
    case table(columns: String)
    /// A JSON text with these members.
    case json(members: String)
    /// An SQLite database, such as a backup.
    case database
    /// A PDF document.
    case document
    /// A spreadsheet of an office program.
    case spreadsheet
    /// A picture.
    case picture
    /// A recording that this program replays or measures.
    case recording
    /// An archive in which no file is known.
    case archive
    /// Something else that is no text.
    case binary
    /// A text without columns.
    case text
  }

  /// Why an archive cannot be read.
  package enum ArchiveFault: Hashable, Sendable {
    /// Its files are encrypted.
    case encrypted
    /// A file in it is packed in another way than deflate, by its number in the format.
    case method(Int)
    /// It has no directory: it ends too early.
    case cutOff
    /// A header or a packed file is damaged.
    case damaged
    /// A file does not have the checksum that the archive says.
    case checksum
    /// A file grows so much that it was made to fill memory.
    case inflation
    /// It has more files than any program writes.
    case tooManyFiles
  }

  /// Why a database cannot be read.
  package enum DatabaseFault: Hashable, Sendable {
    /// It is damaged, or no program that keeps values writes it so.
    case damaged
    /// It is larger than this.
    case tooLarge(mebibytes: Int)
  }

  package init(file: String, line: Int? = nil, _ problem: Problem) {
    (self.file, self.line, self.problem) = (file, line, problem)
  }
}
