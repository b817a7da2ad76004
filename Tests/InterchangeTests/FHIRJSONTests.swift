import Foundation
import Interchange
import Testing
import TestSupport

@Suite struct FHIRJSONTests {
  static let refused: [(text: String, reason: FHIRRefusal.Reason)] = [
    ("", .notJSON(offset: 0)), ("{", .notJSON(offset: 1)), ("[1,]", .notJSON(offset: 3)),
    ("01", .notJSON(offset: 0)), ("1.", .notJSON(offset: 0)), ("+1", .notJSON(offset: 0)),
    ("nul", .notJSON(offset: 0)), ("1 2", .notJSON(offset: 2)), (#"{"a":1,"a":2}"#, .repeatedKey),
    ("\"\\ud800\"", .notJSON(offset: 7)), ("\"\u{1}\"", .notJSON(offset: 2)),
    ("{'a':1}", .notJSON(offset: 1)), ("NaN", .notJSON(offset: 0)),
    (String(repeating: "[", count: 65), .tooDeep(limit: 64)),
  ]

  @Test(arguments: refused)
  func `what is no strict JSON is refused`(_ text: String, _ reason: FHIRRefusal.Reason) {
    let refusal = #expect(throws: FHIRRefusal.self) { try FHIRJSON.value(of: Data(text.utf8)) }
    #expect(refusal?.reason == reason)
  }

  @Test func `decimals keep their digits and objects their order`() throws {
    let text = #"{"b":72.40,"a":[1e-7,-0.0,true,null],"c":"ü\n\u0001"}"#
    let value = try FHIRJSON.value(of: Data(text.utf8))
    #expect(String(decoding: FHIRJSON.text(of: value), as: UTF8.self) == text)
  }

  @Test func `a text larger than the limit is not read`() {
    let refusal = #expect(throws: FHIRRefusal.self) {
      try FHIRJSON.value(of: Data("\"abcd\"".utf8), largest: 5)
    }
    #expect(refusal?.reason == .tooLarge(limit: 5))
  }

  @Test func `more values than the limit are not kept`() throws {
    let text = Data(#"[{"a":1},[],null,"b"]"#.utf8)
    #expect(try FHIRJSON.value(of: text, mostValues: 6).elements?.count == 4)
    let refusal = #expect(throws: FHIRRefusal.self) {
      try FHIRJSON.value(of: text, mostValues: 5)
    }
    #expect(refusal?.reason == .tooMany(limit: 5))
  }

  @Test func `no bytes end the program`() {
    let valid = Array(#"{"a":[{"b":"\u00e9","c":1.5e3},null,true]}"#.utf8)
    for seed in Rounds.seeds(20_000) {
      var generator = SeededGenerator(seed: seed)
      var bytes = valid
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
          in: .min ... .max, using: &generator)
      }
      guard let value = try? FHIRJSON.value(of: Data(bytes)) else { continue }
      #expect((try? FHIRJSON.value(of: FHIRJSON.text(of: value))) == value)
    }
  }
}
