import Glibc
import Testing

@testable import Terminal

@Suite struct CoreDumpsTests {
  @Test func `no image is kept of the process`() {
    CoreDumps.forbid()
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
    #expect(limit.rlim_cur == 0)
    #expect(limit.rlim_max == 0)
  }
}
