import DeviceCatalog
import GATT
import Radio
import Testing

@testable import Terminal

@Suite struct LinkMessagesTests {
  static let address = DeviceAddress(rawValue: 0x5CCA_D370_D4A2)
  static let weight = BluetoothUUID(0x2A9D)

  static func message(_ error: LinkError, retryDelay: Double? = nil) -> String {
    LinkReport(name: "Weight scale", address: address, error: error, retryDelay: retryDelay).message
  }

  /// One failed link is one message with one advice.
  @Test(arguments: [
    (
      LinkError(.unauthorized, .refused(.subscribe, weight, .att(0x0F))),
      "Weight scale (5C:CA:D3:70:D4:A2) refused the notifications of 2A9D: the device wants an "
        + "encrypted link (error 0x0F). Set it to pairing as its manual says, and run `measured pair "
        + "5C:CA:D3:70:D4:A2`. It is tried again in 10 minutes."
    ),
    (
      LinkError(.staleBond, .notEncrypted),
      "The link to Weight scale (5C:CA:D3:70:D4:A2) could not be encrypted. It seems to have lost "
        + "its bond with this machine, as after a reset. Run `measured forget 5C:CA:D3:70:D4:A2`, "
        + "set the device to pairing as its manual says, and run `measured pair 5C:CA:D3:70:D4:A2`. "
        + "It is tried again in 10 minutes."
    ),
  ])
  func `says what to do once`(error: LinkError, message: String) {
    #expect(Self.message(error, retryDelay: 600) == message)
  }

  @Test func `names no delay below a minute`() {
    #expect(
      Self.message(LinkError(.transient, .displaced), retryDelay: 0.25)
        == "Weight scale (5C:CA:D3:70:D4:A2) was not linked: the queue of unknown devices is full.")
  }

  @Test(arguments: [
    (LinkError(.other, reason: "no answer"), "Weight scale (5C:CA:D3:70:D4:A2): no answer."),
    (
      LinkError(.unauthorized, reason: "the link is not encrypted"),
      "Weight scale (5C:CA:D3:70:D4:A2): the link is not encrypted. Set it to pairing as its manual "
        + "says, and run `measured pair 5C:CA:D3:70:D4:A2`."
    ),
  ])
  func `names the device of a recorded reason`(error: LinkError, message: String) {
    #expect(Self.message(error) == message)
  }

  @Test(arguments: [
    (59.0, ""), (60, " It is tried again in 1 minute."), (600, " It is tried again in 10 minutes."),
  ])
  func `names the delay`(retryDelay: Double, text: String) {
    #expect(
      Self.message(LinkError(.other, reason: "no answer"), retryDelay: retryDelay)
        == "Weight scale (5C:CA:D3:70:D4:A2): no answer." + text)
  }

  /// A failed write leaves the bonds intact, so nothing may advise to remove them.
  @Test func `a bond file that cannot be written is not to be removed`() {
    let write = BondFileError("/srv/bonds", "the disk is full", isWriteFailure: true).message
    #expect(write.contains("intact") && !write.contains("remove"))
    #expect(BondFileError("/srv/bonds", "it is no file").message.contains("Restore"))
  }

  @Test(arguments: [
    (RadioNotice.controller("hci0", .trouble(.blocked(.soft))), "rfkill unblock bluetooth"),
    (.controller("hci0", .trouble(.blocked(.hard))), "switch"),
    (.controller("hci0", .trouble(.notPermitted)), "measured.service.d/kernel-mode.conf"),
    (.noKernel(.system(97)), "Address family not supported by protocol"),
    (.bondsUnreadable(BondFileError("/srv/bonds", "line 2: it is no key and no name")), "line 2"),
    (.yielded, "bluetooth.service"),
  ])
  func `says what happened to the radio`(notice: RadioNotice, text: String) {
    #expect(notice.message.contains(text))
    #expect(notice.severity == .warning)
  }

  @Test func `says why the radio failed`() {
    #expect(
      RadioError.locked(path: "/srv/bonds.lock").message
        == "Another measured process uses the Bluetooth controllers of this machine (it holds "
        + "/srv/bonds.lock). Stop the service first: systemctl stop measured.")
    #expect(
      RadioError.pairing(Self.address, .denied(.kernel("the device refused to prove who it is")))
        .message
        == "5C:CA:D3:70:D4:A2 was not paired: the device refused to prove who it is. The digits were "
        + "wrong, or the device refuses to pair: set it to pairing as its manual says. If it is paired "
        + "with another machine, remove that pairing on the device first.")
  }
}
