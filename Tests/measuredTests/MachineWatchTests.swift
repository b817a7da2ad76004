import Foundation
import Outlets
import Synchronization
import Testing

@testable import Daemon

@Suite struct MachineWatchTests {
  @Test func `a fault that lasts is told once, and looked for every five minutes at most`()
    async throws
  {
    let found = Mutex<(names: Set<String>, count: Int)>(([], 0))
    let watch = MachineWatch { _ in
      found.withLock { state in
        state.count += 1
        return state.names
      }
    }
    let start = Date(timeIntervalSince1970: 1_795_000_000)
    #expect(await watch.look(at: start).faults == [])
    #expect(await watch.look(at: start).wakeAt == nil)
    found.withLock { $0.names = ["controller"] }
    // Not before its time.
    #expect(await watch.look(at: start + 299).wakeAt == nil)
    #expect(await watch.look(at: start + 300).wakeAt == start + 900)
    #expect(await watch.look(at: start + 899).faults == [])
    let told = await watch.look(at: start + 1_200)
    #expect(told.faults.map(\.name) == ["controller"])
    #expect(told.faults.map(\.since) == [start + 1_200] && told.wakeAt == nil)
    #expect(await watch.look(at: start + 9_000).faults == told.faults)
    found.withLock { $0.names = [] }
    #expect(await watch.look(at: start + 9_300).faults == [])
    // Again, it is another one.
    found.withLock { $0.names = ["controller"] }
    #expect(await watch.look(at: start + 9_600).faults == [])
    #expect(await watch.look(at: start + 10_200).faults.map(\.since) == [start + 10_200])
    #expect(found.withLock { $0.count } == 8)
  }

  @Test func `what mends itself within ten minutes rings nobody`() async throws {
    let start = Date(timeIntervalSince1970: 1_795_000_000)
    let watch = MachineWatch { date in
      Int(date.timeIntervalSince(start) / 300).isMultiple(of: 2) ? ["disk"] : []
    }
    for minute in stride(from: 0.0, through: 120, by: 5) {
      #expect(await watch.look(at: start + minute * 60).faults == [])
    }
  }
}
