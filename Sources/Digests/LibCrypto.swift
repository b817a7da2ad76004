import CCrypto

/// OpenSSL's libcrypto in a whole program.
package enum LibCrypto {
  /// Keeps what libcrypto has allocated until the process is gone; call this first of all.
  ///
  /// By default it frees everything when the program calls `exit`, also what another thread still
  /// uses then.
  ///
  /// Source: OpenSSL, `OPENSSL_init_crypto(3)`, `OPENSSL_INIT_NO_ATEXIT`.
  package static func keepAtExit() {
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
  }
}
