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
  /// The delays.
  var times = KernelTimes()
}

/// The delays of kernel mode.
struct KernelTimes: Sendable {
  /// How long a device that does not answer may delay others: it was received just now, and sensors
  /// advertise every second or two.
  var turn = Duration.seconds(6)
  /// Between discoveries if there is no monitor: time for links to connect.
  var discoveryPause = Duration.seconds(5)
  /// Before names are requested: a device that is recognised by its data is connected at once,
  /// which must not be delayed.
  var nameScanDelay = Duration.seconds(1)
  /// How long names are requested at a time.
  var nameScan = Duration.seconds(3)
  /// How long to pause between name requests: they use a part of the radio's time.
  var nameScanPause = Duration.seconds(20)
  /// Before the first retry of a failed controller.
  var retry = Duration.seconds(2)
  /// Before the kernel is checked for Bluetooth again.
  var kernelRetry = Duration.seconds(60)
  /// How long bluetoothd has to be away before its controllers are taken: it may only be restarting.
  var resumption = Duration.seconds(30)
  /// Between two looks at the controllers, since an event of the kernel may have been lost.
  var look = Duration.seconds(60)
  /// After how long a silence a controller is switched off and on: many times the longest advertising
  /// interval of any sensor.
  var silence = Duration.seconds(600)
  /// After how long a silence a discovery asks a controller whether it answers: a monitor sends it no
  /// commands.
  var question = Duration.seconds(60)
  /// For udev's event of an rfkill switch, after the kernel reports that a controller is off.
  var switchEventDelay = Duration.milliseconds(100)
  /// For the removal of a controller that is off: one that is unplugged is reported as off first.
  var removal = Duration.seconds(2)
  /// For an advertisement of a device to pair.
  var pairingAdvertisement = Duration.seconds(30)
}
