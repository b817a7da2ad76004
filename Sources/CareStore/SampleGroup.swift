import Care
import Foundation

/// A reading with everything that is of it: the same broadcast as other stores received it, and
/// what people entered in its place.
///
/// A change of one of them applies to the reading: a store that received the second frame of a
/// broadcast may have assigned, corrected or deleted it before the first one arrived.
struct SampleGroup {
  /// The reading first, then its duplicates, by arrival.
  var receptions: [SampleMember]
  var corrections: [SampleMember]
}

// MARK: - Computing

extension SQLTransaction {
  /// Gives a group's samples the owner and state that its rows say.
  func update(_ group: SampleGroup) throws {
    for (member, patient, state) in try states(of: group)
    where member.sample.patient != patient || member.sample.state != state {
      try execute(
        "UPDATE sample SET patient = ?, state = ?, stored = ? WHERE number = ?",
        [patient, state.number, try nextStored(), member.number])
    }
  }

  /// Whose the samples of a group are and whether they count.
  func states(
    of group: SampleGroup
  ) throws -> [(member: SampleMember, patient: String?, state: Sample.State)] {
    let changes = try group.receptions.flatMap { try self.changes(of: $0.sample) }
    var result: [(member: SampleMember, patient: String?, state: Sample.State)] = []

    var corrections: [(member: SampleMember, patient: String?, effect: ChangeEffect)] = []
    let attributed = group.receptions.compactMap(\.attributed).min()
    for member in group.corrections {
      // A correction is of the reading's owner, also where another store moved the reading before
      // this store corrected it: what a store recorded with the correction is the owner that it
      // knew, and holds only as long as the reading itself is missing.
      let own = try self.changes(of: member.sample).filter { change in
        group.receptions.isEmpty || change.identity != member.sample.identity
          || !change.change.isOfOwner || change.createdDate != member.sample.arrival
      }
      // A reading that was deleted earlier and corrected then counts again.
      let ofReading = changes.filter {
        $0.change.isOfOwner || $0.createdDate >= member.sample.arrival
      }
      let effect = ChangeEffect(of: ofReading + own)
      let found = group.receptions.isEmpty ? member.attributed : attributed
      corrections.append((member, effect.owner(attributed: found), effect))
    }
    // Of corrections that several stores made, the newest counts.
    let standing = corrections.filter { !$0.effect.isDeleted }.max {
      ($0.member.sample.arrival, $0.member.sample.identity.text)
        < ($1.member.sample.arrival, $1.member.sample.identity.text)
    }
    for (member, patient, effect) in corrections {
      let isStanding = member.number == standing?.member.number
      result.append((member, patient, effect.state(of: member.sample, isCorrected: !isStanding)))
    }

    let effect = ChangeEffect(of: changes)
    let patient = effect.owner(attributed: attributed)
    for (index, member) in group.receptions.enumerated() {
      let state = effect.state(of: member.sample, isCorrected: standing != nil)
      let isRepetition = index > 0 || state == .live && member.sample.addsNothing
      result.append((member, patient, isRepetition ? .duplicate : state))
    }
    return result
  }
}

/// The combined effect of changes.
struct ChangeEffect {
  /// The newest change of the owner.
  private var owner: SampleChangeRow?
  private(set) var isDeleted = false

  /// Whether the samples are of none of the patients.
  var isDisowned: Bool { owner?.change == .disown }

  /// The effect of changes in any order.
  init(of changes: [SampleChangeRow]) {
    owner = changes.lazy.filter(\.change.isOfOwner).max(by: SampleChangeRow.madeBefore)
    let last = changes.lazy.filter { !$0.change.isOfOwner }.max(by: SampleChangeRow.madeBefore)
    isDeleted = last?.change == .delete
  }

  /// Whether a sample counts.
  func state(of sample: Sample, isCorrected: Bool) -> Sample.State {
    if isDeleted { return .deleted }
    if isCorrected { return .corrected }
    let own = sample.ownState
    return own == .live && isDisowned ? .disowned : own
  }

  /// The owner of a sample that was found to be this patient's on arrival.
  func owner(attributed: String?) -> String? {
    guard let owner else { return attributed }
    return owner.patient
  }
}

