import Care
import Foundation
import Motion

// MARK: - Bindings

extension SQLTransaction {
  func deviceBindings() throws -> [DeviceBinding] {
    try reading {
      try knownSecrets().adding(
        to: rows(
          "SELECT * FROM device_binding ORDER BY address, user_index NULLS FIRST",
          read: DeviceBinding.init))
    }
  }

  /// The secrets of devices as this transaction has changed them.
  private func knownSecrets() -> DeviceSecrets.Content {
    state.secrets.reduce(into: secrets.content) { $0.add($1) }
  }

  /// Whether an import or edit of the plan changed secrets, so that taking it back changes them.
  func hasChangedSecrets(_ edit: Int64) -> Bool { state.secrets.contains { $0.edit == edit } }

  /// Keeps the secrets that this transaction has changed: before its rows are committed, since a
  /// secret without a binding does no harm.
  func keepSecrets() throws {
    guard !state.secrets.isEmpty || state.hasRemovedSecrets else { return }
    // Of all versions: an edit that can be taken back still needs them.
    struct Reachable: Decodable { var channels: [Channel]? }
    let channels = try rows(
      """
      SELECT payload FROM version
        WHERE type IN ('patient', 'contact') AND payload LIKE '%"channels"%'
      """
    ) { row in
      let payload: String = try row.required("payload")
      return try JSONDecoder().decode(Reachable.self, from: Data(payload.utf8)).channels ?? []
    }
    try secrets.keep(
      state.secrets,
      of: .init(
        devices: Set(try boundDevices()), channels: Set(channels.joined()),
        outlets: Set(try outletSettings().keys)))
  }

  /// The devices with a binding, or with one that was replaced and may come back.
  func boundDevices() throws -> [DeviceID] {
    try rows("SELECT address FROM device_binding UNION SELECT address FROM replaced_binding") {
      try $0.device("address")
    }
  }

  func keep(_ secret: ChannelSecret) throws {
    guard secrets.content.channels[secret.channel] != secret.secret else { return }
    state.secrets.append(.channel(secret))
  }

  package func keep(_ secret: OutletSecret) throws { state.secrets.append(.outlet(secret)) }

  /// Replaces the bindings of the devices that a plan names by the plan's, and leaves those of
  /// other devices.
  ///
  /// An exported plan has no keys and consent codes: the stored ones stay. A device's key is that of
  /// its first slot, whichever the plan writes it to.
  ///
  /// - Returns: The changes, by binding.
  func importDevices(
    _ planned: [DeviceBinding], isStrict: Bool
  ) throws -> [PlanImportReport.Line] {
    let current = Set(try deviceBindings())
    let edits = try deviceEdits()
    var contested: Set<DeviceID> = []
    var kept: [PlanImportReport.Line] = []
    let planned = try planned.filter { binding in
      let device = binding.address
      // Secrets are no part of what a plan file and the page share.
      let digest = try planned.digests()[device.text]
      guard edits.devices.contains(device),
        try digest != Array(current).digests()[device.text]
      else { return true }
      guard edits.digests[device.text] == digest else {
        contested.insert(device)
        return true
      }
      kept.append(
        .init(
          kind: .device, patient: binding.patient, id: device.text, change: .unchanged,
          kept: .changed))
      return false
    }
    if isStrict, let device = contested.min() {
      throw StoreError.refused(.deviceChangedByHand(device))
    }
    let keys = Dictionary(
      (planned + current).compactMap { binding in binding.key.map { (binding.address, $0) } },
      uniquingKeysWith: { first, _ in first })
    let firstSlots = Dictionary(
      planned.map { ($0.address, $0.userIndex ?? -1) }, uniquingKeysWith: min)
    let bindings = planned.map { binding in
      let known = current.first { DeviceSlot($0) == DeviceSlot(binding) }
      var binding = binding
      let isFirst = firstSlots[binding.address] == binding.userIndex ?? -1
      binding.key = isFirst ? keys[binding.address] : nil
      binding.consentCode = binding.consentCode ?? known?.consentCode
      return binding
    }
    let addresses = Set(bindings.map(\.address))
    let replaced = current.filter { addresses.contains($0.address) }
    if replaced != Set(bindings) {
      for address in addresses {
        try execute(
          "DELETE FROM device_binding WHERE \(Dialect.isSpelt("address"))", [address.text])
      }
      for binding in bindings { try insert(binding) }
    }
    let known = Set(replaced.map(DeviceSlot.init))
    let slots = Set(bindings.map(DeviceSlot.init))
    func line(_ binding: DeviceBinding, _ change: PlanImportReport.Change) -> PlanImportReport.Line
    {
      let slot = binding.userIndex.map { " user \($0)" } ?? ""
      return .init(
        kind: .device, patient: binding.patient, id: binding.address.text + slot, change: change,
        contestedKeys: contested.contains(binding.address) && change != .unchanged
          ? ["device"] : [])
    }
    return kept
      + bindings.map { binding in
        line(
          binding,
          replaced.contains(binding)
            ? .unchanged : known.contains(DeviceSlot(binding)) ? .updated : .added)
      }
      + replaced.filter { !slots.contains(DeviceSlot($0)) }
      .sorted { ($0.address, $0.userIndex ?? -1) < ($1.address, $1.userIndex ?? -1) }
      .map { line($0, .removed) }
  }

