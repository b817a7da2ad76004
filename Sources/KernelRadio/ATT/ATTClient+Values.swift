import GATT
import Radio

// What the peer sends.
extension ATTClient {
  /// A value that came before it was known what its handle stands for.
  struct EarlyValue: Hashable, Sendable {
    var value: HandleValue
    var isIndication: Bool
  }

  /// Takes a notification or an indication.
  ///
  /// An indication of something unknown is confirmed, as nobody else can; one too many is neither
  /// told nor confirmed.
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

  /// Tells a value.
  mutating func arrived(
    _ data: [UInt8], of characteristic: CharacteristicEntry, confirmation: Confirmation? = nil
  ) {
    emit(
      .value(
        CharacteristicValue(
          address: address, service: known?.table.service(around: characteristic.value)?.uuid,
          characteristic: characteristic.uuid, data: data, confirmation: confirmation)))
  }

  /// Goes on with a read: a value that fills its answer to the brim may be longer.
  mutating func extend(
    _ start: [UInt8], by data: [UInt8], of characteristic: CharacteristicEntry, for job: Job,
    at now: Instant
  ) {
    let whole = Array((start + data).prefix(Self.longestValue))
    if data.count >= mtu - 1, whole.count < Self.longestValue {
      ask(.read(characteristic, after: whole), for: job, at: now)
    } else {
      arrived(whole, of: characteristic)
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
