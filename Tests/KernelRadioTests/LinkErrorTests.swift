import Foundation
import Radio
import SystemBus
import Testing

@testable import KernelRadio

@Suite struct LinkErrorTests {
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
    ] as [(CInt, LinkMoment, LinkFailure)])
  func `has a kind`(code: CInt, moment: LinkMoment, kind: LinkFailure) {
    #expect(LinkError(socket: code, at: moment).kind == kind)
  }

  @Test func `names the cause`() {
    #expect(LinkError(socket: EBUSY, at: .call) == LinkError(.other, .heldByBluetoothd))
    #expect(
      LinkError(socket: EACCES, at: .securing(isBonded: true))
        == LinkError(.staleBond, .notEncrypted))
    #expect(
      LinkError(socket: ENODEV, at: .open) == LinkError(.other, .controllerOff(.system(ENODEV))))
  }
}
