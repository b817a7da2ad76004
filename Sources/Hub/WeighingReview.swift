import Attribution
public import Care
public import Foundation

/// Looks back on the stored weighings with all evidence up to now.
public enum WeighingReview {
  /// How the reason of an assignment by the review begins.
  static let reason = "attributed again after "

  /// The reason of a weighing that is clearly a named housemate's.
  static let housemateReason = "of a person of whom nothing is stored"

  /// Judges again what the evidence decided, as after an assignment by hand or its withdrawal.
  ///
  /// A waiting weighing that is clear now is assigned; one that a review assigned and that is not
  /// clear any longer waits again. Only the weighings that ``contradictions(in:)`` looks back on are
  /// changed, and none that a person assigned or put into the tray. `cause` completes the reason
  /// "attributed again after …".
  public static func update(
    in writer: any StoreWriter, after cause: String, now: Date
  ) throws -> Outcome {
    var judge = WeighingJudge()
    let plan = try PlanSnapshot(writer, patient: nil)
    var outcome = Outcome()
    for (sample, weighing, verdict) in try judge.hindsight(in: plan, writer) {
      var owner: String?
      if case .patient(let patient) = verdict.decision,
        plan.bindings.onlyPatient(of: sample.reading) ?? patient == patient
      {
        owner = patient
      }
      let assignment = try writer.assignment(of: sample)
      let isReviewed = assignment?.reason?.hasPrefix(reason) == true
      // What the first judgment assigned stays, and is reported if it is contradicted.
      let isOpen =
        isReviewed || sample.state == .disowned && weighing.label == .none
        || sample.patient == nil && sample.state == .live && assignment == nil
      if isOpen, owner != sample.patient, owner != nil || sample.state == .live {
        let changed = try writer.change(
          .sample(sample.identity), owner.map { .assign(patient: $0) } ?? .unassign,
          reason: reason + cause, now: now
        ).samples
        if owner == nil { outcome.returned += changed } else { outcome.assigned += changed }
      } else if let contradiction = try contradiction(sample, verdict, writer) {
        outcome.contradictions.append(contradiction)
      }
    }
    return outcome
  }

  /// What a review changed and found.
  public struct Outcome: Sendable {
    /// The weighings that waited and are assigned now, with what was measured with them.
    public var assigned: [Sample] = []
    /// Those that an earlier review assigned and that wait again.
    public var returned: [Sample] = []
    /// The assigned weighings that look like another person's, those assigned by hand included.
    public var contradictions: [Contradiction] = []
  }

  /// The assigned weighings that later evidence takes for another's, oldest first.
  ///
  /// At least the last 48 are looked back on. Several of two patients within some weeks say that the
  /// two were taken for each other. What was assigned by hand, or by a bound device, is not among
  /// them.
  public static func contradictions(in reader: any StoreReader) throws -> [Contradiction] {
    var judge = WeighingJudge()
    let plan = try PlanSnapshot(reader, patient: nil)
    return try judge.hindsight(in: plan, reader).compactMap { sample, weighing, verdict in
      weighing.label == .none ? try contradiction(sample, verdict, reader) : nil
    }
  }

  private static func contradiction(
    _ sample: Sample, _ verdict: Verdict, _ reader: any StoreReader
  ) throws -> Contradiction? {
    guard let patient = sample.patient else { return nil }
    let probability = verdict.odds.first { $0.patient == patient }?.millionths ?? 0
    guard probability < 100_000 else { return nil }
    return Contradiction(
      sample: sample, number: try reader.number(of: sample.identity),
      likelier: verdict.odds.first { $0.millionths >= 500_000 }?.patient)
  }

  /// A weighing that is probably not that of the patient to whom it was assigned.
  public struct Contradiction: Hashable, Sendable {
    /// The sample.
    public var sample: Sample
    /// Its number in the store.
    public var number: Int64?
    /// Whose it probably is; `nil` for a person who is not a patient.
    public var likelier: String?
  }
}
