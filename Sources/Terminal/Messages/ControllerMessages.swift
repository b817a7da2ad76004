package import Localization
import Radio

extension Controller.Block {
  /// The block that keeps the controller off: `hci0 is blocked by software (rfkill)`.
  package func finding(of controller: String) -> LocalizedText {
    switch self {
    case .soft: LocalizedText("radio.block.soft", ["controller": "\(controller)"])
    case .hard: LocalizedText("radio.block.hard", ["controller": "\(controller)"])
    }
  }

  /// The advice on the block.
  package var advice: LocalizedText {
    switch self {
    case .soft: "radio.block.softAdvice"
    case .hard: "radio.block.hardAdvice"
    }
  }
}
