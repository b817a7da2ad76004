import Radio
import SystemBus

// What changes among bluetoothd's objects, and what follows from it.
extension BluetoothdRadio {
  func added(_ path: String, _ interfaces: BusValue?) {
    let added = tree.add(path, interfaces)
    if added.contains(BlueZInterface.adapter) { adapterAppeared(path) }
    if added.contains(BlueZInterface.device), let device = tree.device(path) {
      heard(device, told: Set(device.properties.keys))
      if device.isConnected { tellLinkedByOthers(device) }
    }
    if added.contains(BlueZInterface.battery) { batteryChanged(path) }
    if added.contains(BlueZInterface.service) { serviceAppeared(path) }
  }

  func removed(_ path: String, _ interfaces: [String]) {
    tree.remove(path, interfaces)
    if interfaces.contains(BlueZInterface.device) {
      drop(path)
      early.forget(below: path)
    }
    if interfaces.contains(BlueZInterface.adapter) {
      for (device, link) in links where link.adapter == path { drop(device) }
      adapterVanished(path)
      if adapters.isEmpty { tell(RadioNotice(.warning, Self.noController)) }
    }
  }

  func changed(
    _ path: String, _ interface: String, _ properties: ObjectTree.Properties,
    invalidated: [String]
  ) {
    if interface == BlueZInterface.characteristic, let value = properties["Value"]?.data {
      signalled(value, by: path)
    }
    let before = tree[path, interface]
    tree.change(path, interface, changed: properties, invalidated: invalidated)
    switch interface {
    case BlueZInterface.adapter:
      guard let before, let adapter = tree.adapter(path) else { return }
      adapterChanged(from: AdapterObject(path: path, properties: before), to: adapter)
    case BlueZInterface.device:
      guard let before, let device = tree.device(path) else { return }
      heard(device, told: Set(properties.keys))
      deviceChanged(from: DeviceObject(path: path, properties: before), to: device)
    case BlueZInterface.battery:
      if properties["Percentage"] != nil { batteryChanged(path) }
    default:
      break
    }
  }

  /// A service may be told after the news that all are known.
  private func serviceAppeared(_ path: String) {
    guard let device = path.lastIndex(of: "/").map({ String(path[..<$0]) }),
      tree.device(device)?.hasServices == true
    else { return }
    _ = later(.milliseconds(100)) { $0.servicesResolved(device) }
  }

  private func heard(_ device: DeviceObject, told: Set<String>) {
    guard let advertisement = Advertisement(device, told: told) else { return }
    if let adapter = device.adapter { adapters[adapter]?.silence.heard(at: .now) }
    events.push(.advertisement(advertisement))
  }

  private func deviceChanged(from before: DeviceObject, to now: DeviceObject) {
    if before.isConnected, !now.isConnected { linkEnded(now.path) }
    if !before.isConnected, now.isConnected { tellLinkedByOthers(now) }
    if now.isBonded { renameLink(of: now) }
    if !before.isBonded, now.isBonded {
      pairingEnded(now.path, .success([]))
      bonded(now.path)
    }
    if !before.hasServices, now.hasServices { servicesResolved(now.path) }
  }

  /// Ends a link under the private address that it began with, now that the bond told the identity.
  ///
  /// A session that knows the device by its identity takes the link over, as one that is up already,
  /// so that what it measures is told of the identity from the first time on. Where services were
  /// told already the link keeps its address.
  private func renameLink(of device: DeviceObject) {
    guard let link = links[device.path], !link.hasToldServices,
      let identity = device.address, identity != link.address
    else { return }
    drop(device.path)
    if device.isConnected { tellLinkedByOthers(device) }
  }

  /// Tells of a device that is linked already, since a session would wait in vain for it to
  /// advertise.
  ///
  /// It may be linked since before this program began, or by bluetoothd itself.
  func tellLinkedByOthers(_ device: DeviceObject) {
    guard links[device.path] == nil, let news = Advertisement(linked: device) else { return }
    events.push(.advertisement(news))
  }
}
