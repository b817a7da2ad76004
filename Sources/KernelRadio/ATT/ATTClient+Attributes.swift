import GATT
import Radio

// MARK: - Attribute discovery
extension ATTClient {
  /// Starts with the attributes from an earlier link, if they are reliable.
  ///
  /// The database hash of a peer that has one is read. Without a hash, cached attributes are used
  /// for a bonded peer, which indicates changes, and for a peer without Service Changed, whose
  /// attributes never change (Vol 3 Part G §2.5.2).
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

  /// Processes the peer's database hash: for the cached attributes, or for the next link.
  mutating func learnt(hash: [UInt8], for job: Job, at now: Instant) {
    if job == .storeHash {
      known?.databaseHash = hash
      reportLearnt()
    } else if let cached, cached.databaseHash == hash {
      isVerified = true
      know(cached)
    } else {
      discover(for: job, at: now)
    }
  }

  /// Requests the next unknown part, or ends the discovery.
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
      guard known?.table.hasSameAttributes(as: discovery.table) != true else {
        return takeEarlyValues()
      }
      know(CachedAttributes(table: discovery.table))
      reportLearnt()
    }
  }

  /// Processes a part of the list of services or characteristics.
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
    // Commands for services that have changed are obsolete.
    if known != nil { jobs.removeAll(where: \.isForService) }
    known = attributes
    cached = nil
    discoveryDeadline = nil
    hasPrepared = false
    emit(.services(address, attributes.table.described))
    takeEarlyValues()
  }

  private mutating func takeEarlyValues() {
    let waiting = early
    early = []
    for value in waiting { arrived(value.value, isIndication: value.isIndication) }
  }

  mutating func reportLearnt() {
    if let known { outputs.append(.learnt(known)) }
  }
}

extension ATTClient.Job {
  fileprivate var isForService: Bool {
    switch self {
    case .command(.disconnect): false
    case .command, .dropParts: true
    case .exchangeMTU, .learnAttributes, .discover, .storeHash, .watchChanges: false
    }
  }
}

extension AttributeTable {
  /// Whether the attributes are the same, regardless of the order of discovery.
  fileprivate func hasSameAttributes(as other: AttributeTable) -> Bool {
    services == other.services && characteristics == other.characteristics
  }
}

// MARK: - Values
extension ATTClient {
  /// A value that arrived before the meaning of its handle was known, or while it is in doubt.
  struct EarlyValue: Hashable, Sendable {
    var value: HandleValue
    var isIndication: Bool
  }

  /// Processes a notification or an indication.
  ///
  /// An indication of an unknown attribute is confirmed here, unless the attributes are those of an
  /// earlier link and may have moved: then they are requested first, since a device deletes what is
  /// confirmed. One beyond the limit is neither reported nor confirmed.
  mutating func arrived(_ value: HandleValue, isIndication: Bool) {
    guard let known, !isRediscovering else { return keepEarly(value, isIndication) }
    guard let characteristic = known.table.characteristic(ofValue: value.handle) else {
      if !isVerified {
        keepEarly(value, isIndication)
        jobs.insert(.discover, at: 0)
      } else if isIndication {
        send(.confirmation)
      }
      return
    }
    if isIndication, characteristic.uuid == .serviceChanged {
      send(.confirmation)
      jobs.insert(.discover, at: 0)
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

  /// Whether the attributes are requested again, or are to be.
  private var isRediscovering: Bool {
    known != nil && (discovery != nil || jobs.contains(.discover))
  }

  private mutating func keepEarly(_ value: HandleValue, _ isIndication: Bool) {
    guard early.count < Self.mostEarlyValues else { return emit(.lost(address, count: 1)) }
    early.append(EarlyValue(value: value, isIndication: isIndication))
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

  /// Continues a read of a value that may be longer.
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
