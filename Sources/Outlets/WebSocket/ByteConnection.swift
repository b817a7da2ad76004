import Care
import CCurl
import Foundation
import Glibc

/// A connection over which bytes go as they are, by Debian's libcurl: its names, proxies, TLS and
/// certificates are those of every transfer.
///
/// Each call waits; one queue owns it.
@safe final class ByteConnection {
  private let address: WebAddress
  private let authorities: String?
  private let isBlocked: (_ host: String?) -> Bool
  private var handle: UnsafeMutableRawPointer?
  private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// The most bytes that are taken at once.
  private static let portion = 16 << 10

  init(
    to address: WebAddress, authorities: String?, isBlocked: @escaping (_ host: String?) -> Bool
  ) {
    (self.address, self.authorities, self.isBlocked) = (address, authorities, isBlocked)
    unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    if let handle = unsafe handle { unsafe curl_easy_cleanup(handle) }
    unsafe words.deallocate()
  }

  /// Connects, with TLS where the address asks for it.
  func open(within limit: Duration) throws(DeliveryFault) {
    guard Curl.isReady, let handle = unsafe curl_easy_init() else {
      throw .unexpected(detail: "out of memory")
    }
    unsafe self.handle = handle
    func set(_ option: CURLoption, _ number: Int) {
      unsafe ccurl_set_number(handle, option, number)
    }
    func set(_ option: CURLoption, _ text: String) {
      unsafe ccurl_set_text(handle, option, text)
    }
    unsafe Curl.protect(handle, authorities: authorities)
    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_HTTPPROXYTUNNEL, 1)
    // Else TLS would agree on version 2, which has no such upgrade.
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_CONNECTTIMEOUT_MS, limit.wholeMilliseconds)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_URL, address.text)
    unsafe ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, words)
    let code = unsafe curl_easy_perform(handle)
    guard code == CURLE_OK else { throw unsafe fault(code, handle) }
  }

  /// Writes all of it.
  func send(_ bytes: [UInt8], until end: ContinuousClock.Instant) throws(DeliveryFault) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let handle = unsafe handle else { throw Self.closed }
      var count = 0
      let code = unsafe rest.withUnsafeBytes {
        unsafe curl_easy_send(handle, $0.baseAddress, $0.count, &count)
      }
      switch code {
      case CURLE_OK: rest = rest.dropFirst(count)
      case CURLE_AGAIN: try wait(for: Int16(POLLOUT), until: end)
      default: throw unsafe fault(code, handle)
      }
    }
  }

  /// Waits for bytes, and returns those that have come: at least one.
  func receive(until end: ContinuousClock.Instant) throws(DeliveryFault) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.portion)
    while true {
      guard let handle = unsafe handle else { throw Self.closed }
      var count = 0
      let code = unsafe bytes.withUnsafeMutableBytes {
        unsafe curl_easy_recv(handle, $0.baseAddress, $0.count, &count)
      }
      switch code {
      case CURLE_OK:
        guard count > 0 else { throw Self.closed }
        return Array(bytes.prefix(count))
      case CURLE_AGAIN: try wait(for: Int16(POLLIN), until: end)
      default: throw unsafe fault(code, handle)
      }
    }
  }

  func close() {
    if let handle = unsafe handle { unsafe curl_easy_cleanup(handle) }
    unsafe handle = nil
  }

  private static var closed: DeliveryFault { .unexpected(detail: "the connection ended") }

  private func wait(
    for event: Int16, until end: ContinuousClock.Instant
  ) throws(DeliveryFault) {
    guard let handle = unsafe handle else { throw Self.closed }
    let left = end - .now
    guard left > .zero else { throw .timeout }
    var polled = pollfd(fd: unsafe ccurl_socket(handle), events: event, revents: 0)
    // The next call finds out how it stands.
    _ = unsafe poll(&polled, 1, Int32(clamping: left.wholeMilliseconds))
  }

  private func fault(_ code: CURLcode, _ handle: UnsafeMutableRawPointer) -> DeliveryFault {
    DeliveryFault(
      code, host: address.host, detail: unsafe Curl.detail(words),
      isConnected: unsafe ccurl_offset(handle, CURLINFO_CONNECT_TIME_T) != 0,
      isBlocked: isBlocked)
  }
}
