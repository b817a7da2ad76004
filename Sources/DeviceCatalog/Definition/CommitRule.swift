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
  /// `frame` as it would be without a measured companion of the commit rule, and while the person is
  /// on the scale: each frame of one measurement then gives the same sample.
  ///
  /// - Parameters:
  ///   - frame: A frame of this record.
  ///   - content: Its content, with the positions of its fields.
  /// - Returns: The frame with the companion's bytes zero, its validity bit cleared, and its checksum
  ///   zero where that changes the frame; and without the bits that say that the person is off.
  func withoutCompanion(_ frame: [UInt8], _ content: FrameContent) -> [UInt8] {
    guard case .fields(let fields, _) = self.content else { return frame }
    var frame = frame
    if let removed = commit?.removed, removed.holds(in: content.fields) {
      for case (let term, .bit(let bit)) in removed.terms.map({ ($0, $0.operand) }) {
        frame.set(bit...bit, of: term.field, to: !term.isTrue, fields, content)
      }
    }
    guard let companion = commit?.companion,
      let field = fields.first(where: { $0.value?.quantity == companion.quantity })
    else { return frame }
    if let checksum = self.checksum?.places(in: frame.count)?.checksum { frame[checksum] = 0 }
    for index in content.fields.place(of: field.name) ?? 0..<0 where frame.indices.contains(index) {
      frame[index] = 0
    }
    for term in field.validity?.terms ?? [] {
      let count = fields.first { $0.name == term.field }.map(\.bitCount) ?? 0
      switch term.operand {
      case .bit(let bit): frame.set(bit...bit, of: term.field, to: false, fields, content)
      case .number where count > 0:
        frame.set(0...count - 1, of: term.field, to: false, fields, content)
      case .number: break
      }
    }
    return frame
  }
}

extension [UInt8] {
  /// Sets bits of a field of a frame, counted from the field's lowest.
  fileprivate mutating func set(
    _ bits: ClosedRange<Int>, of name: String, to isSet: Bool, _ fields: [FieldRule],
    _ content: FrameContent
  ) {
    guard let field = fields.first(where: { $0.name == name }),
      let place = content.fields.place(of: name)
    else { return }
    for bit in bits {
      let bit = bit + (field.bits?.first ?? 0)
      let index =
        field.type.isBigEndian ? place.upperBound - 1 - bit / 8 : place.lowerBound + bit / 8
      guard place.contains(index), indices.contains(index) else { continue }
      let mask: UInt8 = 1 << UInt8(bit % 8)
      self[index] = isSet ? self[index] | mask : self[index] & ~mask
    }
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