extension SampleChangeRow {
  /// Whether `a` holds less than `b`: the latest holds, of one time that with the greater id.
  static func madeBefore(_ a: SampleChangeRow, _ b: SampleChangeRow) -> Bool {
    guard a.createdDate == b.createdDate else { return a.createdDate < b.createdDate }
    return a.uuid.uuidString < b.uuid.uuidString
  }
}

// MARK: - Finding

extension SQLTransaction {
  /// How long the frames of one broadcast are one reading, µs after the first.
  static var broadcastWindow: Int64 {
    Int64(saturating: SampleIdentity.broadcastWindow * 1_000_000)
  }

  func members(_ condition: String, _ arguments: Arguments) throws -> [SampleMember] {
    try rows("\(Sample.select) WHERE \(condition)", arguments, read: SampleMember.init)
  }

  func member(_ number: Int64) throws -> SampleMember? {
    try members("sample.number = ?", [number]).first
  }

  /// The group that a sample is of.
  func group(of member: SampleMember) throws -> SampleGroup {
    guard let origin = member.sample.corrects else { return try group(receivedAs: member) }
    if let (number, _) = try locate(origin), let measured = try self.member(number) {
      return try group(receivedAs: measured)
    }
    // The measured sample may arrive later.
    return SampleGroup(
      receptions: [], corrections: try members("corrects = ?", [origin.text]))
  }

  private func group(receivedAs member: SampleMember) throws -> SampleGroup {
    var receptions = [member]
    if member.isBroadcast {
      let first =
        member.sample.state == .duplicate ? try firstReception(before: member) ?? member : member
      receptions = [first] + (try duplicates(of: first))
    }
    return try group(receptions)
  }

  /// The group of these receptions.
  func group(_ receptions: [SampleMember]) throws -> SampleGroup {
    SampleGroup(
      receptions: receptions,
      corrections: try receptions.flatMap {
        try members("corrects = ?", [$0.sample.identity.text])
      })
  }

  /// The latest row before a broadcast's that begins a cluster of the same frame.
  private func firstReception(before member: SampleMember) throws -> SampleMember? {
    try members(
      """
      series = ? AND time BETWEEN ? AND ? AND ordinal = ? AND raw = ? AND basis = 2 AND state <> 3
        AND sample.number <> ? ORDER BY time DESC, sample.number DESC LIMIT 1
      """,
      [
        member.series, member.time - Self.broadcastWindow, member.time, member.sample.ordinal,
        Data(member.sample.reading.raw), member.number,
      ]
    ).first
  }

  /// The rows of the same frame that arrived within the window after a cluster's first.
  private func duplicates(of first: SampleMember) throws -> [SampleMember] {
    try members(
      """
      series = ? AND time > ? AND time <= ? AND ordinal = ? AND raw = ? AND basis = 2
      ORDER BY time
      """,
      [
        first.series, first.time, first.time + Self.broadcastWindow, first.sample.ordinal,
        Data(first.sample.reading.raw),
      ])
  }

  /// Divides the receptions around a broadcast that was just stored into readings, and gives those
  /// that it affects their state.
  ///
  /// From the first reception on, everything within the window of a reading's first is that
  /// reading; the next one begins another. A row changes the division only up to the next reading
  /// that begins as it did before.
  func regroup(around member: SampleMember) throws {
    var first = try firstReception(before: member) ?? member
    while true {
      let receptions = [first] + (try duplicates(of: first))
      // A row that began a reading of its own is a duplicate now; its duplicates may be free.
      let hasJoined = receptions.dropFirst().contains { $0.sample.state != .duplicate }
      try update(try group(receptions))
      let last = receptions.last ?? first
      let next = try members(
        """
        series = ? AND time > ? AND ordinal = ? AND raw = ? AND basis = 2 ORDER BY time LIMIT 1
        """,
        [first.series, last.time, first.sample.ordinal, Data(first.sample.reading.raw)]
      ).first
      guard let next, hasJoined || next.sample.state == .duplicate else { return }
      first = next
    }
  }
}

// MARK: - History

extension SQLTransaction {
  func changes(of identity: SampleIdentity) throws -> [SampleChangeRecord] {
    try reading {
      guard let sample = try sample(identity) else { return [] }
      return try changes(of: sample).map(\.record)
    }
  }
}
