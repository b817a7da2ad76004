public import Care
public import Foundation

/// Carries messages to people by their channels; it keeps nothing of what it carried.
public struct Courier: Sendable {
  /// Who sends mail, through which server.
  public struct MailAccount: Hashable, Sendable {
    public var server: MailServer
    public var from: MailAddress

    /// Makes an account.
    public init(server: MailServer, from: MailAddress) {
      self.server = server
      self.from = from
    }
  }

  private let transport: Transport
  private let account: MailAccount?
  private let now: @Sendable () -> Date

  /// Makes a courier.
  ///
  /// - Parameters:
  ///   - transport: What it sends over.
  ///   - account: Who sends mail; `nil` if the settings name no server.
  ///   - now: The time.
  public init(transport: Transport, account: MailAccount?, now: @escaping @Sendable () -> Date) {
    self.transport = transport
    self.account = account
    self.now = now
  }

  // MARK: Messages

  /// Sends a message once.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - channel: The way to its reader.
  ///   - secret: What opens the channel.
  /// - Returns: What came of it.
  public func deliver(
    _ message: OutgoingMessage, to channel: Channel, secret: Secret<String>? = nil
  ) async -> Delivery {
    switch channel {
    case .ntfy(_, let topic) where topic.isStandIn: Delivery(.later(.noTopic, after: nil))
    case .ntfy(let server, let topic):
      await publish(NtfyMessage(message, to: topic), on: server, token: secret)
    case .email(let address): Delivery(await mail(message, [], to: address))
    case .webhook(let address):
      Delivery(
        await call(
          address, secret, id: message.id.text,
          .init(
            type: "message.created",
            data: .init(
              id: message.id.text, title: message.title.oneLine, text: message.body,
              urgency: message.urgency.rawValue,
              links: message.links.isEmpty
                ? nil
                : message.links.map { .init(answer: $0.answer.rawValue, link: $0.text) }))),
        isReplaceable: true)
    case .homeAssistant(let server, let service):
      Delivery(
        await notify(HomeAssistantMessage(message), server, service, secret), isReplaceable: true)
    }
  }

  /// Takes a message back: it was answered elsewhere, or is not true any more.
  ///
  /// - Returns: `nil` where nothing can be taken back: a mail, and a server of ntfy before 2.16.
  public func withdraw(
    _ id: ItemID, from channel: Channel, secret: Secret<String>? = nil
  ) async -> DeliveryResult? {
    switch channel {
    case .ntfy(let server, let topic):
      guard let address = server.appending(NtfyMessage.path(of: id, in: topic)) else { return nil }
      let request = HTTPRequest("DELETE", address, headers: Self.bearer(secret))
      let result = await transport.send(request)
      if case .answered(let status, _, _) = result, status == 404 || status == 405 { return nil }
      return Self.meaning(of: result)
    case .email: return nil
    case .webhook(let address):
      return await call(
        address, secret, id: id.text + "-withdrawn",
        .init(type: "message.withdrawn", data: .init(id: id.text)))
    case .homeAssistant(let server, let service):
      return await notify(HomeAssistantMessage(withdrawing: id), server, service, secret)
    }
  }

  // MARK: Home Assistant

  private func notify(
    _ message: HomeAssistantMessage, _ server: WebAddress, _ service: NotifyService,
    _ token: Secret<String>?
  ) async -> DeliveryResult {
    guard let token else {
      return .later(.credentials(detail: "the channel has no token"), after: nil)
    }
    guard let request = try? message.request(to: server, service, token: token) else {
      return .refused(.message(detail: "its text is no Unicode"))
    }
    return Self.meaning(of: await transport.send(request))
  }

  // MARK: ntfy

