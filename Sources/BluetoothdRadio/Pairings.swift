import Radio
import SystemBus

/// The pairings under way, by the paths of their devices.
struct Pairings: Sendable {
  /// The end of a pairing.
  typealias Outcome = Result<[BusValue], BusError>

  private var prompts: [String: any PairingPrompt] = [:]
  private var waiting: [String: CheckedContinuation<Outcome, Never>] = [:]

  /// The prompt of the person who pairs a device.
  func prompt(for path: String) -> (any PairingPrompt)? { prompts[path] }

  /// A person begins to pair a device.
  ///
  /// - Returns: Whether that is possible: one person pairs a device at a time.
  mutating func begin(_ path: String, prompt: any PairingPrompt) -> Bool {
    guard prompts[path] == nil else { return false }
    prompts[path] = prompt
    return true
  }

  /// The person's part has ended.
  mutating func end(_ path: String) { prompts[path] = nil }

  /// Whether bluetoothd pairs a device now.
  func isUnderWay(_ path: String) -> Bool { waiting[path] != nil }

  /// A task waits for the outcome of a pairing.
  mutating func wait(_ path: String, _ task: CheckedContinuation<Outcome, Never>) {
    waiting[path] = task
  }

  /// A pairing has ended; a second report of its end changes nothing.
  mutating func finish(_ path: String, _ outcome: Outcome) {
    waiting.removeValue(forKey: path)?.resume(returning: outcome)
  }

  /// bluetoothd is gone: no person is asked any more.
  mutating func removePrompts() { prompts = [:] }
}

/// What bluetoothd asks of the one who pairs (org.bluez.Agent1).
enum AgentRequest: Hashable, Sendable {
  /// The six digits that the device shows.
  case passkey(device: String)
  /// To show the six digits that are to be entered on the device.
  case display(device: String, passkey: UInt32)
  /// Whether the device shows the same six digits.
  case confirmation(device: String, passkey: UInt32)
  /// Whether a device that began to pair by itself may.
  case authorization(device: String)
  /// What was asked before is not asked any more.
  case cancel
  /// This agent is not needed any more.
  case release

  /// Reads a call of the agent; `nil` where it is none that low energy knows: a PIN code is of
  /// classic Bluetooth.
  init?(_ message: BusMessage) {
    guard message.interface == BlueZInterface.agent else { return nil }
    let device = message.argument(0)?.text
    let passkey = message.argument(1)?.number.flatMap { UInt32(exactly: $0) }
    switch (message.member, device, passkey) {
    case ("RequestPasskey", let device?, _): self = .passkey(device: device)
    case ("DisplayPasskey", let device?, let passkey?):
      self = .display(device: device, passkey: passkey)
    case ("RequestConfirmation", let device?, let passkey?):
      self = .confirmation(device: device, passkey: passkey)
    case ("RequestAuthorization", let device?, _), ("AuthorizeService", let device?, _):
      self = .authorization(device: device)
    case ("Cancel", _, _): self = .cancel
    case ("Release", _, _): self = .release
    default: return nil
    }
  }
}
