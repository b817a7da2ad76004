import Care
import DeviceCatalog
import GATT
import Radio
import TestSupport
import Testing

/// A meter's stored records, requested by the record access control point.
struct GlucoseRecordsTests {
  private let address = SessionBench.address
  private let control = BluetoothUUID(0x2A52)

  private func write(_ hex: String) -> SessionOutput {
    .command(.write(address, characteristic: control, data: bytes(hex), withResponse: true))
  }

  /// A record of 99 mg/dL with its number.
  private func record(_ number: UInt8) -> String {
    "02 \(String(number, radix: 16).count == 1 ? "0" : "")\(String(number, radix: 16))00"
      + " ea07060c143008 63b0 11"
  }

  @Test func `the first link requests all records`() throws {
    var bench = try SessionBench("sig-glucose")
    #expect(try bench.connect(["2A18", "2A52"]).last == write("0101"))
    #expect(bench.session.wakeAt == SessionBench.time(30).steady)
    #expect(try bench.value("2A18", record(4), at: 20).readings.map(\.value) == [99])
    // Each record extends the time limit.
    #expect(bench.session.wakeAt == SessionBench.time(50).steady)
    #expect(try bench.value("2A52", "06 00 01 01", at: 21) == [])
    #expect(bench.session.wakeAt == nil)
  }

  /// A record that announces a context, and contexts of it and of another one.
  private let announced = "12 0500 ea07060c143008 63b0 11"
  private let context = "02 0500 01"
  private let otherContext = "02 0900 01"

  @Test func `a record waits for its context`() throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A34", "2A52"])
    #expect(try bench.value("2A18", announced, at: 1).readings == [])
    let readings = try bench.value("2A34", context, at: 2).readings
    #expect(readings.map(\.value) == [99])
    #expect(readings.map(\.context) == [[.finger, .capillaryWholeBlood, .beforeMeal]])
    #expect(readings.map(\.arrival) == [SessionBench.time(1).date])
  }

  @Test(arguments: ["another context", "the next record", "the end of the records", "the time"])
  func `a record is never lost for its context`(ending: String) throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A34", "2A52"])
    _ = try bench.value("2A18", announced, at: 1)
    let readings =
      switch ending {
      case "another context": try bench.value("2A34", otherContext, at: 2).readings
      case "the next record": try bench.value("2A18", record(6), at: 2).readings
      case "the end of the records": try bench.value("2A52", "06 00 01 01", at: 2).readings
      default: bench.session.wake(at: SessionBench.time(6)).readings
      }
    #expect(readings.first?.context == [.finger, .capillaryWholeBlood])
    #expect(readings.count == (ending == "the next record" ? 2 : 1))
  }

  @Test func `the end of the link ends the wait`() throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A34", "2A52"])
    _ = try bench.value("2A18", announced, at: 1)
    let outputs = bench.session.handle(.disconnected(address), at: SessionBench.time(2))
    #expect(outputs.readings.map(\.value) == [99])
  }

  @Test func `later links request the new records`() throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A52"])
    _ = try bench.value("2A18", record(4), at: 1)
    _ = try bench.value("2A18", record(5), at: 2)
    // The link ends in the middle: the next one requests the records from the last received one.
    _ = bench.handle(.disconnected(address), at: 3)
    #expect(try bench.connect(["2A18", "2A52"], at: 10).last == write("01 03 01 0500"))
    _ = try bench.value("2A18", record(5), at: 11)
    _ = try bench.value("2A18", record(6), at: 12)
    #expect(try bench.value("2A52", "06 00 01 01", at: 13) == [])
    _ = bench.handle(.disconnected(address), at: 14)
    #expect(try bench.connect(["2A18", "2A52"], at: 20).last == write("01 03 01 0600"))
  }

  /// The responses of a meter that cannot select records, or whose numbering has restarted.
  @Test(arguments: ["06 00 01 06", "06 00 01 03", "06 00 01 04", "06 00 01 05", "06 00 01 09"])
  func `requests all if new ones cannot be selected`(answer: String) throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.value("2A18", record(9))
    #expect(try bench.connect(["2A18", "2A52"]).last == write("01 03 01 0900"))
    #expect(try bench.value("2A52", answer, at: 1) == [write("0101")])
    #expect(try bench.value("2A52", "06 00 01 06", at: 2) == [])
    #expect(bench.session.wakeAt == nil)
  }

  @Test func `reports a refusal of records`() throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A52"])
    // A response to another request, and a count, are ignored.
    #expect(try bench.value("2A52", "06 00 03 02", at: 1) == [])
    #expect(try bench.value("2A52", "05 00 0300", at: 1) == [])
    #expect(
      try bench.value("2A52", "06 00 01 02", at: 1).notes == [
        SessionNote(
          address: SessionBench.address, name: "Glucose meter",
          kind: .recordsRefused(.opcodeNotSupported))
      ])
  }

  @Test func `reports incomplete records`() throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A52"])
    _ = try bench.value("2A18", record(4), at: 1)
    #expect(
      bench.session.wake(at: SessionBench.time(31)).notes.map(\.kind) == [.recordsIncomplete])
  }
}
