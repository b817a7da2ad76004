import Digests
import Foundation
import TestSupport
import Testing

@testable import Access

struct SecretTests {
  @Test
  func `a secret is a prefix and 43 characters`() throws {
    let secret = try #require(Secret(.token, bytes: [UInt8](repeating: 0xFB, count: 32)))
    #expect(secret.text == "mt_-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s")
    #expect(Secret(.token, text: secret.text)?.digest == secret.digest)
    #expect(Secret(.token, bytes: [1]) == nil)
  }

  @Test
  func `other forms of a secret are no secret`() throws {
    let secret = try #require(Secret(.session, bytes: [UInt8](repeating: 1, count: 32))).text
    #expect(Secret(.session, text: secret) != nil)
    #expect(Secret(.token, text: secret) == nil)
    for forged in [
      "", "ms_", secret + "=", secret + "A", String(secret.dropLast()), secret.uppercased(),
      " " + secret, secret + "\n", secret.dropLast() + "/", secret.dropLast() + "\u{0}",
      "ms_" + String(repeating: "é", count: 43), String(repeating: secret, count: 1000),
    ] {
      #expect(Secret(.session, text: forged) == nil)
    }
  }

  @Test
  func `a secret is not printed`() throws {
    let secret = try #require(Secret(.session, bytes: [UInt8](repeating: 1, count: 32)))
    #expect("\(secret)" == "secret")
    #expect(String(reflecting: secret) == "secret")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains(secret.text))
  }

  @Test
  func `a form's token depends on the session and does not contain its secret`() throws {
    let first = try #require(Secret(.session, bytes: [UInt8](repeating: 1, count: 32)))
    let second = try #require(Secret(.session, bytes: [UInt8](repeating: 2, count: 32)))
    let token = try #require(first.formToken)
    #expect(token.count == 43)
    #expect(token == first.formToken)
    #expect(token != second.formToken)
    #expect(!first.text.contains(token))
  }

  @Test
  func `base64 for URLs round-trips, and nothing else is read`() {
    var random = SeededGenerator(seed: 1)
    for count in 0..<50 {
      let bytes = random.bytes(count)
      #expect(Base64URL.bytes(of: Base64URL.text(of: bytes)) == bytes)
    }
    for text in ["A", "AB=", "AB==", "A B", "AB\n", "A+BC", "AC"] {
      #expect(Base64URL.bytes(of: text) == nil)
    }
  }
}

struct PasscodeTests {
  static let weak: [(text: String, weakness: Passcode.Weakness)] = [
    ("", .tooShort), ("1234567", .tooShort), (String(repeating: "ab1", count: 43), .tooLong),
    (String(repeating: "👩‍👩‍👧‍👦", count: 100), .tooLong),
    ("aaaaaaaa", .pattern), ("abababab", .pattern), ("12345678", .pattern),
    ("98765432", .pattern), ("abcdefghij", .pattern), ("password", .common),
    ("PASSWORD", .common), ("Passw0rd", .common), ("ｐａｓｓｗｏｒｄ", .common),
    ("margaret-1", .namesAccount), ("xxMargaretxx", .namesAccount),
  ]

  @Test(arguments: weak.indices)
  func `weak passcodes are refused with their reason`(index: Int) {
    let example = Self.weak[index]
    #expect(throws: example.weakness) {
      try Passcode.check(example.text, for: "margaret")
    }
  }

  @Test(
    arguments: ["correct horse battery", "8264 1937", "體重計在浴室裡面唷", "margare7"])
  func `other passcodes of eight characters and more are accepted`(text: String) throws {
    try Passcode.check(text, for: "margaret")
  }

  @Test
  func `a passcode is the same in composed and decomposed form`() throws {
    let hash = try PasscodeHash(
      Passcode.bytes(of: "caf\u{E9} au lait"), salt: [1], scrypt: TestBox.scrypt)
    #expect(try hash.matches(Passcode.bytes(of: "cafe\u{301} au lait")))
    #expect(try !hash.matches(Passcode.bytes(of: "cafe au lait")))
  }
}

