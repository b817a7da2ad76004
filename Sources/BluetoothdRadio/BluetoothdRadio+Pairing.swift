package import Radio
import SystemBus

// Bonds: pairing, deleting, and bluetoothd's requests to the agent.
extension BluetoothdRadio {
  private static let agentPath = "/org/measured/agent"
  /// How long the user may take, which is all the time that the protocol allows (Vol 3 Part H
  /// §3.4), plus a margin for the steps before and after.
  private static let pairingTime = Duration.seconds(75)
  /// How long a pairing without the user may take: the kernel ends one with a device that does not
  /// answer after 30 s (Vol 3 Part H §3.4), and says why.
  private static let bondTime = Duration.seconds(33)

  package func pair(
    _ address: DeviceAddress, prompt: any PairingPrompt
  ) async throws(RadioError) {
    guard daemon != nil else { throw .noBluetoothd }
    guard let device = await find(address, within: .seconds(30)), let adapter = device.adapter
    else {
      throw .pairing(address, .notHeard)
    }
    guard pairings.begin(device.path, prompt: prompt) else { throw .pairing(address, .busy) }
    defer { pairings.end(device.path) }
    let number = links.takeNumber()
    guard await takeTurn(adapter, number, isKnown: true) else {
      throw .pairing(address, .controllerRemoved)
    }
    await quiet(adapter)
    defer {
      endQuiet(adapter)
      adapters.endTurn(number, on: adapter)
    }
    do throws(BusError) {
      try await pair(device.path, within: Self.pairingTime)
    } catch {
      let kind = LinkFailure(error)
      throw .pairing(
        address, kind == .unauthorized ? .denied(error.reason) : .failed(kind, error.reason))
    }
    doubts.clear(address)
    events.push(.bondChanged(tree.device(device.path)?.address ?? address))
  }

  package func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool {
    guard daemon != nil else { throw .noBluetoothd }
    let bonded = tree.devices.filter { $0.address == address && $0.isBonded }
    doubts.clear(address)
    for device in bonded {
      guard let adapter = device.adapter else { continue }
      do throws(BusError) {
        _ = try await call(
          adapter, BlueZInterface.adapter, "RemoveDevice", [.path(device.path)],
          timeout: .seconds(15))
      } catch {
        // It may have been removed by itself meanwhile.
        guard LinkFailure(error) != .gone else { continue }
        throw .forgetting(address, error.reason)
      }
    }
    return !bonded.isEmpty
  }

  /// Bonds a link that requires it, before its services are reported.
  func bond(_ path: String, _ number: UInt64) async {
    guard let link = links[path, number], link.wantsBond,
      tree.device(path)?.isBonded == false, pairings.prompt(for: path) == nil
    else { return }
    do throws(BusError) {
      try await pair(path, within: Self.bondTime)
    } catch {
      guard links[path, number] != nil else { return }
      fail(link.address, LinkError(kind(of: error, with: path), .notBonded(error.reason)))
      disconnect(link.address)
    }
  }

  private func pair(_ path: String, within time: Duration) async throws(BusError) {
    guard !pairings.isUnderWay(path) else { throw .busy }
    let result = await withCheckedContinuation { continuation in
      let number = pairings.wait(path, continuation)
      Task {
        let result: Result<[BusValue], BusError>
        do throws(BusError) {
          result = .success(
            try await call(path, BlueZInterface.device, "Pair", timeout: time))
        } catch {
          result = .failure(error)
        }
        // bluetoothd 5.66 never replies if it discovered services at the same time; then the
        // device's properties report the result.
        pairings.finish(path, number: number, result)
      }
    }
    switch result {
    case .success, .failure(.refused("org.bluez.Error.AlreadyExists", _)): break
    case .failure(let error):
      if error == .timedOut {
        _ = try? await call(path, BlueZInterface.device, "CancelPairing", timeout: .seconds(5))
      }
      throw error
    }
    // A trusted device may connect by itself without an authorization request from bluetoothd.
    try await set(path, BlueZInterface.device, "Trusted", to: .boolean(true))
  }

  /// Waits until a device is known.
  private func find(_ address: DeviceAddress, within time: Duration) async -> DeviceObject? {
    let end = ContinuousClock.now + time
    while true {
      if let device = tree.device(at: address) { return device }
      guard ContinuousClock.now < end, daemon != nil else { return nil }
      await pause(.milliseconds(500))
    }
  }

  // MARK: - The agent

  /// Registers the agent that answers when a pairing of this program needs the user.
  func registerAgent() {
    Task {
      do throws(BusError) {
        _ = try await call(
          "/org/bluez", BlueZInterface.agents, "RegisterAgent",
          [.path(Self.agentPath), .string("KeyboardDisplay")], timeout: .seconds(10))
      } catch {
        if case .refused("org.bluez.Error.AlreadyExists", _) = error { return }
        guard daemon != nil else { return }
        notice(.noAgent(error.reason))
      }
    }
  }

  /// Answers a method call to this program.
  func answer(_ message: BusMessage) {
    guard case .call(let number) = message.kind, let bus else { return }
    Task {
      let answer: Result<[BusValue], BusError>
      if message.path != Self.agentPath || message.sender != daemon {
        answer = .failure(
          .refused(name: "org.freedesktop.DBus.Error.UnknownObject", text: "No such object."))
      } else if let request = AgentRequest(message) {
        answer = await self.answer(request)
      } else {
        answer = .failure(
          .refused(name: "org.freedesktop.DBus.Error.UnknownMethod", text: "No such method."))
      }
      await bus.reply(to: number, with: answer)
    }
  }

  private func answer(_ request: AgentRequest) async -> Result<[BusValue], BusError> {
    let rejected = BusError.refused(
      name: "org.bluez.Error.Rejected", text: "No user can answer.")
    switch request {
    case .passkey(let path):
      guard let (prompt, address) = prompt(for: path),
        let passkey = await prompt.passkey(for: address), passkey <= 999_999
      else { return .failure(rejected) }
      return .success([.uint32(passkey)])
    case .display(let path, let passkey):
      guard let (prompt, address) = prompt(for: path) else { return .failure(rejected) }
      await prompt.display(passkey: passkey, for: address)
      return .success([])
    case .confirmation(let path, let passkey):
      guard let (prompt, address) = prompt(for: path),
        await prompt.confirm(passkey: passkey, for: address)
      else { return .failure(rejected) }
      return .success([])
    case .authorization(let path):
      // Only for a device that a session or the user requested.
      return links[path] != nil || pairings.prompt(for: path) != nil
        ? .success([]) : .failure(rejected)
    case .cancel, .release:
      return .success([])
    }
  }

  private func prompt(for path: String) -> (any PairingPrompt, DeviceAddress)? {
    guard let prompt = pairings.prompt(for: path), let address = tree.device(path)?.address else {
      return nil
    }
    return (prompt, address)
  }
}
