import Foundation
import Radio

// Having the link encrypted, at its beginning for a bonded peer, or when a request demands it.
//
// It is always done on a link that is up: a kernel of Debian 12 (6.1.192) breaks when a socket
// connects at a higher level to a peer that has lost its key.
extension KernelLink {
  /// How long encryption may take: a person may have to read a passkey and enter it.
  static let securityTime = Duration.seconds(60)
  /// How often it is looked whether the link is encrypted, lest the socket does not tell.
  private static let securityTick = Duration.milliseconds(100)

  /// An encryption that goes on.
  struct Securing {
    let deadline: ContinuousClock.Instant
    var nextLook: ContinuousClock.Instant
    /// Whether the socket was not writable since: it is suspended until the encryption succeeded.
    var isSuspended = true
  }

  /// Takes the news (of the control channel) that pairing or encryption with this peer failed.
  func authenticationFailed() {
    guard securing != nil else { return }
    endInsecure()
    settleLater()
  }

  /// Has the link encrypted.
  func secure() {
    switch socket?.raiseSecurity() {
    case 0?:
      let now = ContinuousClock.now
      securing = Securing(deadline: now + Self.securityTime, nextLook: now + Self.securityTick)
    case EINVAL?: secured()
    default: endInsecure()
    }
  }

  /// The socket takes something again.
  func resumed() {
    guard securing != nil else { return }
    securing?.isSuspended = false
    if socket?.isEncrypted == true { secured() }
  }

  func lookAtSecurity(at now: ContinuousClock.Instant) {
    guard let securing, securing.nextLook <= now else { return }
    if socket?.isEncrypted == true {
      secured()
    } else if securing.deadline <= now {
      endInsecure()
    } else {
      self.securing?.nextLook = now + Self.securityTick
    }
  }

  private func secured() {
    securing = nil
    act(client.hasStarted ? client.securityRaised(at: .now) : client.start(at: .now))
  }

  /// A socket that could not be secured stays suspended, so that it is of no more use.
  private func endInsecure() {
    let (kind, reason) = LinkEnd.insecurity(of: target.address, isBonded: target.isBonded)
    end(LinkEnd(kind, "The link to \(target.address) could not be encrypted: \(reason)"))
  }
}
