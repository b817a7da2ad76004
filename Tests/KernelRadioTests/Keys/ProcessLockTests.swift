import Foundation
import Radio
import Testing

@testable import KernelRadio

@Suite struct ProcessLockTests {
  @Test func isHeldByOneAtATime() throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "lock-\(UUID().uuidString)").path
    do {
      let lock = try ProcessLock(path: path)
      #expect(
        throws: RadioError(
          "Another measured process uses the Bluetooth controllers of this machine (it holds "
            + "\(path)). Stop the service first: systemctl stop measured.")
      ) { _ = try ProcessLock(path: path) }
      _ = consume lock
    }
    _ = try ProcessLock(path: path)
    try FileManager.default.removeItem(atPath: path)
  }

  @Test func saysWhyItCannotBeMade() {
    #expect(
      throws: RadioError(
        "The lock /nowhere/keys.lock cannot be taken: No such file or directory. The folder has to "
          + "be there, and to be this user's.")
    ) { _ = try ProcessLock(path: "/nowhere/keys.lock") }
  }
}
