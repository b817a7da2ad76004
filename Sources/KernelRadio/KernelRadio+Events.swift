import Controllers
import Radio

// What the kernel tells.
extension KernelRadio {
  func take(_ event: MgmtEvent, from index: UInt16) {
    guard phase == .working else { return }
    switch event {
    case .controllerAdded: begin(index)
    case .controllerRemoved: remove(index)
    case .newSettings(let settings): take(settings, of: index)
    case .deviceFound(let found): hear(found, by: index)
    case .monitorRemoved(let handle): loseMonitor(handle, of: index)
    case .discovering(let isDiscovering): if !isDiscovering { rest(index) }
    case .newLongTermKey(let key, let isKept): if isKept { keep(key, of: index) }
    case .newIdentityKey(let key, let address, let isKept):
      if isKept { keep(key, behind: address, of: index) }
    case .confirmationRequest(let peer, let passkey, let needsPerson):
      answer(peer, on: index, passkey: passkey, needsPerson: needsPerson)
    case .passkeyRequest(let peer): askPasskey(peer, on: index)
    case .passkeyNotice(let peer, let passkey, let entered):
      // It is told again with every digit that is entered.
      if entered == 0 { show(passkey, for: peer) }
    case .authenticationFailed(let peer): authenticationFailed(peer)
    case .answer, .other: break
    }
  }

  private func take(_ settings: MgmtSettings, of index: UInt16) {
    guard let state = controllerStates[index] else { return }
    let isPowered = settings.contains(.powered)
    controllerStates[index]?.isPowered = isPowered
    guard state.isPowered, !isPowered, state.phase == .ready else { return }
    // Links end by themselves. udev's news of a switch may come after this.
    later(parts.times.switchNews) { radio in
      guard radio.isCurrent(index, state.generation),
        radio.controllerStates[index]?.isPowered == false
      else { return }
      let block = radio.attached[ControllerState.name(index)]?.block
      radio.stop(index, block == nil ? .switchedOff : .blocked)
    }
  }
}
