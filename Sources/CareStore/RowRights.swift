import Care
import Foundation

/// A box that delivers rows, and the people whose rows it may deliver.
package struct RowDeliverer: Hashable, Sendable {
  /// The box's name.
  package var box: String
  /// The ids of the people that it has or once had.
  package var people: Set<String>

  /// Makes a deliverer.
  package init(box: String, people: Set<String>) { (self.box, self.people) = (box, people) }

  /// Whether rows that concern these people are others' alone.
  fileprivate func isForeign(_ people: Set<String>) -> Bool {
    !people.isEmpty && people.isDisjoint(with: self.people)
  }
}

// A box delivers what is its people's and its own tray. A row may also name other rows: what it
// follows, replaces, corrects or is a change of. Those, too, must be the box's.

extension SQLTransaction {
  /// Refuses a row that is others', or that changes what is others'.
  func requireOwn(_ row: any ExportedRow, of deliverer: RowDeliverer, marks: MarkedPeople) throws {
    let isOwn =
      switch row {
      case let row as VersionRow:
        try deliverer.people.contains(row.patient)
          && isOwn([row.uuid] + row.parents, of: deliverer)
      case let row as OutcomeRow:
        try deliverer.people.contains(row.outcome.key.patient)
          && isOwn([row.outcome.uuid] + row.parents, of: deliverer)
      case let row as FiringRow:
        try deliverer.people.contains(row.patient) && isOwn([row.uuid], of: deliverer)
      case let row as WithdrawalRow: try isOwn([row.version], of: deliverer)
      case let row as AliasRow:
        try !deliverer.people.isDisjoint(with: [row.old, row.new])
          && [row.old, row.new].allSatisfy {
            try deliverer.people.contains($0) || !isKnown(patient: $0)
          }
      case let row as SampleChangeRow: try isOwn(row, of: deliverer)
      case let row as SampleMember: try isOwn(row, of: deliverer)
      case let row as BlockLine: try isOwn(row, of: deliverer)
      case let row as AttachmentRow: try !deliverer.isForeign(people(ofAttachment: row.digest))
      case let row as ErasureRow: try isOwn(row, of: deliverer, marks)
      default: false
      }
    guard isOwn else { throw RowRefusal.foreign }
  }

  private func isKnown(patient: String) throws -> Bool {
    try row("SELECT 1 FROM version WHERE patient = ? LIMIT 1", [patient]) != nil
  }

  /// Whether the versions, answers and firings of these names are the deliverer's, as far as they are
  /// stored.
  private func isOwn(_ names: [UUID], of deliverer: RowDeliverer) throws -> Bool {
    try names.allSatisfy { name in
      try rows(
        """
        SELECT patient FROM version WHERE uuid = ?1
        UNION ALL SELECT patient FROM outcome WHERE uuid = ?1
        UNION ALL SELECT patient FROM firing WHERE uuid = ?1
        """, [name.uuidString]
      ) { try $0.text("patient") }.allSatisfy { deliverer.people.contains($0) }
    }
  }

  private func isOwn(_ change: SampleChangeRow, of deliverer: RowDeliverer) throws -> Bool {
    if let stored = try rows(
      "SELECT * FROM sample_change WHERE uuid = ?", [change.uuid.uuidString],
      read: SampleChangeRow.init(reading:)
    ).first, deliverer.isForeign(try people(of: stored)) {
      return false
    }
    var targets: [(name: String, people: Set<String>)] = []
    if let identity = change.identity {
      if let (number, _) = try locate(identity), let member = try member(number) {
        targets = [(RowName(.sample, identity.text).text, try people(of: member))]
      } else if let sample = try streamedSample(identity) {
        let hour = Hours.hour(of: sample.start.microseconds)
        targets = try hourTargets(ofDevice: sample.device.address.text, from: hour, to: hour)
      }
    } else {
      let (from, to) = (change.from ?? .min, change.to ?? .max)
      targets = try members(
        """
        series IN (SELECT number FROM series WHERE device = ?1) AND start_date >= ?2
          AND start_date < ?3
        """, [change.device, from, to]
      ).map { (RowName(.sample, $0.sample.identity.text).text, try people(of: $0)) }
      if from < to {
        targets += try hourTargets(
          ofDevice: change.device, from: Hours.hour(of: from), to: Hours.hour(of: to - 1))
      }
    }
    guard !targets.isEmpty else {
      return change.patient.map { deliverer.people.contains($0) } ?? true
    }
    return try targets.allSatisfy { target in
      try !target.people.isDisjoint(with: deliverer.people)
        || isDelivered(target.name, by: deliverer.box)
    }
  }

  private func hourTargets(
    ofDevice device: String, from: Int64, to: Int64
  ) throws -> [(name: String, people: Set<String>)] {
    let hours = try rows(
      """
      SELECT DISTINCT series, hour FROM block WHERE hour BETWEEN ?2 AND ?3 AND series IN
        (SELECT number FROM series WHERE device = ?1)
      """, [device, from, to]
    ) { (try $0.required("series") as Int64, try $0.required("hour") as Int64) }
    return try hours.flatMap { series, hour in
      try hourParts(series, hour).map {
        (Self.deliveredHour(hour, device), try people(of: $0))
      }
    }
  }

