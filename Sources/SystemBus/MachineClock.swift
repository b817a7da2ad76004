import CSystemd

/// The machine's clock, as the kernel sees it.
package enum MachineClock {
  /// Whether a time service sets the clock: systemd-timesyncd, chrony or ntpd (adjtimex(2)).
  ///
  /// - Returns: `nil` if the kernel does not tell, as in a sandbox.
  package static var isSynchronized: Bool? {
    var state = timex()
    guard unsafe adjtimex(&state) >= 0 else { return nil }
    return state.status & STA_UNSYNC == 0
  }
}
