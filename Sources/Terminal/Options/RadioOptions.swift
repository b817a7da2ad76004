package import ArgumentParser
import Care
import Foundation
import Localization
package import Radio

/// The flags of a command that uses the radio.
package struct RadioOptions: ParsableArguments {
  @Option(
    help:
      "The access to the controllers: auto, bluetoothd or kernel. Default: auto, which is bluetoothd if it is installed."
  )
  package var radio: RadioChoice?

  @Option(
    help: ArgumentHelp(
      "The file of the bonds in kernel mode. Default: beside the store.",
      valueName: "file"))
  package var keys: String?

  package init() {}

  /// The file of the bonds in kernel mode; by default beside the store.
  package func keysPath(store: String) -> String {
    let place = StoreLocation.companion(of: store) as NSString
    return keys ?? place.deletingLastPathComponent + "/bonds.json"
  }

  /// Refuses a time that no command can wait: a `nan`, none, or more than a year.
  package static func validate(seconds: Double?) throws {
    let longest = 31_536_000.0
    guard let seconds, !(seconds > 0 && seconds <= longest) else { return }
    throw ValidationError(
      LocalizedText("command.radio.seconds", ["most": .init(Int(saturating: longest))]).message)
  }
}

/// The requested access to the controllers.
package enum RadioChoice: String, Hashable, CaseIterable {
  /// bluetoothd if its service is installed, else the kernel.
  case auto
  case bluetoothd
  case kernel
}

extension RadioChoice: ExpressibleByArgument {}

extension RadioChoice {
  /// The requested mode; `nil` if the machine decides.
  package var mode: RadioMode? {
    switch self {
    case .auto: nil
    case .bluetoothd: .bluetoothd
    case .kernel: .kernel
    }
  }
}
