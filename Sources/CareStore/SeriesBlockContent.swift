import Care

// MARK: - Predictions

/// The values that the columns of a block are relative to.
///
/// Written as: start and period (8 bytes each), scale, index and width of the echo (1 byte each),
/// first value (8), length of the first frame (2), first frame.
struct BlockPreamble {
  /// The bytes of a preamble with the longest frame.
  static let longest = 8 + 8 + 3 + 8 + 2 + SeriesBlock.longestFrame
  /// The scales that make values whole numbers: decimal fractions, and the 1/1024 s of Bluetooth.
  static let scales: [Double] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 1024]
  /// Whole numbers up to here are exact in a `Double`.
  static let largestExact = 0x1p53

  /// The start of the first sample, µs since 1970.
  var start: Int64 = 0
  /// The median time from start to start, µs.
  var period: Int64 = 0
  /// Values are written as whole numbers of 1/scale; `nil`: as bit patterns.
  var scale: Double?
  /// Where frames repeat the value.
  fileprivate var echo: Echo?
  /// The number of the first value, or its bit pattern.
  var number: UInt64 = 0
  /// The first frame, without its echo.
  var frame: [UInt8] = []

  /// The whole number, or the bit pattern, that stands for a value.
  static func number(_ value: Double, scale: Double?) -> UInt64 {
    guard let scale else { return value.bitPattern }
    return UInt64(bitPattern: Int64(saturating: (value * scale).rounded()))
  }

  /// The value of a number.
  static func value(_ number: UInt64, scale: Double?) -> Double {
    guard let scale else { return Double(bitPattern: number) }
    return Double(Int64(bitPattern: number)) / scale
  }

  /// The first scale that gives every value back bit by bit.
  static func scale(of samples: [StreamedSample]) -> Double? {
    scales.first { scale in
      samples.allSatisfy { sample in
        abs(sample.value * scale) <= largestExact
          && value(number(sample.value, scale: scale), scale: scale).bitPattern
            == sample.value.bitPattern
      }
    }
  }

  /// The median time from start to start.
  static func period(of samples: [StreamedSample]) -> Int64 {
    var steps = zip(samples, samples.dropFirst()).map { $1.start &- $0.start }
    guard !steps.isEmpty else { return 0 }
    steps.sort()
    return steps[steps.count / 2]
  }
}

/// The field of a frame that holds the sample's number: the frame says the value again.
///
/// The number is subtracted there, so that frames that differ in their value only become equal.
private struct Echo: Hashable {
  /// How many bytes of the number the field has, and in which order.
  enum Width: UInt8 {
    case byte = 1
    case littleEndian, bigEndian
  }
  /// Further back in a frame no field is looked for: the time to look is bounded.
  static let farthest = 32

  /// The place of the number's low byte.
  var place: Int
  var width: Width

  /// The place of the number's second byte.
  private var high: Int? {
    switch width {
    case .byte: nil
    case .littleEndian: place + 1
    case .bigEndian: place - 1
    }
  }

  /// Adds a number to the field.
  func add(_ number: UInt64, to frame: inout [UInt8]) {
    guard frame.indices.contains(place) else { return }
    frame[place] &+= UInt8(truncatingIfNeeded: number)
    if let high, frame.indices.contains(high) {
      frame[high] &+= UInt8(truncatingIfNeeded: number >> 8)
    }
  }

  /// Subtracts a number from the field.
  func subtract(_ number: UInt64, from frame: inout [UInt8]) {
    guard frame.indices.contains(place) else { return }
    frame[place] &-= UInt8(truncatingIfNeeded: number)
    if let high, frame.indices.contains(high) {
      frame[high] &-= UInt8(truncatingIfNeeded: number >> 8)
    }
  }

  /// The field that holds the numbers in most samples, and in at least half of them.
  static func find(_ numbers: [UInt64], in samples: [StreamedSample]) -> Echo? {
    let length = min(samples.lazy.map { $0.raw.count }.min() ?? 0, farthest)
    func matches(_ place: Int, shift: UInt64) -> Int {
      guard (0..<length).contains(place) else { return 0 }
      return samples.indices.count {
        samples[$0].raw[place] == UInt8(truncatingIfNeeded: numbers[$0] >> shift)
      }
    }
    let places = (0..<length).map { (place: $0, matches: matches($0, shift: 0)) }
    guard let best = places.max(by: { $0.matches < $1.matches }),
      best.matches * 2 >= samples.count
    else { return nil }
    if matches(best.place + 1, shift: 8) * 2 >= samples.count {
      return Echo(place: best.place, width: .littleEndian)
    }
    if matches(best.place - 1, shift: 8) * 2 >= samples.count {
      return Echo(place: best.place, width: .bigEndian)
    }
    return Echo(place: best.place, width: .byte)
  }
}

