import Recency
import TestSupport
import Testing

@Suite struct RecencyTableTests {
  /// The order agrees with a list that is searched, in bounded memory.
  @Test(arguments: 0..<20 as Range<UInt64>) func `the order is that of a list`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = RecencyTable<UInt64, UInt64>()
    var list: [(key: UInt64, value: UInt64)] = []
    for _ in 0..<2000 {
      let (key, value) = (random.next() % 40, random.next() % 4)
      switch random.next() % 8 {
      case 0:
        #expect(table.removeOldest() == list.first?.key)
        list = Array(list.dropFirst())
      case 1:
        table.remove(key)
        list.removeAll { $0.key == key }
      case 2:
        let index = list.firstIndex { $0.value == value }
        #expect(table.removeOldest { $0 == value } == index.map { list[$0].key })
        if let index { list.remove(at: index) }
      default:
        table.use(key, value)
        list.removeAll { $0.key == key }
        list.append((key, value))
      }
      #expect(table.count == list.count)
      #expect(table.turnCount <= 2 * 40 + 65)
      #expect(table[key] == list.first { $0.key == key }?.value)
    }
    #expect(table.byUse.map(\.key) == list.map(\.key))
    #expect(table.byUse.map(\.value) == list.map(\.value))
  }
}
