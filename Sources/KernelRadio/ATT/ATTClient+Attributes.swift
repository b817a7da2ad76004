import GATT
import Radio

// Discovery of the handles' meaning.
extension ATTClient {
  /// Begins with what an earlier link learnt, where it may be trusted.
  ///
  /// A peer with a digest is asked for it. Without one, attributes may be remembered of a bonded
  /// peer, which indicates changes, and of one that never changes, as it says by not offering such
  /// indications (Vol 3 Part G §2.5.2).
  mutating func learnAttributes(at now: Instant) {
    guard let cached else { return discover(for: .learnAttributes, at: now) }
    if cached.databaseHash != nil {
      ask(.databaseHash, for: .learnAttributes, at: now)
    } else if isBonded || cached.table.serviceChanged == nil {
      know(cached)
    } else {
      discover(for: .learnAttributes, at: now)
    }
  }

  /// Takes the peer's digest: of what was cached, or for the next link.
  mutating func learnt(hash: [UInt8], for job: Job, at now: Instant) {
    if job == .keepHash {
      known?.databaseHash = hash
      tellLearnt()
    } else if let cached, cached.databaseHash == hash {
      isVerified = true
      know(cached)
    } else {
      discover(for: job, at: now)
    }
  }

  /// Asks for what is not known yet, or ends the discovery.
  mutating func discover(for job: Job, at now: Instant) {
    let discovery = self.discovery ?? Discovery()
    if let request = discovery.next {
      self.discovery = discovery
      discoveryDeadline = discoveryDeadline ?? now + Self.discoveryTime
      ask(request, for: job, at: now)
    } else {
      self.discovery = nil
      discoveryDeadline = nil
      isVerified = true
      guard known?.table.hasSameAttributes(as: discovery.table) != true else { return }
      know(CachedAttributes(table: discovery.table))
      tellLearnt()
    }
  }

  /// Takes a part of the list of services or characteristics.
  mutating func discovered(_ answer: ATTPDU, for job: Job, at now: Instant) {
    do throws(GATTError) {
      try discovery?.take(answer)
      discover(for: job, at: now)
    } catch {
      close(LinkError(.other, .invalidServices(.malformed(error))))
    }
  }

  /// Reports the services, and the values that arrived before them.
  private mutating func know(_ attributes: CachedAttributes) {
    // Commands for services that are not as they were have lost their meaning.
    if known != nil { jobs.removeAll(where: \.isForService) }
    known = attributes
    cached = nil
    discoveryDeadline = nil
    hasDoneChores = false
    emit(.services(address, attributes.table.described))
    let waiting = early
    early = []
    for value in waiting { arrived(value.value, isIndication: value.isIndication) }
  }

  mutating func tellLearnt() {
    if let known { outputs.append(.learnt(known)) }
  }
}

extension ATTClient.Job {
  fileprivate var isForService: Bool {
    switch self {
    case .command(.disconnect): false
    case .command, .dropParts: true
    case .exchangeMTU, .learnAttributes, .discover, .keepHash, .watchChanges: false
    }
  }
}

extension AttributeTable {
  /// Whether the same is known, in however many steps it was learnt.
  fileprivate func hasSameAttributes(as other: AttributeTable) -> Bool {
    services == other.services && characteristics == other.characteristics
  }
}

// The peer's values.
extension ATTClient {
  /// A value that came before it was known what its handle stands for.
  struct EarlyValue: Hashable, Sendable {
    var value: HandleValue
    var isIndication: Bool
  }

  /// Takes a notification or an indication.
  ///
  /// An indication of an unknown attribute is confirmed here; one too many is neither reported nor
  /// confirmed.
  mutating func arrived(_ value: HandleValue, isIndication: Bool) {
    guard let known else {
      guard early.count < Self.mostEarlyValues else { return emit(.lost(address, count: 1)) }
      return early.append(EarlyValue(value: value, isIndication: isIndication))
    }
    guard let characteristic = known.table.characteristic(ofValue: value.handle) else {
      if isIndication { send(.confirmation) }
      return
    }
    if isIndication, characteristic.uuid == .serviceChanged {
      send(.confirmation)
      if !jobs.contains(.discover), discovery == nil { jobs.insert(.discover, at: 0) }
      return
    }
    guard isIndication else { return arrived(value.data, of: characteristic) }
    guard unconfirmed.count < Self.mostIndications else {
      return emit(.lost(address, count: 1))
    }
    let number = nextIndication
    nextIndication &+= 1
    unconfirmed.insert(number)
    arrived(
      value.data, of: characteristic,
      confirmation: Confirmation(address: address, number: number))
  }

  /// Reports a value.
  mutating func arrived(
    _ data: [UInt8], of characteristic: CharacteristicEntry, confirmation: Confirmation? = nil
  ) {
    emit(
      .value(
        CharacteristicValue(
          address: address, service: known?.table.service(around: characteristic.value)?.uuid,
          characteristic: characteristic.uuid, data: data, confirmation: confirmation)))
  }

  /// Continues a read whose value may be longer.
  mutating func extend(
    _ read: LongRead, by data: [UInt8], of characteristic: CharacteristicEntry, for job: Job,
    at now: Instant
  ) {
    var read = read
    read.append(data, mtu: mtu)
    if read.mayContinue {
      ask(.read(characteristic, read), for: job, at: now)
    } else {
      arrived(read.data, of: characteristic)
    }
  }

  /// Confirms an indication of this link, once.
  mutating func confirm(_ confirmation: Confirmation) {
    guard confirmation.address == address, unconfirmed.remove(confirmation.number) != nil else {
      return
    }
    send(.confirmation)
  }
}