extension UInt64 {
  /// Small for a small difference of either sign (0, −1, 1, −2, … become 0, 1, 2, 3, …).
  fileprivate init(zigzag difference: Int64) {
    self = UInt64(bitPattern: (difference << 1) ^ (difference >> 63))
  }

  /// The difference that ``init(zigzag:)`` was given.
  fileprivate var difference: Int64 {
    Int64(bitPattern: self >> 1) ^ -Int64(bitPattern: self & 1)
  }
}

// MARK: - The content

/// Writes the content of a block.
struct BlockWriter {
  var bytes: [UInt8] = []
  /// Where the statistics of the bytes change.
  var cuts: [Int] = []

  mutating func append(_ value: some FixedWidthInteger & UnsignedInteger) {
    for shift in stride(from: 0, to: value.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func append(_ samples: [StreamedSample]) {
    var preamble = BlockPreamble()
    preamble.start = samples.first?.start ?? 0
    preamble.period = BlockPreamble.period(of: samples)
    preamble.scale = BlockPreamble.scale(of: samples)
    let numbers = samples.map { BlockPreamble.number($0.value, scale: preamble.scale) }
    preamble.echo = preamble.scale == nil ? nil : Echo.find(numbers, in: samples)
    preamble.number = numbers.first ?? 0
    let frames = zip(samples, numbers).map { sample, number in
      var frame = sample.raw
      preamble.echo?.subtract(number, from: &frame)
      return frame
    }
    preamble.frame = frames.first ?? []
    append(preamble)

    var start = preamble.start &- preamble.period
    append(
      column: samples.map { sample in
        defer { start = sample.start }
        return UInt64(zigzag: sample.start &- start &- preamble.period)
      })
    append(column: samples.map { UInt64(zigzag: $0.end &- $0.start) })
    append(column: samples.map { UInt64(zigzag: $0.arrival &- $0.start) })
    append(column: samples.map { UInt64(zigzag: Int64($0.ordinal)) })
    var previous = preamble.number
    append(
      column: numbers.map { number in
        defer { previous = number }
        guard preamble.scale != nil else { return number ^ previous }
        return UInt64(zigzag: Int64(bitPattern: number) &- Int64(bitPattern: previous))
      })
    append(frames: frames, after: preamble.frame)
  }

  private mutating func append(_ preamble: BlockPreamble) {
    append(UInt64(bitPattern: preamble.start))
    append(UInt64(bitPattern: preamble.period))
    let scale = preamble.scale.flatMap(BlockPreamble.scales.firstIndex)
    append(scale.map(UInt8.init) ?? UInt8.max)
    append(UInt8(preamble.echo?.place ?? 0))
    append(preamble.echo?.width.rawValue ?? 0)
    append(preamble.number)
    append(UInt16(preamble.frame.count))
    bytes += preamble.frame
  }

  /// A column: width in bytes (1), least number (8), and the differences from it in byte planes.
  private mutating func append(column: [UInt64]) {
    let least = column.min() ?? 0
    let spread = (column.max() ?? 0) - least
    let width = (UInt64.bitWidth - spread.leadingZeroBitCount + 7) / 8
    append(UInt8(width))
    append(least)
    for plane in 0..<width {
      cuts.append(bytes.count)
      let shift = UInt64(8 * plane)
      for number in column { bytes.append(UInt8(truncatingIfNeeded: (number &- least) >> shift)) }
    }
    if width > 0 { cuts.append(bytes.count) }
  }

  /// Of each frame: how many bytes of the one before are dropped, how many new ones are inserted in
  /// their place, how many after them stay; then all inserted bytes.
  private mutating func append(frames: [[UInt8]], after first: [UInt8]) {
    var previous = first
    var dropped: [UInt64] = []
    var inserted: [UInt64] = []
    var staying: [UInt64] = []
    var new: [UInt8] = []
    for frame in frames {
      let shorter = min(frame.count, previous.count)
      var front = 0
      while front < shorter, frame[front] == previous[front] { front += 1 }
      var back = 0
      while back < shorter - front,
        frame[frame.count - 1 - back] == previous[previous.count - 1 - back]
      { back += 1 }
      dropped.append(UInt64(previous.count - front - back))
      inserted.append(UInt64(frame.count - front - back))
      staying.append(UInt64(back))
      new += frame[front..<frame.count - back]
      previous = frame
    }
    append(column: dropped)
    append(column: inserted)
    append(column: staying)
    bytes += new
  }
}

/// Reads the content of a block; every read is checked against the end.
struct BlockReader {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func integer<T: FixedWidthInteger & UnsignedInteger>() throws(BlockDamage) -> T {
    let width = T.bitWidth / 8
    guard width <= bytes.count - position else { throw .truncated }
    defer { position += width }
    return (0..<width).reduce(0) { $0 | T(bytes[position + $1]) << (8 * $1) }
  }

  /// The next bytes, at most all that are left.
  private mutating func slice(_ count: Int) throws(BlockDamage) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw .truncated }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private mutating func preamble() throws(BlockDamage) -> BlockPreamble {
    var preamble = BlockPreamble()
    preamble.start = Int64(bitPattern: try integer())
    preamble.period = Int64(bitPattern: try integer())
    let scale: UInt8 = try integer()
    if scale != .max {
      guard BlockPreamble.scales.indices.contains(Int(scale)) else { throw .malformed }
      preamble.scale = BlockPreamble.scales[Int(scale)]
    }
    let place: UInt8 = try integer()
    let width: UInt8 = try integer()
    if width != 0 {
      guard let width = Echo.Width(rawValue: width) else { throw .malformed }
      preamble.echo = Echo(place: Int(place), width: width)
    }
    preamble.number = try integer()
    let length = Int(try integer() as UInt16)
    guard length <= SeriesBlock.longestFrame else { throw .malformed }
    preamble.frame = Array(try slice(length))
    return preamble
  }

  private mutating func column(_ count: Int) throws(BlockDamage) -> [UInt64] {
    let width = Int(try integer() as UInt8)
    guard width <= 8 else { throw .malformed }
    let least: UInt64 = try integer()
    var column = [UInt64](repeating: least, count: count)
    for plane in 0..<width {
      let bytes = try slice(count)
      let shift = UInt64(8 * plane)
      for (index, byte) in zip(column.indices, bytes) { column[index] &+= UInt64(byte) << shift }
    }
    return column
  }

  mutating func samples(_ count: Int) throws(BlockDamage) -> [StreamedSample] {
    let preamble = try preamble()
    let starts = try column(count)
    let ends = try column(count)
    let arrivals = try column(count)
    let ordinals = try column(count)
    let numbers = try column(count)
    let dropped = try column(count)
    let inserted = try column(count)
    let staying = try column(count)

    var samples: [StreamedSample] = []
    samples.reserveCapacity(count)
    var start = preamble.start &- preamble.period
    var number = preamble.number
    var frame = preamble.frame
    var frames = SharedFrames(echo: preamble.echo)
    for index in 0..<count {
      start = start &+ preamble.period &+ starts[index].difference
      number =
        preamble.scale == nil
        ? number ^ numbers[index]
        : UInt64(bitPattern: Int64(bitPattern: number) &+ numbers[index].difference)
      if dropped[index] | inserted[index] != 0 {
        try change(
          &frame, dropped: dropped[index], inserted: inserted[index], staying: staying[index])
        frames.removeAll()
      }
      samples.append(
        StreamedSample(
          start: start, end: start &+ ends[index].difference,
          arrival: start &+ arrivals[index].difference,
          ordinal: Int(truncatingIfNeeded: ordinals[index].difference),
          value: BlockPreamble.value(number, scale: preamble.scale),
          raw: frames.frame(frame, number: number)))
    }
    guard position == bytes.count else { throw .malformed }
    return samples
  }

  private mutating func change(
    _ frame: inout [UInt8], dropped: UInt64, inserted: UInt64, staying: UInt64
  ) throws(BlockDamage) {
    let longest = UInt64(SeriesBlock.longestFrame)
    guard dropped <= longest, inserted <= longest, staying <= longest,
      dropped + staying <= frame.count
    else { throw .malformed }
    let end = frame.count - Int(staying)
    guard frame.count - Int(dropped) + Int(inserted) <= longest else { throw .malformed }
    frame.replaceSubrange(end - Int(dropped)..<end, with: try slice(Int(inserted)))
  }
}

/// The frames that differ from one another in their echo only, each made once: equal frames of a
/// series share their memory.
private struct SharedFrames {
  let echo: Echo?
  /// By the low byte of the number.
  private var known: [(number: UInt64, era: Int, frame: [UInt8])]
  /// Grows with every change to the other bytes of the frame.
  private var era = 1

  init(echo: Echo?) {
    self.echo = echo
    known = Array(repeating: (number: 0, era: 0, frame: []), count: echo == nil ? 0 : 1 << 8)
  }

  /// Forgets the frames, because their other bytes have changed.
  mutating func removeAll() { era += 1 }

  /// The frame with a number added to its echo.
  mutating func frame(_ frame: [UInt8], number: UInt64) -> [UInt8] {
    guard let echo else { return frame }
    let slot = Int(number & 0xFF)
    if known[slot].number == number, known[slot].era == era { return known[slot].frame }
    var frame = frame
    echo.add(number, to: &frame)
    known[slot] = (number, era, frame)
    return frame
  }
}
