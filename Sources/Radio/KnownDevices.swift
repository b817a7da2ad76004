/// What is remembered of the devices that were used most recently, bounded.
package struct KnownDevices<Memory: Sendable>: Sendable {
  /// How many devices are remembered: more than a home has.
  ///
  /// A further device replaces the least recently used one.
  package static var capacity: Int { 256 }

  private var memories: [DeviceAddress: (memory: Memory, lastUse: UInt64)] = [:]
  private var uses: UInt64 = 0

  /// Makes an empty memory.
  package init() {}

  /// How many devices are remembered.
  package var count: Int { memories.count }

  /// What is remembered of a device; reading it is no use.
  package subscript(address: DeviceAddress) -> Memory? { memories[address]?.memory }

  /// Remembers a device as the one used last; O(``capacity``) if another has to be forgotten.
  package mutating func remember(_ address: DeviceAddress, _ memory: Memory) {
    if memories[address] == nil, memories.count >= Self.capacity,
      let oldest = memories.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      memories[oldest] = nil
    }
    uses += 1
    memories[address] = (memory, uses)
  }

  /// Forgets a device.
  package mutating func forget(_ address: DeviceAddress) { memories[address] = nil }
}

extension KnownDevices where Memory == Void {
  /// Whether a device is remembered.
  package func contains(_ address: DeviceAddress) -> Bool { self[address] != nil }

  /// Remembers a device as the one used last.
  package mutating func remember(_ address: DeviceAddress) { remember(address, ()) }
}
