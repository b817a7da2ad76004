import Care
import StrictYAML

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

extension RecordRule {
  /// `frame` as it would be had the commit rule's companion not been measured.
  ///
  /// - Parameters:
  ///   - frame: A frame of this record.
  ///   - content: What was read from it, with the places of its fields.
  /// - Returns: The frame with the companion's bytes zero, and the bit that says that it counts not
  ///   set.
  func withoutCompanion(_ frame: [UInt8], _ content: FrameContent) -> [UInt8] {
    guard let companion = commit?.companion, case .fields(let fields, _) = self.content,
      let field = fields.first(where: { $0.value?.quantity == companion.quantity })
    else { return frame }
    var frame = frame
    for index in content.places[field.name] ?? 0..<0 where frame.indices.contains(index) {
      frame[index] = 0
    }
    if let test = field.validity, let flags = fields.first(where: { $0.name == test.field }),
      let place = content.places[flags.name]
    {
      let bit = test.bit + (flags.bits?.first ?? 0)
      let index =
        flags.type.isBigEndian ? place.upperBound - 1 - bit / 8 : place.lowerBound + bit / 8
      if place.contains(index), frame.indices.contains(index) {
        frame[index] &= ~(1 << UInt8(bit % 8))
      }
    }
    return frame
  }
}

// MARK: - Reading

extension CommitRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    var commit = try node.mapping()
    stable = try commit.required("stable").flagTest()
    removed = try commit.optional("removed")?.flagTest()
    quantity = try commit.required("quantity").quantity()
    companion = try commit.optional("waitFor").map { node throws(YAMLError) in
      var wait = try node.mapping()
      let companion = Companion(
        quantity: try wait.required("quantity").quantity(),
        seconds: try wait.optional("seconds")?.seconds())
      try wait.finish()
      return companion
    }
    try commit.finish()
  }
}
