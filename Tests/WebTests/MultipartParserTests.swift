import Foundation
import TestSupport
import Testing

@testable import Web

@Suite struct MultipartParserTests {
  private static let type = "multipart/form-data; boundary=XyZ"

  /// The parts of a body that arrives in pieces: name, file name and content.
  private func parts(
    _ body: [UInt8], type: String = type, pieces: [Int] = []
  ) throws -> [(head: MultipartParser.Head, content: [UInt8])] {
    var parser = try MultipartParser(type: type)
    var parts: [(head: MultipartParser.Head, content: [UInt8])] = []
    var isOpen = false
    var (rest, pieces) = (body[...], pieces)
    repeat {
      let count = pieces.isEmpty ? rest.count : pieces.removeFirst()
      try parser.parse(Array(rest.prefix(count))) { element in
        switch element {
        case .head(let head):
          #expect(!isOpen)
          isOpen = true
          parts.append((head, []))
        case .content(let bytes):
          #expect(isOpen && !bytes.isEmpty)
          parts[parts.count - 1].content += bytes
        case .end:
          #expect(isOpen)
          isOpen = false
        }
      }
      rest = rest.dropFirst(count)
    } while !rest.isEmpty
    try parser.finish()
    #expect(!isOpen)
    return parts
  }

  private func body(
    _ parts: [(head: String, content: [UInt8])], boundary: String = "XyZ"
  ) -> [UInt8] {
    var body: [UInt8] = []
    for part in parts {
      body += Array("--\(boundary)\r\n\(part.head)\r\n\r\n".utf8) + part.content
      body += Array("\r\n".utf8)
    }
    return body + Array("--\(boundary)--\r\n".utf8)
  }

  @Test
  func `a browser's form, in any pieces`() throws {
    let picture = MediaFiles.jpeg(length: 3_000)
    let tricky = Array("\r\n--Xy\r\n--XyY\r\n-\r\n\r\n".utf8)
    let body = body([
      (#"Content-Disposition: form-data; name="token""#, Array("abc".utf8)),
      (#"content-disposition: form-data; name="value.a%22b""#, []),
      (
        "Content-Disposition: form-data; name=\"file.wound\"; filename=\"my; \u{E4} (1).jpg\"\r\n"
          + "Content-Type: image/jpeg", picture
      ), (#"Content-Disposition: form-data; name="file.walk"; filename="""#, []),
      ("X: y\r\nContent-Disposition: form-data; name=plain", tricky),
    ])
    var generator = SeededGenerator(seed: 3)
    var cuts: [[Int]] = [[], [Int](repeating: 1, count: body.count)]
    for _ in 0..<60 {
      cuts.append((0..<200).map { _ in Int.random(in: 0...120, using: &generator) })
    }
    for pieces in cuts {
      let found = try parts(body, pieces: pieces)
      #expect(
        found.map(\.head.name) == ["token", "value.a\"b", "file.wound", "file.walk", "plain"])
      #expect(found.map(\.head.file) == [nil, nil, "my; \u{E4} (1).jpg", "", nil])
      #expect(found.map(\.content) == [Array("abc".utf8), [], picture, [], tricky])
    }
  }

  @Test(
    arguments: [
      "", "--XyZ", "--XyZ\r\n", "--XyZ--x", "\r\n--XyZ--\r\n", "--XyY--\r\n", "preamble--XyZ--",
      "--XyZ\r\n\r\n\r\nx\r\n--XyZ--",
      "--XyZ\r\nContent-Disposition: form-data\r\n\r\nx\r\n--XyZ--",
      "--XyZ\r\nContent-Disposition form-data; name=a\r\n\r\nx\r\n--XyZ--",
      "--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\nx",
      "--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--XyZ",
      "--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--XyZ-",
      "--XyZ\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--XyZaa",
      "--XyZ\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        + "eA==\r\n--XyZ--",
      "--XyZ\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--XyZ--",
      "--XyZ\r\nX: \(String(repeating: "y", count: 5_000))\r\n\r\nx\r\n--XyZ--",
    ])
  func `what is no form is refused`(text: String) {
    let isWhole = text == "--XyZ--x"
    if isWhole {
      // Bytes that follow the end are no part.
      #expect(throws: Never.self) { try parts(Array(text.utf8)) }
    } else {
      #expect(throws: Fault.self) { try parts(Array(text.utf8)) }
    }
  }

  @Test(
    arguments: [
      "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=a",
      "text/plain", "", "multipart/form-data; boundary=\"a",
      "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
      "multipart/form-data; boundary=\u{E4}", "multipart/form-data; boundary=\"a \"",
    ])
  func `other types and boundaries are refused`(type: String) {
    #expect(throws: Fault.self) { try MultipartParser(type: type) }
  }

  @Test
  func `a quoted boundary, and one in capitals`() throws {
    let body = body([("Content-Disposition: form-data; name=a", [1])], boundary: "a;b=c")
    let found = try parts(body, type: #"Multipart/Form-Data;charset=utf-8; Boundary="a;b=c""#)
    #expect(found.map(\.content) == [[1]])
  }

  @Test
  func `there are at most 400 parts`() throws {
    let part = ("Content-Disposition: form-data; name=a", [UInt8]())
    #expect(try parts(body([_](repeating: part, count: 400))).count == 400)
    #expect(throws: Fault.self) { try parts(body([_](repeating: part, count: 401))) }
  }

  @Test(arguments: 0..<4)
  func `no bytes trap, and pieces make no difference`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let words = [
      "--XyZ", "\r\n", "\r\n\r\n", "--", "Content-Disposition: form-data; name=a",
      "; filename=\"b\"",
      "XyZ", "\r", "\n", "name=\"", "\u{0}", "ä", ": ", ";", "\"", "--XyZ--", "\r\n--XyZ\r\n",
    ]
    for _ in 0..<2_500 {
      var body: [UInt8] =
        Bool.random(using: &generator)
        ? self.body([
          ("Content-Disposition: form-data; name=a", generator.bytes(40)),
          ("Content-Disposition: form-data; name=b; filename=c", generator.bytes(90)),
        ]) : []
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        let word = Array((words.randomElement(using: &generator) ?? "").utf8)
        body.insert(contentsOf: word, at: Int.random(in: 0...body.count, using: &generator))
      }
      let whole = Result { try parts(body).map { $0.content } }
      let cuts = (0..<body.count).map { _ in Int.random(in: 0...9, using: &generator) }
      let pieces = Result { try parts(body, pieces: cuts).map { $0.content } }
      switch (whole, pieces) {
      case (.success(let a), .success(let b)): #expect(a == b)
      case (.failure(let a), .failure(let b)): #expect(a is Fault && b is Fault)
      default: Issue.record("\(String(decoding: body, as: UTF8.self))")
      }
    }
  }
}
