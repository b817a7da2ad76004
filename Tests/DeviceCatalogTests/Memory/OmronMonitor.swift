import Foundation
import GATT
import Radio
import TestSupport

@testable import DeviceCatalog

/// A monitor or scale with a memory, as Omron's protocol describes it.
struct OmronMonitor {
  var memory = [UInt8](repeating: 0xFF, count: 0x4000)
  var key: [UInt8]?
  /// Whether its button was held until it blinks.
  var isPairing = false
  /// Addresses that it refuses to read.
  var refused: Set<Int> = []
  /// After how many replies it is silent.
  var patience = Int.max
  /// Whether it is read over a pairing, without a key.
  var isBonded = false
  /// Whether it replies in one piece, as newer ones do.
  var isWhole = false
  private(set) var isUnlocked = false
  private(set) var isOpen = false
  /// How many links ended before the memory was closed: it shows an error then.
  private(set) var errors = 0
  /// The writes that are neither a key nor one of the three commands.
  private(set) var strange: [[UInt8]] = []
  private(set) var programmedKeys: [[UInt8]] = []

  static let characteristics =
    (OmronFrame.replies + OmronFrame.commands + [OmronFrame.lock]).map(\.description)

  /// Puts a record or an index into the memory.
  mutating func put(_ hex: String, at address: Int) {
    let content = bytes(hex)
    memory.replaceSubrange(address..<address + content.count, with: content)
  }

  /// Its link is down.
  mutating func linkEnded() {
    if isOpen { errors += 1 }
    (isUnlocked, isOpen) = (false, false)
  }

  /// The values that it sends after a write.
  mutating func answers(
    to data: [UInt8], on characteristic: BluetoothUUID
  ) -> [(characteristic: BluetoothUUID, value: [UInt8])] {
    guard patience > 0 else { return [] }
    patience -= 1
    if characteristic == OmronFrame.lock { return [(OmronFrame.lock, unlock(data))] }
    guard isUnlocked || isBonded, characteristic == OmronFrame.commands[0], data.count == 8,
      data.reduce(0, ^) == 0
    else {
      strange.append(data)
      return []
    }
    let address = Int(data[3]) << 8 | Int(data[4])
    switch (data[1], data[2]) {
    case (0, 0):
      isOpen = true
      return pieces(of: [0x80, 0, 0, 0, 0], [])
    case (1, 0) where isOpen:
      let size = data[5]
      if refused.contains(address) {
        return pieces(of: [0x81, 0, data[3], data[4], size], [], result: 0x55)
      }
      return pieces(
        of: [0x81, 0, data[3], data[4], size], Array(memory[address..<address + Int(size)]))
    case (0xF, 0) where isOpen:
      isOpen = false
      return pieces(of: [0x8F, 0, 0, 0, 0], [])
    default:
      strange.append(data)
      return []
    }
  }

  private mutating func unlock(_ data: [UInt8]) -> [UInt8] {
    // A token is followed by zeros up to the length of a write.
    guard data.count == (data.first == 0x11 ? 20 : 17) else { return [0xFF, 0xFF] }
    switch data[0] {
    case 0x11 where isWhole:
      isUnlocked = true
      return [0x91, 0] + data[1..<5]
    case 1:
      isUnlocked = key == Array(data.dropFirst())
      return [0x81, isUnlocked ? 0 : 0x0F]
    case 2: return [0x82, isPairing ? 0 : 0x0F]
    case 0 where isPairing:
      key = Array(data.dropFirst())
      programmedKeys.append(Array(data.dropFirst()))
      isUnlocked = true
      return [0x80, 0]
    default: return [data[0] | 0x80, 0x0F]
    }
  }

  private func pieces(
    of head: [UInt8], _ data: [UInt8], result: UInt8 = 0
  ) -> [(characteristic: BluetoothUUID, value: [UInt8])] {
    let pieces = Self.pieces(of: head, data, result: result)
    return isWhole ? [(OmronFrame.replies[0], pieces.flatMap(\.value))] : pieces
  }

  /// A reply in its pieces.
  static func pieces(
    of head: [UInt8], _ data: [UInt8], result: UInt8 = 0
  ) -> [(characteristic: BluetoothUUID, value: [UInt8])] {
    var frame = [UInt8(data.count + 8)] + head + data + [result]
    frame.append(frame.reduce(0, ^))
    return stride(from: 0, to: frame.count, by: 16).enumerated().map { number, start in
      (OmronFrame.replies[number], Array(frame[start..<min(start + 16, frame.count)]))
    }
  }
}
