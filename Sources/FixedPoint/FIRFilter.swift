/// A finite impulse response over integers: the weighted sum of the last `length` inputs.
///
/// Taps are integers in units of 2^-`shift`. The accumulator has 64 bits and the sum of the taps'
/// magnitudes is at most 2^31, so no input can overflow it; the output is rounded to nearest (error
/// at most half a unit) and saturated. Cost: `length` multiplications.
@frozen
public struct FIRFilter<let length: Int>: Sendable {
  @usableFromInline let taps: InlineArray<length, Int32>
  @usableFromInline let shift: Int
  @usableFromInline var past: InlineArray<length, Int32>
  @usableFromInline var newest: Int

  /// Makes a filter whose past inputs are zeros; the first tap weighs the newest input.
  ///
  /// `nil` if the sum of the taps' magnitudes exceeds 2^31 or `shift` is outside 0...62.
  public init?(taps: InlineArray<length, Int32>, shift: Int) {
    var weight: UInt64 = 0
    for index in taps.indices { weight &+= UInt64(taps[index].magnitude) }
    guard weight <= 1 << 31, (0...62).contains(shift), length > 0 else { return nil }
    self.taps = taps
    self.shift = shift
    past = InlineArray(repeating: 0)
    newest = 0
  }

  /// The output for the next input.
  @inlinable
  public mutating func filter(_ input: Int32) -> Int32 {
    newest = newest == 0 ? length &- 1 : newest &- 1
    past[newest] = input
    var sum: Int64 = 0
    var index = newest
    for tap in taps.indices {
      sum &+= Int64(taps[tap]) &* Int64(past[index])
      index = index &+ 1 == length ? 0 : index &+ 1
    }
    return Int32(clamping: sum.roundedShift(right: shift))
  }

  /// Sets the state that an infinitely long constant `input` leaves.
  public mutating func settle(at input: Int32) {
    for index in past.indices { past[index] = input }
  }
}
