import Care
import StrictYAML

/// The rule by which an advertised measurement is final, for a device that also sends it while it
/// settles.
struct CommitRule: Hashable, Sendable {
  var stable: FlagTest
  var removed: FlagTest?
  /// The measured quantity; its value must be above zero.
  var quantity: Quantity
  /// A quantity that may follow in a later frame of the same measurement.
  var companion: Companion?

  struct Companion: Hashable, Sendable {
    var quantity: Quantity
    /// The time to wait for it; `nil` if it is in the same frame.
    var seconds: Double?
  }
}

extension RecordRule {
  /// `frame` as it would be without a measured companion of the commit rule.
  ///
  /// - Parameters:
  ///   - frame: A frame of this record.
  ///   - content: Its content, with the positions of its fields.
  /// - Returns: The frame with the companion's bytes zero and its validity bit cleared.
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
