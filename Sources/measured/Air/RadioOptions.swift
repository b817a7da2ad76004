import ArgumentParser
import Foundation
import Radio

/// The flags of every command that uses the radio.
struct RadioOptions: ParsableArguments {
  @Option(
    help: "Through auto, bluetoothd or kernel. Default: auto, bluetoothd where it is installed.")
  var radio: RadioChoice?

  @Option(
    help: ArgumentHelp(
      "Where bonds are kept when bluetoothd does not do it. Default: beside the store.",
      valueName: "file"))
  var keys: String?

  /// The file of the bonds in kernel mode, beside the store where none is named.
  func keysPath(store: String) -> String {
    keys ?? (store as NSString).deletingLastPathComponent + "/bonds.json"
  }
}

extension RadioChoice: ExpressibleByArgument {}

/// The address of a device on the command line.
struct AddressArgument: ExpressibleByArgument {
  var address: DeviceAddress

  init?(argument: String) {
    guard let address = DeviceAddress(argument) else { return nil }
    self.address = address
  }
}

extension RadioChoice {
  /// The mode that is asked for; `nil` where the machine decides.
  var mode: RadioMode? {
    switch self {
    case .auto: nil
    case .bluetoothd: .bluetoothd
    case .kernel: .kernel
    }
  }
}
