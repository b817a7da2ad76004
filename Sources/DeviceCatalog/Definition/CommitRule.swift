import Care

/// How an advertised measurement is known to be final, when frames show it while it settles.
struct CommitRule: Hashable, Sendable {
  var stable: FlagTest
  var removed: FlagTest?
  /// The measured quantity; it must be more than zero.
  var quantity: Quantity
  /// A quantity that may follow in a later frame of the same measurement, and how many seconds to
  /// wait for it; `nil` where it is in the same frame or nowhere.
  var companion: Companion?

  struct Companion: Hashable, Sendable {
    var quantity: Quantity
    var seconds: Double?
  }
}
