import CSystemd
import Foundation

/// The system library's message.
///
/// It stays on the loop of its connection.
@safe final class MessageHandle {
  let message: OpaquePointer

  init(owning message: OpaquePointer) {
    unsafe self.message = message
  }

  /// Takes over a message that was made, if it was.
  convenience init(made message: OpaquePointer?, _ result: CInt) throws(BusError) {
    guard result >= 0, let message = unsafe message else { throw .system(0 &- result) }
    unsafe self.init(owning: message)
  }

  deinit { unsafe sd_bus_message_unref(message) }

  /// Which call it answers, and how; `nil` where it is no answer.
  var answer: (call: UInt64, result: Result<[BusValue], BusError>)? {
    var call: UInt64 = 0
    switch type {
    case UInt8(SD_BUS_MESSAGE_METHOD_RETURN):
      guard unsafe sd_bus_message_get_reply_cookie(message, &call) >= 0 else { return nil }
      return (call, Result { () throws(BusError) in try arguments() })
    case UInt8(SD_BUS_MESSAGE_METHOD_ERROR):
      guard unsafe sd_bus_message_get_reply_cookie(message, &call) >= 0 else { return nil }
      return (call, .failure(error))
    default:
      return nil
    }
  }

  /// A signal or a call; `nil` where it is neither, or cannot be read.
  var read: BusMessage? {
    let kind: BusMessage.Kind
    switch type {
    case UInt8(SD_BUS_MESSAGE_SIGNAL): kind = .signal
    case UInt8(SD_BUS_MESSAGE_METHOD_CALL): kind = .call(0)
    default: return nil
    }
    guard let arguments = try? arguments() else { return nil }
    return unsafe BusMessage(
      kind: kind, sender: Self.text(sd_bus_message_get_sender(message)),
      path: Self.text(sd_bus_message_get_path(message)),
      interface: Self.text(sd_bus_message_get_interface(message)),
      member: Self.text(sd_bus_message_get_member(message)), arguments: arguments)
  }

  /// Whether somebody waits for an answer to it.
  var isCall: Bool { type == UInt8(SD_BUS_MESSAGE_METHOD_CALL) }

  private var type: UInt8 {
    var type: UInt8 = 0
    return unsafe sd_bus_message_get_type(message, &type) >= 0 ? type : 0
  }

  private var error: BusError {
    guard let error = unsafe sd_bus_message_get_error(message) else {
      return .system(EBADMSG)
    }
    return unsafe .refused(
      name: Self.text(error.pointee.name), text: Self.text(error.pointee.message))
  }

  private func arguments() throws(BusError) -> [BusValue] {
    var reader = unsafe BusReader(message)
    return try reader.values()
  }

  private static func text(_ start: UnsafePointer<CChar>?) -> String {
    unsafe start.map { unsafe String(cString: $0) } ?? ""
  }
}
