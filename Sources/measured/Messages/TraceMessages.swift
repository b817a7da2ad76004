import Care
import Radio
import Traces

extension TraceError: PresentableError {
  /// `walk.csv:7: ‘zero’ in column ‘y’ is no number that a sensor gives`.
  var message: String { "\(place): \(problem.message)" }
}

extension TraceError.Problem {
  /// The problem and the advice, without the location.
  var message: String {
    switch self {
    // Any file.
    case .missingFile: "there is no such file, or its folder cannot be read"
    case .folder: "this is a folder; name a file in it"
    case .namedPipe:
      "this is a named pipe, which waits until another program writes to it; use - and redirect"
        + " it: < FILE"
    case .unreadable: "it cannot be read; check its permissions"
    case .readFailure(let reason): "reading failed: \(reason)"
    case .empty(.radioTrace): "the file is empty; a trace has a first line"
    case .empty(.motion): "the file is empty; a motion file begins with its columns' names"
    case .empty(.numbers): "the file is empty; it begins with its columns' names"
    case .longLine(let limit):
      "the line is longer than \(limit) bytes; this is no trace or motion file"

    // Radio traces.
    case .noTraceHeader:
      "this is no radio trace: the first line must be {\"measured-trace\":1,\"start\":\"…\"}"
    case .traceVersion(let version):
      "the trace has version \(version), and this program reads version 1"
    case .invalidStart(let text):
      "‘start’ is ‘\(text)’; write it like 2026-11-20T07:09:58-08:00"
    case .notJSON: "this line is no event: it is not valid JSON; the file may be cut off here"
    case .missingKey(let key): "this line is no event: ‘\(key)’ is missing"
    case .wrongType(let key): "this line is no event: ‘\(key)’ has the wrong type"
    case .timeBeforeStart(let t): "‘t’ is \(t); it counts from the start, so it is at least 0"
    case .timeRunsBackwards(let t, let previous):
      "‘t’ is \(t), earlier than the \(previous) before it; it never decreases"
    case .timeTooLarge(let t): "‘t’ is \(t); it must be below 1e10 seconds"
    case .unknownEvent(let type):
      "there is no event type ‘\(type)’; it is one of advertisement, connected, services, value,"
        + " written, failed, lost, disconnected, motion"
    case .missingEventKey(let key, let type): "‘\(key)’ is missing from this ‘\(type)’ event"
    case .invalidAddress(let text):
      "‘\(text)’ is no Bluetooth address; write it like 5C:CA:D3:70:D4:A2"
    case .invalidAddressType(let text):
      "‘\(text)’ is no address type; it is ‘public’ or ‘random’"
    case .invalidFailureKind(let text):
      "‘\(text)’ is no kind of failure; it is one of "
        + LinkFailure.allCases.map(\.rawValue).joined(separator: ", ")
    case .invalidHex(let key): "‘\(key)’ is not whole bytes in hex"
    case .invalidUUID(let text): "‘\(text)’ is no Bluetooth UUID"
    case .motionSampleLength(let count):
      "a motion sample has \(count) numbers; it has 4 (dt, ax, ay, az) or 7 (with gx, gy, gz)"
    case .motionSampleRange(let value):
      "a motion sample holds \(value), which no sensor measures"
    case .motionSampleTime(let seconds):
      "a motion sample is \(seconds) s from its event; at most a day is allowed"

    // Motion files and number files.
    case .noMotionColumns(let header):
      "a motion file needs the columns t and x,y,z (or ax,ay,az); this one has ‘\(header)’"
        + Self.separatorHint(header) + "; rename them, or add --columns t=…,x=…,y=…,z=…"
    case .missingColumn(let name, let header):
      "there is no column ‘\(name)’; this file has ‘\(header)’" + Self.separatorHint(header)
    case .duplicateColumn(let name): "there are two columns ‘\(name)’"
    case .farColumn(let limit):
      "the required columns must be among the first \(limit)"
    case .shortRow(let columns, let name):
      "the row has \(columns) columns and ends before ‘\(name)’; the file may be cut off"
    case .longRow(let columns, let header):
      "the row has \(columns) columns, and the header names \(header); write decimals with a point,"
        + " since a decimal comma begins a new column"
    case .invalidNumber(let text, let column):
      "‘\(text)’ in column ‘\(column)’ is not a valid number"
        + (text.contains("\"") ? "; write numbers without quotes" : "")
    case .missingNumber(let column): "there is no number in column ‘\(column)’"
    case .numberRange(let value): "\(value) is more than any sensor measures; check --unit"
    case .unknownStart:
      "a motion file does not say when it was recorded; add --start with its time"
    case .noTime:
      "the file has no times; add --rate with the samples a second, or name their column:"
        + " --columns t=…,x=…,y=…,z=…"
    case .rateOfTimes(let column):
      "the file has times, in the column ‘\(column)’; leave out --rate, or name the columns"
        + " without it: --columns x=…,y=…,z=…"
    case .unclearTime(let column):
      "the numbers in column ‘\(column)’ may be seconds or other units; say which:"
        + " --columns t=\(column):ms,x=…,y=…,z=… (s, ms, us or ns)"
    case .invalidTime(let text, let column):
      "‘\(text)’ in column ‘\(column)’ is not a valid time; write it like 2026-11-20 09:00:00.010"
    case .mixedTimes: "this time has a zone and those before have none, or the other way round"
    case .unclearTimes(let seconds, let unit):
      "most rows are \(seconds.plainText) s apart: the times look like \(unit), not like seconds;"
        + " name the columns with it: --columns t=t:\(unit),x=x,y=y,z=z"
    case .fixedFormat:
      "a binary recording has its own unit, columns and rate; leave out --unit, --columns and --rate"
    case .unclearUnit(let median, let unit):
      "the acceleration is \(median) for most of the file, and at rest it is 1 g: "
        + (unit.map {
          "it looks like \($0.text); add --unit \($0.text), or --unit g if it is right"
        }
          ?? "add --unit with its unit, such as counts:4096")
    case .noGravity(let median):
      "the acceleration is \(median) g for most of the file: gravity is missing from it."
        + " Record the acceleration with gravity, or add --unit g if this is the wrong unit"
    case .linearAcceleration:
      "the file has linear acceleration, without gravity; record the acceleration with gravity"
    case .epochCounts:
      "the file has counts of an epoch; export the raw data, with all samples"

    // Binary recordings.
    case .invalidBlock(let header, let length):
      "a data block begins with AX and 508, and this one with"
        + " 0x\(String(header, radix: 16, uppercase: true)) and \(length); the file is damaged here"
    case .invalidSeparator(let byte):
      "a record begins with 0x1E, and this one with 0x\(String(byte, radix: 16, uppercase: true));"
        + " the file is damaged here"
    case .padding(let limit):
      "more than \(limit) zeros stand between two records; the file is damaged here"
    case .checksum: "the checksum is wrong; the file is damaged here"
    case .sampleRate(let rate):
      "the file claims \((Double(rate) / 1000).plainText) samples a second, at which no device records"
    case .packing(let code):
      "samples are stored in an unknown way (0x\(String(code, radix: 16, uppercase: true)))"
    case .sampleCount(let count, let limit):
      "it claims \(count) samples, and at most \(limit) are possible; the file is damaged here"
    case .invalidStamp(let stamp):
      "its time (0x\(String(stamp, radix: 16, uppercase: true))) is no date; the file is damaged here"
    case .unknownScale(let serial):
      "the scale of the device ‘\(serial)’ is unknown; export it as CSV from ActiLife"
    case .archive(let problem): problem.message

    // Captures.
    case .noCapture:
      "this is no btsnoop capture: it does not begin with ‘btsnoop’ and a zero"
    case .shortCaptureHeader: "the capture ends within its header; record it again"
    case .captureVersion(let version):
      "the capture has version \(version), and this program reads version 1"
    case .captureDatalink(let type):
      "the capture has datalink type \(type), and this program reads 1001 (HCI), 1002 (H4) and"
        + " 2001 (btmon) of btsnoop, and 187, 201 and 254 of pcapng; convert it, or record with btmon -w or Android's HCI log"
    case .shortRecordHeader:
      "the capture ends within this record's header; it was cut off here"
    case .invalidRecord(let reason): "this record is damaged. \(reason)"
    case .longRecord(let length, let limit):
      "this record claims \(length) bytes, and no packet is longer than \(limit); the capture is"
        + " damaged here"
    case .shortRecord(let length, let missing):
      "this record has \(length) bytes, of which the last \(missing) are missing; the capture was"
        + " cut off here"
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

extension ArchiveProblem {
  /// The problem with an archive.
  var message: String {
    switch self {
    case .encrypted: "the archive is encrypted; save it without a password"
    case .method(let number): "the archive is compressed in an unknown way (method \(number))"
    case .size: "the archive has a file of 4 GiB or of unknown size"
    case .cutOff: "the archive ends within a file; it was cut off here"
    case .damaged: "the archive is damaged here"
    case .checksum: "the archive's checksum is wrong; it is damaged"
    case .inflation(let ratio): "a file in the archive grows to more than \(ratio) times its size"
    case .missing(let name):
      "there is no ‘\(name)’ in the archive; devices before firmware 3 write another format, which"
        + " ActiLife exports as CSV"
    case .pipe: "the archive cannot be read from a pipe; name the file"
    case .noMemory: "there is not enough memory to open the archive"
    }
  }
}

extension TraceError.Problem {
  /// The advice for a header that has no comma.
  private static func separatorHint(_ header: String) -> String {
    header.contains(";") && !header.contains(",")
      ? "; separate the columns by commas instead of semicolons, and write decimals with a point"
      : ""
  }
}

extension CaptureSkip {
  /// The skipped part of a capture, with advice if something can be done.
  var message: String {
    switch self {
    case .malformed: "packets that are damaged or were cut short by the recorder; record in full"
    case .lostRecords: "gaps where the recorder dropped packets"
    case .unknownLink:
      "packets of links that were up before the recording began; start it before the device connects"
    case .unknownAttribute:
      "values of unknown attributes; forget the device before recording,"
        + " so that its services are discovered again"
    case .oversized: "messages that are longer than any sensor sends"
    case .lostFragments: "messages with missing fragments"
    case .truncatedAdvertisement: "advertisements that the controller did not receive to their end"
    case .incompleteRead: "long values that were not read to their end"
    case .tableFull: "more links, services or characteristics than are tracked"
    case .cutLine:
      "event: the last line is cut off, as if the recording was stopped while it was written"
    }
  }
}
