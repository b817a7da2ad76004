import Foundation

/// Why a reading is unassigned, or a housemate's: the facts that the store keeps beside it.
public enum UnassignedReason: Hashable, Sendable, Codable {
  /// The evidence of all weighings does not say whose the weight is.
  case weighing(UnassignedWeighing)
  /// No plan has been imported.
  case noPlan
  /// A rule of the device's definition takes it for no measurement.
  case discarded
  /// The value is no plausible one of its quantity.
  case implausible
  /// The device's user slot is bound to no patient.
  case unboundSlot(index: Int)
  /// The device is bound to nobody.
  case unbound
  /// The device is the household's, and the plan has several patients.
  case severalPatients(count: Int)
  /// The device is bound to a patient whose readings are not stored here.
  case notStored(patient: String)
  /// The weight is that of a patient whose readings are not stored here.
  case weightNotStored(patient: String)
  /// The value is far from what the patient is expected to have.
  case unexpected(patient: String)
  /// A person said that the device is nobody's.
  case deviceOfNobody
  /// It was measured with a weight that is unassigned.
  case withUnassignedWeight
  /// It was measured with a weight of no patient.
  case withDisownedWeight

  /// Reads a sample's reason; `nil` without one, and for the text of another program.
  public init?(_ sample: Sample) {
    guard let text = sample.unassignedReason,
      let reason = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = reason
  }

  /// The facts of a weighing; `nil` of another reason.
  public var weighing: UnassignedWeighing? {
    guard case .weighing(let weighing) = self else { return nil }
    return weighing
  }

  /// As the line of JSON that a sample has.
  package var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).flatMap { String(bytes: $0, encoding: .utf8) } ?? ""
  }
}
