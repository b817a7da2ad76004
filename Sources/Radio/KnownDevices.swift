/// State of the most recently used devices, bounded.
package struct KnownDevices<Memory: Sendable>: Sendable {
  /// How many devices are stored: more than a home has.
  ///
  /// Another device replaces the least recently used one.
  package static var capacity: Int { 256 }

  private var memories: [DeviceAddress: (memory: Memory, lastUse: UInt64)] = [:]
  private var uses: UInt64 = 0

  /// Makes an empty table.
  package init() {}

  /// How many devices are stored.
  package var count: Int { memories.count }

  /// The state stored for a device; reading it does not count as use.
  package subscript(address: DeviceAddress) -> Memory? { memories[address]?.memory }

  /// Every device with its state, the most recently used at last; O(n log n).
  package var byUse: [(address: DeviceAddress, memory: Memory)] {
    memories.sorted { $0.value.lastUse < $1.value.lastUse }.map { ($0.key, $0.value.memory) }
  }

  /// Stores a device as the most recently used; O(``capacity``) if another one has to be removed.
  package mutating func remember(_ address: DeviceAddress, _ memory: Memory) {
    if memories[address] == nil, memories.count >= Self.capacity,
      let oldest = memories.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      memories[oldest] = nil
    }
    uses += 1
    memories[address] = (memory, uses)
  }

  /// Removes a device.
  package mutating func forget(_ address: DeviceAddress) { memories[address] = nil }
}

extension KnownDevices where Memory == Void {
  /// Whether a device is stored.
  package func contains(_ address: DeviceAddress) -> Bool { self[address] != nil }

  /// Stores a device as the most recently used.
  package mutating func remember(_ address: DeviceAddress) { remember(address, ()) }
}
