import Care
import DeviceCatalog
import Foundation
import GATT
import Radio
import Testing

struct OmronTests {
  private let address = SessionBench.address

  /// The definition, and its measurement characteristic.
  @Test(arguments: [("omron-sig-scale", "2A9D"), ("omron-blood-pressure", "2A35")])
  func `the time is written after the devices own`(id: String, measurement: String) throws {
    var bench = try SessionBench(id)
    let begin = try bench.connect([measurement, "2A2B"])
    #expect(
      begin.commands == [
        .subscribe(address, characteristic: try uuid(measurement)),
        .subscribe(address, characteristic: CurrentTime.uuid),
      ])
    let answer = try bench.value("2A2B", "ea07060c143008000001", at: 3).commands
    #expect(
      answer == [
        .write(
          address, characteristic: CurrentTime.uuid,
          // 2027-01-15T08:00:03Z, a Friday.
          data: [0xEB, 0x07, 1, 15, 8, 0, 3, 5, 0, 1], withResponse: true)
      ])
    #expect(bench.handle(.written(address, characteristic: CurrentTime.uuid), at: 4) == [])
    #expect(try bench.value("2A2B", "ea07060c143008000001", at: 5) == [])
  }

  @Test func `no time is written without the devices own`() throws {
    var bench = try SessionBench("omron-sig-scale")
    _ = try bench.connect(["2A9D", "2A2B"])
    let readings = try bench.value("2A9D", "06 803e ea07060c143008 01", at: 1).readings
    #expect(readings.map(\.value) == [80])
    #expect(bench.session.wakeAt == SessionBench.time(60).steady)
    #expect(bench.session.wake(at: SessionBench.time(60)) == [])
    #expect(bench.session.wakeAt == nil)
  }
}
