package import Foundation

extension Firing {
  /// Whether it says that somebody has seen an alert: one that fires later is another one, and one that
  /// was put off is open again when its time is over.
  package func hasSeen(_ alert: Firing, now: Date) -> Bool {
    kind == .seen && event == alert.event && date >= alert.date
      && putOffUntil.map { now < $0 } ?? true
  }

  /// Until when it puts alerts off; `nil` if somebody looks after them for good.
  package var putOffUntil: Date? { kind == .seen && due > date ? due : nil }

  /// Whether what made it fire still holds: nobody took it back, corrected the value, or did since
  /// what was missing.
  ///
  /// - Throws: ``StoreError``.
  package func isStanding(in reader: any StoreReader, now: Date) throws -> Bool {
    if isUndone { return false }
    switch kind {
    case .alert:
      guard let threshold, let outcome = try reader.event(event)?.outcome else { return false }
      return outcome.answer.state == .done && !threshold.matches(in: outcome.values).isEmpty
    case .rule:
      guard let rule else { return false }
      switch rule.trigger {
      case .missed: return try reader.event(event)?.state(at: now) == .missed
      case .silent(_, let source):
        return try reader.lastHeard(source, of: event.patient).map { $0 <= event.start } ?? true
      case .results, .change, .median:
        return try reader.event(event)?.result(for: rule)?.value == results.last?.value
      }
    case .reminder, .fallback:
      guard let event = try reader.event(event), now < event.promptsUntil else { return false }
      return kind == .reminder ? event.awaitsReminder : event.awaitsFallback
    case .snooze: return now < due
    case .seen: return true
    }
  }
}

/// An alert, and whether somebody looks after it.
package struct KnownAlert: Hashable, Sendable {
  /// The alert.
  package var firing: Firing
  /// Who has seen it since, and when; `nil` if nobody has.
  package var seen: Firing?

  /// The alerts among a patient's firings, in their order.
  package static func all(in stored: [StoredFiring], now: Date) -> [KnownAlert] {
    let firings = stored.map(\.firing)
    return firings.filter { $0.kind == .alert }.map { alert in
      KnownAlert(firing: alert, seen: firings.last { $0.hasSeen(alert, now: now) })
    }
  }
}

extension StoreReader {
  /// The alerts of a patient since a date until now, in the order in which they were recorded.
  ///
  /// - Throws: ``StoreError``.
  package func alerts(of patient: String, since date: Date, now: Date) throws -> [KnownAlert] {
    KnownAlert.all(
      in: try firings(FiringQuery(patient: patient, kinds: [.alert, .seen], from: date)), now: now)
  }

  /// When a quantity of a patient, or a device, was measured last; `nil` if never.
  package func lastHeard(_ source: Rule.Source, of patient: String) throws -> Date? {
    switch source {
    case .quantity(let quantity): try latestSample(patient: patient, quantity: quantity)?.end
    case .device(let device): try samples(SampleQuery(device: device, limit: 1)).last?.end
    }
  }
}
