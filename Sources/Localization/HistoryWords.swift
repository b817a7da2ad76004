import Care
package import Interchange

/// Why a history cannot be read, with its place.
extension HistoryError: Localizable {
  /// `export.csv:7: the file ends within a record`.
  package var localized: LocalizedText {
    let place = line.map { "\(file):\($0)" } ?? file
    return LocalizedText(
      "history.problem", ["place": .verbatim(place), "problem": .text(problem.localized)])
  }
}

extension HistoryError.Problem: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .unknownLayout(let look):
      LocalizedText("history.unknownLayout", ["look": .text(look.localized)])
    case .archive(let fault): fault.localized
    case .database(.damaged): "history.databaseDamaged"
    case .database(.tooLarge(let mebibytes)):
      LocalizedText("history.databaseTooLarge", ["mebibytes": .init(mebibytes)])
    case .empty: "history.empty"
    case .cutOff: "history.cutOff"
    case .malformedJSON: "history.malformedJSON"
    case .readFailure(let reason):
      LocalizedText("history.readFailure", ["reason": .verbatim(reason)])
    case .missingColumn(let column, let header):
      LocalizedText(
        "history.missingColumn", ["column": .verbatim(column), "header": .verbatim(header)])
    case .malformedColumn(let text):
      LocalizedText("history.malformedColumn", ["text": .verbatim(text)])
    }
  }
}

extension HistoryError.Look: Localizable {
  /// The kind of file, and what to do instead.
  package var localized: LocalizedText {
    switch self {
    case .table(let columns):
      LocalizedText("history.lookTable", ["columns": .verbatim(columns)])
    case .json(let members): LocalizedText("history.lookJSON", ["members": .verbatim(members)])
    case .database: "history.lookDatabase"
    case .document: "history.lookDocument"
    case .spreadsheet: "history.lookSpreadsheet"
    case .picture: "history.lookPicture"
    case .recording: "history.lookRecording"
    case .archive: "history.lookArchive"
    case .binary: "history.lookBinary"
    case .text: "history.lookText"
    }
  }
}

extension HistoryError.ArchiveFault: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .encrypted: "history.encrypted"
    case .method(let method): LocalizedText("history.method", ["method": .init(method)])
    case .cutOff: "history.archiveCutOff"
    case .damaged: "history.archiveDamaged"
    case .checksum: "history.checksum"
    case .inflation: "history.inflation"
    case .tooManyFiles: "history.tooManyFiles"
    }
  }
}

/// Why a row of a history is left out.
extension HistorySkip.Reason: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .time(let text): LocalizedText("history.skipTime", ["text": .verbatim(text)])
    case .skippedHour(let time):
      LocalizedText("history.skipSkippedHour", ["time": .verbatim(time)])
    case .number(let text, let column):
      LocalizedText(
        "history.skipNumber", ["text": .verbatim(text), "column": .verbatim(column)])
    case .unit(let unit, let column):
      LocalizedText("history.skipUnit", ["unit": .verbatim(unit), "column": .verbatim(column)])
    case .unknownWeightUnit: "history.skipUnknownWeightUnit"
    case .dayOrMonth(let text):
      LocalizedText("history.skipDayOrMonth", ["text": .verbatim(text)])
    case .openQuote: "history.skipOpenQuote"
    case .damaged: "history.skipDamaged"
    case .halfPressure: "history.skipHalfPressure"
    case .aggregated: "history.skipAggregated"
    case .copy: "history.skipCopy"
    case .unsupported(let name):
      LocalizedText("history.skipUnsupported", ["name": .verbatim(name)])
    case .beyondSensor(let text):
      LocalizedText("history.skipBeyondSensor", ["text": .verbatim(text)])
    case .unanswered: "history.skipUnanswered"
    case .implied: "history.skipImplied"
    case .ownerless: "history.skipOwnerless"
    case .erased: "history.skipErased"
    case .noTask(let name): LocalizedText("history.skipNoTask", ["name": .verbatim(name)])
    case .noEvent(let name): LocalizedText("history.skipNoEvent", ["name": .verbatim(name)])
    case .asksForMore(let name):
      LocalizedText("history.skipAsksForMore", ["name": .verbatim(name)])
    }
  }
}

extension [HistorySkip] {
  /// The reasons for people: the first line of each kind of reason with its count.
  package var summary: [LocalizedText] {
    var order: [String] = []
    var found: [String: (first: HistorySkip, count: Int)] = [:]
    for skip in self {
      let key = skip.line == nil ? "\(skip.reason)" : skip.reason.localized.key
      if found[key] == nil { order.append(key) }
      found[key, default: (skip, 0)].count += skip.count
    }
    return order.compactMap { key in
      guard let (first, count) = found[key] else { return nil }
      let reason = LocalizedText.Value.text(first.reason.localized)
      guard let line = first.line else {
        return LocalizedText("history.skippedKind", ["count": .init(count), "reason": reason])
      }
      return count == 1
        ? LocalizedText("history.skippedLine", ["line": .init(line), "reason": reason])
        : LocalizedText(
          "history.skippedMany",
          ["count": .init(count), "line": .init(line), "reason": reason])
    }
  }
}
