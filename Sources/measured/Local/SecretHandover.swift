import Localization
import Care
import CareStore
import Foundation
import Web

extension DaemonSocket {
  /// Has the daemon of a store keep secrets of devices, which this user may not write.
  ///
  /// - Throws: `StoreError.refused(_:)` without such a daemon, else ``CommandFailure``.
  static func keep(_ secrets: [DeviceSecret], of store: String) throws {
    guard let daemon = holding(store), daemon.facts.radio != nil else {
      throw StoreError.refused(.foreignSecrets(store + SQLStore.secretsSuffix))
    }
    try daemon.checkVersion()
    guard let frame = daemon.answer(to: RadioRequest(keep: secrets)),
      frame.failure != nil || frame.isDone == true
    else {
      throw CommandFailure(.failed, "command.daemon.endedEarly")
    }
    if let failure = frame.failure { throw CommandFailure(.failed, .verbatim(failure)) }
  }

  /// The one frame with which the daemon answers a request; `nil` if it has ended.
  private func answer(to request: RadioRequest) -> RadioFrame? {
    guard let socket = try? ClientSocket(path: path) else { return nil }
    socket.limitReading(to: 20)
    guard (try? socket.begin("POST", "/api/v1/radio")) != nil,
      (try? socket.send(FrameCoding.line(request))) != nil,
      var response = try? ClientResponse(socket), let line = try? response.line()
    else { return nil }
    return FrameCoding.frame(RadioFrame.self, line)
  }
}
