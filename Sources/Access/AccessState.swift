import Foundation

extension AccessControl {
  /// The content of the file, by the keys of requests.
  struct State: Sendable {
    var accounts: [Account.ID: Account] = [:]
    var tokens: [SecretDigest: Token] = [:]
    var sessions: [SecretDigest: Session] = [:]
    var throttle: Throttle
    var ages: AgeCounter
  }
}

extension AccessControl.State {
  /// Continues with a file's content.
  init(_ records: AccessRecords, uptime: TimeInterval) throws(AccessRecords.Damage) {
    guard
      let throttle = Throttle(
        key: records.laneKey, records: records.lanes, familiar: records.familiar, uptime: uptime)
    else { throw .value("lanes") }
    self.throttle = throttle
    ages = records.ages
    accounts = Dictionary(records.accounts.map { ($0.id, $0) }) { first, _ in first }
    tokens = Dictionary(records.tokens.map { ($0.secret, $0) }) { first, _ in first }
    sessions = Dictionary(records.sessions.map { ($0.secret, $0) }) { first, _ in first }
  }

  /// The file's content.
  var records: AccessRecords {
    var records = AccessRecords(laneKey: throttle.key, ages: ages)
    records.accounts = accounts.values.sorted { $0.id < $1.id }
    records.tokens = tokens.values.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    records.sessions = sessions.values.sorted { ($0.created, $0.id) < ($1.created, $1.id) }
    records.lanes = throttle.records
    records.familiar = throttle.familiarRecords
    return records
  }
}
