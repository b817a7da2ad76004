import DeviceCatalog
import GATT
import Radio
import Testing

@testable import Terminal

@Suite struct DeviceMessagesTests {
  private static let address = DeviceAddress(rawValue: 0x5C_CA_D3_70_D4_A2)
  private static let device = "Scale (5C:CA:D3:70:D4:A2)"

  static let notes: [(kind: SessionNote.Kind, message: String)] = [
    (.frame(.noSkinContact), "\(device) has no skin contact."),
    (
      .frame(.streamRefused(status: 13)),
      "\(device) does not stream its acceleration: it is charging."
    ),
    (
      .frame(.streamRefused(status: 10)),
      "\(device) does not stream its acceleration: the MTU is too small."
    ),
    (
      .frame(.streamRefused(status: 99)),
      "\(device) does not stream its acceleration: status 99."
    ),
    (
      .frame(.missingKey),
      "\(device) encrypts its measurements. Put its bind key beside its address in the plan (`key:`,"
        + " 32 hex digits); Xiaomi's account provides it after the scale was set up in its"
        + " application."
    ),
    (
      .frame(.wrongKey),
      "The bind key of \(device) is wrong. The scale gets another one each time it is set up in"
        + " Xiaomi's application: put the current one into the plan."
    ),
    (.frame(.replayed), "\(device) sent an old advertisement again; it is ignored."),
    (
      .notPaired,
      "\(device) sends its measurements only to what it is paired with. Put it into the plan, then"
        + " pair it again as its manual says."
    ),
    (
      .missingConsent,
      "\(device) sends no measurements before a user's consent. Put `userIndex` and `consentCode`"
        + " beside its address in the plan: the user's number, and the code that the scale displays"
        + " for it or that its own application uses."
    ),
    (
      .consentRefused(user: 1, .userNotAuthorized),
      "\(device) does not accept the consent code of user 1. Compare `userIndex` and `consentCode`"
        + " in the plan with the scale's display; removing its batteries erases the users and their"
        + " codes."
    ),
    (
      .consentRefused(user: 1, .invalidParameter),
      "\(device) has no user 1. Put the number that the scale displays into the plan as `userIndex`,"
        + " or create the user on the scale."
    ),
    (
      .consentRefused(user: 1, .opcodeNotSupported),
      "\(device) does not support consents: it is another model than its definition describes. Run"
        + " `measured identify` to see why it was recognised as this one."
    ),
    (
      .consentRefused(user: 1, .operationFailed),
      "\(device) could not select user 1. Step on it again."
    ),
    (
      .consentUnanswered(user: 1),
      "\(device) did not respond to the consent of user 1. Step on it again; if that does not help,"
        + " compare `userIndex` in the plan with the number that the scale displays."
    ),
    (
      .recordsRefused(.opcodeNotSupported),
      "\(device) does not send its records (opcodeNotSupported). Look in its manual for a setting"
        + " that allows it, and pair it again."
    ),
    (
      .recordsIncomplete,
      "\(device) stopped while it was sending its records; the others are fetched with the next"
        + " connection."
    ),
    (
      .subscriptionRefused(BluetoothUUID(0x2A37)),
      "\(device) refuses to send 2A37. Its link is renewed. If that does not help, remove its"
        + " batteries for a moment, and end other programs that read it."
    ),
    (
      .silent(seconds: 61),
      "\(device) is linked and has sent nothing for 61 s. Its link is renewed."
    ),
    (
      .valuesDropped(count: 7),
      "7 values of \(device) were dropped: it sends faster than they can be stored."
    ),
  ]

  @Test(arguments: notes.indices)
  func `notes have one message`(index: Int) {
    let note = SessionNote(address: Self.address, name: "Scale", kind: Self.notes[index].kind)
    #expect(note.message == Self.notes[index].message)
  }

  @Test func `a rejected frame names its source`() {
    let frame = RejectedFrame(
      address: Self.address, source: .serviceData(BluetoothUUID(0x181B)), bytes: [1, 2, 3],
      defect: .wrongLength(count: 3, expected: 13))
    #expect(
      frame.message
        == "5C:CA:D3:70:D4:A2 sent unreadable data: service data 181B: the frame has 3 bytes instead"
        + " of 13")
  }

  static let errors: [(error: DecodeError, message: String, code: ExitCode)] = [
    (
      .unknownCharacteristic(BluetoothUUID(0x2A00)),
      "no definition decodes characteristic 2A00; name the device's definition, or add one to Devices/",
      .unknown
    ),
    (
      .notOfDefinition(BluetoothUUID(0x2A00), definition: "x"),
      "‘x’ does not read characteristic 2A00; see `measured devices show x`", .unknown
    ),
    (
      .unknownFrame(BluetoothUUID(0xFFE1), definitions: ["x", "y"]),
      "‘x’, ‘y’: this is no frame that is known of characteristic FFE1", .failed
    ),
    (
      .unknownDefinition("x"), "there is no device definition ‘x’; see `measured devices list`",
      .unknown
    ),
    (
      .malformed(.truncatedField("rr", bytes: 3..<5, count: 4)),
      "the frame ends in field ‘rr’: bytes 3..<5 are needed, there are 4", .failed
    ),
    (
      .malformed(.oversized(count: 513)),
      "the frame has 513 bytes, more than the 512 of an attribute", .failed
    ),
    (
      .malformed(.tooManySamples(count: 129, limit: 128)),
      "the frame has 129 samples, more than 128", .failed
    ),
    (
      .malformed(.malformed(.trailing(count: 1))), GATTError.trailing(count: 1).description, .failed
    ),
  ]

  @Test(arguments: errors.indices)
  func `decode errors have a message and a code`(index: Int) {
    #expect(Self.errors[index].error.message == Self.errors[index].message)
    #expect(Self.errors[index].error.exitCode == Self.errors[index].code)
  }
}
