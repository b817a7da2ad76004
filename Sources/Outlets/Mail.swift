public import Care
public import Foundation

extension MailAddress {
  var header: String {
    guard let name = name?.oneLine, !name.isEmpty else { return mailbox }
    return "\(MailText.word(name, after: 10)) <\(mailbox)>"
  }
}

/// A file that goes with a mail.
public struct MailAttachment: Hashable, Sendable {
  public var name: String
  /// `text/csv; charset=utf-8`.
  public var type: String
  public var bytes: [UInt8]

  /// Makes an attachment.
  public init(name: String, type: String, bytes: [UInt8]) {
    (self.name, self.type, self.bytes) = (name, type, bytes)
  }

  /// The lines of its part: RFC 2045 §6.8, RFC 2183.
  fileprivate var lines: [String] {
    [
      "Content-Type: \(type)", "Content-Transfer-Encoding: base64",
      "Content-Disposition: attachment;\r\n \(MailText.parameter("filename", name))", "",
      Data(bytes).base64EncodedString(
        options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed]),
    ]
  }
}

/// A message as a mail: RFC 5322, plain text in UTF-8, and the files that go with it.
public struct Mail: Hashable, Sendable {
  public var message: OutgoingMessage
  public var from: MailAddress
  public var to: MailAddress
  public var date: Date
  /// The first message of its thread; `nil` for one that begins a thread.
  public var thread: ItemID?
  public var attachments: [MailAttachment]

  /// Makes a mail.
  public init(
    _ message: OutgoingMessage, from: MailAddress, to: MailAddress, date: Date,
    thread: ItemID? = nil, attachments: [MailAttachment] = []
  ) {
    self.message = message
    self.from = from
    self.to = to
    self.date = date
    self.thread = thread
    self.attachments = attachments
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
    ]
    let plain = [
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable",
    ]
    // Neither base64 nor quoted-printable has such a line.
    let boundary = "=_\(message.id)"
    headers +=
      attachments.isEmpty ? plain : ["Content-Type: multipart/mixed; boundary=\"\(boundary)\""]
    headers += [
      // Out-of-office answers would come back to nobody (RFC 3834).
      "Auto-Submitted: auto-generated",
      "X-Auto-Response-Suppress: All",
    ]
    if let thread, thread != message.id { headers.append("References: \(id(of: thread))") }
    if message.urgency == .urgent { headers.append("Importance: high") }
    let links = message.links.map { "\($0.label): \($0.text)" }
    let body = MailText.quotedPrintable(
      ([message.body] + links).joined(separator: "\n\n"))
    guard !attachments.isEmpty else {
      return (headers + ["", body, ""]).joined(separator: "\r\n")
    }
    var lines = headers + [""]
    for part in [plain + ["", body]] + attachments.map(\.lines) {
      lines += ["--" + boundary] + part
    }
    return (lines + ["--\(boundary)--", ""]).joined(separator: "\r\n")
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

  /// A parameter of a header: quoted where it is short and plain, else as RFC 2231 has it, in as many
  /// parts as it needs.
  static func parameter(_ name: String, _ value: String) -> String {
    func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    let most = longestLine - name.utf8.count - 16
    guard !value.utf8.allSatisfy(isPlain) || value.utf8.count > most else {
      return "\(name)=\"\(value)\""
    }
    var parts = [""]
    for byte in value.utf8 {
      let piece = isPlain(byte) ? String(UnicodeScalar(byte)) : "%" + escape(byte).dropFirst()
      if (parts.last ?? "").utf8.count + piece.utf8.count > most { parts.append("") }
      parts[parts.count - 1] += piece
    }
    return parts.enumerated().map { index, part in
      let number = parts.count == 1 ? "" : "*\(index)"
      return name + number + "*=" + (index == 0 ? "utf-8''" : "") + part
    }.joined(separator: ";\r\n ")
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
