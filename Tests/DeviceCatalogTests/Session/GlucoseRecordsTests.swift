import Care
import DeviceCatalog
import GATT
import Radio
import TestSupport
import Testing

/// A meter's stored records, asked for by the record access control point.
@Suite("Glucose records")
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

  @Test func allAreAskedForFirst() throws {
    var bench = try SessionBench("sig-glucose")
    #expect(try bench.connect(["2A18", "2A52"]).last == write("0101"))
    #expect(bench.session.wakeAt == SessionBench.time(30))
    #expect(try bench.value("2A18", record(4), at: 20).readings.map(\.value) == [99])
    // Each record gives it more time.
    #expect(bench.session.wakeAt == SessionBench.time(50))
    #expect(try bench.value("2A52", "06 00 01 01", at: 21) == [])
    #expect(bench.session.wakeAt == nil)
  }

  @Test func laterOnlyTheNewOnesAre() throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A52"])
    _ = try bench.value("2A18", record(4), at: 1)
    _ = try bench.value("2A18", record(5), at: 2)
    // The link breaks in the middle: what came is not asked for again, but for the last.
    _ = bench.handle(.disconnected(address), at: 3)
    #expect(try bench.connect(["2A18", "2A52"], at: 10).last == write("01 03 01 0500"))
    _ = try bench.value("2A18", record(5), at: 11)
    _ = try bench.value("2A18", record(6), at: 12)
    #expect(try bench.value("2A52", "06 00 01 01", at: 13) == [])
    _ = bench.handle(.disconnected(address), at: 14)
    #expect(try bench.connect(["2A18", "2A52"], at: 20).last == write("01 03 01 0600"))
  }

  /// What a meter answers that cannot choose, or that counts anew.
  @Test(arguments: ["06 00 01 06", "06 00 01 03", "06 00 01 04", "06 00 01 05", "06 00 01 09"])
  func allAreAskedForWhereNewOnesCannotBe(answer: String) throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.value("2A18", record(9))
    #expect(try bench.connect(["2A18", "2A52"]).last == write("01 03 01 0900"))
    #expect(try bench.value("2A52", answer, at: 1) == [write("0101")])
    #expect(try bench.value("2A52", "06 00 01 06", at: 2) == [])
    #expect(bench.session.wakeAt == nil)
  }

  @Test func saysWhenItDoesNotGiveThem() throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A52"])
    // An answer to another request, and a count, are not waited for.
    #expect(try bench.value("2A52", "06 00 03 02", at: 1) == [])
    #expect(try bench.value("2A52", "05 00 0300", at: 1) == [])
    #expect(
      try bench.value("2A52", "06 00 01 02", at: 1).notes == [
        "Glucose meter (5C:CA:D3:70:D4:A2) does not give out its records (opcodeNotSupported). Look"
          + " at its manual for what must be set on it, and pair it again."
      ])
  }

  @Test func saysWhenItStops() throws {
    var bench = try SessionBench("sig-glucose")
    _ = try bench.connect(["2A18", "2A52"])
    _ = try bench.value("2A18", record(4), at: 1)
    #expect(
      bench.session.wake(at: SessionBench.time(31)).notes == [
        "Glucose meter (5C:CA:D3:70:D4:A2) stopped while it was sending its records; the rest is"
          + " fetched on the next link."
      ])
  }
}
