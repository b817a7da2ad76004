/// One way in which the plan's people are the bodies of a hypothesis, by their places, and its share.
struct Naming: Sendable {
  /// The body of each person in the household's order, a byte each, the lowest first: of eight people,
  /// and of eight more.
  private var first = UInt64.max
  private var second = UInt64.max
  /// The probability within the hypothesis, in units of 2^-30.
  var share: Int64

  /// The people whose weighings can be told apart.
  static let people = 16
  private static let nobody: UInt64 = 255
  /// One in each byte.
  private static let ones = UInt64.max / 255

  /// Nobody was seen yet.
  init() { share = 1 << 30 }

  /// The body of a person; `nil` if the person was not seen yet.
  subscript(person: Int) -> Int? {
    get {
      let body = byte(of: person)
      return body == Self.nobody ? nil : Int(body)
    }
    set { set(newValue.map { UInt64($0) } ?? Self.nobody, person) }
  }

  private func byte(of person: Int) -> UInt64 {
    (person < 8 ? first : second) &>> (UInt64(person & 7) * 8) & 255
  }

  private mutating func set(_ byte: UInt64, _ person: Int) {
    let shift = UInt64(person & 7) * 8
    if person < 8 {
      first = first & ~(255 &<< shift) | byte &<< shift
    } else {
      second = second & ~(255 &<< shift) | byte &<< shift
    }
  }

  /// Calls for each person with 0 if the person was not seen yet, else with the place after the body's.
  @inline(__always)
  func forEachRow(among people: Int, _ body: (_ person: Int, _ row: Int) -> Void) {
    var bytes = first
    for person in 0..<people {
      if person == 8 { bytes = second }
      body(person, Int((bytes &+ 1) & 255))
      bytes &>>= 8
    }
  }

  /// The person whose body it is; `nil` for somebody who is not in the plan.
  func person(of body: Int) -> Int? {
    let pattern = Self.ones &* UInt64(truncatingIfNeeded: body)
    let found = Self.zeros(in: first ^ pattern)
    if found != 0 { return found.trailingZeroBitCount >> 3 }
    let later = Self.zeros(in: second ^ pattern)
    return later == 0 ? nil : later.trailingZeroBitCount >> 3 + 8
  }

  /// The lowest bit that is set is in the lowest byte that is zero.
  private static func zeros(in bytes: UInt64) -> UInt64 {
    (bytes &- ones) & ~bytes & (ones << 7)
  }

  func isSame(as other: Self) -> Bool { first == other.first && second == other.second }

  /// The same with the places of another hypothesis.
  func moved(to places: Hypothesis.Places, among people: Int) -> Self {
    let places = places.span
    var result = self
    forEachRow(among: people) { person, row in
      if row > 0 { result.set(UInt64(truncatingIfNeeded: places[row - 1]), person) }
    }
    return result
  }
}
