import GATT

/// How a device is recognised: every clause of `all`, and one of `any` where there are some.
struct MatchRule: Hashable, Sendable {
  var all: [MatchClause] = []
  var any: [MatchClause] = []

  /// The ways in which the rule can be met: `all` with each of `any`.
  var alternatives: [[MatchClause]] {
    any.isEmpty ? [all] : any.map { all + [$0] }
  }
}

/// What one clause asks of a device: each part that is given must hold.
struct MatchClause: Hashable, Sendable {
  /// A service that is advertised, or was found after connecting.
  var service: BluetoothUUID?
  /// Service data of a UUID, of a length, beginning with some bytes.
  var serviceData: DataClause<BluetoothUUID>?
  /// Manufacturer data of a company, likewise.
  var manufacturerData: DataClause<UInt16>?
  /// How the advertised name begins.
  var namePrefix: String?
}

/// Advertised data under a key, narrowed by length and first bytes.
struct DataClause<Key: Hashable & Sendable>: Hashable, Sendable {
  var key: Key
  var length: Int?
  var bytes: BytePattern?

  func matches(_ data: [UInt8]) -> Bool {
    (length ?? data.count) == data.count && bytes?.matches(data) ?? true
  }
}

extension MatchClause {
  /// How much the clause tells devices apart; the rule's score is the sum over what matched.
  ///
  /// An adopted 16-bit service says a kind of device (10), a vendor's own 128-bit one a family
  /// (20), advertised data says more with each thing that is asked of it, and a name counts by its
  /// letters.
  var specificity: Int {
    var score = 0
    if let service { score += service.short == nil ? 20 : 10 }
    if let serviceData { score += serviceData.specificity }
    if let manufacturerData { score += manufacturerData.specificity }
    if let namePrefix { score += 10 + min(2 * namePrefix.utf8.count, 40) }
    return score
  }

  /// Whether all that is asked is a 16-bit service of the range that vendors use without owning it
  /// (`FFE0`, `FFF0`, …), which hundreds of unrelated devices share.
  var isOnlyUnownedService: Bool {
    guard serviceData == nil, manufacturerData == nil, namePrefix == nil,
      let short = service?.short
    else { return false }
    return short >= 0xFF00
  }
}

extension DataClause {
  fileprivate var specificity: Int {
    20 + (length == nil ? 0 : 5) + min(bytes?.fixedNibbles ?? 0, 20)
  }
}

extension MatchRule {
  /// How much a device told that met the rule by `clauses`.
  static func specificity(of clauses: [MatchClause]) -> Int {
    clauses.reduce(0) { $0 + $1.specificity }
  }
}
