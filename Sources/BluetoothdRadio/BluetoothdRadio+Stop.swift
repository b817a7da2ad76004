import Controllers
import Radio
import SystemBus

// The end, in good order.
extension BluetoothdRadio {
  /// Takes links down and stops listening, as far as bluetoothd answers.
  package func stop() async {
    guard !isStopped else { return }
    let paths = links.values.filter { $0.phase != .falling }.map(\.path).sorted()
    for path in paths {
      links[path]?.phase = .falling
      // bluetoothd 5.66 falls over a file that closes after the connection to the bus.
      endSubscriptions(of: path)
    }
    for path in paths {
      _ = try? await call(path, BlueZInterface.device, "Disconnect", timeout: .seconds(5))
    }
    for path in adapters.keys.sorted() {
      _ = try? await call(path, BlueZInterface.adapter, "StopDiscovery", timeout: .seconds(5))
    }
    isStopped = true
    era &+= 1
    daemon = nil
    for path in links.keys.sorted() { drop(path) }
    for path in adapters.keys { adapterVanished(path) }
    await directory?.stop()
    // bluetoothd forgets the agent with the connection.
    await bus?.close()
    bus = nil
  }
}
