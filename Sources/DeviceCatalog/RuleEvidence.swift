import GATT
import Radio

/// One rule of a definition, and how sure it is that devices keep to it.
///
/// A vector proves the rules that its frames pass through, and no others: a definition with one real
/// frame may still recognise its device, or read its stored records, by rules that nobody has seen at
/// work.
public struct RuleEvidence: Hashable, Sendable {
  /// The kinds of rules.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A way in which the device is recognised.
    case recognised
    /// A layout of frames.
    case reads
    /// A frame that a step waits for, or that is answered.
    case answers
  }

  /// The definition's id.
  public let definition: String
  /// The kind of the rule.
  public let kind: Kind
  /// The rule in words.
  public let rule: String
  /// The best evidence of the vectors whose frames pass through it.
  public let evidence: DefinitionEvidence
}

extension DeviceCatalog {
  /// The rules of every definition with their evidence.
  public func ruleEvidence() -> [RuleEvidence] { definitions.flatMap(\.ruleEvidence) }
}

extension DeviceDefinition {
  /// The rules with their evidence: first how the device is recognised, then what it sends.
  public var ruleEvidence: [RuleEvidence] {
    let proofs = vectors.map { VectorProof($0, on: self) }
    func evidence(_ isPassed: (VectorProof) -> Bool) -> DefinitionEvidence {
      let origins = Set(proofs.filter(isPassed).map(\.provenance))
      if origins.contains(.real) { return .recorded }
      return origins.contains(.published) ? .published : .specified
    }
    func rule(
      _ kind: RuleEvidence.Kind, _ text: String, _ isPassed: (VectorProof) -> Bool
    ) -> RuleEvidence {
      RuleEvidence(definition: id, kind: kind, rule: text, evidence: evidence(isPassed))
    }
    return match.alternatives.map { clauses in
      rule(.recognised, clauses.map(\.description).joined(separator: " and ")) { proof in
        proof.devices.contains { device in clauses.allSatisfy { $0.holds(for: device) } }
      }
    }
      + records.enumerated().filter { !$0.element.isIgnored }.map { index, record in
        rule(.reads, record.text) { $0.records.contains(index) }
      }
      + awaited.map { wait in
        rule(.answers, wait.text) { proof in
          proof.values.contains { $0.characteristic == wait.characteristic && wait.fits($0.bytes) }
        }
      }
  }

  /// How many of the rules a real frame has passed through, and how many there are.
  public var ruleCount: (recorded: Int, all: Int) {
    let rules = ruleEvidence
    return (rules.count { $0.evidence == .recorded }, rules.count)
  }

  /// The frames that steps wait for and that are answered.
  private var awaited: [AwaitedFrame] {
    var found: [AwaitedFrame] = []
    for case .waitFor(let wait) in session.start {
      let frame = AwaitedFrame(
        characteristic: wait.characteristic, bytes: wait.bytes, length: wait.length)
      if !found.contains(frame) { found.append(frame) }
    }
    for answer in session.answers where answer.unmask == nil {
      let frame = AwaitedFrame(
        characteristic: answer.characteristic, bytes: answer.bytes, length: answer.length)
      if !found.contains(frame) { found.append(frame) }
    }
    return found
  }
}

/// A frame that a device is expected to send.
private struct AwaitedFrame: Hashable {
  var characteristic: BluetoothUUID
  var bytes: BytePattern
  var length: Int?

  func fits(_ value: [UInt8]) -> Bool {
    bytes.matches(value) && (length ?? value.count) == value.count
  }

  var text: String {
    "\(characteristic) beginning \(bytes)" + (length.map { " of \($0) bytes" } ?? "")
  }
}

/// The rules that the frames of a vector pass through; none if it does not pass.
private struct VectorProof {
  let provenance: DefinitionVector.Provenance
  /// The device as it is known after each of its advertisements.
  private(set) var devices: [AdvertisedDevice] = []
  /// The records by which something was read.
  private(set) var records: Set<Int> = []
  /// The values that it sent over a link.
  private(set) var values: [(characteristic: BluetoothUUID, bytes: [UInt8])] = []

  init(_ vector: DefinitionVector, on definition: DeviceDefinition) {
    provenance = vector.provenance
    guard vector.run(on: definition).isEmpty else { return }
    var device = AdvertisedDevice(address: vector.address)
    for frame in vector.frames {
      if case .source(.characteristic(let uuid), let bytes) = frame.content {
        values.append((uuid, bytes))
        device.merge(characteristics: [uuid])
      } else if case .advertisement(let advertisement)? = frame.event(of: vector.address) {
        device.merge(advertisement)
        devices.append(device)
      }
    }
    records = vector.recordsRead(by: definition)
  }
}

extension RecordRule {
  /// Whether its frames have nothing to read.
  fileprivate var isIgnored: Bool {
    if case .nothing = content { true } else { false }
  }

  /// The frames in words: `characteristic FFF4 beginning cf of 11 bytes`.
  fileprivate var text: String {
    "\(source)" + (bytes.map { " beginning \($0)" } ?? "")
      + (length.map { " of \($0) bytes" } ?? "")
  }
}
