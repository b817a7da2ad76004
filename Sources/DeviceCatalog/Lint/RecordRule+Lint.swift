import Care
import StrictYAML

extension RecordRule {
  /// What is wrong with the record by itself.
  var findings: [DefinitionFinding] {
    guard case .fields(let fields, let motion) = content else { return [] }
    return pastTheEnd(fields, motion) + unreadTests(fields) + uncommitted(fields)
  }

  /// Fields that a frame of the declared length has no room for.
  private func pastTheEnd(_ fields: [FieldRule], _ motion: MotionRule?) -> [DefinitionFinding] {
    guard let length else { return [] }
    var findings: [DefinitionFinding] = []
    var position = 0
    // A field that may be missing moves the ones behind it, so only what is sure is counted.
    for field in fields where field.presence == nil {
      position = (field.at ?? position) + field.type.width
      guard position > length else { continue }
      findings.append(
        DefinitionFinding(
          field.origin,
          "the field ‘\(field.name)’ ends at byte \(position) of a frame of \(length)"))
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
    func check(_ tests: [FlagTest?], at place: YAMLLocation) {
      for case let test? in tests where !known.contains(test.field) {
        findings.append(
          DefinitionFinding(
            place, "‘\(test.field).\(test.bit)’ is a bit of no integer read before"))
      }
    }
    for field in fields {
      let scales = field.value?.scales ?? []
      check([field.presence, field.validity] + scales.map(\.condition), at: field.origin)
      if field.type.isInteger { known.insert(field.name) }
    }
    check([commit?.stable, commit?.removed], at: origin)
    if let userField, !known.contains(userField) {
      findings.append(
        DefinitionFinding(origin, "the user field ‘\(userField)’ is not among the fields"))
    }
    return findings
  }

  /// Quantities that the commit rule waits for but no field gives, and those that it lets fall.
  private func uncommitted(_ fields: [FieldRule]) -> [DefinitionFinding] {
    guard let commit else { return [] }
    let wanted = [commit.quantity, commit.companion?.quantity].compactMap(\.self)
    var findings: [DefinitionFinding] = []
    for field in fields {
      guard let quantity = field.value?.quantity, !wanted.contains(quantity) else { continue }
      findings.append(
        DefinitionFinding(field.origin, "the field ‘\(field.name)’ is read but never committed"))
    }
    for quantity in wanted where !fields.contains(where: { $0.value?.quantity == quantity }) {
      findings.append(
        DefinitionFinding(
          origin, "no field gives ‘\(quantity.rawValue)’, which is to be committed"))
    }
    return findings
  }
}
