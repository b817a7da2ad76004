import ArgumentParser
import Foundation
import Localization
import Radio
import Terminal

/// `measured pair`.
struct PairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Bonds with a device that requires encryption.",
    discussion: """
      Put the device into its pairing mode first (see its manual; on many scales hold the unit \
      button). If the device shows a code, the program asks for it; if the device asks for a code, \
      the program shows it.

      Example:
        measured pair 5C:CA:D3:70:D4:A2
      """)

  @Argument(
    help: "The device's address, as measured scan shows it.",
    transform: AddressArgument.init(entered:))
  var address: AddressArgument

  @Option(help: "How long to wait for the device, in seconds.")
  var seconds: Double = 60

  @OptionGroup var air: RadioOptions

  func validate() throws {
    try RadioOptions.validate(seconds: seconds)
  }

  func run() async throws {
    try await reporting(isJSON: false) {
      // A device that a daemon is linked with advertises no more.
      try await RadioListening(air, for: .recording).use { opened in
        let bonds = (try? await opened.radio.backend.bonds()) ?? []
        guard !bonds.contains(where: { $0.address == address.address }) else {
          throw RadioError.pairing(address.address, .alreadyPaired)
        }
        try await wait(for: address.address, on: opened)
        Console.error(
          LocalizedText("command.radio.pairing", ["device": "\(address.address)"]).message)
        try await opened.radio.backend.pair(address.address, prompt: TerminalPrompt())
      }
      Console.out(
        LocalizedText("command.radio.paired", ["device": "\(address.address)"]).message)
    }
  }

  private func wait(for address: DeviceAddress, on opened: OpenedRadio) async throws {
    Console.error(
      LocalizedText("command.radio.waiting", ["device": "\(address)"]).message)
    let ending = try await opened.listen(for: seconds) { step in
      guard case .event(let event) = step, case .advertisement(let received) = event.event,
        received.address == address
      else { return .goOn }
      return .enough
    }
    guard ending == .enough else {
      throw ending.silence(of: address, within: seconds, advice: "command.radio.pairingMode")
    }
  }
}

/// Asks the person at the terminal.
struct TerminalPrompt: PairingPrompt {
  func passkey(for device: DeviceAddress) async -> UInt32? {
    Console.write(
      LocalizedText("command.radio.digits", ["device": "\(device)"]).message + " ",
      to: .standardError)
    guard let line = await Console.line(), let digits = UInt32(line.filter { !$0.isWhitespace }),
      digits <= 999_999
    else { return nil }
    return digits
  }

  func display(passkey: UInt32, for device: DeviceAddress) async {
    Console.error(
      LocalizedText(
        "command.radio.enter", ["device": "\(device)", "digits": "\(passkey.sixDigits)"]
      ).message)
  }

  func confirm(passkey: UInt32, for device: DeviceAddress) async -> Bool {
    Console.write(
      LocalizedText(
        "command.radio.confirm", ["device": "\(device)", "digits": .init(passkey.sixDigits)]
      ).message + " [y/N] ", to: .standardError)
    return await Console.line()?.lowercased().hasPrefix("y") ?? false
  }
}

extension UInt32 {
  /// A passkey as devices show it, with leading zeros.
  fileprivate var sixDigits: String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, 6 - digits.count)) + digits
  }
}
