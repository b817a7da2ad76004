package import Radio
import SystemBus

/// A pairing that the user has started.
struct Pairing: Sendable {
  /// The device's address as the user entered it.
  var address: DeviceAddress
  /// Its identity address, once it is known.
  var identity: DeviceAddress?
  var prompt: any PairingPrompt
  /// The controller that pairs.
  var controller: UInt16?
}

// Pairing: requested by the user, or by a device during a link.
extension KernelRadio {
  package func pair(
    _ address: DeviceAddress, prompt: any PairingPrompt
  ) async throws(RadioError) {
    guard phase == .working else { throw phase == .yielded ? .yielded : .stopped }
    guard pairing == nil else { throw .pairing(address, .busy) }
    if let keyFault { throw .bonds(keyFault) }
    guard keys.bonds(with: address).isEmpty else {
      throw .pairing(address, .alreadyPaired)
    }
    pairing = Pairing(address: address, prompt: prompt)
    defer {
      pairing = nil
      for index in controllerStates.keys { discover(index) }
    }
    await waitForAdvertisement(of: address)
    let ready = controllerStates.filter { $0.value.phase == .ready }
    guard let device = received[address],
      let controller = received.controller(for: address, among: Set(ready.keys)), let channel
    else {
      throw .pairing(address, ready.isEmpty ? .noController : .notHeard)
    }
    pairing?.controller = controller
    endDiscovery(controller)
    let peer = PeerAddress(address, device.type)
    let result = await pair(peer, on: controller, through: channel)
    pairing?.controller = nil
    if let error = result { throw .pairing(address, Self.pairingError(error)) }
    let identity = pairing?.identity ?? address
    guard !keys.bonds(with: identity).isEmpty else {
      throw .pairing(address, .noBond)
    }
    events.push(.bondChanged(identity))
  }

  private func pair(
    _ peer: PeerAddress, on controller: UInt16, through channel: MgmtChannel
  ) async -> MgmtError? {
    await withTaskCancellationHandler {
      var failure: MgmtError?
      do throws(MgmtError) {
        try await channel.request(.setCapability(.keyboardDisplay), of: controller)
        try await channel.request(.pair(peer, .keyboardDisplay), of: controller)
      } catch {
        failure = error
        if error == .timedOut {
          _ = try? await channel.request(.cancelPairing(peer), of: controller)
        }
      }
      _ = try? await channel.request(.setCapability(.noInputNoOutput), of: controller)
      return failure
    } onCancel: {
      Task { _ = try? await channel.request(.cancelPairing(peer), of: controller) }
    }
  }

  /// Waits for an advertisement of the device, for a bounded time.
  private func waitForAdvertisement(of address: DeviceAddress) async {
    guard received[address] == nil else { return }
    let timer = loop.schedule(after: parts.times.pairingAdvertisement) { [weak self] in
      self?.assumeIsolated { $0.stopWaitingForAdvertisement() }
    }
    await withCheckedContinuation { pairingWaiter = $0 }
    loop.cancel(timer)
  }

  func stopWaitingForAdvertisement() {
    pairingWaiter?.resume()
    pairingWaiter = nil
  }

  /// The kernel requests consent to pairing.
  func answer(_ peer: PeerAddress, on index: UInt16, passkey: UInt32, needsPerson: Bool) {
    guard let channel else { return }
    let prompt = pairing?.controller == index ? pairing?.prompt : nil
    let address = pairing?.address ?? peer.address
    // Only the user can compare digits. Without digits, consent is given if the link is wanted.
    let isWanted = prompt != nil || links[peer.address] != nil
    Task {
      let isConfirmed =
        needsPerson ? await prompt?.confirm(passkey: passkey, for: address) ?? false : isWanted
      _ = try? await channel.request(
        .answerConfirmation(peer, isConfirmed: isConfirmed), of: index)
    }
  }

  func askPasskey(_ peer: PeerAddress, on index: UInt16) {
    guard let channel else { return }
    let pairing = pairing?.controller == index ? pairing : nil
    Task {
      let passkey = await pairing?.prompt.passkey(for: pairing?.address ?? peer.address)
      _ = try? await channel.request(.answerPasskey(peer, passkey), of: index)
    }
  }

  func show(_ passkey: UInt32, for peer: PeerAddress) {
    guard let pairing else { return }
    Task { await pairing.prompt.display(passkey: passkey, for: pairing.address) }
  }

  private static func pairingError(_ error: MgmtError) -> PairingError {
    switch error {
    case .refused(.authenticationFailed): .denied(error.reason)
    case .refused(.rejected), .refused(.cancelled): .cancelled(error.reason)
    default: .failed(.gone, error.reason)
    }
  }
}
