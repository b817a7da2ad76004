import Care
import CareStore
import Foundation
import Interchange
import Synchronization
import TestSupport
import Testing

@testable import Outlets

/// A mail as its reader has it: the headers that matter, and the files.
struct ReceivedMail: Hashable {
  var id = ""
  var subject = ""
  var body = ""
  var files: [String: Data] = [:]

  init(_ text: String) {
    let head = text.prefix(upTo: text.range(of: "\r\n\r\n")?.lowerBound ?? text.endIndex)
    for line in head.split(separator: "\r\n") {
      if line.hasPrefix("Message-ID: ") { id = String(line.dropFirst(12)) }
      if line.hasPrefix("Subject: ") { subject = String(line.dropFirst(9)) }
    }
    guard let mark = head.firstMatch(of: /boundary="([^"]+)"/)?.1 else {
      body = String(text.dropFirst(head.count + 4))
      return
    }
    for part in text.components(separatedBy: "\r\n--\(mark)").dropFirst() {
      guard let end = part.range(of: "\r\n\r\n") else { continue }
      let content = String(part[end.upperBound...])
      guard let name = part[..<end.lowerBound].firstMatch(of: /filename="([^"]+)"/)?.1 else {
        body = content
        continue
      }
      files[String(name)] = Data(base64Encoded: content, options: .ignoreUnknownCharacters)
    }
  }
}

/// A mailbox whose reader keeps the files by their names, as the text says.
final class MailboxReceiver: Receiver {
  private struct State {
    var files: [String: [Fact]] = [:]
    var known: Set<String> = []
  }

  private let state = Mutex(State())

  var facts: [Fact] { state.withLock { $0.files.values.flatMap(\.self).sorted() } }

  func answer(_ request: HTTPRequest) -> TransferResult {
    take(ReceivedMail(String(decoding: request.body ?? Data(), as: UTF8.self)))
    return .taken
  }

  func take(_ mail: ReceivedMail) {
    state.withLock { state in
      // A mailbox keeps one mail of a name.
      guard state.known.insert(mail.id).inserted else { return }
      let before = state.files
      if mail.subject.hasPrefix("gone ") {
        let person = mail.subject.dropFirst(5)
        state.files = state.files.filter { !$0.key.hasPrefix(person + "-") }
      }
      for (name, data) in mail.files {
        state.files[name] = (try? JSONDecoder().decode([Fact].self, from: data)) ?? []
      }
      // A mail that says nothing new was one too many.
      if state.files == before {
        let doubled = Fact(patient: "twice", quantity: mail.subject, time: 0, value: 0)
        state.files[mail.id] = [doubled]
      }
    }
  }

  /// A mail on its way.
  struct Letter {
    var address: WebAddress
    var text: String
  }

  /// A run that mails the facts of days; `bytes` are added to each file.
  static func run(
    of store: SQLStore, scope: OutletScope, zone: TimeZone = .gmt, bytes: Int = 0,
    now: @escaping @Sendable () -> Date,
    post: @escaping @Sendable (Letter) async -> DeliveryResult
  ) throws -> DayMailRun {
    let from = try #require(MailAddress("box@example.org"))
    let to = try #require(MailAddress("nora@example.org"))
    let address = try #require(WebAddress("http://127.0.0.1:9"))
    return try run(of: store, to: to, scope: scope, zone: zone, bytes: bytes, now: now) {
      message, files in
      let mail = Mail(message, from: from, to: to, date: now(), attachments: files)
      return await post(Letter(address: address, text: mail.text))
    }
  }

  static func run(
    of store: SQLStore, to: MailAddress, scope: OutletScope, zone: TimeZone = .gmt, bytes: Int = 0,
    now: @escaping @Sendable () -> Date,
    post: @escaping @Sendable (OutgoingMessage, [MailAttachment]) async -> DeliveryResult
  ) throws -> DayMailRun {
    DayMailRun(
      by: DayLedger(of: "clinic", in: store, zone: zone, now: now), to: to, scope: scope,
      DayMailRun.Environment(
        content: { patient, day, reader in
          let span = day.start.microseconds..<day.end.microseconds
          let facts = try OutletFaultTests.facts(in: reader, people: [patient])
            .filter { span.contains($0.time) }
          let padding = Array(repeating: UInt8(ascii: " "), count: facts.isEmpty ? 0 : bytes)
          return DayContent(
            files: [
              DayFile(
                end: ".json", type: "application/json",
                bytes: try Array(JSONText.of(facts)) + padding, isEmpty: facts.isEmpty)
            ], counts: [.bodyMass: facts.count])
        },
        words: { subject, _ in
          switch subject {
          case .gone(let patient): ("gone " + patient, "")
          case .days(let patient, let days, let isMore):
            (
              "days " + patient,
              days.map { $0.day + ($0.wasSent ? " again" : "") }.joined(separator: "\n")
                + (isMore ? "\nmore" : "")
            )
          }
        }, post: post), random: SeededGenerator(seed: 7))
  }
}
