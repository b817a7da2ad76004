import CareStore
import Foundation
import Interchange

/// A message as it travels: JSON with long lists as their differences, packed as gzip does.
package enum PackedMessage {
  /// The most bytes of a message as it travels: the longest batch packs to less.
  package static let longestPacked = 2 << 20
  /// The most bytes of its JSON, whose lines are texts in a text.
  package static let longest = 4 << 20

  /// Why a message is not read.
  package enum Fault: Error, Hashable, Sendable {
    /// It is no packed JSON of such a message.
    case malformed
    /// It is longer than any message is.
    case tooLong
    /// There is no memory to pack it.
    case noMemory
  }

  /// Packs a message.
  ///
  /// - Throws: ``Fault``.
  package static func packed(_ message: some Encodable) throws(Fault) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(message) else { throw .malformed }
    guard let bytes = GzipPacking.packed(IntegerLists.differences(Array(json))) else {
      throw .noMemory
    }
    return bytes
  }

  /// The most bytes that a message may have once it is unpacked, by the length that it says.
  static func most(of bytes: [UInt8]) -> Int {
    let said = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    // Differences are a fraction of what they stand for.
    return min(longest, 256 << 10 + 16 * said)
  }

  /// Unpacks the JSON of a message, of no more than ``most(of:)`` bytes.
  ///
  /// - Throws: ``Fault``.
  package static func unpacked(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
    guard bytes.count <= longestPacked else { throw .tooLong }
    let longest = most(of: bytes)
    let text: [UInt8]
    do throws(GzipText.Fault) {
      text = try GzipText.bytes(of: bytes, most: longest)
    } catch {
      throw error == .damaged ? .malformed : .tooLong
    }
    guard let json = IntegerLists.sums(text, most: longest) else { throw .malformed }
    return json
  }

  /// Reads a message.
  ///
  /// - Throws: ``Fault``.
  package static func read<Message: Decodable>(
    _ type: Message.Type, json: [UInt8]
  ) throws(Fault) -> Message {
    do { return try JSONDecoder().decode(type, from: Data(json)) } catch { throw .malformed }
  }
}

/// The answer of a centre, beside the status.
struct DoorMessage: Hashable, Sendable, Codable {
  /// The nonce that the box signs with its next request.
  var nonce: String?
  /// The answer; `nil` where only the nonce was wrong.
  var reply: Reply?
  /// After how many seconds the centre wants long rows, since others bring short ones; `nil` for at
  /// once, and of an older centre.
  var later: Int?
}

/// The message of a box that joins.
package struct JoinMessage: Hashable, Sendable, Codable {
  /// The code of the invitation.
  package var code: String
  /// The public key, in hex digits.
  package var key: String
  /// A digest of the board's serial number.
  package var board: String?

  /// Makes a message.
  package init(code: String, key: String, board: String? = nil) {
    (self.code, self.key, self.board) = (code, key, board)
  }
}

/// The answer of a centre to a box that joined.
package struct JoinedMessage: Hashable, Sendable, Codable {
  /// The box's name: the digest of its key.
  package var box: String
  /// The IANA zone of the centre's plan, for a box that has none; `nil` if it has none either.
  package var timeZone: String?
}
