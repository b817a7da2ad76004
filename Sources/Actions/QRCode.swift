/// A text as a QR code of ISO/IEC 18004: bytes, error correction M, versions 1 to 9.
package struct QRCode: Hashable, Sendable {
  /// How many modules a side has.
  package private(set) var side: Int
  /// The modules by row; `true` is dark.
  package private(set) var modules: [Bool]
  /// The modules that the standard sets, which hold no data.
  private var isFixed: [Bool]

  /// The longest text, in bytes.
  package static let longest = 180

  /// Makes the code of a text; `nil` if it is longer than ``longest``.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard
      let version = Self.blocks.indices.first(where: { place in
        Self.blocks[place].lengths.reduce(0, +) >= bytes.count + 2
      })
    else { return nil }
    let (correction, lengths) = Self.blocks[version]
    side = 21 + 4 * version
    modules = Array(repeating: false, count: side * side)
    isFixed = modules
    setPatterns(version: version + 1)
    place(Self.codewords(bytes, lengths: lengths, correction: correction))
    let candidates = (0..<8).map { masked(by: $0, version: version + 1) }
    self = candidates.min { $0.penalty < $1.penalty } ?? self
  }

  /// The code in two rows of modules a line, with the empty border that it needs; dark on light.
  package var lines: [String] {
    func isDark(_ row: Int, _ column: Int) -> Bool {
      guard (0..<side).contains(row), (0..<side).contains(column) else { return false }
      return modules[row * side + column]
    }
    return stride(from: -2, to: side + 2, by: 2).map { row in
      String(
        (-2..<side + 2).map { column -> Character in
          switch (isDark(row, column), isDark(row + 1, column)) {
          case (true, true): " "
          case (true, false): "▄"
          case (false, true): "▀"
          case (false, false): "█"
          }
        })
    }
  }

  /// The dark modules as the path of an SVG, with a unit for a side and an empty border of four.
  package var path: String {
    var parts: [String] = []
    for row in 0..<side {
      var column = 0
      while column < side {
        let end = (column..<side).first { !modules[row * side + $0] } ?? side
        if end > column {
          parts.append("M\(column + 4) \(row + 4)h\(end - column)v1H\(column + 4)z")
        }
        column = end + 1
      }
    }
    return parts.joined()
  }

  /// The corrections of a block, and the data of each block, in bytes, by version.
  ///
  /// Source: ISO/IEC 18004:2015, table 9.
  private static let blocks: [(correction: Int, lengths: [Int])] = [
    (10, [16]), (16, [28]), (26, [44]), (18, [32, 32]), (24, [43, 43]), (16, [27, 27, 27, 27]),
    (18, [31, 31, 31, 31]), (22, [38, 38, 39, 39]), (22, [36, 36, 36, 37, 37]),
  ]

  /// The rows and columns of the middles of the small patterns, by version.
  ///
  /// Source: ISO/IEC 18004:2015, annex E.
  private static let alignments: [[Int]] = [
    [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46],
  ]
}

// MARK: - Codewords

extension QRCode {
  /// The data and its corrections, in the order in which they are placed.
  private static func codewords(_ bytes: [UInt8], lengths: [Int], correction: Int) -> [UInt8] {
    // The mode, the count, the bytes and the end, each half a byte off.
    var halves = [4, UInt8(bytes.count >> 4), UInt8(bytes.count & 15)]
    for byte in bytes { halves += [byte >> 4, byte & 15] }
    halves.append(0)
    var data = stride(from: 0, to: halves.count, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
    let capacity = lengths.reduce(0, +)
    for place in 0..<max(0, capacity - data.count) { data.append(place % 2 == 0 ? 0xEC : 0x11) }
    var blocks: [[UInt8]] = []
    var start = 0
    for length in lengths {
      blocks.append(Array(data[start..<start + length]))
      start += length
    }
    let corrections = blocks.map { remainder(of: $0, count: correction) }
    func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
      (0..<(blocks.map(\.count).max() ?? 0)).flatMap { place in
        blocks.compactMap { place < $0.count ? $0[place] : nil }
      }
    }
    return interleaved(blocks) + interleaved(corrections)
  }

  /// The product of two elements of GF(256) by x⁸ + x⁴ + x³ + x² + 1.
  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    (0..<8).reversed().reduce(0) { sum, bit in
      let doubled = sum << 1 ^ (sum & 0x80 == 0 ? 0 : 0x1D)
      return b >> UInt8(bit) & 1 == 0 ? doubled : doubled ^ a
    }
  }

  /// The Reed–Solomon corrections of a block.
  private static func remainder(of data: [UInt8], count: Int) -> [UInt8] {
    var divisor = Array(repeating: UInt8(0), count: count - 1) + [1]
    var root: UInt8 = 1
    for _ in 0..<count {
      for place in 0..<count {
        divisor[place] =
          product(divisor[place], root) ^ (place + 1 < count ? divisor[place + 1] : 0)
      }
      root = product(root, 2)
    }
    var rest = Array(repeating: UInt8(0), count: count)
    for byte in data {
      let factor = byte ^ rest.removeFirst()
      rest.append(0)
      for place in 0..<count { rest[place] ^= product(divisor[place], factor) }
    }
    return rest
  }

  /// A number with its BCH corrections.
  private static func corrected(_ number: Int, by polynomial: Int, bits: Int) -> Int {
    var rest = number
    for _ in 0..<bits { rest = rest << 1 ^ (rest >> (bits - 1) & 1) * polynomial }
    return number << bits | rest & (1 << bits - 1)
  }
}

