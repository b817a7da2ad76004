public import Care
import Digests

/// An answer that a reader of a message gives with one tap.
public enum TapAnswer: String, Hashable, Sendable, Codable, CaseIterable {
  /// The reader has seen it: nobody else is told.
  case seen
  /// The event is done.
  case done
  /// The event is not done, perhaps with a reason.
  case notDone
  /// The measurement is the reader's.
  case mine
  /// The measurement is that of nobody here.
  case guest

  /// Whether it changes what the store says, so that it can be taken back.
  public var isReversible: Bool { self != .seen }
}

/// 128 random bits, which let who holds them give one answer, once.
public struct TapToken: Hashable, Sendable {
  /// How long it can be used, in seconds: a day.
  public static let lifetime: Double = 86_400

  /// 32 lower-case hexadecimal digits.
  public let text: Secret<String>

  /// Makes a token by chance.
  public init(using random: inout some RandomNumberGenerator) {
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    text = Secret(bytes.hexString)
  }

  /// Reads a token; `nil` for what has another form.
  public init?(_ text: String) {
    guard let bytes = [UInt8](hex: text), bytes.count == 16, bytes.hexString == text else {
      return nil
    }
    self.text = Secret(text)
  }

  /// Its SHA-256, which tells the token from others and does not give it away.
  public var digest: String { SHA256.digest(of: Array(text.revealed.utf8)).hexString }
}

/// A link of a message, by which its reader gives one answer.
public struct TapLink: Hashable, Sendable {
  /// The path of the page that takes answers.
  public static let path = "/answer"

  public var answer: TapAnswer
  /// The label of its button, in the language of the reader.
  public var label: String
  /// The page that takes answers, where telephones reach it.
  public var address: WebAddress
  public var token: TapToken

  /// Makes a link to the page at an address; `nil` for one that is too long.
  public init?(_ answer: TapAnswer, label: String, page: WebAddress, token: TapToken) {
    guard let address = page.appending(Self.path) else { return nil }
    (self.answer, self.label, self.address, self.token) = (answer, label, address, token)
  }

  /// The link itself.
  ///
  /// The token is behind the `#`, which no browser sends and no proxy logs.
  public var text: String { "\(address.text)#t=\(token.text.revealed)" }

  /// The body by which a telephone answers without the page.
  public var body: String { "t=\(token.text.revealed)&step=answer" }
}
