import TestSupport

extension SeededGenerator {
  /// A 32-bit integer that is one of the ends or zero in a third of the draws.
  mutating func extreme() -> Int32 {
    switch next() % 12 {
    case 0: .min
    case 1: .max
    case 2: 0
    case 3: -1
    default: Int32(truncatingIfNeeded: next() >> 16)
    }
  }
}
