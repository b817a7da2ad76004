import Care
import CCurl
import Foundation

/// One transfer of libcurl; used by the transport's thread alone once it has begun.
@safe final class Transfer: @unchecked Sendable {
  /// The request.
  enum Content: Sendable {
    case http(HTTPRequest)
    case mail(MailRequest)
  }

  let name: UInt64
  private let content: Content
  private var continuation: CheckedContinuation<TransferResult, Never>?

  private(set) var handle: UnsafeMutableRawPointer?
  private var lists: [UnsafeMutablePointer<curl_slist>] = unsafe []
  private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  private var mostBytes = 0
  private var answer = Data()
  private var isAnswerCut = false
  /// The last line by which a mail server refused something.
  private var refusal = Data()
  private var upload = Data()
  private var isUploaded = false

  init(
    name: UInt64, _ content: Content, _ continuation: CheckedContinuation<TransferResult, Never>
  ) {
    self.name = name
    self.content = content
    self.continuation = continuation
    unsafe words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    if let handle = unsafe handle { unsafe curl_easy_cleanup(handle) }
    unsafe lists.forEach { unsafe curl_slist_free_all($0) }
    unsafe words.deallocate()
  }

  /// Tells the result to whoever waits for it.
  func end(_ result: TransferResult) {
    continuation?.resume(returning: result)
    continuation = nil
  }

  // MARK: Options

  /// Tells the transfer from others; it is libcurl's handle of it.
  var key: UInt { unsafe UInt(bitPattern: handle) }

