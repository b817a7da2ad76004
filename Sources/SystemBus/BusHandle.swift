import CSystemd
import Foundation

/// The system library's connection; it is closed with its owner.
@safe struct BusHandle: ~Copyable {
  private let bus: OpaquePointer

  /// The result of one step of the connection.
  enum Step {
    /// No work is left until the file is ready.
    case idle
    /// Something internal was done.
    case busy
    /// A message was received.
    case message(MessageHandle)
  }

  init(_ address: BusAddress) throws(BusError) {
    var bus: OpaquePointer?
    var result: CInt
    switch address {
    case .system:
      result = unsafe sd_bus_open_system(&bus)
    case .address(let address):
      result = unsafe sd_bus_new(&bus)
      if result >= 0 { result = unsafe sd_bus_set_address(bus, address) }
      if result >= 0 { result = unsafe sd_bus_set_bus_client(bus, 1) }
      if result >= 0 { result = unsafe sd_bus_start(bus) }
    }
    guard result >= 0, let bus = unsafe bus else {
      if let bus = unsafe bus { unsafe sd_bus_unref(bus) }
      throw .system(0 &- result)
    }
    unsafe self.bus = bus
  }

  deinit { unsafe sd_bus_close_unref(bus) }

  /// Sends queued messages as far as possible without waiting, and closes.
  func close() { unsafe sd_bus_close(bus) }

  /// The file to wait for.
  var file: CInt { unsafe sd_bus_get_fd(bus) }

  /// The readiness to watch the file for, and for how long; `nil` if the connection has ended.
  func awaited() -> (readiness: EventLoop.Readiness, delay: Duration?)? {
    let events = unsafe sd_bus_get_events(bus)
    var due: UInt64 = 0
    let result = unsafe sd_bus_get_timeout(bus, &due)
    guard events >= 0, result >= 0 else { return nil }
    var readiness: EventLoop.Readiness = []
    if events & CInt(POLLIN) != 0 { readiness.insert(.readable) }
    if events & CInt(POLLOUT) != 0 { readiness.insert(.writable) }
    guard result > 0, due != .max else { return (readiness, nil) }
    // The time is that of the monotonic clock, in microseconds; zero means at once.
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    let past = UInt64(clamping: now.tv_sec) * 1_000_000 + UInt64(clamping: now.tv_nsec) / 1000
    return (readiness, .microseconds(due > past ? due - past : 0))
  }

  /// Does one step.
  func process() throws(BusError) -> Step {
    var message: OpaquePointer?
    let result = unsafe sd_bus_process(bus, &message)
    guard result >= 0 else { throw .system(0 &- result) }
    guard let message = unsafe message else { return result == 0 ? .idle : .busy }
    return .message(unsafe MessageHandle(owning: message))
  }

  /// Sends a call; its reply will carry the returned number.
  func send(_ call: BusCall) throws(BusError) -> UInt64 {
    var message: OpaquePointer?
    let result = unsafe sd_bus_message_new_method_call(
      bus, &message, call.destination, call.path, call.interface, call.member)
    let handle = try unsafe MessageHandle(made: message, result)
    // An absent service is not activated: it starts when its hardware appears.
    unsafe sd_bus_message_set_auto_start(handle.message, 0)
    try unsafe BusWriter(handle.message).append(call.arguments)
    var cookie: UInt64 = 0
    try Self.check(unsafe sd_bus_send(bus, handle.message, &cookie))
    return cookie
  }

  func emit(
    path: String, interface: String, member: String, _ arguments: [BusValue]
  ) throws(BusError) {
    var message: OpaquePointer?
    let result = unsafe sd_bus_message_new_signal(bus, &message, path, interface, member)
    let handle = try unsafe MessageHandle(made: message, result)
    try unsafe BusWriter(handle.message).append(arguments)
    try Self.check(unsafe sd_bus_send(bus, handle.message, nil))
  }

  func reply(
    to call: MessageHandle, with answer: Result<[BusValue], BusError>
  ) throws(BusError) {
    var message: OpaquePointer?
    switch answer {
    case .success(let values):
      let result = unsafe sd_bus_message_new_method_return(call.message, &message)
      let handle = try unsafe MessageHandle(made: message, result)
      try unsafe BusWriter(handle.message).append(values)
      try Self.check(unsafe sd_bus_send(bus, handle.message, nil))
    case .failure(let error):
      let (name, text) = error.wire
      let result = unsafe name.withCString { name in
        unsafe text.withCString { text in
          var error = unsafe sd_bus_error(name: name, message: text, _need_free: 0)
          return unsafe sd_bus_message_new_method_error(call.message, &message, &error)
        }
      }
      let handle = try unsafe MessageHandle(made: message, result)
      try Self.check(unsafe sd_bus_send(bus, handle.message, nil))
    }
  }

  private static func check(_ result: CInt) throws(BusError) {
    guard result >= 0 else { throw .system(0 &- result) }
  }
}

extension BusError {
  /// The error's name and text for the caller.
  fileprivate var wire: (name: String, text: String) {
    if case .refused(let name, let text) = self { return (name, text) }
    return ("org.freedesktop.DBus.Error.Failed", description)
  }
}

/// The system library's message.
///
/// It stays on its connection's loop.
@safe final class MessageHandle {
  let message: OpaquePointer

  init(owning message: OpaquePointer) {
    unsafe self.message = message
  }

  /// Takes ownership of a new message, if it was created.
  convenience init(made message: OpaquePointer?, _ result: CInt) throws(BusError) {
    guard result >= 0, let message = unsafe message else { throw .system(0 &- result) }
    unsafe self.init(owning: message)
  }

  deinit { unsafe sd_bus_message_unref(message) }

  /// The number of the answered call, and the result; `nil` if it is no reply.
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

  /// A signal or a call; `nil` if it is neither, or cannot be decoded.
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

  /// Whether it expects a reply.
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
