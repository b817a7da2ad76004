import GATT
import Radio

extension ATTClient {
  /// A task that may take several requests.
  enum Job: Hashable, Sendable {
    case exchangeMTU
    /// Use the attributes from an earlier link if they are still valid, else discover.
    case learnAttributes
    case discover
    case command(RadioCommand)
    /// Read the peer's database hash for the next link.
    case storeHash
    /// Make a bonded peer indicate changes of its attributes.
    case watchChanges
    /// Make a peer discard the parts of an incomplete long write.
    case dropParts(CharacteristicEntry)
  }

  /// A request that waits for its response.
  struct Transaction: Hashable, Sendable {
    var request: ATTRequest
    /// The job that it belongs to.
    let job: Job
    /// When the response is overdue; `nil` while the link is being encrypted.
    var deadline: Instant?
    /// Whether it was sent before, on a link that was not encrypted.
    var isRepeated = false
  }

  /// Continues with waiting jobs, and returns the outputs.
  mutating func proceed(at now: Instant) -> [ATTOutput] {
    while hasStarted, current == nil, !isClosed {
      if jobs.isEmpty { addPreparations() }
      guard !jobs.isEmpty else { break }
      begin(jobs.removeFirst(), at: now)
    }
    defer { outputs = [] }
    return outputs
  }

  private mutating func begin(_ job: Job, at now: Instant) {
    switch job {
    case .exchangeMTU: ask(.mtu(Self.largestMTU), for: job, at: now)
    case .learnAttributes: learnAttributes(at: now)
    case .discover: discover(for: job, at: now)
    case .command(let command): begin(command, at: now)
    case .storeHash: ask(.databaseHash, for: job, at: now)
    case .dropParts(let characteristic):
      ask(.execute(characteristic, isCommitted: false), for: job, at: now)
    case .watchChanges:
      if let characteristic = known?.table.serviceChanged {
        configure(characteristic, for: job, at: now)
      }
    }
  }

  /// Queues preparations for the next link, once a sensor's data arrives on this one.
  private mutating func addPreparations() {
    guard isSubscribed, !hasPrepared, let known else { return }
    hasPrepared = true
    if known.databaseHash == nil, known.table.has(.databaseHash) { jobs.append(.storeHash) }
    if isBonded, let changed = known.table.serviceChanged,
      known.configurations[changed.value] == nil
    {
      jobs.append(.watchChanges)
    }
  }

  /// Sends a request; its response continues the job.
  mutating func ask(_ request: ATTRequest, for job: Job, at now: Instant) {
    make(Transaction(request: request, job: job), at: now)
  }

  mutating func make(_ transaction: Transaction, at now: Instant) {
    current = transaction
    current?.deadline = now + Self.answerTime
    send(transaction.request.pdu)
  }

  mutating func send(_ pdu: ATTPDU) {
    outputs.append(.send(pdu.bytes))
  }

  mutating func emit(_ event: RadioEvent) {
    outputs.append(.event(event))
  }

  /// Reports that a command failed.
  mutating func fail(_ error: LinkError) { emit(.failed(address, error)) }

  mutating func close(_ error: LinkError?) {
    guard !isClosed else { return }
    isClosed = true
    current = nil
    jobs = []
    outputs.append(.close(error))
  }
}

extension AttributeTable {
  /// The characteristic with this UUID; of several, the first that has one of the properties.
  func characteristic(
    _ uuid: BluetoothUUID, with properties: Set<CharacteristicProperty> = []
  ) -> CharacteristicEntry? {
    let all = characteristics.filter { $0.uuid == uuid }
    return all.first { !$0.properties.isDisjoint(with: properties) } ?? all.first
  }

  func has(_ uuid: BluetoothUUID) -> Bool { characteristic(uuid) != nil }

  /// The characteristic that indicates changed attributes.
  var serviceChanged: CharacteristicEntry? {
    characteristic(.serviceChanged).flatMap { $0.properties.contains(.indicate) ? $0 : nil }
  }

  /// The handles of a characteristic's descriptors, 64 at most; `nil` if there is no room for any.
  func descriptors(of characteristic: CharacteristicEntry) -> ClosedRange<UInt16>? {
    let next = characteristics.first { $0.declaration > characteristic.value }
    let serviceEnd = service(around: characteristic.value)?.handles.upperBound ?? .max
    let end = min(
      serviceEnd, next.map { $0.declaration - 1 } ?? .max,
      UInt16(clamping: Int(characteristic.value) + 64))
    return characteristic.value < end ? characteristic.value + 1...end : nil
  }
}
