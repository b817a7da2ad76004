import Testing

@testable import Measurement

struct MedianTests {
  @Test
  func `the median is the middle, the upper of two`() {
    #expect([3, 1, 2].median == 2)
    #expect([4, 1, 3, 2].median == 3)
    #expect([7].median == 7)
    #expect([Int]().median == nil)
  }
}
