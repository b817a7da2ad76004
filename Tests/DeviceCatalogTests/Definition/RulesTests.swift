import Care
import GATT
import Testing

@testable import DeviceCatalog

struct RulesTests {
  @Test(arguments: [
    (0b0010 as Int64, 1, true, true), (0b0010, 1, false, false), (0b0010, 0, true, false),
    (0b0010, 0, false, true), (-1, 31, true, true),
  ])
  func `a bit is tested`(value: Int64, bit: Int, isSet: Bool, holds: Bool) {
    #expect(FlagTest(field: "f", bit: bit, isSet: isSet).holds(in: ["f": value]) == holds)
  }

  @Test func `a bit of an unknown field is not set`() {
    #expect(!FlagTest(field: "f", bit: 0, isSet: true).holds(in: [:]))
    #expect(FlagTest(field: "f", bit: 0, isSet: false).holds(in: [:]))
  }

  @Test(arguments: [
    (0xAC36 as Int64, 5, 11, 0x561 as Int64), (0xAC36, 0, 5, 0x16), (-1, 0, 16, 0xFFFF),
    (-1, 31, 32, 0xFFFF_FFFF), (0, 0, 1, 0),
  ])
  func `bits are extracted`(value: Int64, first: Int, count: Int, part: Int64) {
    #expect(BitRange(first: first, count: count).of(value) == part)
  }

  @Test func `more is more specific`() throws {
    let service = MatchClause(service: .weightScaleService)
    let vendor = MatchClause(
      service: try uuid("FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8"))
    let data = DataClause(key: BluetoothUUID.weightScaleService)
    var sized = data
    sized.length = 10
    var begun = sized
    begun.bytes = BytePattern("22 3?")
    let clauses = [
      service, MatchClause(namePrefix: "MI"), vendor, MatchClause(serviceData: sized),
      MatchClause(serviceData: begun), MatchClause(namePrefix: "Polar H10"),
      MatchClause(service: .weightScaleService, namePrefix: "Polar H10"),
    ]
    #expect(clauses.map(\.specificity) == [10, 14, 20, 25, 28, 28, 38])
  }

  @Test func `only a bare service is unassigned`() {
    let bare = MatchClause(service: BluetoothUUID(0xFFF0))
    #expect(bare.isOnlyUnownedService)
    #expect(!MatchClause(service: BluetoothUUID(0xFFF0), namePrefix: "X").isOnlyUnownedService)
    #expect(!MatchClause(service: BluetoothUUID(0xFE95)).isOnlyUnownedService)
    #expect(!MatchClause(namePrefix: "X").isOnlyUnownedService)
  }
}

extension FrameFields: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral fields: (String, Int64)...) {
    self.init()
    for (name, number) in fields { set(name, number, at: 0..<0) }
  }
}
