public import Foundation
import GATT
public import Radio

/// One device in the eyes of the box: radio events in, readings, motion and commands out.
///
/// A value state machine: it never asks for the time and does nothing by itself. Whoever drives it
/// hands it every event of its device, calls ``wake(at:)`` when ``wakeAt`` has come, and acts on the
/// outputs in their order (see ``SessionOutput``). Decoding never depends on a command having been
/// sent, so a trace that begins in the middle of a connection is read all the same. What it keeps is
/// bounded, whatever a device sends.
public struct DeviceSession: Sendable {
  /// What the device is.
  public private(set) var definition: DeviceDefinition
  /// Which device it is.
  public let address: DeviceAddress

  private let timeZone: TimeZone
  private var credentials: DeviceCredentials
  private var link = LinkPolicy()
  private var catchUp = CatchUp()
  private var conversation: Conversation?
  private var available: Set<BluetoothUUID> = []
  private var decoding: SessionDecoding

  /// How many characteristics of a device are remembered.
  static let mostCharacteristics = 256

  /// Starts the session of a device that `definition` describes.
  ///
  /// - Parameters:
  ///   - definition: What the device is.
  ///   - address: Which device it is.
  ///   - timeZone: The plan's zone, in which the device's clock is set.
  ///   - credentials: What the plan holds to open the device's data.
  public init(
    definition: DeviceDefinition, address: DeviceAddress, timeZone: TimeZone,
    credentials: DeviceCredentials = DeviceCredentials()
  ) {
    self.definition = definition
    self.address = address
    self.timeZone = timeZone
    self.credentials = credentials
    decoding = SessionDecoding(
      definition,
      CodecContext(address: address, timeZone: timeZone, credentials: credentials))
  }

  /// Takes over what another plan holds to open the device's data: a key that was missing or wrong
  /// counts from the next frame, a consent from the next link.
  public mutating func trust(_ credentials: DeviceCredentials) {
    guard credentials != self.credentials else { return }
    self.credentials = credentials
    decoding.trust(credentials)
  }

  /// When the session wants to be woken; `nil` where it waits for nothing.
  public var wakeAt: Date? {
    [link.wakeAt, conversation?.wakeAt, decoding.wakeAt].compactMap(\.self).min()
  }

  /// Whether a link is up.
  public var isLinked: Bool { link.state == .up }

  /// Takes an event; one of another device changes nothing.
  public mutating func handle(_ event: RadioEvent, at time: Date) -> [SessionOutput] {
    guard event.address == address else { return [] }
    switch event {
    case .advertisement(let advertisement):
      let outputs = decoding.advertisement(advertisement, at: time)
      guard advertisement.isConnectable, wantsLink(at: time), link.heard(at: time) else {
        return outputs
      }
      catchUp.began(at: time)
      return outputs + [connect]
    case .connected:
      link.connected()
      return []
    case .services(_, let services):
      link.connected()
      available = Set(
        services.flatMap(\.characteristics).map(\.uuid).prefix(Self.mostCharacteristics))
      return startScript(at: time)
    case .value(let value):
      link.worked()
      // Confirmed after what it carried: the order is what makes a reading durable first.
      let outputs = decoding.value(value, at: time)
      let confirmation = value.confirmation.map { [SessionOutput.command(.confirm($0))] } ?? []
      return outputs + confirmation + (conversation?.value(value, at: time) ?? [])
    case .written(_, let characteristic):
      link.worked()
      return conversation?.written(characteristic, at: time) ?? []
    case .failed(_, let kind, let reason):
      let pause = link.failed(kind, at: time)
      let advice = kind.advice(definition.name, address, pause: pause)
      return [reason, advice].compactMap(\.self).map { .note($0) }
        + (conversation?.failed(at: time) ?? [])
    case .disconnected:
      link.disconnected(at: time)
      if conversation?.isFinished == true { catchUp.done(at: time) }
      conversation = nil
      available = []
      decoding.disconnected()
      return []
    case .lost(_, let count):
      return [
        .note("\(count) values of \(address) were dropped: it sends faster than they can be kept.")
      ]
    case .motion:
      return []
    }
  }

  /// Does what was waiting for a time that has come.
  public mutating func wake(at time: Date) -> [SessionOutput] {
    let retry = link.wake(at: time) ? [connect] : []
    return decoding.wake(at: time) + retry + (conversation?.wake(at: time) ?? [])
  }

  /// Whether the device is to be connected to, now that it was heard.
  private mutating func wantsLink(at time: Date) -> Bool {
    switch definition.link.mode {
    case .connect: true
    // Not before what is being weighed is known: a link would end the advertisements.
    case .advertisement:
      definition.link.keepsHistory && catchUp.heard(at: time) && decoding.wakeAt == nil
    }
  }

  private var connect: SessionOutput {
    .command(.connect(address, bonded: definition.link.bond == .required))
  }

  /// Goes on as a device of another definition, for when its name or its services told late what it
  /// is.
  ///
  /// The link stays as it is; where its services are known, the new definition's steps begin.
  ///
  /// - Returns: What the old definition still held back, and the first commands of the new one.
  public mutating func become(_ definition: DeviceDefinition, at time: Date) -> [SessionOutput] {
    guard definition.id != self.definition.id else { return [] }
    let pending = decoding.end()
    self.definition = definition
    decoding = SessionDecoding(
      definition,
      CodecContext(address: address, timeZone: timeZone, credentials: credentials))
    return pending + (available.isEmpty ? [] : startScript(at: time))
  }

  private mutating func startScript(at time: Date) -> [SessionOutput] {
    var begun = Conversation(
      definition, address, available: available, timeZone: timeZone, credentials: credentials,
      lastRecord: decoding.lastRecord, at: time)
    let outputs = begun.begin(at: time)
    conversation = begun
    return outputs
  }

  /// Ends the session in good order: what the definition writes at the end (a sensor that is not
  /// told to stop drains its battery), then the link goes down.
  public mutating func end(at time: Date) -> [SessionOutput] {
    let pending = decoding.end()
    guard isLinked else { return pending }
    let last = conversation?.end(at: time) ?? [.command(.disconnect(address))]
    conversation = nil
    return pending + last
  }
}
