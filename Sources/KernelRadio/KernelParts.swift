import Controllers
import Radio
import SystemBus

/// The system that kernel mode uses, replaceable by tests.
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

/// The delays of kernel mode.
struct KernelTimes: Sendable {
  /// How long a device that does not answer may delay others: it was received just now, and sensors
  /// advertise every second or two.
  var turn = Duration.seconds(6)
  /// Between discoveries where there is no monitor: links that are to come up have the time.
  var discoveryPause = Duration.seconds(5)
  /// Before devices are asked for their names: a device that is recognised by its data is connected
  /// at once, and must not wait for that.
  var nameScanDelay = Duration.seconds(1)
  /// How long devices are asked for their names at once.
  var nameScan = Duration.seconds(3)
  /// How long not again: asking takes a part of the radio's time.
  var nameScanPause = Duration.seconds(20)
  /// Before a controller that failed is set up again, at first.
  var retry = Duration.seconds(2)
  /// Before it is looked again whether the kernel has Bluetooth.
  var kernelRetry = Duration.seconds(60)
  /// For udev's event of a switch, after the kernel's event that a controller was switched off.
  var switchNews = Duration.milliseconds(100)
  /// For an advertisement of a device that is to be paired.
  var pairingAdvertisement = Duration.seconds(30)
}