final class ClaimCodeTests {
  let moment = Moment(time: Date(timeIntervalSince1970: 1_800_000_000), uptime: 5)

  var code: ClaimCode?

  /// Makes the code of the test, and returns its text.
  func make(seed: UInt64, age: TimeInterval = 0) throws -> String {
    var random = SeededGenerator(seed: seed)
    code = ClaimCode(at: moment, age: age) { random.bytes($0) }
    return try #require(code).text
  }

  func accepts(_ text: String, at age: TimeInterval) -> Bool {
    code?.accepts(text, at: age) ?? false
  }

  @Test
  func `a code is two groups of four characters without lookalikes`() throws {
    var counts: [Character: Int] = [:]
    for seed in 0..<2000 {
      let code = try make(seed: UInt64(seed))
      #expect(code.wholeMatch(of: /[34679ACDEFGHJKMNPRTWXY]{4}-[34679ACDEFGHJKMNPRTWXY]{4}/) != nil)
      for character in code where character != "-" { counts[character, default: 0] += 1 }
    }
    #expect(counts.count == 22)
    #expect(counts.values.allSatisfy { (580...880).contains($0) })
  }

  @Test
  func `letter case, spaces and hyphens do not matter; anything else does`() throws {
    let text = try make(seed: 3)
    let plain = text.replacing("-", with: "")
    for entered in [text, plain, text.lowercased(), " \(plain.prefix(2)) \(plain.dropFirst(2)) "] {
      #expect(accepts(entered, at: 10))
    }
    for entered in ["", "-", String(plain.dropLast()), plain + "3", "AAAA-AAAA"] {
      #expect(!accepts(entered, at: 10))
    }
  }

  @Test
  func `a code ends after 30 minutes`() throws {
    let text = try make(seed: 3, age: 1000)
    #expect(code?.validUntil == moment.time.addingTimeInterval(1800))
    #expect(accepts(text, at: 2799))
    #expect(!accepts(text, at: 2800))
  }

  @Test
  func `a code ends after 1000 wrong ones`() throws {
    let text = try make(seed: 3)
    for _ in 0..<1000 { #expect(!accepts("AAAA-AAAA", at: 1)) }
    #expect(!accepts(text, at: 1))
  }

  @Test
  func `a random source that gives nothing makes no code`() {
    #expect(ClaimCode(at: moment, age: 0) { _ in [] } == nil)
    #expect(ClaimCode(at: moment, age: 0) { [UInt8](repeating: 255, count: $0) } == nil)
  }
}

struct AgeCounterTests {
  func moment(_ time: TimeInterval, _ uptime: TimeInterval) -> Moment {
    Moment(time: Date(timeIntervalSince1970: time), uptime: uptime)
  }

  @Test
  func `the age follows the uptime when the clock is set back, and the clock forward`() {
    var ages = AgeCounter(latest: Date(timeIntervalSince1970: 1000))
    ages.advance(to: moment(1000, 5))
    #expect(ages.seconds == 0)
    ages.advance(to: moment(1010, 15))
    #expect(ages.seconds == 10)
    ages.advance(to: moment(0, 25))
    #expect(ages.seconds == 20)
    ages.advance(to: moment(5, 30))
    #expect(ages.seconds == 25)
    ages.advance(to: moment(2010, 35))
    #expect(ages.seconds == 1025)
    // An uptime that runs backwards does not exist; it adds nothing.
    ages.advance(to: moment(2010, 1))
    #expect(ages.seconds == 1025)
  }

  @Test
  func `the time off counts as far as the clock shows it`() {
    var ages = AgeCounter(seconds: 50, latest: Date(timeIntervalSince1970: 1000))
    ages.advance(to: moment(1600, 5))
    #expect(ages.seconds == 650)
    ages = AgeCounter(seconds: 50, latest: Date(timeIntervalSince1970: 1000))
    ages.advance(to: moment(10, 5))
    #expect(ages.seconds == 50)
    // A machine without a clock of its own learns the time later.
    ages.advance(to: moment(1600, 25))
    #expect(ages.seconds == 650)
  }
}
