import GATT
import Radio
import StrictYAML

extension DeviceCatalog {
  /// The defects of definitions: those that ``load(_:)`` refuses, and further ones that a shipped
  /// definition must not have.
  ///
  /// Checked are: unknown keys, quantities, units, types and codecs; duplicate ids of a layer;
  /// missing vectors; fields beyond the end of a frame of fixed length; tests of unknown fields;
  /// characteristics that are decoded but never requested; and definitions that match the same
  /// advertisement with the same score. ``runVectors()`` checks the vectors.
  ///
  /// - Returns: The findings by file and line. Cost: quadratic in the number of definitions.
  public static func lint(_ layers: [[DefinitionFile]]) -> [DefinitionFinding] {
    let (catalog, findings) = read(layers)
    // Of a file that cannot be read, every mistake.
    let files = layers.joined()
    let unreadable = findings.flatMap { finding -> [DefinitionFinding] in
      guard let file = files.first(where: { $0.name == finding.file }) else { return [finding] }
      let mistakes = DeviceDefinition.mistakes(in: file).map(DefinitionFinding.init(_:))
      return mistakes.contains(finding) ? mistakes : [finding]
    }
    let all =
      unreadable + catalog.definitions.flatMap(\.ownFindings) + catalog.overlaps
    return all.sorted { ($0.file, $0.line, $0.reason) < ($1.file, $1.line, $1.reason) }
  }
}

// MARK: - Overlap

extension DeviceCatalog {
  /// Pairs of definitions that one advertisement matches with the same score, reported for both
  /// files.
  var overlaps: [DefinitionFinding] {
    var findings: [DefinitionFinding] = []
    for (index, definition) in definitions.enumerated() {
      for other in definitions[..<index] where definition.collides(with: other) {
        findings.append(definition.overlap(with: other))
        findings.append(other.overlap(with: definition))
      }
    }
    return findings
  }
}

extension DeviceDefinition {
  fileprivate func overlap(with other: DeviceDefinition) -> DefinitionFinding {
    let there = other.place(of: "match")
    return DefinitionFinding(
      place(of: "match"),
      "‘\(id)’ and ‘\(other.id)’ (\(there.file):\(there.line)) match the same"
        + " advertisement with the same score; ask for more in one of them")
  }

  /// Whether a device can exist that both rules match with the same score.
  ///
  /// Each alternative gives the minimal device that satisfies it; these devices and the vectors'
  /// advertisements are compared with both rules. Overlapping patterns with wildcards are found by
  /// comparing the alternatives themselves.
  fileprivate func collides(with other: DeviceDefinition) -> Bool {
    let devices = exampleDevices + other.exampleDevices
    let isShared = devices.contains { device in
      let (a, b) = (match.evaluate(device), other.match.evaluate(device))
      return a.missing.isEmpty && b.missing.isEmpty && a.score == b.score
    }
    return isShared
      || match.alternatives.contains { mine in
        other.match.alternatives.contains { theirs in
          MatchRule.specificity(of: mine) == MatchRule.specificity(of: theirs)
            && mine.isCompatible(with: theirs)
        }
      }
  }

  private var exampleDevices: [AdvertisedDevice] {
    let recorded = vectors.flatMap(\.frames).compactMap { frame -> AdvertisedDevice? in
      guard case .advertisement(let advertisement) = frame.event else { return nil }
      return AdvertisedDevice(advertisement)
    }
    return match.alternatives.map(AdvertisedDevice.init(meeting:)) + recorded
  }
}

extension [MatchClause] {
  /// Whether the clauses have the same parts with the same keys, and one device can satisfy both.
  fileprivate func isCompatible(with other: [MatchClause]) -> Bool {
    count == other.count
      && zip(sortedByKind, other.sortedByKind).allSatisfy { $0.isCompatible(with: $1) }
  }

  private var sortedByKind: [MatchClause] { sorted { $0.description < $1.description } }
}

extension MatchClause {
  fileprivate func isCompatible(with other: MatchClause) -> Bool {
    let namesFit =
      switch (namePrefix, other.namePrefix) {
      case (nil, nil): true
      case (let a?, let b?): a.hasPrefix(b) || b.hasPrefix(a)
      default: false
      }
    return namesFit && (name == nil) == (other.name == nil)
      && (name == nil || name == other.name)
      && nameContains == other.nameContains && characteristic == other.characteristic
      && DataClause.areCompatible(anyManufacturerData, other.anyManufacturerData)
      && service == other.service
      && DataClause.areCompatible(serviceData, other.serviceData)
      && DataClause.areCompatible(manufacturerData, other.manufacturerData)
  }
}

extension DataClause {
  fileprivate static func areCompatible(_ a: DataClause?, _ b: DataClause?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    let lengths = Set([a.length, b.length].compactMap(\.self))
    guard a.key == b.key, lengths.count < 2 else { return false }
    guard let first = a.bytes, let second = b.bytes else { return true }
    return first.isCompatible(with: second)
  }
}

extension AdvertisedDevice {
  /// The minimal device for clauses: the bytes of a pattern with zeros for wildcards, padded with
  /// zeros to the length.
  fileprivate init(meeting clauses: [MatchClause]) {
    self.init(address: DeviceAddress(rawValue: 0))
    for clause in clauses {
      merge(
        name: clause.name ?? clause.exampleName, services: clause.service.map { [$0] } ?? [],
        serviceData: clause.serviceData.map { [($0.key, $0.example)] } ?? [],
        manufacturerData: clause.manufacturerData.map { [($0.key, $0.example)] }
          ?? clause.anyManufacturerData.map { [$0.exampleData] } ?? [])
      merge(characteristics: clause.characteristic.map { [$0] } ?? [])
    }
  }
}

extension MatchClause {
  /// The shortest name with the given beginning and part.
  fileprivate var exampleName: String? {
    guard namePrefix != nil || nameContains != nil else { return nil }
    let begin = namePrefix ?? ""
    guard let nameContains, !begin.lowercased().contains(nameContains) else { return begin }
    return begin + nameContains
  }
}

extension DataClause<AnyCompany> {
  /// The company and the data of ``DataClause/example``.
  fileprivate var exampleData: (UInt16, [UInt8]) {
    let whole = example + [0, 0]
    return (
      UInt16(whole[0]) | UInt16(whole[1]) << 8, Array(example.dropFirst(2))
    )
  }
}

extension DataClause {
  fileprivate var example: [UInt8] {
    // The address of the example is zero.
    let first = bytes?.bytes ?? Array(repeating: 0, count: (address?.at ?? -6) + 6)
    return first + Array(repeating: 0, count: max(0, (length ?? 0) - first.count))
  }
}
