import GATT
import Radio

/// What is remembered of a device's attributes from one link to the next.
///
/// Whoever owns the links keeps one for each device (in the order of a kilobyte; bounded by
/// ``AttributeTable/mostEntries``) and hands it to the next link.
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
