package import Radio
import SystemBus

// Bonds: making them, forgetting them, and answering what bluetoothd asks meanwhile.
extension BluetoothdRadio {
  private static let agentPath = "/org/measured/agent"
  /// How long a person may take, which is also all the time that the protocol gives (Vol 3 Part H
  /// §3.4), and a little for what comes before and after.
  private static let pairingTime = Duration.seconds(75)

  package func pair(
    _ address: DeviceAddress, prompt: any PairingPrompt
  ) async throws(RadioError) {
    guard daemon != nil else { throw RadioError(Self.absence) }
    guard let device = await find(address, within: .seconds(30)), let adapter = device.adapter
    else {
      throw RadioError(
        "\(address) was not heard. Is it near, and in its pairing mode? Its manual says how.")
    }
    guard prompts[device.path] == nil else {
      throw RadioError("\(address) is being paired already.")
    }
    prompts[device.path] = prompt
    defer { prompts[device.path] = nil }
    guard await takeTurn(adapter, isKnown: true) else {
      throw RadioError("The controller vanished before \(address) could be paired.")
    }
    await quiet(adapter)
    defer {
      endQuiet(adapter)
      giveTurn(adapter)
    }
    do throws(BusError) {
      try await pair(device.path)
    } catch {
      let kind = LinkFailure(error)
      throw RadioError(
        [
          "\(address) cannot be paired: \(error).",
          kind == .unauthorized
            ? "Is it in its pairing mode, and was the passkey right?" : kind.advice(for: address),
        ].compactMap(\.self).joined(separator: " "))
    }
    doubts.clear(address)
  }

  package func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool {
    guard daemon != nil else { throw RadioError(Self.absence) }
    let known = tree.devices.filter { $0.address == address }
    doubts.clear(address)
    for device in known {
      guard let adapter = device.adapter else { continue }
      do throws(BusError) {
        _ = try await call(
          adapter, BlueZInterface.adapter, "RemoveDevice", [.path(device.path)],
          timeout: .seconds(15))
      } catch {
        // It may have gone by itself meanwhile.
        guard LinkFailure(error) != .gone else { continue }
        throw RadioError("\(address) cannot be forgotten: \(error).")
      }
    }
    return !known.isEmpty
  }

  /// Bonds a link that is to be bonded and is not, before its session hears of its services.
  func bond(_ path: String, _ number: UInt64) async {
    guard let link = link(path, number), link.wantsBond,
      tree.device(path)?.isBonded == false, prompts[path] == nil
    else { return }
    do throws(BusError) {
      try await pair(path)
    } catch {
      guard self.link(path, number) != nil else { return }
      fail(
        link.address, kind(of: error, with: path), "\(name(of: link)) cannot be bonded: \(error).")
      disconnect(link.address)
    }
  }

  private func pair(_ path: String) async throws(BusError) {
    guard pairings[path] == nil else { throw .busy }
    let result = await withCheckedContinuation { continuation in
      pairings[path] = continuation
      Task {
        let result: Result<[BusValue], BusError>
        do throws(BusError) {
          result = .success(
            try await call(path, BlueZInterface.device, "Pair", timeout: Self.pairingTime))
        } catch {
          result = .failure(error)
        }
        pairingEnded(path, result)
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
    // A trusted device may come by itself, and bluetoothd asks nobody about it.
    try await set(path, BlueZInterface.device, "Trusted", to: .boolean(true))
  }

  /// A pairing ended, as its answer says or the device's properties do: bluetoothd 5.66 never
  /// answers where it looked for services at the same time.
  func pairingEnded(_ path: String, _ result: Result<[BusValue], BusError>) {
    pairings.removeValue(forKey: path)?.resume(returning: result)
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

  // MARK: The agent

  /// Says who answers when a pairing of ours needs a person; it is asked about no one else's.
  func registerAgent() {
    Task {
      do throws(BusError) {
        _ = try await call(
          "/org/bluez", BlueZInterface.agents, "RegisterAgent",
          [.path(Self.agentPath), .string("KeyboardDisplay")], timeout: .seconds(10))
      } catch {
        if case .refused("org.bluez.Error.AlreadyExists", _) = error { return }
        guard daemon != nil else { return }
        tell(
          RadioNotice(
            .warning, "Devices that need a bond cannot be paired: no agent can be had: \(error)."))
      }
    }
  }

  /// Answers a call of a method here.
  func answer(_ message: BusMessage) {
    guard case .call(let number) = message.kind, let bus else { return }
    Task {
      let answer: Result<[BusValue], BusError>
      if message.path != Self.agentPath || message.sender != daemon {
        answer = .failure(
          .refused(name: "org.freedesktop.DBus.Error.UnknownObject", text: "There is no such one."))
      } else if let request = AgentRequest(message) {
        answer = await self.answer(request)
      } else {
        answer = .failure(
          .refused(name: "org.freedesktop.DBus.Error.UnknownMethod", text: "There is no such one."))
      }
      await bus.reply(to: number, with: answer)
    }
  }

  private func answer(_ request: AgentRequest) async -> Result<[BusValue], BusError> {
    let rejected = BusError.refused(
      name: "org.bluez.Error.Rejected", text: "Nobody is there to answer.")
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
      // Only for a device that a session or a person wants.
      return links[path] != nil || prompts[path] != nil ? .success([]) : .failure(rejected)
    case .cancel, .release:
      return .success([])
    }
  }

  private func prompt(for path: String) -> (any PairingPrompt, DeviceAddress)? {
    guard let prompt = prompts[path], let address = tree.device(path)?.address else { return nil }
    return (prompt, address)
  }
}
