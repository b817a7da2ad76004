import ArgumentParser
import Foundation
import Localization
import Radio
import Terminal

/// `measured forget`.
struct ForgetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Removes the bond with a device. Its measurements stay.",
    discussion: """
      Use it when a device was reset and no longer knows this machine, then pair it again. Without \
      an address the bonds are listed.

      Example:
        measured forget 5C:CA:D3:70:D4:A2
      """)

  @Argument(help: "The device's address.", transform: AddressArgument.init(entered:))
  var address: AddressArgument?

  @OptionGroup var air: RadioOptions

  func run() async throws {
    try await reporting(isJSON: false) {
      try await RadioListening(air, for: .bonds).use { try await run(on: $0.radio) }
    }
  }

  private func run(on radio: LiveRadio) async throws {
    guard let address = address?.address else {
      let bonds = try await radio.backend.bonds()
      if bonds.isEmpty { Console.error(LocalizedText("command.radio.noBonds").message) }
      for bond in bonds {
        Console.out("\(bond.address)  \((bond.name ?? "").printable)".trimmed)
      }
      return
    }
    guard try await radio.backend.forget(address) else {
      throw CommandFailure(
        .unknown, LocalizedText("command.radio.noBond", ["device": "\(address)"]))
    }
    Console.out(LocalizedText("command.radio.forgotten", ["device": "\(address)"]).message)
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