  func isDelivered(_ name: String, by box: String) throws -> Bool {
    try row("SELECT 1 FROM delivery WHERE box = ? AND name = ?", [box, name]) != nil
  }

  private func isOwn(_ arriving: SampleMember, of deliverer: RowDeliverer) throws -> Bool {
    let identity = arriving.sample.identity
    var people = Set([arriving.attributed].compactMap(\.self))
    people.formUnion(try changes(of: arriving.sample).compactMap(\.patient))
    if let (number, _) = try locate(identity), let member = try member(number) {
      let stored = try self.people(of: member)
      guard
        try !deliverer.isForeign(stored)
          || isDelivered(RowName(.sample, identity.text).text, by: deliverer.box)
      else { return false }
      people.formUnion(stored)
    }
    if let corrected = arriving.sample.corrects, let (number, _) = try locate(corrected),
      let member = try member(number)
    {
      let name = RowName(.sample, corrected.text).text
      guard
        try !self.people(of: member).isDisjoint(with: deliverer.people)
          || isDelivered(name, by: deliverer.box)
      else { return false }
    }
    return !deliverer.isForeign(people)
  }

  private func isOwn(_ arriving: BlockLine, of deliverer: RowDeliverer) throws -> Bool {
    var people = Set([arriving.attributed].compactMap(\.self))
    guard let first = arriving.start.first?.microseconds else { return false }
    let hour = Hours.hour(of: first)
    people.formUnion(
      try changes(
        ofDevice: arriving.series.device, from: first,
        to: arriving.start.map(\.microseconds).max().map {
          $0.addingReportingOverflow(1).partialValue
        }
          ?? first
      ).compactMap(\.patient))
    guard let series = try series(arriving.series) else { return !deliverer.isForeign(people) }
    let isDelivered = try isDelivered(
      Self.deliveredHour(hour, arriving.series.device), by: deliverer.box)
    let starts = Set(arriving.start.map(\.microseconds))
    for part in try hourParts(series, hour) {
      let stored = try self.people(of: part)
      if deliverer.isForeign(stored), !isDelivered,
        try part.blocks.contains(where: { try unpacked($0).contains { starts.contains($0.start) } })
      {
        return false
      }
      if part.name.key == HourPlace(arriving.key(hour: hour)).key { people.formUnion(stored) }
    }
    return !deliverer.isForeign(people)
  }

  private func isOwn(
    _ erasure: ErasureRow, of deliverer: RowDeliverer, _ marks: MarkedPeople
  ) throws -> Bool {
    if try row("SELECT 1 FROM erasure WHERE mark = ?", [erasure.mark]) != nil { return true }
    if erasure.mark.utf8.count == ErasureMark.lengths[0] {
      return deliverer.people.contains { ErasureMark.patient($0) == erasure.mark }
    }
    return marks.people[erasure.mark, default: []].allSatisfy { !deliverer.isForeign($0) }
  }
}

/// Whom the marks that arrive concern, each as sets of people of one row.
struct MarkedPeople {
  fileprivate(set) var people: [String: Set<Set<String>>] = [:]
}

extension SQLTransaction {
  /// Whom the marks among rows that arrive concern.
  ///
  /// A mark names nobody, so that what is stored is looked through for it, once for all of them.
  func people(markedBy rows: [TravellingRow]) throws -> MarkedPeople {
    let marks = Set(rows.filter { $0.name.kind == .erasure }.map(\.name.key))
    var result = MarkedPeople()
    let streams = marks.compactMap { ErasureMark.Stream($0) ?? ErasureMark.Stream($0, of: .totals) }
    for stream in streams {
      // Rows of a device in the future would be dropped as well.
      let owners = try self.rows(
        """
        SELECT DISTINCT patient, attributed FROM (
          SELECT series, patient, attributed FROM block
          UNION ALL SELECT series, patient, attributed FROM sample) AS owned
        WHERE series IN (SELECT number FROM series WHERE device = ?)
        """, [stream.series.device]
      ) { row in
        Set(
          [try row.optional("patient") as String?, try row.optional("attributed")].compactMap(
            \.self))
      }
      result.people[stream.text, default: []].formUnion(owners)
    }
    guard marks.contains(where: { $0.utf8.count == ErasureMark.lengths[1] }) else { return result }
    try self.rows(Sample.select) { row in
      let member = try SampleMember(row)
      let mark = ErasureMark.sample(member.sample.identity)
      guard marks.contains(mark) else { return }
      result.people[mark, default: []].insert(try people(of: member))
    }
    return result
  }
}

extension BlockLine {
  /// The key that its samples have in common.
  func key(hour: Int64) -> HourKey {
    HourKey(series: series, source: source, hour: hour, attributed: attributed, reason: reason)
  }
}