  func insert(_ binding: DeviceBinding) throws {
    try requireStorable(binding.address.text, binding.definition, binding.patient)
    if let patient = binding.patient { try requirePatient(patient) }
    try execute(
      """
      INSERT INTO device_binding
        (address, user_index, definition, patient, placement)
      VALUES (?, ?, ?, ?, ?)
      """,
      [
        binding.address.text, binding.userIndex, binding.definition, binding.patient,
        try binding.placement.map(JSON.text),
      ])
    let known = knownSecrets()
    var secret = DeviceSecret(
      address: binding.address, userIndex: binding.userIndex, edit: state.record)
    if binding.key != known.keys[binding.address] { secret.key = binding.key }
    if binding.consentCode != known.consentCodes[DeviceSlot(binding)] {
      secret.consentCode = binding.consentCode
    }
    if secret.key != nil || secret.consentCode != nil { state.secrets.append(.device(secret)) }
  }
}

/// A user slot of a device, or the whole device.
struct DeviceSlot: Hashable {
  let device: DeviceID
  let userIndex: Int?

  init(device: DeviceID, userIndex: Int?) {
    self.device = device
    self.userIndex = userIndex
  }

  init(_ binding: DeviceBinding) {
    self.init(device: binding.address, userIndex: binding.userIndex)
  }
}

extension DeviceBinding {
  /// Reads a row of the table `device_binding`, which has no secrets.
  fileprivate init(_ row: Row) throws {
    self.init(
      address: try row.device("address"), definition: try row.optional("definition"),
      patient: try row.optional("patient"), userIndex: try row.optional("user_index"),
      placement: try row.optionalParsed("placement") { text in
        try? JSON.value(Placement.self, from: text)
      })
  }
}

// MARK: - Calibrations

extension SQLTransaction {
  func calibrations() throws -> [SensorCalibration] {
    try reading {
      try rows("SELECT * FROM calibration ORDER BY lower(address)", read: SensorCalibration.init)
    }
  }

  func setCalibration(_ calibration: SensorCalibration) throws {
    try changing {
      try requireStorable(calibration.address.text)
      try execute(
        "DELETE FROM calibration WHERE \(Dialect.isSpelt("address"))", [calibration.address.text])
      let (offset, scale) = (calibration.calibration.offset, calibration.calibration.scale)
      try execute(
        """
        INSERT INTO calibration (address, method, offset_x, offset_y, offset_z, scale_x, scale_y,
          scale_z, created_date)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          calibration.address.text, calibration.method.rawValue, offset.x, offset.y, offset.z,
          scale.x, scale.y, scale.z, calibration.createdDate.microseconds,
        ])
      try planChanged()
    }
  }

  func deleteCalibration(of sensor: DeviceID) throws {
    try changing {
      let count = try db.changes {
        try execute("DELETE FROM calibration WHERE \(Dialect.isSpelt("address"))", [sensor.text])
      }
      guard count > 0 else {
        throw StoreError.unknown(.calibration(sensor))
      }
      try planChanged()
    }
  }
}

extension SensorCalibration {
  /// Reads a row of the table `calibration`.
  fileprivate init(_ row: Row) throws {
    func vector(_ name: String) throws -> Vector3 {
      Vector3(
        x: try row.required(name + "_x"), y: try row.required(name + "_y"),
        z: try row.required(name + "_z"))
    }
    self.init(
      address: try row.device("address"),
      method: try row.parsed("method", SensorCalibration.Method.init(rawValue:)),
      calibration: AccelerometerCalibration(
        offset: try vector("offset"), scale: try vector("scale")),
      createdDate: try row.date("created_date"))
  }
}
