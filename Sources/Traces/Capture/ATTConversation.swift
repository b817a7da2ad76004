import GATT
import Radio

/// The attribute protocol between a client and a peer, as a state machine.
///
/// The protocol is sequential: only one request is pending at a time, so a response belongs to the
/// last request (Vol 3 Part F §3.3.2).
struct ATTConversation {
  /// The MTU before it is negotiated (Vol 3 Part G §5.2.1).
  private static let defaultMTU: UInt16 = 23

  /// A request that waits for its response.
  private enum Request: Hashable {
    case mtu(UInt16)
    case services
    case characteristics
    case read(LongRead)
    case write(UInt16)
    case other
  }

  /// The peer.
  let address: DeviceAddress
  /// The attributes of the peer's handles.
  private(set) var table: AttributeTable
  private var mtu = Self.defaultMTU
  private var request: Request?
  /// A value that filled its answer to the brim, so that more of it may be asked for.
  private var unfinished: LongRead?
  /// The table's revision when the services were last emitted on this link.
  private var announced = 0

  /// Starts on a new link to a peer; `table` is known from earlier links.
  init(_ address: DeviceAddress, table: AttributeTable) {
    self.address = address
    self.table = table
  }

  /// Drops the pending request and value, because packets were lost.
  mutating func forgetUnfinished() {
    request = nil
    unfinished = nil
  }

  /// Handles the end of the link.
  mutating func end(into yield: inout CaptureYield) {
    if unfinished != nil { yield.skip(.incompleteRead) }
    forgetUnfinished()
  }

  /// Handles a PDU of the host; its responses as a server are ignored.
  mutating func sent(_ pdu: ATTPDU, into yield: inout CaptureYield) {
    switch pdu {
    case .mtuRequest(let mtu): begin(.mtu(mtu), into: &yield)
    case .readByGroupType(_, _, BluetoothUUID(0x2800)): begin(.services, into: &yield)
    case .readByType(_, _, BluetoothUUID(0x2803)): begin(.characteristics, into: &yield)
    case .read(let handle): beginRead(handle, 0, into: &yield)
    case .readBlob(let handle, let offset): beginRead(handle, offset, into: &yield)
    case .write(let value):
      announce(into: &yield)
      begin(.write(value.handle), into: &yield)
    case .writeCommand: announce(into: &yield)
    default: if pdu.opcode.kind == .request { begin(.other, into: &yield) }
    }
  }

  /// Handles a PDU of the peer; its requests as a client are ignored.
  mutating func received(_ pdu: ATTPDU, into yield: inout CaptureYield) {
    switch pdu {
    case .notification(let value), .indication(let value): emit(value, into: &yield)
    case .notifications(let values): for value in values { emit(value, into: &yield) }
    default:
      guard pdu.opcode.kind == .response, let request else { return }
      self.request = nil
      answer(pdu, to: request, into: &yield)
    }
  }

  private mutating func answer(
    _ pdu: ATTPDU, to request: Request, into yield: inout CaptureYield
  ) {
    switch (request, pdu) {
    case (.mtu(let client), .mtuResponse(let server)):
      mtu = max(Self.defaultMTU, min(client, server))
    case (.services, .readByGroupTypeResponse(let items)):
      learn(items, into: &yield) { table, item throws(GATTError) in
        table.learn(try ServiceEntry(item: item))
      }
    case (.characteristics, .readByTypeResponse(let items)):
      learn(items, into: &yield) { table, item throws(GATTError) in
        table.learn(try CharacteristicEntry(item: item))
      }
    case (.read(let reading), .readResponse(let data)),
      (.read(let reading), .readBlobResponse(let data)):
      extend(reading, by: data, into: &yield)
    case (.read(let reading), .error(_, _, let code)) where !reading.data.isEmpty:
      guard reading.isComplete(by: code) else { return yield.skip(.incompleteRead) }
      emit(HandleValue(handle: reading.handle, data: reading.data), into: &yield)
    case (.write(let handle), .writeResponse):
      guard let characteristic = table.characteristic(ofValue: handle) else { return }
      yield.emit(.written(address, characteristic: characteristic.uuid))
    default: break
    }
  }
}

// MARK: - Discovery

extension ATTConversation {
  private mutating func learn(
    _ items: [[UInt8]], into yield: inout CaptureYield,
    by step: (inout AttributeTable, [UInt8]) throws(GATTError) -> Void
  ) {
    for item in items {
      guard !table.isFull else { return yield.skip(.tableFull) }
      do throws(GATTError) {
        try step(&table, item)
      } catch {
        yield.skip(.malformed)
      }
    }
  }

  /// Emits the peer's services unless this link has emitted the current ones.
  private mutating func announce(into yield: inout CaptureYield) {
    guard announced != table.revision, !table.services.isEmpty else { return }
    announced = table.revision
    yield.emit(.services(address, table.described))
  }
}

// MARK: - Values

extension ATTConversation {
  private mutating func begin(_ request: Request, into yield: inout CaptureYield) {
    // The client took a value that filled its answer for whole.
    if let whole = unfinished {
      unfinished = nil
      emit(HandleValue(handle: whole.handle, data: whole.data), into: &yield)
    }
    self.request = request
  }

  private mutating func beginRead(
    _ handle: UInt16, _ offset: UInt16, into yield: inout CaptureYield
  ) {
    // Descriptors are read during a discovery, characteristics after it.
    if table.characteristic(ofValue: handle) != nil { announce(into: &yield) }
    if let reading = unfinished, reading.handle == handle, reading.data.count == Int(offset) {
      unfinished = nil
      request = .read(reading)
    } else {
      // A read from the middle gives no complete value, and a descriptor is no value.
      let isWhole = offset == 0 && !table.isDescriptor(handle)
      begin(isWhole ? .read(LongRead(handle: handle)) : .other, into: &yield)
    }
  }

  private mutating func extend(
    _ reading: LongRead, by data: [UInt8], into yield: inout CaptureYield
  ) {
    var reading = reading
    reading.append(data, mtu: Int(mtu))
    if reading.mayContinue {
      unfinished = reading
    } else {
      emit(HandleValue(handle: reading.handle, data: reading.data), into: &yield)
    }
  }

  private mutating func emit(_ value: HandleValue, into yield: inout CaptureYield) {
    guard let characteristic = table.characteristic(ofValue: value.handle) else {
      return yield.skip(.unknownAttribute)
    }
    announce(into: &yield)
    yield.emit(
      .value(
        CharacteristicValue(
          address: address, service: table.service(around: value.handle)?.uuid,
          characteristic: characteristic.uuid, data: value.data)))
  }
}
