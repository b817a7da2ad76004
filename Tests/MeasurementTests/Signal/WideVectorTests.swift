import Motion
import Testing

@testable import Measurement

struct WideVectorTests {
  @Test(arguments: [1, 1_000_000, 1 << 40, 1 << 61] as [Int64])
  func `a unit vector forgets the length`(length: Int64) {
    #expect(WideVector(x: 0, y: -length, z: 0).unit == Vector3(x: 0, y: -1 << 30, z: 0))
    let unit = WideVector(x: length / 1, y: length, z: 0).unit
    #expect(unit == Vector3(x: 759_250_125, y: 759_250_125, z: 0))
  }

  @Test
  func `nothing has no direction`() {
    #expect(WideVector.zero.unit == nil)
  }

  @Test
  func `a cross product is right-handed`() {
    let x = WideVector(x: 1 << 30, y: 0, z: 0)
    let y = WideVector(x: 0, y: 1 << 30, z: 0)
    #expect(x.cross(y, shift: 30) == WideVector(x: 0, y: 0, z: 1 << 30))
  }

  @Test
  func `the length of a vector holds for any components`() {
    #expect(Vector3(x: 2, y: 3, z: 6).length == 7)
    #expect(Vector3(x: .min, y: .min, z: .min).length == 3_719_550_786)
  }
}
