import Radio
import SystemBus

// Changes of bluetoothd's objects, and their effects.
extension BluetoothdRadio {
  func added(_ path: String, _ interfaces: BusValue?) {
    let added = tree.add(path, interfaces)
    if added.contains(BlueZInterface.adapter) { adapterAppeared(path) }
    if added.contains(BlueZInterface.device), let device = tree.device(path) {
      received(device, reported: Set(device.properties.keys))
      if device.isConnected { reportLinkedByOthers(device) }
    }
    if added.contains(BlueZInterface.battery) { batteryChanged(path) }
    if added.contains(BlueZInterface.service) { serviceAppeared(path) }
  }

  func removed(_ path: String, _ interfaces: [String]) {
    let device = interfaces.contains(BlueZInterface.device) ? tree.device(path) : nil
    let adapter = interfaces.contains(BlueZInterface.adapter) ? tree.adapter(path) : nil
    tree.remove(path, interfaces)
    if let device {
      reportIndications(under: path)
      drop(path)
      // With bluetoothctl the bond goes with the object. The objects of a controller that is unplugged
      // go as well; their sessions need no pause either when it is back.
      if device.isBonded, let address = device.address { events.push(.bondChanged(address)) }
    }
    if let adapter {
      reportIndications(under: path)
      for device in links.paths(over: path) { drop(device) }
      adapterVanished(path)
      notice(.controller(adapter.name, .removed))
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
      received(device, reported: Set(properties.keys))
      // The start of a link is not signalled if bluetoothd takes the channel before the kernel
      // reports the link (5.66, att_connect_cb). Every end is.
      if properties["Connected"]?.flag == false { linkEnded(path) }
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

  private func received(_ device: DeviceObject, reported: Set<String>) {
    guard let advertisement = Advertisement(device, reported: reported) else { return }
    if let adapter = device.adapter { adapters.received(adapter, at: .now) }
    events.push(.advertisement(advertisement))
  }

  private func deviceChanged(from before: DeviceObject, to now: DeviceObject) {
    if !before.isConnected, now.isConnected { reportLinkedByOthers(now) }
    let isConnecting = links[now.path]?.phase == .connecting
    if now.isBonded { renameLink(of: now) }
    // Another program's user has done it, as with bluetoothctl; the bond that a link begins with is no
    // news.
    if before.isBonded != now.isBonded, !isConnecting,
      pairings.prompt(for: now.path) == nil, let address = links[now.path]?.address ?? now.address
    {
      events.push(.bondChanged(address))
    }
    if !before.isBonded, now.isBonded {
      pairings.finish(now.path, .success([]))
      bonded(now.path)
    }
    if !before.hasServices, now.hasServices { servicesResolved(now.path) }
  }

  /// Ends a link under its private address after the bond revealed the identity address.
  ///
  /// A session for the identity address continues it as an existing link, so its first measurement
  /// has that address. A link whose services were reported keeps its address.
  private func renameLink(of device: DeviceObject) {
    guard let link = links[device.path], !link.hasReportedServices,
      let identity = device.address, identity != link.address
    else { return }
    drop(device.path)
    if device.isConnected { reportLinkedByOthers(device) }
  }

  /// Reports a device that is linked already, since it does not advertise.
  ///
  /// The link may predate this program, or be bluetoothd's own.
  func reportLinkedByOthers(_ device: DeviceObject) {
    guard links[device.path] == nil, let advertisement = Advertisement(linked: device) else {
      return
    }
    events.push(.advertisement(advertisement))
  }
}
