import Foundation
import Radio
import RadioTestSupport
import SystemBus
import Testing

@testable import BluetoothdRadio

@Suite struct LinkFailureTests {
  static let bluez = "org.bluez.Error."
  static let bus = "org.freedesktop.DBus.Error."

  @Test(arguments: [
    (bluez + "Failed", "le-connection-abort-by-local", LinkFailure.transient),
    (bluez + "Failed", "Software caused connection abort", .transient),
    (bluez + "Failed", "br-connection-canceled", .transient),
    (bluez + "Failed", "Operation already in progress", .transient),
    (bluez + "Failed", "le-connection-concurrent-connection-limit", .outOfSlots),
    (bluez + "Failed", "le-connection-memory-allocation", .outOfSlots),
    (bluez + "Failed", "Host is down", .gone),
    (bluez + "Failed", "Connection timed out", .gone),
    (bluez + "Failed", "Operation failed with ATT error: 0x0f", .unauthorized),
    (bluez + "Failed", "Operation failed with ATT error: 0x05 (Insufficient)", .unauthorized),
    (bluez + "Failed", "Operation failed with ATT error: 0x80", .other),
    (bluez + "Failed", "br-connection-key-missing", .unauthorized),
    (bluez + "InProgress", "", .transient),
    (bluez + "NotReady", "Resource Not Ready", .transient),
    (bluez + "DoesNotExist", "Does Not Exist", .gone),
    (bluez + "AuthenticationFailed", "Authentication Failed", .unauthorized),
    (bluez + "AuthenticationTimeout", "", .unauthorized),
    (bluez + "NotPermitted", "Read not permitted", .other),
    (bluez + "NotPermitted", "Not paired", .unauthorized),
    (bus + "UnknownObject", "", .gone),
    (bus + "UnknownMethod", "Method \"Connect\" doesn't exist", .gone),
    (bus + "NoReply", "", .gone),
    (bus + "LimitsExceeded", "", .outOfSlots),
    ("", "", .other),
  ])
  func `is classified by name or text`(name: String, text: String, kind: LinkFailure) {
    #expect(LinkFailure(.refused(name: name, text: text)) == kind)
  }

  @Test(arguments: [
    (BusError.timedOut, LinkFailure.gone), (.disconnected, .transient), (.busy, .transient),
    (.oversized, .other), (.system(EINVAL), .other),
  ])
  func `classifies errors of the bus`(error: BusError, kind: LinkFailure) {
    #expect(LinkFailure(error) == kind)
  }

  @Test func `retries temporary failures and missing slots`() {
    var attempts = ConnectAttempts()
    var pauses: [Duration?] = []
    for _ in 0..<4 { pauses.append(attempts.pause(after: .transient)) }
    #expect(pauses == [.milliseconds(250), .milliseconds(500), .milliseconds(1000), nil])
    attempts = ConnectAttempts()
    pauses = [.outOfSlots, .transient].map { attempts.pause(after: $0) }
    #expect(pauses == [.seconds(4), .milliseconds(500)])
  }

  @Test(arguments: [LinkFailure.gone, .staleBond, .unauthorized, .other])
  func `retries no other failure`(kind: LinkFailure) {
    var attempts = ConnectAttempts()
    #expect(attempts.pause(after: kind) == nil)
  }

  @Test func `marks a bond stale after many signs`() {
    var doubts = BondDoubts()
    let scale = BluetoothdBench.scale
    let aborts = (0..<7).map { _ in doubts.add(.aborted, of: scale) }
    #expect(aborts == [false, false, false, false, false, true, true])
    doubts.clear(scale)
    let refusals = [scale, scale, DeviceAddress(rawValue: 1)].map { doubts.add(.refused, of: $0) }
    #expect(refusals == [false, true, false])
  }

  @Test func `removes the signs of the least recently used device`() {
    var doubts = BondDoubts()
    for device: UInt64 in 0..<256 { _ = doubts.add(.refused, of: DeviceAddress(rawValue: device)) }
    let refusals = [999, 999, 255].map { doubts.add(.refused, of: DeviceAddress(rawValue: $0)) }
    #expect(refusals == [false, true, true])
  }
}
