import ArgumentParser
import Foundation
import Radio

/// `measured pair`.
struct Pair: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bonds with a device, so that it may be read encrypted.",
    discussion: """
      Put the device into its pairing mode first (its manual says how; many scales: hold the unit \
      button). A code that the device shows is asked for; a code to enter on it is shown.

      Example:
        measured pair 5C:CA:D3:70:D4:A2
      """)

  @Argument(help: "The device's address, as measured scan shows it.")
  var address: AddressArgument

  @Option(help: "How long to wait until it is heard.")
  var seconds: Double = 60

  @OptionGroup var air: RadioOptions

  func run() async throws {
    try await reporting(isJSON: false) {
      try await AirListening(air).use { opened in
        try await wait(for: address.address, on: opened.radio)
        Console.error("Pairing with \(address.address) …")
        try await opened.radio.backend.pair(address.address, prompt: TerminalPrompt())
      }
      Console.out("\(address.address) is paired.")
    }
  }

  private func wait(for address: DeviceAddress, on radio: LiveRadio) async throws {
    Console.error("Waiting to hear \(address); put it into its pairing mode …")
    let end = Date().addingTimeInterval(seconds)
    while true {
      switch try await radio.next(until: end) {
      case .event(let event):
        if case .advertisement(let heard) = event.event, heard.address == address { return }
      case .deadline, .end:
        throw CommandFailure(
          .failed, "\(address) was not heard within \(Int(seconds)) s; is it in its pairing mode?")
      }
    }
  }
}

/// Asks the person at the terminal.
struct TerminalPrompt: PairingPrompt {
  func passkey(for device: DeviceAddress) async -> UInt32? {
    Console.write("The six digits that \(device) shows: ", to: .standardError)
    guard let line = readLine(), let digits = UInt32(line.filter { !$0.isWhitespace }),
      digits <= 999_999
    else { return nil }
    return digits
  }

  func display(passkey: UInt32, for device: DeviceAddress) async {
    Console.error("Enter on \(device): \(passkey.sixDigits)")
  }

  func confirm(passkey: UInt32, for device: DeviceAddress) async -> Bool {
    Console.write("Does \(device) show \(passkey.sixDigits)? [y/N] ", to: .standardError)
    return readLine()?.lowercased().hasPrefix("y") ?? false
  }
}

extension UInt32 {
  /// A passkey as devices show it, zeros in front.
  fileprivate var sixDigits: String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, 6 - digits.count)) + digits
  }
}
