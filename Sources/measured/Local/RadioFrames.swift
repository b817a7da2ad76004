import CareStore
import Foundation
import Outlets
import Radio

/// The version of the conversations over the socket; it changes whenever a frame does.
enum ConversationVersion {
  static let current = 4
}

/// Frames as lines.
enum FrameCoding {
  /// The line of a frame, its end included.
  static func line(_ frame: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    // Frames have nothing that JSON lacks.
    return ((try? encoder.encode(frame)) ?? Data("{}".utf8)) + Data("\n".utf8)
  }

  /// Reads a line; `nil` if it is none.
  static func frame<Frame: Decodable>(_ type: Frame.Type, _ line: Data) -> Frame? {
    try? JSONDecoder().decode(type, from: line)
  }
}

/// A line that a client of the daemon's radio sends: one of these.
///
/// The first says what the conversation is: ``listen``, ``pair``, ``forget``, ``bonds``, ``keep`` or ``trial``.
struct RadioRequest: Codable, Hashable, Sendable {
  /// Listen; `true` to hear first of the devices that have a link already.
  var listen: Bool?
  /// Connect to this device, while listening.
  var connect: String?
  /// Pair this device.
  var pair: String?
  /// Delete the bond of this device.
  var forget: String?
  /// List the bonds.
  var bonds: Bool?
  /// Keep these secrets of devices, which the client may not write.
  var keep: [StoreSecret]?
  /// Try a channel with this message.
  var trial: ChannelTrial?
  /// The answer to a question of the pairing.
  var answer: Answer?

  /// The person's answer.
  struct Answer: Codable, Hashable, Sendable {
    var passkey: UInt32?
    var isConfirmed = false
  }
}

/// A line of the daemon about its radio: one of these.
struct RadioFrame: Codable, Hashable, Sendable {
  /// An event: a line of a radio trace, whose time is the arrival.
  var event: String?
  /// A question of the pairing.
  var question: Question?
  /// The digits to enter on the device.
  var display: UInt32?
  /// The bonds; the last frame.
  var bonds: [Bond]?
  /// The device is paired, its bond was known and is deleted, or the secrets are kept; the last
  /// frame.
  var isDone: Bool?
  /// The result of the trial; the last frame.
  var trial: DeliveryResult?
  /// Why the radio refused, and the exit code; the last frame.
  var failure: String?

  /// A question to a person.
  struct Question: Codable, Hashable, Sendable {
    /// The digits that the device shows, to be confirmed; `nil` to be entered.
    var passkey: UInt32?
  }

  /// A device with a bond.
  struct Bond: Codable, Hashable, Sendable {
    var address: String
    var name: String?
  }
}
