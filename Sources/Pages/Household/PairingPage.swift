package import Care
import Foundation
import Localization

/// Pairing a device with a person at the page.
package struct PairingPage {
  /// How far it is.
  package enum State: Hashable, Sendable {
    /// It was not asked for yet.
    case ready
    /// The radio pairs.
    case waiting
    /// The device shows a number, which the person types here.
    case asksPasskey
    /// The person enters this number on the device.
    case shows(passkey: UInt32)
    /// The person compares this number with the one that the device shows.
    case asksWhetherEqual(passkey: UInt32)
    /// It is paired.
    case paired
    /// It is not paired, for this reason.
    case failed(String)
  }

  private let frame: Frame
  private let content: Content

  private struct Content {
    let device: String
    let heading: String
    let hint: String
    let number: String?
    let failure: String?
    let asksNumber: Bool
    let asksWhetherEqual: Bool
    let mayStart: Bool
    let start: String
    let mayCancel: Bool
    let back: String
  }

  /// Makes the page.
  ///
  /// `title` is the device's name for people; `isRefused` says that what was typed is no number of
  /// six digits.
  package init(
    device: DeviceID, title: String, state: State, isRefused: Bool = false, viewer: Viewer
  ) {
    let words = viewer.language
    let key: String
    var (number, failure): (String?, String?) = (nil, nil)
    var (mayStart, mayCancel) = (false, true)
    switch state {
    case .ready:
      key = "ready"
      (mayStart, mayCancel) = (true, false)
    case .waiting:
      key = "waiting"
    case .asksPasskey:
      key = "asks"
      failure = isRefused ? words.text("pairing.noNumber") : nil
    case .shows(let passkey):
      key = "shows"
      number = Self.text(passkey)
    case .asksWhetherEqual(let passkey):
      key = "equal"
      number = Self.text(passkey)
    case .paired:
      key = "paired"
      mayCancel = false
    case .failed(let reason):
      key = "failed"
      failure = reason
      (mayStart, mayCancel) = (true, false)
    }
    content = Content(
      device: device.text, heading: words.text("pairing.\(key).title"),
      hint: words.text("pairing.\(key).text"), number: number, failure: failure,
      asksNumber: state == .asksPasskey,
      asksWhetherEqual: key == "equal", mayStart: mayStart,
      start: words.text(state == .ready ? "pairing.start" : "pairing.again"),
      mayCancel: mayCancel,
      back: LocalAddress("devices").description)
    frame = Frame(
      viewer: viewer, section: .devices, title: title,
      address: LocalAddress("devices", "pair", items: [("device", device.text)]))
  }

  /// A passkey as devices show it, with leading zeros.
  private static func text(_ passkey: UInt32) -> String {
    let digits = String(passkey)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("pairing", content, frame: frame) }
}
