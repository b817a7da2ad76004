import TestSupport
import Testing

@testable import KernelRadio

@Suite struct ATTServerTests {
  /// A peer may be a client too; it always gets a response.
  @Test(arguments: [
    ("02 1700", "03 0502"),
    ("04 0100 FFFF", "01 04 0100 0A"), ("04 0000 FFFF", "01 04 0000 01"),
    ("06 0100 FFFF 0028 1D18", "01 06 0100 0A"), ("06 01", "01 06 0000 04"),
    ("08 0100 FFFF 002A", "01 08 0100 0A"), ("08 0500 0100 002A", "01 08 0500 01"),
    ("10 0100 FFFF 0028", "01 10 0100 0A"),
    ("0A 0300", "01 0A 0300 01"), ("0C 0300 0100", "01 0C 0300 01"),
    ("0E 0300 0400", "01 0E 0000 06"), ("20 0300 0400", "01 20 0000 06"),
    ("12 0300 01", "01 12 0300 01"), ("16 0300 0000 01", "01 16 0300 01"), ("18 01", "19"),
    // Truncated, and unknown.
    ("0A 03", "01 0A 0000 04"), ("08 0100", "01 08 0000 04"), ("3A", "01 3A 0000 06"),
    ("80 01", "01 80 0000 06"),
  ])
  func answers(request: String, answer: String) throws {
    var conversation = try Conversation.begun()
    try conversation.receive(bytes(request))
    #expect(conversation.sent == [bytes(answer)])
    #expect(conversation.events.isEmpty)
  }

  /// Commands, unrequested responses, confirmations, and truncated ones.
  @Test(arguments: [
    "", "52 0300 01", "D2 0300 01", "7F", "1E", "13", "0B 41", "01 0A 0300 01", "01", "09 07",
    "1D 03", "1B", "23 0300 FF", "19", "21",
  ])
  func `ignores units`(pdu: String) throws {
    var conversation = try Conversation.begun()
    try conversation.receive(bytes(pdu))
    #expect(conversation.sent.isEmpty)
    #expect(conversation.events.isEmpty)
    #expect(conversation.ends.isEmpty)
  }
}
