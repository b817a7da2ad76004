import Care
import Foundation

/// Keeps what was found in the store, each batch in one transaction.
struct Keeper {
  private let store: any Store
  private let context: PlanContext

  init(store: any Store, context: PlanContext) {
    self.store = store
    self.context = context
  }

  /// Keeps `findings`; all of it is durable when this returns.
  func keep(_ findings: [MotionFinding], now: Date) async throws -> [HubReport] {
    let context = context
    return try await store.write { writer in
      let recorder = SampleRecorder(
        writer: writer, attribution: context.attribution,
        clock: DeviceClock(timeZone: context.timeZone))
      let exercises = ExerciseRecorder(recorder: recorder, context: context, now: now)
      return try findings.flatMap { finding in
        switch finding {
        case .reading(let reading): try recorder.record(reading)
        case .exercise(let recording): try exercises.record(recording)
        }
      }
    }
  }
}
