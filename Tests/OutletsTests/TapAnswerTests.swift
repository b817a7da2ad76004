import Care
import Outlets
import Testing
import TestSupport

extension TapLink {
  /// A link whose token is 00 to 0f.
  static func sample(_ answer: TapAnswer) throws -> TapLink {
    let page = try #require(WebAddress("https://box.example/"))
    let token = try #require(TapToken("000102030405060708090a0b0c0d0e0f"))
    return try #require(TapLink(answer, label: answer.rawValue, page: page, token: token))
  }
}

@Suite struct TapTokenTests {
  @Test func `is 128 bits of chance, which no description shows`() throws {
    var random = SeededGenerator(seed: 7)
    var ones = [Int](repeating: 0, count: 128)
    var seen: Set<String> = []
    let rounds = 2_000
    for _ in 0..<rounds {
      let token = TapToken(using: &random)
      let bytes = try #require([UInt8](hex: token.text.revealed))
      #expect(bytes.count == 16 && TapToken(token.text.revealed) == token)
      #expect(seen.insert(token.text.revealed).inserted)
      #expect(!"\(token)".contains(token.text.revealed))
      #expect(token.digest.count == 64 && !token.digest.contains(token.text.revealed))
      for bit in ones.indices where bytes[bit / 8] >> (bit % 8) & 1 == 1 { ones[bit] += 1 }
    }
    // Each bit is a coin: six standard deviations from the middle are none.
    #expect(ones.allSatisfy { abs($0 - rounds / 2) < 135 })
  }

  @Test(arguments: [
    "", "00", "000102030405060708090A0B0C0D0E0F", "000102030405060708090a0b0c0d0e0g",
    "000102030405060708090a0b0c0d0e0f00", " 000102030405060708090a0b0c0d0e0f",
  ])
  func `what has another form is none`(text: String) { #expect(TapToken(text) == nil) }

  @Test func `another token has another digest`() throws {
    let token = try #require(TapToken("000102030405060708090a0b0c0d0e0f"))
    #expect(token.digest == "d65df89f702eec58ca3c7bf2001c9ffc7cd80553ae01d42a799ba26756142d96")
  }

  @Test func `a link has its token behind the number sign alone`() throws {
    let link = try TapLink.sample(.done)
    #expect(link.address.text == "https://box.example/answer")
    #expect(link.text == "https://box.example/answer#t=000102030405060708090a0b0c0d0e0f")
    #expect(link.body == "t=000102030405060708090a0b0c0d0e0f&step=answer")
    let long = try #require(
      WebAddress("https://box.example/" + String(repeating: "a", count: 1_975)))
    #expect(TapLink(.done, label: "", page: long, token: link.token) == nil)
  }
}
