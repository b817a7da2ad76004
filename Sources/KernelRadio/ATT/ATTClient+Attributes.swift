import GATT
import Radio

// Learning what the handles stand for.
extension ATTClient {
  /// Begins with what an earlier link learnt, where it may be trusted.
  ///
  /// A peer with a digest is asked for it. Without one, attributes may be remembered of a bonded
  /// peer, which tells of changes, and of one that says that it never changes by not offering to
  /// tell (Vol 3 Part G §2.5.2).
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
      close(.other, "\(address) told services that cannot be right: \(error)")
    }
  }

  /// Tells the services, and the values that came before them.
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
