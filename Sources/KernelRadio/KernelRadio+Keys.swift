package import Radio

// Keys of bonded devices: read once, and stored when the kernel reports new ones.
extension KernelRadio {
  func readKeys() {
    do throws(BondFileError) {
      keys = try keyFile.read()
      keyFault = nil
    } catch {
      keyFault = error
      notice(.bondsUnreadable(error))
    }
  }

  func store(_ key: LongTermKey, of index: UInt16) {
    guard let controller = controllerStates[index]?.address else { return }
    let address = key.peer.address
    change { keys in
      guard keys.store(key, of: controller) else {
        return notice(.bondsFull(address, capacity: KeyRing.capacity))
      }
    }
    learnName(of: address)
  }

  /// Stores the name of a bonded device.
  func learnName(of address: DeviceAddress) {
    guard let name = received[address]?.name, keys.names[address] == nil,
      !keys.bonds(with: address).isEmpty
    else { return }
    change { $0.name(address, name) }
  }

  func store(_ key: IdentityKey, behind address: DeviceAddress, of index: UInt16) {
    guard let controller = controllerStates[index]?.address else { return }
    let identity = key.peer.address
    if let pairing, pairing.address == address { self.pairing?.identity = identity }
    change { keys in
      guard keys.store(key, of: controller) else {
        return notice(.bondsFull(identity, capacity: KeyRing.capacity))
      }
    }
    // The address is zero if the device uses no private one.
    if address.rawValue != 0, address != identity {
      notice(.identity(identity, of: address))
    }
  }

  /// Changes the keys and makes the change durable.
  private func change(_ change: (inout KeyRing) -> Void) {
    var changed = keys
    change(&changed)
    guard changed != keys else { return }
    keys = changed
    do throws(BondFileError) {
      if let keyFault { throw keyFault }
      try keyFile.write(changed)
    } catch {
      notice(.bondNotStored(error))
    }
  }

  package func bonds() async throws(RadioError) -> [BondedDevice] {
    if let keyFault { throw .bonds(keyFault) }
    return keys.bonds
  }

  package func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool {
    if let keyFault { throw .bonds(keyFault) }
    let bonds = keys.bonds(with: address)
    var changed = keys
    guard changed.forget(address) else { return false }
    do throws(BondFileError) {
      try keyFile.write(changed)
    } catch {
      throw .forgetting(address, .kernel(error.reason))
    }
    keys = changed
    attributes.forget(address)
    attributeFile.write(attributes)
    disconnect(address)
    for bond in bonds {
      guard let owner = controllerStates.first(where: { $0.value.address == bond.controller })
      else { continue }
      // The kernel reports a device that is not connected as not paired; its keys are removed
      // anyway.
      _ = try? await channel?.request(.unpair(bond.peer), of: owner.key)
      // A set-up in progress may have loaded them after that.
      if controllerStates[owner.key]?.phase != .ready { begin(owner.key) }
    }
    events.push(.bondChanged(address))
    return true
  }
}