  /// Publishes a message, which may be one that the server sends later.
  public func publish(
    _ message: NtfyMessage, on server: WebAddress, token: Secret<String>?
  ) async -> Delivery {
    guard let body = try? message.json else {
      return Delivery(.refused(.message(detail: "its text is no Unicode")))
    }
    let json = HTTPRequest.HeaderField("Content-Type", "application/json")
    let request = HTTPRequest("POST", server, headers: [json] + Self.bearer(token), body: body)
    let result = await transport.send(request)
    let meaning = Self.meaning(of: result)
    guard meaning == .delivered, case .answered(_, _, let answer) = result else {
      return Delivery(meaning)
    }
    guard let receipt = message.receipt(answer) else {
      return Delivery(
        .later(.unexpected(detail: "\(server.host) is no server of ntfy"), after: nil))
    }
    return Delivery(.delivered, isReplaceable: receipt.isReplaceable)
  }

  private static func bearer(_ token: Secret<String>?) -> [HTTPRequest.HeaderField] {
    token.map { [.bearer($0)] } ?? []
  }

  // MARK: Mail

  /// Sends a message with files by mail.
  package func mail(
    _ message: OutgoingMessage, _ files: [MailAttachment], to address: MailAddress
  ) async -> DeliveryResult {
    guard let account else { return .later(.noMailServer, after: nil) }
    let mail = Mail(
      message, from: account.from, to: address, date: now(), attachments: files)
    let result = await transport.send(
      MailRequest(
        server: account.server, sender: account.from, recipient: address, text: mail.text))
    return Self.meaning(of: result)
  }

  // MARK: Webhooks

  private struct WebhookBody: Encodable {
    var type: String
    var timestamp = ""
    var data: Content

    struct Content: Encodable {
      var id: String
      var title: String?
      var text: String?
      var urgency: String?
      var links: [Link]?
    }

    struct Link: Encodable {
      var answer: String
      var link: String
    }
  }

  private func call(
    _ address: WebAddress, _ secret: Secret<String>?, id: String, _ body: WebhookBody
  ) async -> DeliveryResult {
    guard let secret = secret.flatMap({ WebhookSecret($0.revealed) }) else {
      return .later(.credentials(detail: "the webhook has no secret"), after: nil)
    }
    var body = body
    body.timestamp = now().formatted(.iso8601)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(body), let webhook = Webhook(id: id, body: bytes) else {
      return .refused(.message(detail: "it is longer than \(Webhook.mostBytes) bytes"))
    }
    guard let headers = webhook.headers(at: now(), secrets: [secret]) else {
      return .later(.unexpected(detail: "this machine cannot sign"), after: nil)
    }
    return Self.meaning(
      of: await transport.send(
        HTTPRequest("POST", address, headers: headers.map { .init($0.name, $0.value) }, body: bytes)
      ))
  }

  // MARK: A health check

  /// Tells a health check that this machine lives.
  public func ping(_ address: WebAddress) async -> DeliveryResult {
    Self.meaning(of: await transport.send(HTTPRequest("POST", address, body: Data())))
  }

  // MARK: Answers

  private static func meaning(of result: TransferResult) -> DeliveryResult {
    switch result {
    case .taken: .delivered
    case .ended(let result): result
    case .answered(let status, let retryAfter, let body):
      DeliveryResult(status: status, retryAfter: retryAfter, detail: words(of: body))
    }
  }

  /// The words of an answer: the error that a server of ntfy names, else the first line.
  private static func words(of body: Data) -> String {
    struct Fault: Decodable { var error: String }
    if let fault = try? JSONDecoder().decode(Fault.self, from: body) { return fault.error }
    return body.firstLine
  }
}

/// The result of an attempt to deliver a message.
public struct Delivery: Hashable, Sendable {
  /// How the attempt ended.
  public var result: DeliveryResult
  /// Whether the other side knows the message by its name: again, it replaces the first, and it can be
  /// taken back.
  public var isReplaceable: Bool

  /// Makes one.
  public init(_ result: DeliveryResult, isReplaceable: Bool = false) {
    self.result = result
    self.isReplaceable = isReplaceable
  }
}
