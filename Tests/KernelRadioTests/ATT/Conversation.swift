import GATT
import Radio

@testable import KernelRadio

/// A client and its peer without a radio; the test advances the time.
struct Conversation {
  var client: ATTClient
  var peer: Peer
  /// The client's events, in order.
  private(set) var events: [RadioEvent] = []
  private(set) var learnt: CachedAttributes?
  private(set) var ends: [LinkError?] = []
  private(set) var raises = 0
  /// The client's units that the peer did not answer.
  private(set) var sent: [[UInt8]] = []
  /// Whether the peer answers.
  var isSilent = false
  /// Whether encryption succeeds at once.
  var canRaise = true
  var now = ATTClient.Instant.now

  init(
    _ peer: Peer, isBonded: Bool = false, cached: CachedAttributes? = nil,
    firstIndication: UInt64 = 0
  ) {
    self.peer = peer
    client = ATTClient(
      address: Peer.address, isBonded: isBonded, cached: cached, firstIndication: firstIndication)
  }

  mutating func start() throws { try act(client.start(at: now)) }

  mutating func perform(_ command: RadioCommand) throws {
    try act(client.perform(command, at: now))
  }

  mutating func receive(_ pdu: ATTPDU) throws { try receive(pdu.bytes) }

  mutating func receive(_ bytes: [UInt8]) throws { try act(client.handle(pdu: bytes, at: now)) }

  mutating func raised() throws { try act(client.securityRaised(at: now)) }

  /// Advances the time to the client's deadline, and wakes it.
  mutating func wait() throws {
    guard let wakeAt = client.wakeAt else { return }
    now = max(now, wakeAt)
    try act(client.wake(at: now))
  }

  /// Removes the recorded events and units.
  mutating func clear() {
    events = []
    sent = []
  }

  private mutating func act(_ outputs: [ATTOutput]) throws {
    for output in outputs {
      switch output {
      case .send(let bytes):
        sent.append(bytes)
        guard !isSilent, let answer = try peer.answer(bytes) else { continue }
        try receive(answer)
      case .event(let event): events.append(event)
      case .learnt(let attributes): learnt = attributes
      case .close(let end): ends.append(end)
      case .raiseSecurity:
        raises += 1
        guard canRaise else { continue }
        peer.wantsSecurity = false
        try raised()
      }
    }
  }
}

extension Conversation {
  /// With a scale whose services are known.
  static func begun(with peer: Peer = .scale()) throws -> Conversation {
    var conversation = Conversation(peer)
    try conversation.start()
    conversation.clear()
    return conversation
  }

  var address: DeviceAddress { Peer.address }

  func value(
    _ data: [UInt8], of uuid: BluetoothUUID = Peer.weight,
    in service: BluetoothUUID = .weightScaleService, confirmation: UInt64? = nil
  ) -> RadioEvent {
    .value(
      CharacteristicValue(
        address: address, service: service, characteristic: uuid, data: data,
        confirmation: confirmation.map { Confirmation(address: address, number: $0) }))
  }

  static let subscribe = RadioCommand.subscribe(Peer.address, characteristic: Peer.weight)

  func indication(_ data: [UInt8]) -> ATTPDU {
    .indication(HandleValue(handle: peer.handle(of: Peer.weight), data: data))
  }
}
