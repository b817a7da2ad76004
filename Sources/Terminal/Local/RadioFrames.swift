package import CareStore
package import Foundation
package import Outlets
import Radio

/// The version of the conversations over the socket; it changes whenever a frame does.
package enum ConversationVersion {
  package static let current = 5
}

/// Frames as lines.
package enum FrameCoding {
  /// The line of a frame, its end included.
  package static func line(_ frame: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Frames have nothing that JSON lacks.
    return ((try? encoder.encode(frame)) ?? Data("{}".utf8)) + Data("\n".utf8)
  }

  /// Reads a line; `nil` if it is none.
  package static func frame<Frame: Decodable>(_ type: Frame.Type, _ line: Data) -> Frame? {
    try? JSONDecoder().decode(type, from: line)
  }
}

/// A line that a client of the daemon's radio sends: one of these.
///
/// The first says what the conversation is: ``listen``, ``pair``, ``forget``, ``bonds``, ``keep``, ``trial`` or
/// ``outlet``.
package struct RadioRequest: Codable, Hashable, Sendable {
  /// Listen; `true` to hear first of the devices that have a link already.
  package var listen: Bool?
  /// Connect to this device, while listening.
  package var connect: String?
  /// Pair this device.
  package var pair: String?
  /// Delete the bond of this device.
  package var forget: String?
  /// List the bonds.
  package var bonds: Bool?
  /// Keep these secrets of devices, which the client may not write.
  package var keep: [StoreSecret]?
  /// Try a channel with this message.
  package var trial: ChannelTrial?
  /// Try the outlet of this name, which the store keeps.
  package var outlet: String?
  /// The answer to a question of the pairing.
  package var answer: Answer?

  /// The person's answer.
  package struct Answer: Codable, Hashable, Sendable {
    package var passkey: UInt32?
    package var isConfirmed = false

    package init(passkey: UInt32? = nil, isConfirmed: Bool = false) {
      self.passkey = passkey
      self.isConfirmed = isConfirmed
    }
  }
}

/// A line of the daemon about its radio: one of these.
package struct RadioFrame: Codable, Hashable, Sendable {
  /// An event: a line of a radio trace, whose time is the arrival.
  package var event: String?
  /// A question of the pairing.
  package var question: Question?
  /// The digits to enter on the device.
  package var display: UInt32?
  /// The bonds; the last frame.
  package var bonds: [Bond]?
  /// The device is paired, its bond was known and is deleted, or the secrets are kept; the last
  /// frame.
  package var isDone: Bool?
  /// The result of the trial; the last frame.
  package var trial: DeliveryResult?
  /// Why the radio refused, and the exit code; the last frame.
  package var failure: String?

  package init(
    event: String? = nil, question: Question? = nil, display: UInt32? = nil, bonds: [Bond]? = nil,
    isDone: Bool? = nil, trial: DeliveryResult? = nil, failure: String? = nil
  ) {
    self.event = event
    self.question = question
    self.display = display
    self.bonds = bonds
    self.isDone = isDone
    self.trial = trial
    self.failure = failure
  }

  /// A question to a person.
  package struct Question: Codable, Hashable, Sendable {
    /// The digits that the device shows, to be confirmed; `nil` to be entered.
    package var passkey: UInt32?

    package init(passkey: UInt32? = nil) {
      self.passkey = passkey
    }
  }

  /// A device with a bond.
  package struct Bond: Codable, Hashable, Sendable {
    package var address: String
    package var name: String?

    package init(address: String, name: String? = nil) {
      self.address = address
      self.name = name
    }
  }
}
