import Radio
import SystemBus

/// How characteristics' values arrive, by the characteristics' paths.
struct Subscriptions: Sendable {
  /// A subscription of a session.
  private struct Subscription {
    /// A value without its bytes: the rest is constant, and some sensors send 200 values a second.
    var template: CharacteristicValue
    /// For values as signals: separates them from echoes of this radio's reads.
    var echo: ReadEcho?
    /// For values as packets.
    var file: BusFile?
    var watch: EventLoop.Watch?
  }

  private var subscriptions: [String: Subscription] = [:]
  private var early = EarlyValues()

  /// Whether a session has subscribed to a characteristic.
  func contains(_ characteristic: String) -> Bool { subscriptions[characteristic] != nil }

  /// The file of a characteristic whose values arrive as packets.
  func file(of characteristic: String) -> BusFile? { subscriptions[characteristic]?.file }

  /// The characteristics of a device whose values arrive as packets, sorted.
  func packetSources(of device: String) -> [String] {
    characteristics(of: device).filter { subscriptions[$0]?.file != nil }.sorted()
  }

  /// The characteristics of a device whose values arrive as signals, sorted.
  func signalSources(of device: String) -> [String] {
    characteristics(of: device).filter { subscriptions[$0]?.file == nil }.sorted()
  }

  /// The subscribed characteristics of a device.
  private func characteristics(of device: String) -> [String] {
    subscriptions.keys.filter { $0.hasPrefix(device + "/") }
  }

  /// Subscribes to values as signals.
  ///
  /// - Returns: The values that arrived earlier; `nil` if there are none.
  mutating func addSignals(
    of characteristic: String, template: CharacteristicValue, at now: ContinuousClock.Instant
  ) -> EarlyValues.Taken? {
    subscriptions[characteristic] = Subscription(template: template, echo: ReadEcho())
    var taken = early.take(of: characteristic, at: now)
    taken?.origin.template = template
    return taken
  }

  /// The characteristics with values that arrived before a subscription, sorted.
  var earlySources: [String] { early.characteristics.sorted() }

  /// The characteristics of which a confirmed value has waited for a session too long, sorted.
  func waitingSources(at now: ContinuousClock.Instant) -> [String] {
    earlySources.filter { early.hasWaited($0, at: now) }
  }

  /// Takes the values of a device that arrived before a subscription, in the order of the
  /// characteristics.
  mutating func takeEarly(of device: String, at now: ContinuousClock.Instant)
    -> [EarlyValues.Taken]
  {
    earlySources.filter { $0.hasPrefix(device + "/") }
      .compactMap { early.take(of: $0, at: now) }
  }

  /// Takes the values of a characteristic that arrived before a subscription.
  mutating func takeEarly(ofCharacteristic path: String, at now: ContinuousClock.Instant)
    -> EarlyValues.Taken?
  {
    early.take(of: path, at: now)
  }

  /// Subscribes to values as packets of a file.
  ///
  /// Drops values that arrived earlier: the arrival of its packets places motion in time.
  mutating func addPackets(
    of characteristic: String, template: CharacteristicValue, file: BusFile,
    watch: EventLoop.Watch, at now: ContinuousClock.Instant
  ) {
    _ = early.take(of: characteristic, at: now)
    subscriptions[characteristic] = Subscription(template: template, file: file, watch: watch)
  }

  /// Ends a subscription.
  ///
  /// - Returns: The watch of its file, for the caller to cancel.
  mutating func remove(_ characteristic: String) -> EventLoop.Watch? {
    subscriptions.removeValue(forKey: characteristic)?.watch
  }

  /// Ends the subscriptions of a device.
  ///
  /// - Returns: The watches of their files, for the caller to cancel.
  mutating func removeAll(of device: String) -> [EventLoop.Watch] {
    characteristics(of: device).compactMap { remove($0) }
  }

  // MARK: - Values

  /// A value arrived as a signal.
  ///
  /// Without a subscribed session it is stored.
  ///
  /// - Parameters:
  ///   - data: The value.
  ///   - characteristic: The path of the characteristic.
  ///   - origin: The origin to store it with; `nil` if it may be the echo of a read.
  ///   - now: The time of its arrival.
  /// - Returns: The values to report now.
  mutating func signalled(
    _ data: [UInt8], of characteristic: String, earlyFrom origin: EarlyValues.Origin?,
    at now: ContinuousClock.Instant
  ) -> [CharacteristicValue] {
    guard let subscribed = subscriptions[characteristic]?.template else {
      if let origin { early.store(data, from: origin, of: characteristic, at: now) }
      return []
    }
    let values = subscriptions[characteristic]?.echo?.notified(data) ?? []
    return values.map { Self.value($0, subscribed) }
  }

  /// The value of a packet; `nil` if the subscription has ended.
  func packet(_ data: [UInt8], of characteristic: String) -> CharacteristicValue? {
    subscriptions[characteristic].map { Self.value(data, $0.template) }
  }

  /// A read of a characteristic begins.
  mutating func beginRead(of characteristic: String) {
    subscriptions[characteristic]?.echo?.begin()
  }

  /// A read has ended, with a value if it succeeded.
  ///
  /// - Returns: The values to report now: notifications that arrived meanwhile, then the value.
  mutating func endRead(
    of characteristic: String, _ value: [UInt8]?, template: CharacteristicValue
  ) -> [CharacteristicValue] {
    let notified = subscriptions[characteristic]?.echo?.end(value) ?? []
    return (notified + [value].compactMap(\.self)).map { Self.value($0, template) }
  }

  private static func value(
    _ data: [UInt8], _ template: CharacteristicValue
  ) -> CharacteristicValue {
    var value = template
    value.data = data
    return value
  }
}

