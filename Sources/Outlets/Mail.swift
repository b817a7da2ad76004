public import Care
public import Foundation

extension MailAddress {
  var header: String {
    guard let name = name?.oneLine, !name.isEmpty else { return mailbox }
    return "\(MailText.word(name, after: 10)) <\(mailbox)>"
  }
}

/// A message as a mail: RFC 5322, plain text in UTF-8.
public struct Mail: Hashable, Sendable {
  public var message: OutgoingMessage
  public var from: MailAddress
  public var to: MailAddress
  public var date: Date
  /// The first message of its thread; `nil` for one that begins a thread.
  public var thread: ItemID?

  /// Makes a mail.
  public init(
    _ message: OutgoingMessage, from: MailAddress, to: MailAddress, date: Date,
    thread: ItemID? = nil
  ) {
    self.message = message
    self.from = from
    self.to = to
    self.date = date
    self.thread = thread
  }

  /// The lines that SMTP's DATA takes, each with its CRLF.
  ///
  /// The same message has the same `Message-ID` at every attempt: most mailboxes then keep one.
  public var text: String {
    var headers = [
      "Date: \(date.internetMessage) +0000",
      "Message-ID: \(id(of: message.id))",
      "From: \(from.header)",
      "To: \(to.header)",
      "Subject: \(MailText.word(message.title.oneLine, after: 9))",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      // Out-of-office answers would come back to nobody (RFC 3834).
      "Auto-Submitted: auto-generated",
      "X-Auto-Response-Suppress: All",
    ]
    if let thread, thread != message.id { headers.append("References: \(id(of: thread))") }
    if message.urgency == .urgent { headers.append("Importance: high") }
    let links = message.links.map { "\($0.label): \($0.text)" }
    let body = ([message.body] + links).joined(separator: "\n\n")
    return (headers + ["", MailText.quotedPrintable(body), ""]).joined(separator: "\r\n")
  }

  private func id(of item: ItemID) -> String { "<\(item.text)@\(from.domain)>" }
}

/// The ways in which mail writes what is not ASCII.
enum MailText {
  /// The longest line of quoted-printable and of encoded words.
  private static let longestLine = 76
  /// The longest encoded word.
  private static let longestWord = 75

  /// The text of a header whose name and colon take `taken` characters of its first line.
  ///
  /// ASCII stays; else words of RFC 2047, at most 75 characters each, split between characters.
  static func word(_ text: String, after taken: Int) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?")
    if isPlain, text.utf8.count + taken <= longestLine, !text.contains(where: "<>,;:\"@".contains) {
      return text
    }
    let (prefix, suffix) = ("=?utf-8?q?", "?=")
    var words: [String] = []
    var word = ""
    for character in text {
      let encoded = character.utf8.map(wordByte).joined()
      let room =
        min(longestWord, longestLine - (words.isEmpty ? taken : 1)) - prefix.utf8.count
        - suffix.utf8.count
      if word.utf8.count + encoded.utf8.count > room, !word.isEmpty {
        words.append(word)
        word = ""
      }
      word += encoded
    }
    words.append(word)
    return words.map { prefix + $0 + suffix }.joined(separator: "\r\n ")
  }

  private static func wordByte(_ byte: UInt8) -> String {
    switch byte {
    case 0x20: "_"
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x21, 0x2A, 0x2B, 0x2D, 0x2F:
      String(UnicodeScalar(byte))
    default: escape(byte)
    }
  }

  private static func escape(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return byte < 16 ? "=0\(digits)" : "=\(digits)"
  }

  /// The lines of a text, at most 76 characters each, joined by CRLF.
  static func quotedPrintable(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map { quotedLine(String($0)) }.joined(separator: "\r\n")
  }

  private static func quotedLine(_ line: String) -> String {
    let bytes = Array(line.utf8)
    var lines: [String] = []
    var current = ""
    for (index, byte) in bytes.enumerated() {
      let isLast = index == bytes.count - 1
      let piece: String =
        switch byte {
        // A space at the end of a line is lost on the way; a dot at its beginning ends a mail.
        case 0x20: isLast ? escape(byte) : " "
        case 0x2E where current.isEmpty: escape(byte)
        case 0x21...0x3C, 0x3E...0x7E: String(UnicodeScalar(byte))
        default: escape(byte)
        }
      // One character is left for the `=` that says that the line goes on.
      if current.utf8.count + piece.utf8.count > longestLine - (isLast ? 0 : 1) {
        lines.append(current + "=")
        current = ""
      }
      current += piece
    }
    return (lines + [current]).joined(separator: "\r\n")
  }
}
