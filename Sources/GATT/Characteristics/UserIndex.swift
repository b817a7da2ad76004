// Weight, body composition and blood pressure say whose measurement it is with the same byte.
extension ByteReader {
  /// Reads the slot of a user on the device; `nil` for 0xFF, which stands for an unknown user.
  mutating func userIndex() throws(GATTError) -> UInt8? {
    let index = try u8("user ID")
    return index == 0xFF ? nil : index
  }
}
