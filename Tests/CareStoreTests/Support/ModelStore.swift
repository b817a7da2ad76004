import Care
import Foundation

/// The simplest model of a store: lists and dictionaries.
struct ModelStore {
  /// Samples in the order of storing.
  private(set) var samples: [(sample: Sample, isDeleted: Bool)] = []
  /// The values of the occurrences that have an outcome.
  private(set) var outcomes: [Int: [OutcomeValue]] = [:]

  private func index(_ identity: SampleIdentity) -> Int? {
    samples.firstIndex { $0.sample.identity == identity }
  }

  mutating func insert(_ sample: Sample) -> Bool {
    guard index(sample.identity) == nil else { return false }
    samples.append((sample, false))
    return true
  }

  /// Whether there is such a sample.
  mutating func assign(_ identity: SampleIdentity, to patient: String) -> Bool {
    guard let index = index(identity) else { return false }
    samples[index].sample.patient = patient
    samples[index].sample.unassignedReason = nil
    return true
  }

  /// Whether there is such a sample.
  mutating func delete(_ identity: SampleIdentity) -> Bool {
    guard let index = index(identity) else { return false }
    samples[index].isDeleted = true
    return true
  }

  mutating func set(_ values: [OutcomeValue], at occurrence: Int) {
    outcomes[occurrence] = values
  }

  /// Whether there was nothing yet.
  mutating func add(_ values: [OutcomeValue], at occurrence: Int) -> Bool {
    guard outcomes[occurrence] == nil else { return false }
    outcomes[occurrence] = values
    return true
  }

  /// Whether there was something.
  mutating func deleteOutcome(at occurrence: Int) -> Bool {
    outcomes.removeValue(forKey: occurrence) != nil
  }

  func samples(_ query: SampleQuery) -> [Sample] {
    let found = samples.enumerated()
      .filter { !$0.element.isDeleted }
      .map { (order: $0.offset, sample: $0.element.sample) }
      .filter { _, sample in
        switch query.owner {
        case .anyone: true
        case .patient(let patient): sample.patient == patient
        case .unassigned: sample.patient == nil
        }
      }
      .filter { _, sample in query.quantity.map { $0 == sample.quantity } ?? true }
      .filter { _, sample in query.from.map { sample.end >= $0 } ?? true }
      .filter { _, sample in query.to.map { sample.start <= $0 } ?? true }
      .sorted { ($0.sample.start, $0.order) < ($1.sample.start, $1.order) }
      .map(\.sample)
    return query.limit.map { Array(found.suffix($0)) } ?? found
  }
}
