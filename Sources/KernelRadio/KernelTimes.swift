/// How long kernel mode waits for what.
struct KernelTimes: Sendable {
  /// How long a device that does not answer may keep others waiting: it has just been heard, and
  /// sensors advertise every second or two.
  var turn = Duration.seconds(6)
  /// Between discoveries where there is no monitor: links that are to come up have the time.
  var discoveryPause = Duration.seconds(5)
  /// Before devices are asked for their names: one that is known by what it sends already is
  /// connected at once, and must not wait for that.
  var nameScanDelay = Duration.seconds(1)
  /// How long devices are asked for their names at once.
  var nameScan = Duration.seconds(3)
  /// How long not again: asking takes a part of the radio's time.
  var nameScanPause = Duration.seconds(20)
  /// Before a controller that failed is set up again, at first.
  var retry = Duration.seconds(2)
  /// Before it is looked again whether the kernel has Bluetooth.
  var kernelRetry = Duration.seconds(60)
  /// For udev's news of a switch, after the kernel's that it switched a controller off.
  var switchNews = Duration.milliseconds(100)
  /// For a device that is to be paired to be heard.
  var pairingAdvertisement = Duration.seconds(30)
}
