import Care
package import CareStore
import Foundation
import Localization
package import Outlets
import Web

extension DaemonSocket {
  /// Has the daemon of a store keep secrets of devices, which this user may not write.
  ///
  /// - Throws: `StoreError.refused(_:)` without such a daemon, else ``CommandFailure``.
  package static func keep(_ secrets: [StoreSecret], of store: String) throws {
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

  /// Has the daemon of a store try a channel, by its secrets and through its sandbox.
  ///
  /// - Returns: `nil` without such a daemon.
  package static func perform(_ trial: ChannelTrial, of store: String) throws -> DeliveryResult? {
    try result(of: RadioRequest(trial: trial), of: store)
  }

  /// Has the daemon of a store try an outlet that the store keeps, by its secret and through its
  /// sandbox.
  ///
  /// - Returns: `nil` without such a daemon.
  package static func tryOutlet(_ name: String, of store: String) throws -> DeliveryResult? {
    try result(of: RadioRequest(outlet: name), of: store)
  }

  private static func result(
    of request: RadioRequest, of store: String
  ) throws -> DeliveryResult? {
    guard let daemon = holding(store), daemon.facts.radio != nil else { return nil }
    try daemon.checkVersion()
    // A transfer takes half a minute at most, and the end of another may come first.
    let frame = daemon.answer(to: request, within: 90)
    if let result = frame?.trial { return result }
    throw CommandFailure(.failed, frame?.failure.map { .verbatim($0) } ?? "command.daemon.noAnswer")
  }

  /// The one frame with which the daemon answers a request; `nil` if it has ended.
  private func answer(to request: RadioRequest, within seconds: Int = 20) -> RadioFrame? {
    guard let socket = try? ClientSocket(path: path) else { return nil }
    socket.limitReading(to: seconds)
    guard (try? socket.begin("POST", "/api/v1/radio")) != nil,
      (try? socket.send(FrameCoding.line(request))) != nil,
      var response = try? ClientResponse(socket), let line = try? response.line()
    else { return nil }
    return FrameCoding.frame(RadioFrame.self, line)
  }
}
