import Care
import GATT
import StrictYAML

extension DeviceDefinition {
  /// What is wrong with the definition by itself.
  var ownFindings: [DefinitionFinding] {
    var findings = records.flatMap(\.findings)
    if vectors.isEmpty {
      findings.append(
        DefinitionFinding(origin, "‘\(id)’ has no vectors: nothing shows that it reads its device"))
    }
    findings += waitedForInVain.map {
      DefinitionFinding(origin, "the session waits for \($0), which nothing subscribes to")
    }
    findings += neverAskedFor.map {
      DefinitionFinding($0.origin, "\($0.source) is read but no step subscribes to it or reads it")
    }
    if link.mode == .advertisement, session != SessionScript() {
      findings.append(
        DefinitionFinding(origin, "‘\(id)’ is never connected to, so its session is never run"))
    }
    return findings
  }

  /// Characteristics that a step waits for but none before it asks for.
  private var waitedForInVain: [BluetoothUUID] {
    var asked: Set<BluetoothUUID> = []
    var lost: [BluetoothUUID] = []
    for step in session.start {
      switch step {
      case .subscribe(let uuid), .read(let uuid): asked.insert(uuid)
      case .waitFor(let uuid, _, _) where !asked.contains(uuid): lost.append(uuid)
      default: break
      }
    }
    return lost
  }

  /// Records of characteristics that no step of the session asks for.
  private var neverAskedFor: [RecordRule] {
    let asked = session.start.compactMap { step in
      switch step {
      case .subscribe(let uuid), .read(let uuid): RecordSource.characteristic(uuid)
      default: nil
      }
    }
    return records.filter { record in
      guard case .characteristic = record.source else { return false }
      return !asked.contains(record.source)
    }
  }
}

extension RecordRule {
  /// What is wrong with the record by itself.
  fileprivate var findings: [DefinitionFinding] {
    guard case .fields(let fields, let motion) = content else { return [] }
    return pastTheEnd(fields, motion) + unreadTests(fields)
  }

  /// Fields that a frame of the declared length has no room for.
  private func pastTheEnd(_ fields: [FieldRule], _ motion: MotionRule?) -> [DefinitionFinding] {
    guard let length else { return [] }
    var findings: [DefinitionFinding] = []
    var position = 0
    for field in fields {
      let end = (field.at ?? position) + field.type.width
      if end > length, field.presence == nil {
        findings.append(
          DefinitionFinding(
            field.origin, "the field ‘\(field.name)’ ends at byte \(end) of a frame of \(length)"))
      }
      // A field that may be missing moves the ones behind it, so only what is sure is counted.
      if field.presence == nil { position = end }
    }
    if let motion, motion.end > length {
      findings.append(
        DefinitionFinding(origin, "the motion ends at byte \(motion.end) of a frame of \(length)"))
    }
    return findings
  }

  /// Bits of fields that are not integers read before, and names that nothing has.
  private func unreadTests(_ fields: [FieldRule]) -> [DefinitionFinding] {
    var findings: [DefinitionFinding] = []
    var known: Set<String> = []
    func check(_ test: FlagTest?, at place: YAMLLocation) {
      guard let test, !known.contains(test.field) else { return }
      findings.append(
        DefinitionFinding(place, "‘\(test.field).\(test.bit)’ is a bit of no integer read before"))
    }
    for field in fields {
      check(field.presence, at: field.origin)
      check(field.validity, at: field.origin)
      for scale in field.value?.scales ?? [] { check(scale.condition, at: field.origin) }
      if field.type.isInteger { known.insert(field.name) }
    }
    check(commit?.stable, at: origin)
    check(commit?.removed, at: origin)
    if let userField, !known.contains(userField) {
      findings.append(
        DefinitionFinding(origin, "the user field ‘\(userField)’ is not among the fields"))
    }
    return findings + uncommitted(fields)
  }

  /// Quantities that the commit rule waits for but no field gives, and those that it lets fall.
  private func uncommitted(_ fields: [FieldRule]) -> [DefinitionFinding] {
    guard let commit else { return [] }
    let given = fields.compactMap { $0.value?.quantity }
    let wanted = [commit.quantity, commit.companion?.quantity].compactMap(\.self)
    let fallen = fields.filter { field in field.value.map { !wanted.contains($0.quantity) } ?? false
    }
    return fallen.map {
      DefinitionFinding($0.origin, "the field ‘\($0.name)’ is read but never committed")
    }
      + wanted.filter { !given.contains($0) }
      .map {
        DefinitionFinding(origin, "no field gives ‘\($0.rawValue)’, which is to be committed")
      }
  }
}
