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
  private var script: ScriptRun?
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
    [link.wakeAt, script?.wakeAt, decoding.wakeAt].compactMap(\.self).min()
  }

  /// Whether a link is up.
  public var isLinked: Bool { link.state == .up }

  /// Takes an event; one of another device changes nothing.
  public mutating func handle(_ event: RadioEvent, at time: Date) -> [SessionOutput] {
    guard event.address == address else { return [] }
    switch event {
    case .advertisement(let advertisement):
      let outputs = decoding.advertisement(advertisement, at: time)
      let connects = definition.link.mode == .connect && link.heard(at: time)
      return outputs + (connects ? [connect] : [])
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
      let commands = script?.value(value.data, of: value.characteristic, at: time) ?? []
      return outputs + confirmation + commands.map { .command($0) }
    case .written(_, let characteristic):
      link.worked()
      return (script?.written(characteristic, at: time) ?? []).map { .command($0) }
    case .failed(_, let kind, let reason):
      let pause = link.failed(kind, at: time)
      let advice = kind.advice(definition.name, address, pause: pause)
      let commands = script?.failed(at: time) ?? []
      return [reason, advice].compactMap(\.self).map { .note($0) }
        + commands.map { .command($0) }
    case .disconnected:
      link.disconnected(at: time)
      script = nil
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
    return decoding.wake(at: time) + retry
      + (script?.wake(at: time) ?? []).map { .command($0) }
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
    var run = ScriptRun(
      definition.session.start, for: address, available: available, timeZone: timeZone)
    let commands = run.proceed(at: time)
    script = run
    return commands.map { .command($0) }
  }

  /// Ends the session in good order: what the definition writes at the end (a sensor that is not
  /// told to stop drains its battery), then the link goes down.
  public mutating func end(at time: Date) -> [SessionOutput] {
    let pending = decoding.end()
    guard isLinked else { return pending }
    script = nil
    let commands = definition.session.end.compactMap { step -> RadioCommand? in
      guard case .write(let uuid, let payload, let withResponse) = step,
        available.contains(uuid)
      else { return nil }
      return .write(
        address, characteristic: uuid, data: payload.bytes(at: time, in: timeZone),
        withResponse: withResponse)
    }
    return pending + (commands + [.disconnect(address)]).map { .command($0) }
  }
}
