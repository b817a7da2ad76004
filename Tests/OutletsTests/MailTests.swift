import Care
import Foundation
import Outlets
import Testing
import TestSupport

@Suite struct MailTests {
  private static let id = ItemID(of: ["alert", "ann", "weigh-in"])

  private func mail(
    _ title: String, _ body: String = "Look.", links: [TapLink] = [], thread: ItemID? = nil
  ) throws -> Mail {
    Mail(
      OutgoingMessage(id: Self.id, title: title, body: body, links: links),
      from: try #require(MailAddress("box@example.org", name: "measured")),
      to: try #require(MailAddress("nora@example.net", name: "Nóra")),
      date: Date(timeIntervalSince1970: 1_795_622_700), thread: thread)
  }

  @Test func `has every header that servers ask for, and the same name each time`() throws {
    let mail = try mail("Please look", links: [.sample(.seen), .sample(.done)])
    #expect(
      mail.text == """
        Date: Wed, 25 Nov 2026 16:05:00 +0000\r
        Message-ID: <\(Self.id)@example.org>\r
        From: measured <box@example.org>\r
        To: =?utf-8?q?N=C3=B3ra?= <nora@example.net>\r
        Subject: Please look\r
        MIME-Version: 1.0\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Transfer-Encoding: quoted-printable\r
        Auto-Submitted: auto-generated\r
        X-Auto-Response-Suppress: All\r
        \r
        Look.\r
        \r
        seen: https://box.example/answer#t=3D000102030405060708090a0b0c0d0e0f\r
        \r
        done: https://box.example/answer#t=3D000102030405060708090a0b0c0d0e0f\r

        """)
    #expect(mail.text == mail.text)
  }

  /// Vectors of Python's `email`.
  @Test func `a subject beyond ASCII is encoded words`() throws {
    let mail = try mail("Waage: keine Messung seit Montag – bitte prüfen")
    // One word in two, since a line has at most 76 characters.
    #expect(
      mail.text.contains(
        "\r\nSubject: =?utf-8?q?Waage=3A_keine_Messung_seit_Montag_=E2=80=93_bitte_pr?=\r\n"
          + " =?utf-8?q?=C3=BCfen?=\r\n"))
    #expect(
      try self.mail("x", "Bitte prüfen: 3 Tage keine Messung.").text
        .contains("\r\n\r\nBitte pr=C3=BCfen: 3 Tage keine Messung.\r\n"))
  }

  @Test func `files go with it as parts, under their names`() throws {
    var mail = try mail("Days")
    mail.attachments = [
      MailAttachment(
        name: "john-2026-11-20.csv", type: "text/csv; charset=utf-8",
        bytes: Array(String(repeating: "id,quantity\n", count: 8).utf8)),
      MailAttachment(name: "周-2026-11-20.csv", type: "text/csv; charset=utf-8", bytes: []),
    ]
    let mark = "=_\(Self.id)"
    #expect(
      mail.text.components(separatedBy: "MIME-Version: 1.0\r\n").last == """
        Content-Type: multipart/mixed; boundary="\(mark)"\r
        Auto-Submitted: auto-generated\r
        X-Auto-Response-Suppress: All\r
        \r
        --\(mark)\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Transfer-Encoding: quoted-printable\r
        \r
        Look.\r
        --\(mark)\r
        Content-Type: text/csv; charset=utf-8\r
        Content-Transfer-Encoding: base64\r
        Content-Disposition: attachment;\r
         filename="john-2026-11-20.csv"\r
        \r
        aWQscXVhbnRpdHkKaWQscXVhbnRpdHkKaWQscXVhbnRpdHkKaWQscXVhbnRpdHkKaWQscXVhbnRp\r
        dHkKaWQscXVhbnRpdHkKaWQscXVhbnRpdHkKaWQscXVhbnRpdHkK\r
        --\(mark)\r
        Content-Type: text/csv; charset=utf-8\r
        Content-Transfer-Encoding: base64\r
        Content-Disposition: attachment;\r
         filename*=utf-8''%E5%91%A8-2026-11-20.csv\r
        \r
        \r
        --\(mark)--\r

        """)
  }

  /// RFC 2231 §3: a long name in parts, none of them too long.
  @Test(arguments: [
    "a\"b.csv", "a b.csv", "a;x=y.csv", "a\r\nBcc: eve@example.org", "%41.csv", "ä.csv",
    String(repeating: "周", count: 40) + ".csv", String(repeating: "x", count: 300),
  ])
  func `no name of a file ends its header`(name: String) throws {
    var mail = try mail("x")
    mail.attachments = [MailAttachment(name: name, type: "text/csv", bytes: [1])]
    let all = mail.text.components(separatedBy: "\r\n")
    let start = try #require(all.lastIndex(of: "Content-Disposition: attachment;"))
    let lines = all[(start + 1)...].prefix { $0.hasPrefix(" ") }.map { $0.dropFirst() }
    #expect(lines.allSatisfy { $0.utf8.count <= 76 })
    var encoded = ""
    for (index, line) in lines.enumerated() {
      let number = lines.count == 1 ? "" : "*\(index)"
      let prefix = "filename\(number)*=" + (index == 0 ? "utf-8''" : "")
      #expect(line.hasPrefix(prefix))
      encoded += line.dropFirst(prefix.count).drop { $0 == ";" }
      if encoded.last == ";" { encoded.removeLast() }
    }
    #expect(encoded.removingPercentEncoding == name)
  }

  @Test(arguments: [
    "a\r\nBcc: eve@example.org", "a\nBcc: eve@example.org", "a\u{85}b", "a\u{2028}b",
  ])
  func `a title adds no header`(title: String) throws {
    let lines = try mail(title).text.split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(!lines.contains { $0.hasPrefix("Bcc") })
    #expect(lines.firstIndex(of: "") == 10 + (lines[5].hasPrefix(" ") ? 1 : 0))
  }

  @Test(
    arguments: [
      "", "nora", "@example.org", "nora@", "a@b@c", "nora@example.org>", "a b@example.org",
      "nora@exämple.org", "nora@example.org\r\n", "<nora@example.org>", "a,b@example.org",
    ])
  func `what is no mailbox is none`(text: String) { #expect(MailAddress(text) == nil) }

  @Test(arguments: Rounds.seeds(200, gate: 20))
  func `no line is too long, and all of the text is there`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("ab .=\t\n\r\u{0}äß秤好👩🏽‍⚕️–?_@<>")
    let text = String(
      (0..<Int.random(in: 0...400, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? "a"
      })
    let whole = try mail(text, text).text
    #expect(whole.utf8.allSatisfy { $0 == 13 || $0 == 10 || (0x20...0x7E).contains($0) })
    let lines = whole.components(separatedBy: "\r\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.contains("\n") && !$0.contains("\r") })
    #expect(!lines.contains("."))
    let body = try #require(whole.range(of: "\r\n\r\n")).upperBound
    let read = Self.read(quotedPrintable: String(whole[body...].dropLast()))
    #expect(
      read
        == text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .joined(separator: "\r\n"))
  }

  /// Reads quoted-printable as a reader does, by RFC 2045 alone.
  private static func read(quotedPrintable text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.replacingOccurrences(of: "=\r\n", with: "").utf8)[...]
    while let byte = rest.popFirst() {
      if byte == 0x3D {
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
