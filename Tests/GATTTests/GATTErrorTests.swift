import GATT
import Testing

struct GATTErrorTests {
  @Test(
    arguments: [
      (
        GATTError.truncated(field: "time stamp", needed: 7, available: 3),
        "The data ends inside the field 'time stamp': it needs 7 bytes, 3 left. "
          + "Nothing of it is used."
      ),
      (
        .trailing(count: 1),
        "The data goes on for 1 byte after its last field. Nothing of it is used, "
          + "because its flags and its length contradict each other."
      ),
      (
        .oversized(count: 513, limit: 512),
        "The data is 513 bytes long, and at most 512 are possible here."
      ),
      (
        .invalid(field: "battery level", reason: "101 % is more than full"),
        "The field 'battery level' cannot be right: 101 % is more than full."
      ),
      (.unknownOpcode(9), "The control point's opcode 9 is unknown."),
    ])
  func `every error describes the field and the reason`(error: GATTError, expected: String) {
    #expect(error.description == expected)
  }
}
