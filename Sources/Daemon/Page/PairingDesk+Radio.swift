import Care
import Radio
import Terminal
import Web

extension PairingDesk {
  /// A desk that pairs through the radio of this program.
  convenience init(pairingWith backend: any RadioBackend) {
    self.init(
      words: { ($0 as? RadioError)?.message ?? CommandFailure($0).message },
      pair: { device, desk in
        guard let address = DeviceAddress(device.text) else { return }
        try await backend.pair(address, prompt: PagePrompt(desk: desk))
      })
  }
}

/// Asks the person at the page.
private struct PagePrompt: PairingPrompt {
  let desk: PairingDesk

  func passkey(for device: DeviceAddress) async -> UInt32? { await desk.passkey() }

  func display(passkey: UInt32, for device: DeviceAddress) async {
    desk.display(passkey: passkey)
  }

  func confirm(passkey: UInt32, for device: DeviceAddress) async -> Bool {
    await desk.confirm(passkey: passkey)
  }
}
