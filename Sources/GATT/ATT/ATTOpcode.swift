/// The first byte of a protocol data unit (Core Specification, Vol 3 Part F §3.4.8).
package struct ATTOpcode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// What a protocol data unit is to the conversation.
  package enum Kind: Hashable, Sendable {
    /// Wants an answer; one is under way at a time.
    case request
    /// Answers a request.
    case response
    /// Wants no answer, known or not.
    case command
    /// Brings values that nobody asked for, and wants no answer.
    case notification
    /// Brings a value that nobody asked for, and wants a confirmation.
    case indication
    /// Answers an indication.
    case confirmation
    /// Not of this protocol.
    case unknown
  }

  /// What it is to the conversation; bit 6 marks a command, known or not.
  package var kind: Kind {
    switch rawValue {
    case 0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20: .request
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21: .response
    case 0x1B, 0x23: .notification
    case 0x1D: .indication
    case 0x1E: .confirmation
    case _ where rawValue & 0x40 != 0: .command
    default: .unknown
    }
  }

  /// The opcode of what answers this request, other than an error.
  package var response: ATTOpcode { ATTOpcode(rawValue: rawValue &+ 1) }
}
