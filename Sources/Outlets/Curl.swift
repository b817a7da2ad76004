import CCurl

/// The rules of every connection of libcurl.
enum Curl {
  /// Whether the library is there, and made ready.
  static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Makes a connection safe: its certificates are checked, and TLS is 1.2 at least.
  ///
  /// - Parameters:
  ///   - handle: The connection.
  ///   - authorities: A file with the certificates that are trusted in place of the system's.
  static func protect(_ handle: UnsafeMutableRawPointer, authorities: String?) {
    unsafe ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    unsafe ccurl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 1)
    unsafe ccurl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 2)
    unsafe ccurl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let authorities { unsafe ccurl_set_text(handle, CURLOPT_CAINFO, authorities) }
  }

  /// The words in a buffer of `CURLOPT_ERRORBUFFER`, which name a host at most.
  static func detail(_ words: UnsafePointer<CChar>) -> String {
    let text = unsafe String(cString: words).oneLine
    return text.isEmpty ? "the connection ended" : text.shortened(toBytes: 200)
  }
}
