import GATT

/// One thing to do on a link, as a definition's steps come down to it.
enum Instruction: Hashable, Sendable {
  case subscribe(BluetoothUUID)
  case read(BluetoothUUID)
  case write(BluetoothUUID, SessionStep.Payload, withResponse: Bool)
  /// Write what was read last, if it was.
  case writeBack(BluetoothUUID)
  /// Write the number behind the one that was read last; 1 where the device does not tell it.
  case writeNext(BluetoothUUID)
  case waitFor(SessionStep.Wait)
  case delay(Double)
  /// Give a user's consent; where it is not accepted, leave out as many instructions.
  case consent(BluetoothUUID, DeviceCredentials.User, orSkip: Int)
  case fetchRecords(BluetoothUUID)
  /// Tell people something.
  case say(ScriptNote)
}

extension [Instruction] {
  /// What a definition's steps come down to for a device that has the characteristics `available`;
  /// steps that need another one are left out.
  init(
    _ steps: [SessionStep], available: Set<BluetoothUUID>, users: [DeviceCredentials.User]
  ) {
    self = steps.flatMap { step -> [Instruction] in
      switch step {
      case .subscribe(let uuid): available.contains(uuid) ? [.subscribe(uuid)] : []
      case .read(let uuid): available.contains(uuid) ? [.read(uuid)] : []
      case .write(let uuid, let payload, let withResponse):
        available.contains(uuid) ? [.write(uuid, payload, withResponse: withResponse)] : []
      case .waitFor(let wait): available.contains(wait.characteristic) ? [.waitFor(wait)] : []
      case .delay(let seconds): [.delay(seconds)]
      case .echo(let uuids):
        uuids.filter(available.contains).map { .read($0) }
          + uuids.filter(available.contains).map { .writeBack($0) }
      case .increment(let uuid):
        available.contains(uuid) ? [.read(uuid), .writeNext(uuid)] : []
      case .fetchRecords(let uuid): available.contains(uuid) ? [.fetchRecords(uuid)] : []
      case .consent(let uuid, let then):
        available.contains(uuid)
          ? Self.consents(uuid, then, available: available, users: users) : []
      }
    }
  }

  private static func consents(
    _ uuid: BluetoothUUID, _ then: [SessionStep], available: Set<BluetoothUUID>,
    users: [DeviceCredentials.User]
  ) -> [Instruction] {
    guard !users.isEmpty else { return [.say(.noConsent)] }
    let block = [Instruction](then, available: available, users: users)
    return users.flatMap { [.consent(uuid, $0, orSkip: block.count)] + block }
  }
}