  /// Makes the handle with all options; `false` without memory.
  func prepare(authorities: String?, limits: Transport.Limits) -> Bool {
    guard let handle = unsafe curl_easy_init() else { return false }
    unsafe self.handle = handle
    mostBytes = limits.answer
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe Curl.protect(handle, authorities: authorities)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_CONNECTTIMEOUT_MS, limits.connecting.wholeMilliseconds)
    set(CURLOPT_TIMEOUT_MS, limits.whole.wholeMilliseconds)
    if limits.keepsConnections {
      set(CURLOPT_MAXAGE_CONN, 86_400)
      set(CURLOPT_TCP_KEEPALIVE, 1)
      // A router forgets who is silent for longer.
      set(CURLOPT_TCP_KEEPIDLE, 1_500)
      set(CURLOPT_TCP_KEEPINTVL, 1_500)
    } else {
      // A connection for each transfer: none stays open between messages that are hours apart.
      set(CURLOPT_FORBID_REUSE, 1)
    }
    unsafe ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, words)
    unsafe ccurl_set_pointer(handle, CURLOPT_WRITEDATA, me)
    unsafe ccurl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
      unsafe Transfer.of(me).receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    switch content {
    case .http(let request): prepare(request)
    case .mail(let request): prepare(request, limits)
    }
    return true
  }

  private func prepare(_ request: HTTPRequest) {
    mostBytes = request.mostBytes ?? mostBytes
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_URL, request.address.text)
    set(CURLOPT_USERAGENT, "measured")
    if let body = request.body {
      set(CURLOPT_POSTFIELDSIZE, body.count)
      unsafe body.withUnsafeBytes { bytes in
        _ = unsafe ccurl_set_pointer(
          handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      }
    }
    set(CURLOPT_CUSTOMREQUEST, request.method)
    // No question first whether the body may come.
    let fields = request.headers.map { "\($0.name): \($0.value)".oneLine } + ["Expect:"]
    set(CURLOPT_HTTPHEADER, fields)
  }

  private func prepare(_ request: MailRequest, _ limits: Transport.Limits) {
    let server = request.server
    set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
    // The name in the greeting tells nobody how this machine is called.
    let scheme = server.encryption == .tls ? "smtps" : "smtp"
    set(CURLOPT_URL, "\(scheme)://\(server.host):\(server.port)/%5B127.0.0.1%5D")
    // Never `TRY`, which sends the password in plain text to a server without encryption.
    let encryption = server.encryption == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
    set(CURLOPT_USE_SSL, Int(encryption.rawValue))
    if let user = server.user, let password = server.password {
      set(CURLOPT_USERNAME, user)
      set(CURLOPT_PASSWORD, password.revealed)
    }
    set(CURLOPT_MAIL_FROM, "<\(request.sender.mailbox)>")
    set(CURLOPT_MAIL_RCPT, ["<\(request.recipient.mailbox)>"])
    upload = Data(request.text.utf8)
    // Files take longer than words: at least 10 000 bytes a second.
    set(
      CURLOPT_TIMEOUT_MS,
      (limits.whole + .milliseconds(upload.count / 10)).wholeMilliseconds)
    set(CURLOPT_UPLOAD, 1)
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ccurl_set_pointer(handle, CURLOPT_READDATA, me)
    unsafe ccurl_set_callback(handle, CURLOPT_READFUNCTION) { bytes, size, count, me in
      unsafe Transfer.of(me).give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }
    unsafe ccurl_set_pointer(handle, CURLOPT_HEADERDATA, me)
    unsafe ccurl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
      let line = unsafe Data(UnsafeRawBufferPointer(start: bytes, count: size * count))
      // The server's last line is a farewell, which answers nothing.
      if line.first == UInt8(ascii: "4") || line.first == UInt8(ascii: "5") {
        unsafe Transfer.of(me).refusal = line.prefix(1_000)
      }
      return size * count
    }
  }

  private static func of(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    unsafe Unmanaged<Transfer>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
  }

  private func set(_ option: CURLoption, _ number: Int) {
    unsafe ccurl_set_number(handle, option, number)
  }

  private func set(_ option: CURLoption, _ text: String) {
    unsafe ccurl_set_text(handle, option, text)
  }

  private func set(_ option: CURLoption, _ texts: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for text in texts {
      guard let longer = unsafe curl_slist_append(list, text) else { break }
      unsafe list = longer
    }
    if let list = unsafe list { unsafe lists.append(list) }
    unsafe ccurl_set_list(handle, option, list)
  }

  // MARK: Bytes

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
    let room = mostBytes - answer.count
    unsafe answer.append(contentsOf: bytes.prefix(room))
    if bytes.count > room { isAnswerCut = true }
    // Fewer than there were ends the transfer.
    return min(bytes.count, room)
  }

  private func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
    let part = upload.prefix(room.count)
    unsafe room.copyBytes(from: part)
    upload = upload.dropFirst(part.count)
    if part.isEmpty { isUploaded = true }
    return part.count
  }

  // MARK: The end

  private var status: Int { unsafe ccurl_number(handle, CURLINFO_RESPONSE_CODE) }

  private var host: String {
    switch content {
    case .http(let request): request.address.host
    case .mail(let request): request.server.host
    }
  }

  private var detail: String { unsafe Curl.detail(words) }

  /// The meaning of the transfer's end.
  func result(_ code: CURLcode, isBlocked: (String?) -> Bool) -> TransferResult {
    switch content {
    case .http:
      if code == CURLE_OK || code == CURLE_WRITE_ERROR && isAnswerCut {
        let delay = unsafe ccurl_offset(handle, CURLINFO_RETRY_AFTER)
        return .answered(
          status: status, retryAfter: delay > 0 ? String(delay) : nil, body: answer)
      }
      let fault = fault(code, isBlocked: isBlocked)
      // A request that was written may have been read, even if no answer came.
      let isSent = unsafe ccurl_offset(handle, CURLINFO_PRETRANSFER_TIME_T) > 0
      return .ended(isSent ? .unknown(fault) : .later(fault, after: nil))
    case .mail:
      guard code != CURLE_OK else { return .taken }
      let status = status
      if (400..<600).contains(status) { return .ended(refusal(status, code)) }
      let fault = fault(code, isBlocked: isBlocked)
      return .ended(isUploaded ? .unknown(fault) : .later(fault, after: nil))
    }
  }

  /// The meaning of a mail server's refusal, by its code and the command that it refused.
  private func refusal(_ status: Int, _ code: CURLcode) -> DeliveryResult {
    // The code, a sign, and the words.
    let words = String(decoding: refusal.dropFirst(4), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let result = DeliveryResult(smtp: status, detail: words)
    let detail = "\(status) \(words)".oneLine
    switch code {
    case CURLE_LOGIN_DENIED where status >= 500:
      return .later(.credentials(detail: detail.shortened(toBytes: 200)), after: nil)
    // The greeting: it takes no message at all at present, and this one is no worse than others.
    case CURLE_WEIRD_SERVER_REPLY where !isUploaded, CURLE_REMOTE_ACCESS_DENIED:
      guard case .refused = result else { return result }
      return .later(.unexpected(detail: detail.shortened(toBytes: 200)), after: nil)
    default: return result
    }
  }

  private func fault(_ code: CURLcode, isBlocked: (String?) -> Bool) -> DeliveryFault {
    DeliveryFault(
      code, host: host, detail: detail,
      isConnected: unsafe ccurl_offset(handle, CURLINFO_CONNECT_TIME_T) != 0,
      isBlocked: isBlocked)
  }
}

extension DeliveryFault {
  /// The meaning of an error of libcurl; `isConnected`: there was a connection before it.
  init(
    _ code: CURLcode, host: String, detail: String, isConnected: Bool,
    isBlocked: (String?) -> Bool
  ) {
    self =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
        isBlocked(nil) ? .blocked : .unknownHost(host)
      case CURLE_COULDNT_CONNECT: isBlocked(host) ? .blocked : .unreachable(host)
      case CURLE_OPERATION_TIMEDOUT:
        // Packets that a rule drops on their way out are waited for like those that a network loses.
        !isConnected && isBlocked(host) ? .blocked : .timeout
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
        CURLE_SSL_INVALIDCERTSTATUS:
        .certificate(host: host, detail: detail)
      case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR: .noEncryption(host)
      case CURLE_LOGIN_DENIED: .credentials(detail: detail)
      default: .unexpected(detail: detail)
      }
  }
}

extension Duration {
  var wholeMilliseconds: Int {
    let whole = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    return Int(clamping: max(whole, 1))
  }
}
