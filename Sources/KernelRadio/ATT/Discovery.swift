import GATT
import Radio

/// Discovers the meaning of a peer's handles with few requests.
///
/// The first request lists services, as many as fit one response. Then all characteristics are
/// listed, over the whole range of handles. When that list ends, no useful service is left, unless
/// a characteristic follows the last known service. So the end of the services is only requested in
/// that case, and a peer with 16-bit UUIDs and a large MTU needs three requests.
struct Discovery: Hashable, Sendable {
  private(set) var table = AttributeTable()
  /// The last handle up to which the services are known; 0xFFFF is the highest.
  private var servicesEnd: UInt16 = 0
  /// The last handle up to which the characteristics are known.
  private var characteristicsEnd: UInt16 = 0

  /// The next request; `nil` if everything is known.
  var next: ATTRequest? {
    guard servicesEnd > 0 else { return .services(from: 1) }
    guard characteristicsEnd == .max else { return .characteristics(from: characteristicsEnd + 1) }
    guard servicesEnd < .max, let last = table.characteristics.last,
      last.declaration > servicesEnd
    else { return nil }
    return .services(from: servicesEnd + 1)
  }

  /// Processes the response to ``next``, which ``ATTRequest/accepts(_:)`` it.
  ///
  /// - Throws: ``GATTError`` if an item is invalid; the peer's attributes then stay unknown.
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

/// A device's attributes, cached from one link to the next.
///
/// The owner of the links stores one per device, on the order of a kilobyte; bounded by
/// ``AttributeTable/mostEntries``.
struct CachedAttributes: Hashable, Sendable {
  /// The services and characteristics.
  var table: AttributeTable
  /// The configuration descriptor's handle, by the handle of the value.
  var configurations: [UInt16: UInt16] = [:]
  /// The device's own hash of its attributes, if it has one (Vol 3 Part G §7.3).
  var databaseHash: [UInt8]?

  init(table: AttributeTable) {
    self.table = table
  }
}
