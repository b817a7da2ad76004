import Testing

@testable import DeviceCatalog

@Suite("RecentKeys")
struct RecentKeysTests {
  @Test func knowsWhatItHasSeen() {
    var keys = RecentKeys<Int>(capacity: 3)
    let news = [1, 1, 2, 1].map { keys.insert($0) }
    #expect(news == [true, false, true, false])
  }

  @Test func forgetsWhatWasSeenLongestAgo() {
    var keys = RecentKeys<Int>(capacity: 3)
    for key in [1, 2, 3, 1, 4] { _ = keys.insert(key) }
    // 2 gave way to 4, since 1 was seen again.
    let news = [1, 3, 2].map { keys.insert($0) }
    #expect(news == [false, false, true])
  }
}
