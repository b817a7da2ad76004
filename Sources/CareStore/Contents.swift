import Care
import Foundation

extension SQLTransaction {
  /// Every sample and every live outcome, one line each.
  func contents() throws(StoreError) -> [String] {
    try reading { try sampleLines() + outcomeLines() }
  }

  private func sampleLines() throws -> [String] {
    let single = try rows(Sample.select) { Self.line(try Sample($0)) }
    let blocks = try rows(BlockRow.select, read: BlockRow.init)
    let streamed = try blocks.flatMap { block in
      try unpacked(block).map { Self.line(block.sample($0)) }
    }
    return (single + streamed).sorted()
  }

  private static func line(_ sample: Sample) -> String {
    line(
      "sample", sample.identity.text, sample.patient ?? "unassigned",
      sample.quantity.rawValue, String(sample.value), sample.quantity.unit.code,
      text(sample.start), text(sample.end), text(sample.arrival),
      sample.isClockTrusted ? nil : "untrusted clock", sample.provenance.rawValue, sample.kind,
      sample.state == .live ? nil : sample.state.rawValue)
  }

  private func outcomeLines() throws -> [String] {
    guard let span = try span() else { return [] }
    return try events(patient: nil, task: nil, from: span.start, to: span.end)
      .sorted { Self.order($0) < Self.order($1) }
      .flatMap { event in
        guard let outcome = event.outcome else { return [String]() }
        let head = Self.line(
          "outcome", event.task.patient, event.task.id, "version \(event.version)",
          "occurrence \(event.occurrence.index)", Self.text(event.occurrence.start))
        return [head] + outcome.values.enumerated().map(Self.line)
      }
  }

  /// From the first start to after the last end.
  private func span() throws -> DateInterval? {
    let row = try row(
      """
      SELECT min(start_date) AS first, max(end_date) AS last FROM
        (SELECT start_date, end_date FROM sample UNION ALL SELECT start_date, end_date FROM outcome
          UNION ALL SELECT first_date, last_end FROM block) AS span
      """)
    let first: Int64? = try row?.optional("first")
    let last: Int64? = try row?.optional("last")
    guard let first, let last else { return nil }
    return DateInterval(start: Date(microseconds: first), end: Date(microseconds: last) + 1)
  }

  private static func order(_ event: Event) -> (Date, String, String, Int, Int) {
    (
      event.occurrence.start, event.task.patient, event.task.id, event.version,
      event.occurrence.index
    )
  }

  private static func line(_ position: Int, _ value: OutcomeValue) -> String {
    let (type, content) = value.value.columns
    let attachment: Attachment? =
      if case .attachment(let attachment) = value.value { attachment } else { nil }
    return line(
      "value \(position)", attachment?.type.rawValue ?? type,
      attachment?.sha256 ?? content.contentText, value.unit?.code, value.kind,
      text(value.time), value.provenance.rawValue)
  }

  private static func line(_ fields: String?...) -> String {
    fields.compactMap { $0 }.joined(separator: "  ")
  }

  private static func text(_ date: Date) -> String { date.rfc3339(in: .gmt) }
}
