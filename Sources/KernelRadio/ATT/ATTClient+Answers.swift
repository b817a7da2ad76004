import GATT
import Radio

extension ATTClient {
  /// Processes a protocol data unit: a value, a response, or a request of the peer.
  mutating func take(_ pdu: ATTPDU, at now: Instant) {
    switch pdu {
    case .notification(let value): arrived(value, isIndication: false)
    case .notifications(let values): for value in values { arrived(value, isIndication: false) }
    case .indication(let value): arrived(value, isIndication: true)
    default:
      if pdu.opcode.kind == .response {
        answered(pdu, at: now)
      } else if let answer = ATTServer.answer(to: pdu, mtu: Self.largestMTU) {
        if case .mtuRequest(let theirs) = pdu { agree(on: theirs) }
        send(answer)
      }
    }
  }

  /// Processes an undecodable unit: it ends the request that it answers; a request is refused.
  mutating func takeUnreadable(_ opcode: ATTOpcode, _ error: GATTError, at now: Instant) {
    if let refusal = ATTServer.refusal(of: opcode) {
      send(refusal)
    } else if let transaction = current, transaction.deadline != nil,
      opcode == transaction.request.pdu.opcode.response
    {
      current = nil
      failed(transaction, .other, .malformed(error), at: now)
    }
  }

  mutating func agree(on theirs: UInt16) {
    mtu = max(23, Int(min(Self.largestMTU, theirs)))
  }

  /// Processes a response; one without a request is ignored.
  private mutating func answered(_ pdu: ATTPDU, at now: Instant) {
    guard let transaction = current, transaction.deadline != nil,
      transaction.request.accepts(pdu)
    else { return }
    if case .error(_, _, let code) = pdu {
      refused(transaction, code, at: now)
    } else {
      current = nil
      granted(transaction, pdu, at: now)
    }
  }

  private mutating func granted(_ transaction: Transaction, _ pdu: ATTPDU, at now: Instant) {
    let job = transaction.job
    switch (transaction.request, pdu) {
    case (.mtu, .mtuResponse(let theirs)): agree(on: theirs)
    case (.databaseHash, .readByTypeResponse(let items)):
      learnt(hash: items.first.map { Array($0.dropFirst(2)) } ?? [], for: job, at: now)
    case (.services, _), (.characteristics, _): discovered(pdu, for: job, at: now)
    case (.configuration(let characteristic, let handles), .findInformationResponse(let kinds)):
      found(kinds, of: characteristic, among: handles, for: job, at: now)
    case (.configure, _): if job != .watchChanges { isSubscribed = true }
    case (.read(let characteristic, let read), .readResponse(let data)),
      (.read(let characteristic, let read), .readBlobResponse(let data)):
      extend(read, by: data, of: characteristic, for: job, at: now)
    case (.write(let characteristic, _), _), (.execute(let characteristic, true), _):
      emit(.written(address, characteristic: characteristic.uuid))
    case (.prepare(let characteristic, let data, let part), .prepareWriteResponse(let echo, _)):
      prepared(echo.data, data, part, of: characteristic, for: job, at: now)
    default: break
    }
  }

  private mutating func refused(
    _ transaction: Transaction, _ code: ATTErrorCode, at now: Instant
  ) {
    if code.asksForSecurity, !transaction.isRepeated, transaction.job.justifiesPairing {
      current?.deadline = nil
      outputs.append(.raiseSecurity)
      return
    }
    current = nil
    switch transaction.request {
    case .services, .characteristics:
      // Some peers answer that handles after their last one are invalid.
      if code == .attributeNotFound || code == .invalidHandle {
        discovery?.endOfList()
        return discover(for: transaction.job, at: now)
      }
    case .read(let characteristic, let read):
      if read.isComplete(by: code) { return arrived(read.data, of: characteristic) }
    default: break
    }
    // Handles of an earlier link may be those of other attributes by now.
    if isVerified ? code == .databaseOutOfSync : !code.asksForSecurity,
      case .command = transaction.job, transaction.job != retried
    {
      // Once the handles are rediscovered, the command is repeated.
      retried = transaction.job
      jobs.insert(contentsOf: [.discover, transaction.job], at: 0)
      return
    }
    failed(
      transaction, code.asksForSecurity ? .unauthorized : .other, .att(code.rawValue), at: now)
  }

  /// Continues after a failed request.
  mutating func failed(
    _ transaction: Transaction, _ kind: LinkFailure, _ reason: LinkError.Reason, at now: Instant
  ) {
    switch transaction.job {
    case .exchangeMTU, .storeHash, .watchChanges, .dropParts: break
    case .learnAttributes where transaction.request == .databaseHash:
      discover(for: transaction.job, at: now)
    case .learnAttributes, .discover:
      close(LinkError(kind, .invalidServices(reason)))
    case .command(let command):
      if case .prepare(let characteristic, _, _) = transaction.request {
        jobs.insert(.dropParts(characteristic), at: 0)
      }
      if let (operation, characteristic) = command.operation {
        fail(LinkError(kind, .refused(operation, characteristic, reason)))
      }
    }
  }
}

extension ATTClient.Job {
  /// Whether the job justifies a pairing request.
  fileprivate var justifiesPairing: Bool {
    switch self {
    case .learnAttributes, .discover, .command: true
    case .exchangeMTU, .storeHash, .watchChanges, .dropParts: false
    }
  }
}

extension RadioCommand {
  /// The operation on a characteristic; `nil` for a command of the link.
  fileprivate var operation: (LinkError.Operation, BluetoothUUID)? {
    switch self {
    case .subscribe(_, let characteristic, _): (.subscribe, characteristic)
    case .read(_, let characteristic): (.read, characteristic)
    case .write(_, let characteristic, _, _): (.write, characteristic)
    case .connect, .disconnect, .confirm: nil
    }
  }
}
