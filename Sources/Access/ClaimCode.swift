package import Foundation

/// The code that makes the first administrator.
///
/// The program prints it when it opens the network and there is no account. Only a person who can
/// read the machine's log or terminal can claim the machine.
package struct ClaimCode: Sendable {
  /// Two groups of four characters, `ACDE-4679`: 22 letters and digits without lookalikes, 35 bits.
  package let text: String
  /// The last moment of its 30 minutes, by the time of day at printing; for people.
  package let validUntil: Date
  let deadline: TimeInterval
  private(set) var failures = 0

  /// Seconds from printing.
  static let validity: TimeInterval = 30 * 60
  /// Wrong codes after which the code ends, from all addresses together.
  ///
  /// That bounds the odds of guessing it to 1 in 50 million. A restart makes another code.
  static let maximumFailures = 1000

  /// Makes a code from random bytes; `nil` if the source gives none of use.
  init?(at moment: Moment, age: TimeInterval, random: (_ count: Int) -> [UInt8]) {
    guard let code = ReadableCode.text(groups: 2, random: random) else { return nil }
    text = code
    validUntil = moment.time.addingTimeInterval(Self.validity)
    deadline = age + Self.validity
  }

  /// Whether the code has ended: by time, or by wrong codes.
  func isOver(at age: TimeInterval) -> Bool {
    age >= deadline || failures >= Self.maximumFailures
  }

  /// Whether a person entered this code in time; letter case, spaces and hyphens do not matter.
  mutating func accepts(_ entered: String, at age: TimeInterval) -> Bool {
    guard !isOver(at: age) else { return false }
    // Digests have one length, so that the comparison takes one time for every input.
    let isRight = SecretDigest(of: Self.plain(entered)).matches(SecretDigest(of: Self.plain(text)))
    if !isRight { failures += 1 }
    return isRight
  }

  private static func plain(_ text: String) -> [UInt8] {
    Array(text.prefix(32).uppercased().utf8).filter { $0 != 0x20 && $0 != 0x2D }
  }
}

extension ClaimCode: CustomReflectable {
  /// Hides the code from logs that print whole values.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Random letters and digits that a person reads aloud or copies.
enum ReadableCode {
  /// No 0 O Q, 1 I L, 2 Z, 5 S, 8 B, U V; 4.46 bits each.
  static let alphabet = Array("34679ACDEFGHJKMNPRTWXY".utf8)

  /// A code as it was made, of one that was typed with or without hyphens, in letters of any case; `nil`
  /// for a text that is no code of as many groups.
  static func text(typed text: String, groups: Int) -> String? {
    guard text.utf8.count <= 8 * groups else { return nil }
    let characters = Array(text.uppercased().utf8).filter { $0 != 0x20 && $0 != 0x2D }
    guard characters.count == 4 * groups, characters.allSatisfy(alphabet.contains) else {
      return nil
    }
    return joined(characters)
  }

  private static func joined(_ characters: [UInt8]) -> String {
    stride(from: 0, to: characters.count, by: 4)
      .map { String(decoding: characters[$0..<($0 + 4)], as: UTF8.self) }.joined(separator: "-")
  }

  /// Groups of four characters, joined by hyphens; `nil` if the source gives no usable bytes.
  static func text(groups: Int, random: (_ count: Int) -> [UInt8]) -> String? {
    // A byte beyond the last multiple of the alphabet's size would favour its first characters.
    let limit = UInt8(256 / alphabet.count * alphabet.count)
    let count = 4 * groups
    var characters: [UInt8] = []
    for _ in 0..<64 where characters.count < count {
      for byte in random(16) where byte < limit && characters.count < count {
        characters.append(alphabet[Int(byte) % alphabet.count])
      }
    }
    guard characters.count == count else { return nil }
    return joined(characters)
  }
}
