import Care
import StrictYAML

/// The rule by which an advertised measurement is final, for a device that also sends it while it
/// settles.
struct CommitRule: Hashable, Sendable {
  /// The test of a final frame; `nil` for a device that says nothing of it.
  var stable: FlagTest?
  var removed: FlagTest?
  /// The measured quantity; its value must be above zero.
  var quantity: Quantity
  /// A quantity that may follow in a later frame of the same measurement.
  var companion: Companion?
  /// The number of consecutive frames with the same time and value after which it is final.
  var equal = 1

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
  /// - Returns: The frame with the companion's bytes zero, its validity bit cleared and its
  ///   checksum zero.
  func withoutCompanion(_ frame: [UInt8], _ content: FrameContent) -> [UInt8] {
    guard let companion = commit?.companion, case .fields(let fields, _) = self.content,
      let field = fields.first(where: { $0.value?.quantity == companion.quantity })
    else { return frame }
    var frame = frame
    if let checksum = self.checksum?.places(in: frame.count)?.checksum { frame[checksum] = 0 }
    for index in content.fields.place(of: field.name) ?? 0..<0 where frame.indices.contains(index) {
      frame[index] = 0
    }
    for term in field.validity?.terms ?? [] {
      guard let flags = fields.first(where: { $0.name == term.field }),
        let place = content.fields.place(of: flags.name)
      else { continue }
      let lowest = flags.bits?.first ?? 0
      let tested =
        switch term.operand {
        case .bit(let bit): bit + lowest...bit + lowest
        case .number: lowest...lowest + (flags.bits?.count ?? 8 * flags.type.width) - 1
        }
      for bit in tested {
        let index =
          flags.type.isBigEndian ? place.upperBound - 1 - bit / 8 : place.lowerBound + bit / 8
        if place.contains(index), frame.indices.contains(index) {
          frame[index] &= ~(1 << UInt8(bit % 8))
        }
      }
    }
    return frame
  }
}

// MARK: - Reading

extension CommitRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    var commit = try node.mapping()
    equal = try commit.optional("equal")?.integer(in: 2...32) ?? 1
    // Of a device without a flag, equal frames are the only sign.
    stable =
      equal > 1
      ? try commit.optional("stable")?.flagTest() : try commit.required("stable").flagTest()
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
