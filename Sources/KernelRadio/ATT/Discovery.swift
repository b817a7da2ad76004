import GATT
import Radio

/// Finds out what a peer's handles stand for, in few requests.
///
/// The first request lists services, as many as fit its answer. Then all characteristics are
/// listed, over the whole range of handles; that this list has ended says too that no service that
/// is worth knowing is left, unless a characteristic stands behind the last known service. So the
/// services' own end is asked for only where it matters, and a peer with a 16-bit vocabulary and a
/// large MTU needs three requests.
struct Discovery: Hashable, Sendable {
  private(set) var table = AttributeTable()
  /// Up to which handle the services are known; 0xFFFF is the last there can be.
  private var servicesEnd: UInt16 = 0
  /// Up to which handle the characteristics are known.
  private var characteristicsEnd: UInt16 = 0

  /// What to ask next; `nil` where everything is known.
  var next: ATTRequest? {
    guard servicesEnd > 0 else { return .services(from: 1) }
    guard characteristicsEnd == .max else { return .characteristics(from: characteristicsEnd + 1) }
    guard servicesEnd < .max, let last = table.characteristics.last,
      last.declaration > servicesEnd
    else { return nil }
    return .services(from: servicesEnd + 1)
  }

  /// Takes the answer to ``next``, which ``ATTRequest/accepts(_:)`` it.
  ///
  /// - Throws: ``GATTError`` where an item cannot be right; the peer's attributes then stay unknown.
  mutating func take(_ answer: ATTPDU) throws(GATTError) {
    switch answer {
    case .readByGroupTypeResponse(let items):
      for item in items where !table.isFull {
        let service = try ServiceEntry(item: item)
        table.learn(service)
        servicesEnd = max(servicesEnd, service.handles.upperBound)
      }
      if table.isFull { servicesEnd = .max }
    case .readByTypeResponse(let items):
      for item in items where !table.isFull {
        let characteristic = try CharacteristicEntry(item: item)
        table.learn(characteristic)
        characteristicsEnd = max(characteristicsEnd, characteristic.declaration)
      }
      if table.isFull { characteristicsEnd = .max }
    default: break
    }
  }

  /// The list that ``next`` requests has ended.
  mutating func endOfList() {
    if case .characteristics = next { characteristicsEnd = .max } else { servicesEnd = .max }
  }
}

/// A device's attributes, remembered from one link to the next.
///
/// The owner of the links stores one for each device, in the order of a kilobyte; bounded by
/// ``AttributeTable/mostEntries``.
struct CachedAttributes: Hashable, Sendable {
  /// What the handles stand for.
  var table: AttributeTable
  /// Where notifications and indications are switched on, by the handle of the value.
  var configurations: [UInt16: UInt16] = [:]
  /// The device's own digest of its attributes, where it has one (Vol 3 Part G §7.3).
  var databaseHash: [UInt8]?

  init(table: AttributeTable) {
    self.table = table
  }
}
