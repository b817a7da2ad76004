import Foundation
import Radio
import SystemBus
import Testing

@testable import KernelRadio

@Suite struct LinkEndTests {
  @Test(
    arguments: [
      (EBUSY, .call, .other), (EHOSTUNREACH, .call, .other), (EHOSTUNREACH, .connecting, .gone),
      (ECONNREFUSED, .connecting, .gone), (EHOSTDOWN, .connecting, .gone),
      (ETIMEDOUT, .connecting, .gone), (ETIMEDOUT, .open, .gone),
      (EACCES, .securing(isBonded: true), .staleBond), (EACCES, .connecting, .staleBond),
      (ENOSYS, .securing(isBonded: true), .staleBond),
      (EBADE, .securing(isBonded: true), .staleBond),
      (EACCES, .securing(isBonded: false), .unauthorized),
      (ENOSYS, .connecting, .transient), (EBUSY, .connecting, .transient),
      (ENOMEM, .call, .outOfSlots), (EMLINK, .connecting, .outOfSlots),
      (ECONNABORTED, .connecting, .transient), (ECONNRESET, .open, .transient),
      (ENETDOWN, .open, .other), (EINVAL, .call, .other),
    ] as [(CInt, LinkEnd.Moment, LinkFailure)])
  func isOfAKind(code: CInt, moment: LinkEnd.Moment, kind: LinkFailure) {
    let error = SystemError("It failed", code)
    #expect(LinkEnd(error, of: Peer.address, moment).kind == kind)
  }

  @Test func saysWhatToDo() {
    let error = SystemError("C4:12:34:56:78:9A cannot be connected", EBUSY)
    #expect(
      LinkEnd(error, of: Peer.address, .call).reason
        == "C4:12:34:56:78:9A cannot be connected: bluetoothd holds the link. Let this service use "
        + "bluetoothd, or end the other connection.")
    let stale = LinkEnd(
      SystemError("The link failed", EACCES), of: Peer.address, .securing(isBonded: true))
    #expect(
      stale.reason
        == "The link failed: it does not know its bond any more. Forget it and pair it again: "
        + "measured forget C4:12:34:56:78:9A, then measured pair C4:12:34:56:78:9A.")
  }
}
