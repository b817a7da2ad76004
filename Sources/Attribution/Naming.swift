/// One way in which the plan's people are the bodies of a hypothesis, by their places, and its share.
struct Naming: Sendable {
  /// The body of each person, in the household's order.
  private var bodies = SIMD16<UInt8>(repeating: Self.nobody)
  /// The probability within the hypothesis, in units of 2^-30.
  var share: Int64

  /// The people whose weighings can be told apart.
  static let people = SIMD16<UInt8>.scalarCount
  private static let nobody = UInt8.max

  /// Nobody was seen yet.
  init() { share = 1 << 30 }

  /// The body of a person; `nil` if the person was not seen yet.
  subscript(person: Int) -> Int? {
    get { bodies[person] == Self.nobody ? nil : Int(bodies[person]) }
    set { bodies[person] = newValue.map { UInt8(truncatingIfNeeded: $0) } ?? Self.nobody }
  }

  /// 0 for a person who was not seen yet, else the place after it.
  func row(of person: Int) -> Int { Int(bodies[person] &+ 1) }

  /// The person whose body it is; `nil` for somebody who is not in the plan.
  func person(of body: Int, among people: Int) -> Int? {
    for person in 0..<people where Int(bodies[person]) == body { return person }
    return nil
  }

  func isSame(as other: Self) -> Bool { bodies == other.bodies }

  /// The same with the places of another hypothesis.
  func moved(to places: Hypothesis.Places, among people: Int) -> Self {
    var result = self
    for person in 0..<people { result[person] = self[person].map { Int(places[$0]) } }
    return result
  }
}
