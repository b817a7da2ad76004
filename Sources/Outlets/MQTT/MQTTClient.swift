import CMosquitto
package import Care
import Foundation
import Synchronization

/// A broker of MQTT, and how a client presents itself.
package struct MQTTBroker: Hashable, Sendable {
  /// The version of the protocol.
  package enum Version: String, Hashable, Sendable, CaseIterable {
    case v311 = "3.1.1"
    case v5 = "5"
  }

  package var host: String
  package var port: Int
  package var isEncrypted: Bool
  /// A file with the authorities that are trusted in place of the system's.
  package var authorities: String?
  /// The files of the client's certificate and of its key.
  package var certificate: String?
  package var key: String?
  package var user: String?
  package var password: Secret<String>?
  package var version: Version
  /// The name by which the broker tells clients apart.
  package var client: String

  /// Makes a broker; the port is the usual one.
  package init(
    host: String, port: Int? = nil, isEncrypted: Bool, client: String, version: Version = .v5
  ) {
    (self.host, self.isEncrypted, self.client) = (host, isEncrypted, client)
    self.port = port ?? (isEncrypted ? 8_883 : 1_883)
    self.version = version
  }
}

/// One connection to a broker by Debian's libmosquitto, with a thread of its own while it lasts.
///
/// It never connects again by itself: what the broker is to have follows from the store, and the frame of
/// outlets knows when to try again.
@safe package final class MQTTClient: MQTTSession, @unchecked Sendable {
  /// A sign of life after so many seconds without any.
  private static let keepAlive: Int32 = 30
  /// How long the broker remembers a client that is away, in seconds: a month.
  private static let sessionExpiry: UInt32 = 30 * 86_400
  /// The most messages that wait for an answer.
  private static let mostUnderWay: UInt32 = 20
  /// The most bytes of a packet that the broker may send.
  ///
  /// Another client's message is read whole before anything is known of it. Only version 5 can ask for it.
  private static let largestPacket: UInt32 = 64 << 10

  private struct Batch {
    var waiting: [Int32: Int] = [:]
    var refused: [Int: DeliveryFault] = [:]
    /// Answers that came before the number of their message was known.
    var early: [Int32: DeliveryFault?] = [:]
    var isComplete = false
    var continuation: CheckedContinuation<OutletAnswer, Never>
  }

  private struct State {
    var opening: CheckedContinuation<DeliveryFault?, Never>?
    var isResumed = false
    var isOpen = false
    var fault: DeliveryFault?
    var batch: Batch?
    var closing: CheckedContinuation<Void, Never>?
    /// Whether the broker refused a subscription.
    var isDeaf = false
    /// The last complaint of libmosquitto.
    var complaint = ""
  }

  private let broker: MQTTBroker
  private let opening: MQTTOpening
  private let isBlocked: @Sendable (_ host: String?) -> Bool
  private let state = Mutex(State())
  /// libmosquitto's client; it is destroyed while nobody uses it.
  private let handle = Mutex<UInt?>(nil)

  private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

  private init(
    _ broker: MQTTBroker, _ opening: MQTTOpening, isBlocked: @escaping @Sendable (String?) -> Bool
  ) {
    (self.broker, self.opening, self.isBlocked) = (broker, opening, isBlocked)
  }

  /// Connects to a broker.
  ///
  /// - Parameters:
  ///   - broker: Where it is, and who the client is.
  ///   - opening: The client's will and subscriptions, and who takes what arrives.
  ///   - patience: How long the broker may take until it lets the client in.
  ///   - isBlocked: Whether this machine's rules keep its packets from a host; `nil` for any.
  /// - Returns: The connection, or why there is none.
  package static func open(
    _ broker: MQTTBroker, _ opening: MQTTOpening, patience: Duration = .seconds(15),
    isBlocked: @escaping @Sendable (_ host: String?) -> Bool = Egress.isBlocked
  ) async -> Result<MQTTClient, DeliveryFault> {
    let client = MQTTClient(broker, opening, isBlocked: isBlocked)
    let limit = Task {
      guard (try? await Task.sleep(for: patience)) != nil else { return }
      // On a busy machine the time-out can run after the connection has opened.
      guard client.state.withLock({ $0.opening != nil }) else { return }
      client.end(isBlocked(broker.host) ? .blocked : .timeout)
    }
    defer { limit.cancel() }
    let fault: DeliveryFault? = await withCheckedContinuation { continuation in
      client.state.withLock { $0.opening = continuation }
      let thread = Thread { client.run() }
      thread.name = "mqtt"
      thread.stackSize = 512 << 10
      thread.start()
    }
    if let fault { return .failure(fault) }
    return .success(client)
  }

  package var isResumed: Bool { state.withLock { $0.isResumed } }
  package var fault: DeliveryFault? { state.withLock { $0.fault } }
  /// Whether the broker refused a subscription; known once it has answered a message.
  package var isDeaf: Bool { state.withLock { $0.isDeaf } }

  /// The descriptor of its socket; `nil` while there is none.
  var descriptor: Int32? {
    handle.withLock { handle in
      guard let client = unsafe handle.flatMap({ unsafe OpaquePointer(bitPattern: $0) }) else {
        return nil
      }
      let socket = unsafe mosquitto_socket(client)
      return socket >= 0 ? socket : nil
    }
  }

  // MARK: The thread

  private func run() {
    guard let client = unsafe prepare() else { return end(.unexpected(detail: "out of memory")) }
    defer {
      handle.withLock { $0 = nil }
      unsafe mosquitto_destroy(client)
      unsafe Unmanaged.passUnretained(self).release()
    }
    var code = unsafe connect(client)
    while code == MOSQ_ERR_SUCCESS.rawValue, fault == nil {
      code = unsafe mosquitto_loop(client, 5_000, 1)
    }
    end(fault(of: code))
  }

  /// Makes the client of libmosquitto, which holds this object until it is destroyed.
  private func prepare() -> OpaquePointer? {
    let me = unsafe Unmanaged.passRetained(self).toOpaque()
    guard Self.isReady, let client = unsafe mosquitto_new(broker.client, false, me) else {
      unsafe Unmanaged.passUnretained(self).release()
      return nil
    }
    unsafe mosquitto_threaded_set(client, true)
    unsafe mosquitto_max_inflight_messages_set(client, Self.mostUnderWay)
    let version = broker.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    unsafe mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version)
    unsafe mosquitto_log_callback_set(client) { _, me, level, text in
      guard level == MOSQ_LOG_ERR, let text = unsafe text else { return }
      let words = unsafe String(cString: text)
      unsafe MQTTClient.of(me)?.state.withLock { $0.complaint = words }
    }
    unsafe mosquitto_connect_v5_callback_set(client) { client, me, code, flags, _ in
      unsafe MQTTClient.of(me)?.connected(client, code, flags)
    }
    unsafe mosquitto_disconnect_v5_callback_set(client) { _, me, code, _ in
      unsafe MQTTClient.of(me)?.disconnected(code)
    }
    unsafe mosquitto_publish_v5_callback_set(client) { _, me, number, code, _ in
      unsafe MQTTClient.of(me)?.answered(number, code)
    }
    unsafe mosquitto_subscribe_v5_callback_set(client) { _, me, _, count, granted, _ in
      let answers = unsafe UnsafeBufferPointer(start: granted, count: Int(count))
      guard unsafe answers.contains(where: { $0 >= 128 }) else { return }
      unsafe MQTTClient.of(me)?.state.withLock { $0.isDeaf = true }
    }
    unsafe mosquitto_message_v5_callback_set(client) { _, me, message, _ in
      guard let message = unsafe message, let topic = unsafe message.pointee.topic else { return }
      let (count, retained) = unsafe (Int(message.pointee.payloadlen), message.pointee.retain)
      // A message that is longer than any answer is none.
      guard count <= 1_024 else { return }
      let payload = unsafe message.pointee.payload.map { unsafe Data(bytes: $0, count: count) }
      let arrived = unsafe MQTTMessage(
        String(cString: topic), payload ?? Data(), isRetained: retained)
      unsafe MQTTClient.of(me)?.opening.take(arrived)
    }
    return unsafe client
  }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> MQTTClient? {
    unsafe pointer.map { unsafe Unmanaged<MQTTClient>.fromOpaque($0).takeUnretainedValue() }
  }

  private func connect(_ client: OpaquePointer) -> Int32 {
    let success = MOSQ_ERR_SUCCESS.rawValue
    if broker.isEncrypted {
      let code = unsafe mosquitto_tls_set(
        client, broker.authorities, broker.authorities == nil ? "/etc/ssl/certs" : nil,
        broker.certificate, broker.key, nil)
      guard code == success else {
        end(.certificate(host: broker.host, detail: "a file of certificates cannot be read"))
        return code
      }
    }
    if let user = broker.user {
      _ = unsafe mosquitto_username_pw_set(client, user, broker.password?.revealed)
    }
    let will = opening.will
    let code = unsafe will.payload.withUnsafeBytes { bytes in
      unsafe mosquitto_will_set(
        client, will.topic, Int32(clamping: bytes.count), bytes.baseAddress, 1, will.isRetained)
    }
    guard code == success else { return code }
    handle.withLock { $0 = UInt(bitPattern: client) }
    guard broker.version == .v5 else {
      return unsafe mosquitto_connect_bind_v5(
        client, broker.host, Int32(clamping: broker.port), Self.keepAlive, nil, nil)
    }
    var properties: OpaquePointer?
    unsafe mosquitto_property_add_int32(
      &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), Self.sessionExpiry)
    unsafe mosquitto_property_add_int32(
      &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Self.largestPacket)
    defer { unsafe mosquitto_property_free_all(&properties) }
    return unsafe mosquitto_connect_bind_v5(
      client, broker.host, Int32(clamping: broker.port), Self.keepAlive, nil, properties)
  }

  // MARK: Callbacks of libmosquitto

  private func connected(_ client: OpaquePointer?, _ code: Int32, _ flags: Int32) {
    guard code == 0 else { return end(refusal(code)) }
    for topic in opening.subscriptions {
      // Of quality 0: what was said while this client was away is not kept for it.
      unsafe mosquitto_subscribe_v5(client, nil, topic, 0, 0, nil)
    }
    let continuation = state.withLock { state in
      state.isResumed = flags & 1 == 1
      state.isOpen = true
      defer { state.opening = nil }
      return state.opening
    }
    continuation?.resume(returning: nil)
  }

  private func disconnected(_ code: Int32) {
    switch code {
    case 0: break
    case Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue): end(.takenOver(name: broker.client))
    case Int32(MQTT_RC_NOT_AUTHORIZED.rawValue), Int32(MQTT_RC_ADMINISTRATIVE_ACTION.rawValue):
      end(.credentials(detail: Self.reason(code)))
    default: break
    }
  }

  private func answered(_ number: Int32, _ code: Int32) {
    let fault: DeliveryFault? = code < 128 ? nil : .message(detail: Self.reason(code))
    let done: Batch? = state.withLock { state in
      guard state.batch != nil else { return nil }
      guard let place = state.batch?.waiting.removeValue(forKey: number) else {
        state.batch?.early[number] = .some(fault)
        return nil
      }
      if let fault { state.batch?.refused[place] = fault }
      return Self.takeDone(&state)
    }
    done?.continuation.resume(
      returning: OutletAnswer(.delivered, refused: done?.refused ?? [:]))
  }

  private static func takeDone(_ state: inout State) -> Batch? {
    guard let batch = state.batch, batch.isComplete, batch.waiting.isEmpty else { return nil }
    state.batch = nil
    return batch
  }

  // MARK: Messages

  package func publish(_ messages: [MQTTMessage]) async -> OutletAnswer {
    guard !messages.isEmpty else { return OutletAnswer(.delivered) }
    return await withCheckedContinuation { continuation in
      let fault = state.withLock { state -> DeliveryFault? in
        guard state.isOpen, state.batch == nil else {
          return state.fault ?? .busy(detail: "a batch is under way")
        }
        state.batch = Batch(continuation: continuation)
        return nil
      }
      if let fault {
        return continuation.resume(returning: OutletAnswer(.later(fault, after: nil)))
      }
      for (place, message) in messages.enumerated() { publish(message, at: place) }
      let done = state.withLock { state in
        state.batch?.isComplete = true
        return Self.takeDone(&state)
      }
      done?.continuation.resume(
        returning: OutletAnswer(.delivered, refused: done?.refused ?? [:]))
    }
  }

  private func publish(_ message: MQTTMessage, at place: Int) {
    var number: Int32 = 0
    let code = hand(message, &number)
    state.withLock { state in
      guard code == MOSQ_ERR_SUCCESS.rawValue else {
        // A connection that is lost ends the whole batch.
        if code != MOSQ_ERR_NO_CONN.rawValue {
          let words = unsafe String(cString: mosquitto_strerror(code))
          state.batch?.refused[place] = .message(detail: words)
        }
        return
      }
      if let early = state.batch?.early.removeValue(forKey: number) {
        if let fault = early { state.batch?.refused[place] = fault }
      } else {
        state.batch?.waiting[number] = place
      }
    }
  }

  private func hand(_ message: MQTTMessage, _ number: inout Int32) -> Int32 {
    handle.withLock { handle in
      guard let client = unsafe handle.flatMap({ unsafe OpaquePointer(bitPattern: $0) }) else {
        return MOSQ_ERR_NO_CONN.rawValue
      }
      return unsafe message.payload.withUnsafeBytes { bytes in
        unsafe mosquitto_publish_v5(
          client, &number, message.topic, Int32(clamping: bytes.count), bytes.baseAddress, 1,
          message.isRetained, nil)
      }
    }
  }

  package func close(_ last: MQTTMessage) async {
    _ = await publish([last])
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        guard state.fault == nil else { return true }
        state.closing = continuation
        return false
      }
      if isOver { return continuation.resume() }
      handle.withLock { handle in
        guard let client = unsafe handle.flatMap({ unsafe OpaquePointer(bitPattern: $0) }) else {
          return
        }
        _ = unsafe mosquitto_disconnect(client)
      }
    }
  }

  // MARK: The end

  /// Tells everybody who waits that it is over; the first reason counts.
  private func end(_ fault: DeliveryFault) {
    let (opening, batch, closing, isFirst) = state.withLock { state in
      let isFirst = state.fault == nil
      state.fault = state.fault ?? fault
      state.isOpen = false
      defer { (state.opening, state.batch, state.closing) = (nil, nil, nil) }
      return (state.opening, state.batch, state.closing, isFirst)
    }
    let reason = self.fault ?? fault
    opening?.resume(returning: reason)
    batch?.continuation.resume(returning: OutletAnswer(.unknown(reason)))
    closing?.resume()
    if isFirst { self.opening.ended() }
  }

  private var complaint: String {
    state.withLock { $0.complaint }.oneLine.shortened(toBytes: 200)
  }

  private func fault(of code: Int32) -> DeliveryFault {
    switch code {
    case MOSQ_ERR_EAI.rawValue, MOSQ_ERR_LOOKUP.rawValue:
      isBlocked(nil) ? .blocked : .unknownHost(broker.host)
    case MOSQ_ERR_ERRNO.rawValue, MOSQ_ERR_CONN_REFUSED.rawValue:
      isBlocked(broker.host) ? .blocked : .unreachable(broker.host)
    case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue:
      .certificate(host: broker.host, detail: complaint)
    case MOSQ_ERR_KEEPALIVE.rawValue: .timeout
    default:
      .unexpected(
        detail: broker.isEncrypted && !complaint.isEmpty
          ? complaint : unsafe String(cString: mosquitto_strerror(code)))
    }
  }

  /// The meaning of the answer to the greeting: 1 to 5 are those of version 3.1.1.
  private func refusal(_ code: Int32) -> DeliveryFault {
    let detail =
      code < 128 ? unsafe String(cString: mosquitto_connack_string(code)) : Self.reason(code)
    switch code {
    case 4, 5, Int32(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue),
      Int32(MQTT_RC_NOT_AUTHORIZED.rawValue), Int32(MQTT_RC_BANNED.rawValue):
      return .credentials(detail: detail)
    case 3, Int32(MQTT_RC_SERVER_UNAVAILABLE.rawValue), Int32(MQTT_RC_SERVER_BUSY.rawValue),
      Int32(MQTT_RC_QUOTA_EXCEEDED.rawValue):
      return .busy(detail: detail)
    default: return .unexpected(detail: detail)
    }
  }

  private static func reason(_ code: Int32) -> String {
    unsafe String(cString: mosquitto_reason_string(code))
  }
}
