import Care
package import Localization
import Radio
package import Traces

extension TraceError: Localizable, PresentableError {
  /// `walk.csv:7: ‘zero’ in column ‘y’ is no number that a sensor gives`.
  package var localized: LocalizedText {
    LocalizedText("trace.problem", ["place": "\(place)", "problem": .text(problem.localized)])
  }
}

extension TraceError.Problem: Localizable {
  /// The problem and the advice, without the location.
  package var localized: LocalizedText {
    switch self {
    // Any file.
    case .missingFile: "trace.missingFile"
    case .folder: "trace.folder"
    case .namedPipe: "trace.namedPipe"
    case .unreadable: "trace.unreadable"
    case .readFailure(let reason): LocalizedText("trace.readFailure", ["reason": "\(reason)"])
    case .empty(.radioTrace): "trace.emptyRadioTrace"
    case .empty(.motion): "trace.emptyMotion"
    case .empty(.numbers): "trace.emptyNumbers"
    case .longLine(let limit): LocalizedText("trace.longLine", ["limit": "\(limit)"])

    // Radio traces.
    case .noTraceHeader:
      LocalizedText(
        "trace.noTraceHeader", ["header": "{\"measured-trace\":1,\"start\":\"…\"}"])
    case .traceVersion(let version): LocalizedText("trace.traceVersion", ["version": "\(version)"])
    case .invalidStart(let text): LocalizedText("trace.invalidStart", ["text": "\(text)"])
    case .notJSON: "trace.notJSON"
    case .missingKey(let key): LocalizedText("trace.missingKey", ["key": "\(key)"])
    case .wrongType(let key): LocalizedText("trace.wrongType", ["key": "\(key)"])
    case .timeBeforeStart(let t): LocalizedText("trace.timeBeforeStart", ["t": "\(t)"])
    case .timeRunsBackwards(let t, let previous):
      LocalizedText("trace.timeRunsBackwards", ["t": "\(t)", "previous": "\(previous)"])
    case .timeTooLarge(let t): LocalizedText("trace.timeTooLarge", ["t": "\(t)"])
    case .unknownEvent(let type): LocalizedText("trace.unknownEvent", ["type": "\(type)"])
    case .missingEventKey(let key, let type):
      LocalizedText("trace.missingEventKey", ["key": "\(key)", "type": "\(type)"])
    case .invalidAddress(let text): LocalizedText("trace.invalidAddress", ["text": "\(text)"])
    case .invalidAddressType(let text):
      LocalizedText("trace.invalidAddressType", ["text": "\(text)"])
    case .invalidFailureKind(let text):
      LocalizedText(
        "trace.invalidFailureKind",
        [
          "text": "\(text)",
          "kinds": "\(LinkFailure.allCases.map(\.rawValue).joined(separator: ", "))",
        ])
    case .invalidHex(let key): LocalizedText("trace.invalidHex", ["key": "\(key)"])
    case .invalidUUID(let text): LocalizedText("trace.invalidUUID", ["text": "\(text)"])
    case .motionSampleLength(let count):
      LocalizedText("trace.motionSampleLength", ["count": "\(count)"])
    case .motionSampleRange(let value):
      LocalizedText("trace.motionSampleRange", ["value": "\(value)"])
    case .motionSampleTime(let seconds):
      LocalizedText("trace.motionSampleTime", ["seconds": "\(seconds)"])

    // Motion files and number files.
    case .noMotionColumns(let header):
      LocalizedText(
        "trace.noMotionColumns", ["header": "\(header)", "hint": Self.separatorHint(header)])
    case .missingColumn(let name, let header):
      LocalizedText(
        "trace.missingColumn",
        ["name": "\(name)", "header": "\(header)", "hint": Self.separatorHint(header)])
    case .duplicateColumn(let name): LocalizedText("trace.duplicateColumn", ["name": "\(name)"])
    case .farColumn(let limit): LocalizedText("trace.farColumn", ["limit": "\(limit)"])
    case .shortRow(let columns, let name):
      LocalizedText("trace.shortRow", ["columns": "\(columns)", "name": "\(name)"])
    case .longRow(let columns, let header):
      LocalizedText("trace.longRow", ["columns": "\(columns)", "header": "\(header)"])
    case .invalidNumber(let text, let column):
      LocalizedText(
        text.contains("\"") ? "trace.quotedNumber" : "trace.invalidNumber",
        ["text": "\(text)", "column": "\(column)"])
    case .missingNumber(let column): LocalizedText("trace.missingNumber", ["column": "\(column)"])
    case .numberRange(let value): LocalizedText("trace.numberRange", ["value": "\(value)"])
    case .unknownStart: "trace.unknownStart"
    case .noTime: "trace.noTime"
    case .rateOfTimes(let column): LocalizedText("trace.rateOfTimes", ["column": "\(column)"])
    case .unclearTime(let column): LocalizedText("trace.unclearTime", ["column": "\(column)"])
    case .invalidTime(let text, let column):
      LocalizedText("trace.invalidTime", ["text": "\(text)", "column": "\(column)"])
    case .mixedTimes: "trace.mixedTimes"
    case .unclearTimes(let seconds, let unit):
      LocalizedText("trace.unclearTimes", ["seconds": "\(seconds.plainText)", "unit": "\(unit)"])
    case .fixedFormat: "trace.fixedFormat"
    case .unclearUnit(let median, nil):
      LocalizedText("trace.unknownUnit", ["median": "\(median)"])
    case .unclearUnit(let median, let unit?):
      LocalizedText("trace.unclearUnit", ["median": "\(median)", "unit": "\(unit.text)"])
    case .noGravity(let median): LocalizedText("trace.noGravity", ["median": "\(median)"])
    case .linearAcceleration: "trace.linearAcceleration"
    case .epochCounts: "trace.epochCounts"

    // Binary recordings.
    case .invalidBlock(let header, let length):
      LocalizedText(
        "trace.invalidBlock",
        ["header": "\(String(header, radix: 16, uppercase: true))", "length": "\(length)"])
    case .invalidSeparator(let byte):
      LocalizedText(
        "trace.invalidSeparator", ["byte": "\(String(byte, radix: 16, uppercase: true))"])
    case .padding(let limit): LocalizedText("trace.padding", ["limit": "\(limit)"])
    case .checksum: "trace.checksum"
    case .sampleRate(let rate):
      LocalizedText("trace.sampleRate", ["rate": "\((Double(rate) / 1000).plainText)"])
    case .packing(let code):
      LocalizedText("trace.packing", ["code": "\(String(code, radix: 16, uppercase: true))"])
    case .sampleCount(let count, let limit):
      LocalizedText("trace.sampleCount", ["count": "\(count)", "limit": "\(limit)"])
    case .invalidStamp(let stamp):
      LocalizedText("trace.invalidStamp", ["stamp": "\(String(stamp, radix: 16, uppercase: true))"])
    case .unknownScale(let serial): LocalizedText("trace.unknownScale", ["serial": "\(serial)"])
    case .archive(let problem): problem.localized

    // Captures.
    case .noCapture: "trace.noCapture"
    case .shortCaptureHeader: "trace.shortCaptureHeader"
    case .captureVersion(let version):
      LocalizedText("trace.captureVersion", ["version": "\(version)"])
    case .captureDatalink(let type): LocalizedText("trace.captureDatalink", ["type": "\(type)"])
    case .shortRecordHeader: "trace.shortRecordHeader"
    case .invalidRecord(let reason): LocalizedText("trace.invalidRecord", ["reason": "\(reason)"])
    case .longRecord(let length, let limit):
      LocalizedText("trace.longRecord", ["length": "\(length)", "limit": "\(limit)"])
    case .shortRecord(let length, let missing):
      LocalizedText("trace.shortRecord", ["length": "\(length)", "missing": "\(missing)"])
    }
  }
}

