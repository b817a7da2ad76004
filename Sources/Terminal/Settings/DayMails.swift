package import Care
package import CareStore
package import Foundation
package import Localization
package import Outlets

extension OutletSettings {
  /// The run that mails the files of days.
  ///
  /// - Parameters:
  ///   - address: Who gets them.
  ///   - store: The store.
  ///   - zone: The zone of the plan.
  ///   - now: The current time.
  ///   - post: Sends a message with files to the address.
  /// - Returns: The run, which has not begun.
  package func mails(
    to address: MailAddress, of store: SQLStore, zone: TimeZone,
    now: @escaping @Sendable () -> Date,
    post: @escaping @Sendable (OutgoingMessage, [MailAttachment]) async -> DeliveryResult
  ) -> DayMailRun {
    let files = files(in: zone)
    return DayMailRun(
      by: DayLedger(of: name, in: store, zone: zone, now: now), to: address, scope: scope,
      DayMailRun.Environment(
        content: { try files.content($0, $1, in: $2) },
        words: { subject, reader in
          let people = try reader.patients()
          let own = people.first { $0.id == subject.patient }?.language
          let tag = own ?? people.compactMap(\.language).first
          let catalogue = LanguageCatalogue.embedded
          let words = tag.flatMap(catalogue.language(_:)) ?? catalogue.english
          return (words.title(of: subject), words.text(of: subject))
        }, post: post), random: SystemRandomNumberGenerator())
  }
}

extension DayMailRun.Subject {
  fileprivate var patient: String {
    switch self {
    case .days(let patient, _, _), .gone(let patient): patient
    }
  }
}

extension Language {
  /// The subject of a mail with the files of days.
  package func title(of subject: DayMailRun.Subject) -> String {
    switch subject {
    case .gone(let patient): return text("dayMail.goneTitle", ["patient": patient])
    case .days(let patient, let days, _):
      let (first, last) = (days.first?.day ?? "", days.last?.day ?? "")
      let span = first == last ? first : text("dayMail.span", ["first": first, "last": last])
      let isCorrected = days.allSatisfy(\.wasSent)
      return text(
        isCorrected ? "dayMail.correctedTitle" : "dayMail.title",
        ["patient": patient, "days": span])
    }
  }

  /// The text of it: which days, how many values of which quantities, and what went before.
  package func text(of subject: DayMailRun.Subject) -> String {
    switch subject {
    case .gone(let patient): return text("dayMail.gone", ["patient": patient])
    case .days(let patient, let days, let isMore):
      let heading = text("dayMail.heading", ["patient": patient])
      let more = isMore ? [text("dayMail.more")] : []
      return ([heading] + days.map(line) + more).joined(separator: "\n\n")
    }
  }

  private func line(of day: DayMailRun.Day) -> String {
    let counts = day.counts.map { (title(of: $0.key), $0.value) }.sorted { $0.0 < $1.0 }
    let content =
      counts.isEmpty
      ? text("dayMail.nothing", ["day": day.day])
      : text(
        "dayMail.day",
        [
          "day": day.day,
          "counts": list(
            counts.map { text("dayMail.count", ["quantity": $0.0, "count": String($0.1)]) }),
        ])
    let files = day.files.isEmpty ? [] : [text("dayMail.files", ["files": list(day.files)])]
    let before = day.wasSent ? [text("dayMail.replaces")] : []
    return sentences([content] + files + before)
  }
}

extension MailSettings {
  /// Sends a message with files by the server of the settings, if they name one.
  package static func post(
    _ message: OutgoingMessage, _ files: [MailAttachment] = [], to address: MailAddress,
    by settings: MailSettings?, over transport: Transport, now: @escaping @Sendable () -> Date
  ) async -> DeliveryResult {
    do {
      let courier = Courier(transport: transport, account: try settings?.account(), now: now)
      return await courier.mail(message, files, to: address)
    } catch {
      return .later(.credentials(detail: Message.of(error)), after: nil)
    }
  }
}
