import Attribution
public import Care
public import Foundation

/// Looks back on the stored weighings with all evidence up to now.
public enum WeighingReview {
  /// How the reason of an assignment by the review begins.
  static let reason = "attributed again after "

  /// Assigns the waiting weighings that are clear now, as after an assignment by hand.
  ///
  /// Only weighings that wait are changed, of at least the last 48; what a person put into the tray
  /// stays there. `cause` completes the reason "attributed again after …".
  ///
  /// - Returns: The assigned samples with what was measured with them.
  public static func assignWaiting(
    in writer: any StoreWriter, after cause: String, now: Date
  ) throws -> [Sample] {
    var judge = WeighingJudge()
    let plan = try PlanSnapshot(writer, patient: nil)
    var changed: [Sample] = []
    for (sample, _, verdict) in try judge.hindsight(in: plan, writer) {
      guard sample.patient == nil, sample.state == .live,
        case .patient(let patient) = verdict.decision,
        plan.bindings.onlyPatient(of: sample.reading) ?? patient == patient,
        try writer.assignment(of: sample) == nil
      else { continue }
      changed +=
        try writer.change(
          .sample(sample.identity), .assign(patient: patient), reason: reason + cause, now: now
        ).samples
    }
    return changed
  }

  /// The assigned weighings that later evidence takes for another's, oldest first.
  ///
  /// Several of two patients within some weeks say that the two were taken for each other. What was
  /// assigned by hand, or by a bound device, is not among them.
  public static func contradictions(in reader: any StoreReader) throws -> [Contradiction] {
    var judge = WeighingJudge()
    let plan = try PlanSnapshot(reader, patient: nil)
    return try judge.hindsight(in: plan, reader).compactMap { sample, weighing, verdict in
      guard let patient = sample.patient, weighing.label == .none else { return nil }
      let probability = verdict.odds.first { $0.patient == patient }?.millionths ?? 0
      guard probability < 100_000 else { return nil }
      let likelier = verdict.odds.first { $0.millionths >= 500_000 }?.patient
      return Contradiction(sample: sample, likelier: likelier)
    }
  }

  /// A weighing that is probably not that of the patient to whom it was assigned.
  public struct Contradiction: Hashable, Sendable {
    /// The sample.
    public var sample: Sample
    /// Whose it probably is; `nil` for a person who is not a patient.
    public var likelier: String?
  }
}
