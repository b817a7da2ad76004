import Controllers
import Radio
import SystemBus

/// What kernel mode stands on, so that a test can put another end to it.
struct KernelParts: Sendable {
  /// Opens the kernel's management channel.
  var openChannel: @Sendable () throws(SystemError) -> MgmtSocket = {
    () throws(SystemError) in try MgmtSocket()
  }
  /// Opens the list of attached controllers.
  var openDirectory: @Sendable (EventLoop) throws(SystemError) -> ControllerDirectory = {
    loop throws(SystemError) in try ControllerDirectory(loop: loop)
  }
  /// Opens the socket of a link.
  var connect: @Sendable (LinkTarget) throws(SystemError) -> LinkSocket = {
    target throws(SystemError) in try LinkSocket(connectingTo: target)
  }
  /// How long is waited for what.
  var times = KernelTimes()
}