extension MotionUnit {
  /// The unit as `--unit` takes it.
  var text: String {
    switch self {
    case .g: "g"
    case .milliG: "mg"
    case .metresPerSecondSquared: "m/s2"
    case .counts(let perG): "counts:\(perG)"
    }
  }
}

extension ArchiveProblem: Localizable {
  /// The problem with an archive.
  package var localized: LocalizedText {
    switch self {
    case .encrypted: "archive.encrypted"
    case .method(let number): LocalizedText("archive.method", ["number": "\(number)"])
    case .size: "archive.size"
    case .cutOff: "archive.cutOff"
    case .damaged: "archive.damaged"
    case .checksum: "archive.checksum"
    case .inflation(let ratio): LocalizedText("archive.inflation", ["ratio": "\(ratio)"])
    case .missing(let name): LocalizedText("archive.missing", ["name": "\(name)"])
    case .pipe: "archive.pipe"
    case .noMemory: "archive.noMemory"
    }
  }
}

extension TraceError.Problem {
  /// The advice for a header that has no comma.
  private static func separatorHint(_ header: String) -> LocalizedText.Value {
    header.contains(";") && !header.contains(",") ? .text("trace.separatorHint") : ""
  }
}

extension CaptureSkip: Localizable {
  /// The skipped part of a capture, with advice if something can be done.
  package var localized: LocalizedText {
    switch self {
    case .malformed: "captureSkip.malformed"
    case .lostRecords: "captureSkip.lostRecords"
    case .unknownLink: "captureSkip.unknownLink"
    case .unknownAttribute: "captureSkip.unknownAttribute"
    case .oversized: "captureSkip.oversized"
    case .lostFragments: "captureSkip.lostFragments"
    case .truncatedAdvertisement: "captureSkip.truncatedAdvertisement"
    case .incompleteRead: "captureSkip.incompleteRead"
    case .tableFull: "captureSkip.tableFull"
    case .cutLine: "captureSkip.cutLine"
    }
  }
}
