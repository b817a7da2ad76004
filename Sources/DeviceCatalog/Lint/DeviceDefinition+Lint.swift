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
