import Testing
import Traces

@testable import Terminal

/// The words for recordings that cannot be read.
@Suite struct TraceMessagesTests {
  @Test func `names the file and the line or the byte`() {
    #expect(
      TraceError(file: "walk.csv", line: 7, .missingNumber(column: "x")).message
        == "walk.csv:7: there is no number in column ‘x’")
    #expect(
      TraceError(file: "hci.log", offset: 16, .shortRecordHeader).message
        == "hci.log: byte 16: the capture ends within this record's header; it was cut off here")
    #expect(CommandFailure(TraceError(file: "/etc", .folder)).code == .failed)
  }

  @Test(
    arguments: [
      (.missingFile, "there is no such file"), (.folder, "this is a folder"),
      (.empty(.radioTrace), "the file is empty"), (.empty(.motion), "the file is empty"),
      (.empty(.numbers), "the file is empty"),
      (
        .longLine(limit: 1_048_576),
        "the line is longer than 1048576 bytes; this is no trace or motion file"
      ),
      (.noTraceHeader, "this is no radio trace"), (.traceVersion(2), "has version 2"),
      (.invalidStart("yesterday"), "‘start’ is ‘yesterday’"),
      (.unknownEvent("unheard"), "there is no event type ‘unheard’"),
      (.missingEventKey("address", event: "connected"), "‘address’ is missing"),
      (.invalidAddress("5C:CA"), "‘5C:CA’ is no Bluetooth address"),
      (.missingKey("t"), "‘t’ is missing"), (.wrongType(key: "t"), "‘t’ has the wrong type"),
      (.timeRunsBackwards(-1, previous: 0), "earlier than the 0.0 before it; it never decreases"),
      (.timeBeforeStart(-1), "‘t’ is -1.0; it counts from the start"),
      (.namedPipe, "this is a named pipe"),
      (.longRow(columns: 5, header: 4), "has 5 columns, and the header names 4; write decimals"),
      (.invalidNumber("\"1\"", column: "y"), "; write numbers without quotes"),
      (.noMotionColumns(header: "t;x;y;z"), "by commas instead of semicolons"),
      (.missingColumn("rr", header: "t;rr"), "by commas instead of semicolons"),
      (.timeTooLarge(1e11), "‘t’ is 100000000000.0; it must be below 1e10 seconds"),
      (.invalidHex(key: "data"), "‘data’ is not whole bytes in hex"),
      (.invalidUUID("2A3"), "‘2A3’ is no Bluetooth UUID"),
      (.motionSampleLength(3), "has 3 numbers"),
      (.motionSampleRange(1e9), "which no sensor measures"),
      (.motionSampleTime(1e99), "at most a day"), (.notJSON, "may be cut off"),
      (.noMotionColumns(header: "a,b"), "needs the columns t and x,y,z"),
      (.missingColumn("rr", header: "a,b"), "no column ‘rr’"),
      (.duplicateColumn("x"), "two columns ‘x’"), (.farColumn(limit: 64), "among the first 64"),
      (.shortRow(columns: 3, before: "z"), "ends before ‘z’"),
      (.invalidNumber("zero", column: "y"), "‘zero’ in column ‘y’"),
      (.numberRange(1e7), "check --unit"),
      (
        .unknownStart,
        "a motion file does not say when it was recorded; add --start with its time"
      ),
      (.noCapture, "this is no btsnoop capture"),
      (.shortCaptureHeader, "ends within its header"), (.captureVersion(2), "has version 2"),
      (.captureDatalink(1003), "has datalink type 1003"),
      (
        .shortRecord(length: 20, missing: 4), "the last 4 are missing; the capture was cut off here"
      ),
      (
        .longRecord(length: 65_537, limit: 65_536),
        "this record claims 65537 bytes, and no packet is longer than 65536; the capture is damaged"
          + " here"
      ),
    ] as [(TraceError.Problem, String)])
  func `says what is wrong`(problem: TraceError.Problem, words: String) {
    #expect(problem.message.contains(words))
  }
}
