import ArgumentParser
import Foundation
import Radio

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

  @Argument(help: "The device's address, as measured scan shows it.")
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
        Console.error("Pairing with \(address.address) …")
        try await opened.radio.backend.pair(address.address, prompt: TerminalPrompt())
      }
      Console.out("\(address.address) is paired.")
    }
  }

  private func wait(for address: DeviceAddress, on opened: OpenedRadio) async throws {
    Console.error("Waiting for \(address); put it into its pairing mode …")
    let ending = try await opened.listen(for: seconds) { step in
      guard case .event(let event) = step, case .advertisement(let received) = event.event,
        received.address == address
      else { return .goOn }
      return .enough
    }
    guard ending == .enough else {
      throw ending.silence(of: address, within: seconds, advice: "is it in its pairing mode?")
    }
  }
}

/// Asks the person at the terminal.
struct TerminalPrompt: PairingPrompt {
  func passkey(for device: DeviceAddress) async -> UInt32? {
    Console.write("The six digits that \(device) shows: ", to: .standardError)
    guard let line = await Console.line(), let digits = UInt32(line.filter { !$0.isWhitespace }),
      digits <= 999_999
    else { return nil }
    return digits
  }

  func display(passkey: UInt32, for device: DeviceAddress) async {
    Console.error("Enter on \(device): \(passkey.sixDigits)")
  }

  func confirm(passkey: UInt32, for device: DeviceAddress) async -> Bool {
    Console.write("Does \(device) show \(passkey.sixDigits)? [y/N] ", to: .standardError)
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
