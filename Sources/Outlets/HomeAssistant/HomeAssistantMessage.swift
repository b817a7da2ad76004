import Care
import Foundation
import Interchange

/// A message to a telephone with Home Assistant's app, as a service of it takes the message.
///
/// A press on a button opens the link by which the reader answers: so the token needs no right to read
/// Home Assistant's events, which only an administrator has.
///
/// Source: companion.home-assistant.io, "Notifications": basic, actionable, critical.
struct HomeAssistantMessage: Encodable {
  /// The most buttons that every telephone shows.
  static let mostActions = 3
  /// The most bytes of a text.
  static let mostBytes = 2_000

  var title: String?
  var message: String
  var data: Details

  struct Details: Encodable {
    /// The name by which a message replaces an earlier one, and is taken back.
    var tag: String
    /// A locked telephone shows that there is something, and nothing of it.
    var visibility: String?
    /// The page that a press on the message opens: iOS and Android call it otherwise.
    var url: String?
    var clickAction: String?
    var actions: [Action]?
    var ttl: Int?
    var priority: String?
    var push: Push?
  }

  struct Action: Encodable {
    let action = "URI"
    var title: String
    var uri: String
  }

  struct Push: Encodable {
    let level = "time-sensitive"

    enum CodingKeys: String, CodingKey { case level = "interruption-level" }
  }

  /// The message itself.
  init(_ message: OutgoingMessage) {
    title = message.title.oneLine
    self.message = message.body.shortened(toBytes: Self.mostBytes)
    let (links, isUrgent) = (message.links, message.urgency == .urgent)
    data = Details(
      tag: message.id.text, visibility: "private", url: links.first?.text,
      clickAction: links.first?.text,
      actions: links.isEmpty
        ? nil : links.prefix(Self.mostActions).map { Action(title: $0.label, uri: $0.text) },
      ttl: isUrgent ? 0 : nil, priority: isUrgent ? "high" : nil, push: isUrgent ? Push() : nil)
  }

  /// The request that takes a message back.
  init(withdrawing id: ItemID) {
    message = "clear_notification"
    data = Details(tag: id.text)
  }

  /// The request to a server.
  func request(
    to server: WebAddress, _ service: NotifyService, token: Secret<String>
  ) throws -> HTTPRequest? {
    guard let address = server.appending("/api/services/notify/\(service.text)") else { return nil }
    return HTTPRequest(
      "POST", address, headers: [.init("Content-Type", "application/json"), .bearer(token)],
      body: try JSONText.of(self))
  }
}