/// Separates a characteristic's notifications from the echoes of this radio's own reads.
///
/// While a characteristic is subscribed with `StartNotify`, bluetoothd signals the value of a read
/// like a notification, just before it replies to the read. So notifications are buffered during a
/// read, and one that equals the value is its echo.
struct ReadEcho: Hashable, Sendable {
  /// How many notifications are buffered at most; beyond that all are reported, echo or not.
  private static let limit = 64

  private var reads = 0
  private var heldBack: [[UInt8]] = []

  /// A read begins.
  mutating func begin() { reads += 1 }

  /// A notification arrived.
  ///
  /// - Returns: The values to report now.
  mutating func notified(_ value: [UInt8]) -> [[UInt8]] {
    guard reads > 0 else { return [value] }
    heldBack.append(value)
    guard heldBack.count > Self.limit else { return [] }
    defer { heldBack = [] }
    return heldBack
  }

  /// A read ended, with a value if it succeeded.
  ///
  /// - Returns: The notifications to report now, before the value.
  mutating func end(_ value: [UInt8]?) -> [[UInt8]] {
    reads = max(0, reads - 1)
    if let value, let echo = heldBack.lastIndex(of: value) { heldBack.remove(at: echo) }
    guard reads == 0 else { return [] }
    defer { heldBack = [] }
    return heldBack
  }
}

/// Values that arrived before a session subscribed to them.
///
/// bluetoothd restores subscriptions by itself when a device returns, and confirms indications. So
/// a scale's record may arrive before the session knows that the link is up, and the scale never
/// sends it again. Such values are stored until the session subscribes or the link ends; of another
/// program's notifications only the recent ones.
struct EarlyValues: Hashable, Sendable {
  /// How many values of one characteristic are stored, oldest first: all records of a scale that
  /// bluetoothd has confirmed, and some of what a sensor notifies.
  static let limits = (indicated: 1024, notified: 64)
  /// How many characteristics have stored values.
  static let maximumCharacteristics = 64

  /// How long a notification is stored: one without a clock is stamped when it is taken.
  static let lifetime = Duration.seconds(300)
  /// How long a confirmed value waits for a session to subscribe.
  static let patience = Duration.seconds(60)

  /// The values of one characteristic, as they are taken.
  struct Taken: Hashable, Sendable {
    /// The origin that they were stored with.
    var origin: Origin
    /// The values, oldest first.
    let data: [[UInt8]]
    /// How many more arrived, and were dropped.
    var lost: Int

    /// The values as those of the device at an address.
    func values(at address: DeviceAddress) -> [CharacteristicValue] {
      data.map { bytes in
        var value = origin.template
        value.address = address
        value.data = bytes
        return value
      }
    }
  }

  /// The properties that the stored values of a characteristic share.
  struct Origin: Hashable, Sendable {
    /// A value without its bytes.
    var template: CharacteristicValue
    /// Whether it may be indicated, so that bluetoothd confirms it; notifications without a link of
    /// a session are another program's.
    var isIndicated: Bool
  }

  private struct Value: Hashable, Sendable {
    let data: [UInt8]
    let time: ContinuousClock.Instant
  }

  private struct Source: Hashable, Sendable {
    let origin: Origin
    var values: [Value] = []
    var lost = 0

    mutating func add(_ value: Value) {
      forgetOldNotifications(at: value.time)
      let limit = origin.isIndicated ? EarlyValues.limits.indicated : EarlyValues.limits.notified
      if values.count < limit { values.append(value) } else { lost += 1 }
    }

    mutating func forgetOldNotifications(at now: ContinuousClock.Instant) {
      guard !origin.isIndicated else { return }
      values.removeAll { $0.time + EarlyValues.lifetime <= now }
    }
  }

  private var sources: [String: Source] = [:]

  /// The characteristics of which there are values.
  var characteristics: some Collection<String> { sources.keys }

  /// Whether a confirmed value of a characteristic has waited for a session too long.
  func hasWaited(_ characteristic: String, at now: ContinuousClock.Instant) -> Bool {
    guard let source = sources[characteristic], source.origin.isIndicated else { return false }
    return source.values.first.map { $0.time + Self.patience <= now } ?? false
  }

  /// Stores a value of a characteristic.
  mutating func store(
    _ data: [UInt8], from origin: Origin, of characteristic: String,
    at now: ContinuousClock.Instant
  ) {
    guard sources[characteristic] != nil || makeRoom(for: origin, at: now) else { return }
    sources[characteristic, default: Source(origin: origin)].add(Value(data: data, time: now))
  }

  /// Makes room for another characteristic: drops old notifications, for a confirmed value recent
  /// ones too.
  ///
  /// - Returns: Whether there is room.
  private mutating func makeRoom(for origin: Origin, at now: ContinuousClock.Instant) -> Bool {
    guard sources.count >= Self.maximumCharacteristics else { return true }
    sources = sources.compactMapValues { source in
      var left = source
      left.forgetOldNotifications(at: now)
      return left.values.isEmpty ? nil : left
    }
    if origin.isIndicated, sources.count >= Self.maximumCharacteristics,
      let notified = sources.filter({ !$0.value.origin.isIndicated }).keys.min()
    {
      sources[notified] = nil
    }
    return sources.count < Self.maximumCharacteristics
  }

  /// Takes the values of a characteristic; `nil` if there are none.
  mutating func take(of characteristic: String, at now: ContinuousClock.Instant) -> Taken? {
    guard var source = sources.removeValue(forKey: characteristic) else { return nil }
    source.forgetOldNotifications(at: now)
    guard !source.values.isEmpty else { return nil }
    return Taken(origin: source.origin, data: source.values.map(\.data), lost: source.lost)
  }
}
