import Radio
import SystemBus

// Changes of bluetoothd's objects, and their consequences.
extension BluetoothdRadio {
  func added(_ path: String, _ interfaces: BusValue?) {
    let added = tree.add(path, interfaces)
    if added.contains(BlueZInterface.adapter) { adapterAppeared(path) }
    if added.contains(BlueZInterface.device), let device = tree.device(path) {
      heard(device, reported: Set(device.properties.keys))
      if device.isConnected { reportLinkedByOthers(device) }
    }
    if added.contains(BlueZInterface.battery) { batteryChanged(path) }
    if added.contains(BlueZInterface.service) { serviceAppeared(path) }
  }

  func removed(_ path: String, _ interfaces: [String]) {
    tree.remove(path, interfaces)
    if interfaces.contains(BlueZInterface.device) {
      drop(path)
      subscriptions.forgetEarlyValues(of: path)
    }
    if interfaces.contains(BlueZInterface.adapter) {
      for device in links.paths(over: path) { drop(device) }
      adapterVanished(path)
      if adapters.isEmpty { notice(.noController) }
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
      heard(device, reported: Set(properties.keys))
      deviceChanged(from: DeviceObject(path: path, properties: before), to: device)
    case BlueZInterface.battery:
      if properties["Percentage"] != nil { batteryChanged(path) }
    default:
      break
    }
  }

  /// A service may be added after `ServicesResolved`.
  private func serviceAppeared(_ path: String) {
    guard let device = path.lastIndex(of: "/").map({ String(path[..<$0]) }),
      tree.device(device)?.hasServices == true
    else { return }
    _ = later(.milliseconds(100)) { $0.servicesResolved(device) }
  }

  private func heard(_ device: DeviceObject, reported: Set<String>) {
    guard let advertisement = Advertisement(device, reported: reported) else { return }
    if let adapter = device.adapter { adapters.heard(adapter, at: .now) }
    events.push(.advertisement(advertisement))
  }

  private func deviceChanged(from before: DeviceObject, to now: DeviceObject) {
    if before.isConnected, !now.isConnected { linkEnded(now.path) }
    if !before.isConnected, now.isConnected { reportLinkedByOthers(now) }
    if now.isBonded { renameLink(of: now) }
    if !before.isBonded, now.isBonded {
      pairings.finish(now.path, .success([]))
      bonded(now.path)
    }
    if !before.hasServices, now.hasServices { servicesResolved(now.path) }
  }

  /// Ends a link under the private address that it began with, now that the bond revealed the
  /// identity.
  ///
  /// A session that knows the device by its identity takes the link over as one that is up already,
  /// so that its first measurement has the identity. A link whose services were reported keeps its
  /// address.
  private func renameLink(of device: DeviceObject) {
    guard let link = links[device.path], !link.hasReportedServices,
      let identity = device.address, identity != link.address
    else { return }
    drop(device.path)
    if device.isConnected { reportLinkedByOthers(device) }
  }

  /// Reports a device that is linked already, since it does not advertise to its session.
  ///
  /// The link may be older than this program, or bluetoothd's own.
  func reportLinkedByOthers(_ device: DeviceObject) {
    guard links[device.path] == nil, let advertisement = Advertisement(linked: device) else {
      return
    }
    events.push(.advertisement(advertisement))
  }
}
