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
    findings += session.findings(of: self)
    findings += neverAskedFor.map {
      DefinitionFinding($0.origin, "\($0.source) is read but no step subscribes to it or reads it")
    }
    let isSilent = link.mode == .advertisement && !link.keepsHistory
    if isSilent, session != SessionScript() {
      findings.append(
        DefinitionFinding(origin, "‘\(id)’ is never connected to, so its session is never run"))
    }
    if link.keepsHistory, link.mode == .connect || session.start.isEmpty {
      findings.append(
        DefinitionFinding(
          origin,
          "‘history’ is for a device that advertises its data and has a session to fetch the rest"))
    }
    return findings
  }

  /// Records of characteristics that no step of the session asks for.
  private var neverAskedFor: [RecordRule] {
    let asked = session.asked
    return records.filter { record in
      guard case .characteristic(let uuid) = record.source else { return false }
      return !asked.contains(uuid)
    }
  }
}

extension SessionScript {
  /// Every step, those within a consent too, in order.
  private var steps: [SessionStep] {
    start.flatMap { step -> [SessionStep] in
      guard case .consent(_, let then) = step else { return [step] }
      return [step] + then
    }
  }

  /// The characteristics that some step subscribes to or reads.
  fileprivate var asked: Set<BluetoothUUID> {
    Set(
      steps.compactMap { step in
        switch step {
        case .subscribe(let uuid), .read(let uuid): uuid
        default: nil
        }
      })
  }

  /// What is wrong with the order of the steps.
  fileprivate func findings(of definition: DeviceDefinition) -> [DefinitionFinding] {
    var findings: [DefinitionFinding] = []
    var asked: Set<BluetoothUUID> = []
    var takesTime = false
    func add(_ reason: String) {
      findings.append(DefinitionFinding(definition.origin, reason))
    }
    for step in steps {
      switch step {
      case .subscribe(let uuid):
        if takesTime {
          add(
            "the session subscribes to \(uuid) after a step that takes time; a scale may not wait")
        }
        asked.insert(uuid)
      case .read(let uuid): asked.insert(uuid)
      default:
        for uuid in step.listensTo where !asked.contains(uuid) {
          add("the session waits for \(uuid), which nothing subscribes to")
        }
      }
      takesTime = takesTime || step.takesTime
    }
    return findings
  }
}

extension SessionStep {
  /// The characteristics whose values end the step, and which somebody must have asked for.
  fileprivate var listensTo: [BluetoothUUID] {
    switch self {
    case .waitFor(let wait): [wait.characteristic]
    case .consent(let uuid, _), .fetchRecords(let uuid): [uuid]
    default: []
    }
  }
}
