import Care
import StrictYAML

extension DeviceDefinition {
  /// What is wrong with the definition by itself.
  var ownFindings: [DefinitionFinding] {
    var findings = records.flatMap(\.findings)
    if vectors.isEmpty {
      findings.append(
        DefinitionFinding(origin, "‘\(id)’ has no vectors: nothing shows that it reads its device"))
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

  /// Quantities that the commit rule waits for but no field gives.
  private func uncommitted(_ fields: [FieldRule]) -> [DefinitionFinding] {
    let given = fields.compactMap { $0.value?.quantity }
    return [commit?.quantity, commit?.companion?.quantity].compactMap(\.self)
      .filter { !given.contains($0) }
      .map {
        DefinitionFinding(origin, "no field gives ‘\($0.rawValue)’, which is to be committed")
      }
  }
}