// MARK: - Modules

extension QRCode {
  private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
    guard (0..<side).contains(row), (0..<side).contains(column) else { return }
    modules[row * side + column] = isDark
    isFixed[row * side + column] = true
  }

  private mutating func setPatterns(version: Int) {
    for place in 0..<side {
      set(6, place, place % 2 == 0)
      set(place, 6, place % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, side - 4), (side - 4, 3)] {
      for (down, right) in Self.square(4) {
        let ring = max(abs(down), abs(right))
        set(row + down, column + right, ring != 2 && ring != 4)
      }
    }
    let places = Self.alignments[version - 1]
    for row in places {
      for column in places {
        // Not where the large patterns are.
        guard
          !(row == 6 && column == 6), !(row == 6 && column == side - 7),
          !(column == 6 && row == side - 7)
        else { continue }
        for (down, right) in Self.square(2) {
          set(row + down, column + right, max(abs(down), abs(right)) != 1)
        }
      }
    }
    setFormat(mask: 0)
    guard version >= 7 else { return }
    let bits = Self.corrected(version, by: 0x1F25, bits: 12)
    for place in 0..<18 {
      let isDark = bits >> place & 1 == 1
      set(place / 3, side - 11 + place % 3, isDark)
      set(side - 11 + place % 3, place / 3, isDark)
    }
  }

  private static func square(_ reach: Int) -> [(Int, Int)] {
    (-reach...reach).flatMap { down in (-reach...reach).map { (down, $0) } }
  }

  private mutating func setFormat(mask: Int) {
    // Correction M is 00.
    let bits = Self.corrected(mask, by: 0x537, bits: 10) ^ 0x5412
    func isDark(_ place: Int) -> Bool { bits >> place & 1 == 1 }
    for place in 0..<6 { set(place, 8, isDark(place)) }
    set(7, 8, isDark(6))
    set(8, 8, isDark(7))
    set(8, 7, isDark(8))
    for place in 9..<15 { set(8, 14 - place, isDark(place)) }
    for place in 0..<8 { set(8, side - 1 - place, isDark(place)) }
    for place in 8..<15 { set(side - 15 + place, 8, isDark(place)) }
    set(side - 8, 8, true)
  }

  /// Places the codewords: in pairs of columns from the right, upwards and downwards in turn.
  private mutating func place(_ codewords: [UInt8]) {
    var bit = 0
    var isUpward = true
    for right in stride(from: side - 1, through: 1, by: -2) {
      let right = right <= 6 ? right - 1 : right
      for step in 0..<side {
        let row = isUpward ? side - 1 - step : step
        for column in [right, right - 1] where column >= 0 && !isFixed[row * side + column] {
          if bit < codewords.count * 8 {
            modules[row * side + column] = codewords[bit / 8] >> UInt8(7 - bit % 8) & 1 == 1
          }
          bit += 1
        }
      }
      isUpward.toggle()
    }
  }

  private func masked(by mask: Int, version: Int) -> QRCode {
    var code = self
    for row in 0..<side {
      for column in 0..<side where !isFixed[row * side + column] {
        let isFlipped =
          switch mask {
          case 0: (row + column) % 2 == 0
          case 1: row % 2 == 0
          case 2: column % 3 == 0
          case 3: (row + column) % 3 == 0
          case 4: (row / 2 + column / 3) % 2 == 0
          case 5: row * column % 2 + row * column % 3 == 0
          case 6: (row * column % 2 + row * column % 3) % 2 == 0
          default: ((row + column) % 2 + row * column % 3) % 2 == 0
          }
        if isFlipped { code.modules[row * side + column].toggle() }
      }
    }
    code.setFormat(mask: mask)
    return code
  }

  /// How hard it is to read: long runs, squares, what looks like a corner, too dark or too light.
  private var penalty: Int {
    var sum = 0
    let corner = [true, false, true, true, true, false, true]
    let light = Array(repeating: false, count: 4)
    for line in 0..<side {
      for values in [
        (0..<side).map { modules[line * side + $0] }, (0..<side).map { modules[$0 * side + line] },
      ] {
        var run = 1
        for place in 1...side {
          if place < side, values[place] == values[place - 1] {
            run += 1
          } else {
            if run >= 5 { sum += run - 2 }
            run = 1
          }
        }
        for start in 0...max(0, side - 11) {
          let part = Array(values[start..<min(start + 11, side)])
          if part == corner + light || part == light + corner { sum += 40 }
        }
      }
    }
    for row in 0..<side - 1 {
      for column in 0..<side - 1 {
        let first = modules[row * side + column]
        if first == modules[row * side + column + 1], first == modules[(row + 1) * side + column],
          first == modules[(row + 1) * side + column + 1]
        {
          sum += 3
        }
      }
    }
    let share = 100 * modules.count(where: \.self) / modules.count
    return sum + abs(share - 50) / 5 * 10
  }
}
