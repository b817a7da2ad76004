import Radio
import SystemBus

/// The pairings in progress, by the paths of their devices.
struct Pairings: Sendable {
  /// The result of a pairing.
  typealias Outcome = Result<[BusValue], BusError>

  private var prompts: [String: any PairingPrompt] = [:]
  private var waiting: [String: (number: UInt64, task: CheckedContinuation<Outcome, Never>)] = [:]
  private var lastNumber: UInt64 = 0

  /// The prompt of the user who pairs a device.
  func prompt(for path: String) -> (any PairingPrompt)? { prompts[path] }

  /// The user begins to pair a device.
  ///
  /// - Returns: Whether that is possible: a device has one pairing at a time.
  mutating func begin(_ path: String, prompt: any PairingPrompt) -> Bool {
    guard prompts[path] == nil else { return false }
    prompts[path] = prompt
    return true
  }

  /// The user's part has ended.
  mutating func end(_ path: String) { prompts[path] = nil }

  /// Whether bluetoothd pairs a device now.
  func isUnderWay(_ path: String) -> Bool { waiting[path] != nil }

  /// Stores a task that waits for the result of a pairing.
  ///
  /// - Returns: The pairing's number.
  mutating func wait(_ path: String, _ task: CheckedContinuation<Outcome, Never>) -> UInt64 {
    lastNumber &+= 1
    waiting[path] = (lastNumber, task)
    return lastNumber
  }

  /// The device's pairing has ended; a second report has no effect.
  ///
  /// - Parameters:
  ///   - path: The device.
  ///   - number: The pairing that the result is of, since a reply may come when another one has begun;
  ///     `nil` for the current one.
  ///   - outcome: Its result.
  mutating func finish(_ path: String, number: UInt64? = nil, _ outcome: Outcome) {
    guard let current = waiting[path], number.map({ $0 == current.number }) ?? true else { return }
    waiting[path] = nil
    current.task.resume(returning: outcome)
  }

  /// bluetoothd stopped: no prompt is shown any more.
  mutating func removePrompts() { prompts = [:] }
}

/// bluetoothd's requests to the agent (org.bluez.Agent1).
enum AgentRequest: Hashable, Sendable {
  /// The six digits that the device shows.
  case passkey(device: String)
  /// Show the six digits to enter on the device.
  case display(device: String, passkey: UInt32)
  /// Whether the device shows the same six digits.
  case confirmation(device: String, passkey: UInt32)
  /// Whether a device that started pairing by itself may pair.
  case authorization(device: String)
  /// The previous request is cancelled.
  case cancel
  /// The agent is no longer needed.
  case release

  /// Decodes a call of the agent; `nil` if Low Energy does not use it: a PIN code belongs to
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
