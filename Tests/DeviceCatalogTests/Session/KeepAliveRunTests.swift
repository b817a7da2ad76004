import GATT
import Radio
import Testing

@testable import DeviceCatalog

@Suite("KeepAliveRun")
struct KeepAliveRunTests {
  private let address = SessionBench.address
  private let rule = SessionScript.KeepAlive(
    characteristic: BluetoothUUID(0xFFF1), bytes: [0xAA], withResponse: false, seconds: 5)

  private var write: RadioCommand {
    .write(address, characteristic: rule.characteristic, data: [0xAA], withResponse: false)
  }

  @Test func writesAgainAndAgain() {
    var run = KeepAliveRun(rule, of: address, from: SessionBench.time(0))
    let writes = [4.9, 5, 5.1, 10].map { run.wake(at: SessionBench.time($0)) }
    #expect(writes == [nil, write, nil, write])
    #expect(run.wakeAt == SessionBench.time(15))
  }

  @Test func makesUpForNothing() {
    var run = KeepAliveRun(rule, of: address, from: SessionBench.time(0))
    let writes = [100, 100.1].map { run.wake(at: SessionBench.time($0)) }
    #expect(writes == [write, nil])
    #expect(run.wakeAt == SessionBench.time(105))
  }

  @Test func isPartOfASession() throws {
    let definition = try SampleDefinition.definition(
      "  start:",
      "  keepAlive: {characteristic: FFF1, hex: aa, response: false, every: 5}\n  start:")
    var bench = SessionBench(definition)
    #expect(try bench.connect(["2A9D", "FFF1"]).commands.count == 1)
    #expect(bench.session.wakeAt == SessionBench.time(5))
    #expect(bench.session.wake(at: SessionBench.time(5)) == [.command(write)])
    _ = bench.handle(.disconnected(address), at: 6)
    #expect(bench.session.wakeAt == nil)
    // A device without the characteristic needs none.
    #expect(try bench.connect(["2A9D"], at: 7).commands.count == 1)
    #expect(bench.session.wakeAt == nil)
  }
}
