import Attribution
import Care
import Foundation

/// Judges weighings by the evidence of those in the store.
///
/// The history is read each time, since people change whose samples are; what was learned from an
/// unchanged beginning of it is not learned again.
struct WeighingJudge: Sendable {
  /// The weighings that count, at least: a year of three people.
  ///
  /// Of earlier ones, only the latest of each patient counts.
  static let depth = 1_024
  /// How many more may count, so that the first one stays the same for many weighings: what was
  /// learned from it on is then not learned again.
  static let slack = 256

  private var household: Household?
  private var learned: [Weighing] = []
  private var evidence: Evidence?

  /// Judges a weight that is not stored yet, with what was measured with it.
  mutating func verdict(
    on reading: Reading, at start: Date, with companions: [Reading], in plan: PlanSnapshot,
    _ reader: any StoreReader
  ) throws -> Verdict {
    learn(try history(in: plan, reader).map(\.weighing), of: plan.household)
    var weighing = Weighing(reading, at: start, in: plan.timeZone)
    for companion in companions { weighing.add(companion) }
    // What is judged is learned when it is stored.
    var evidence = evidence ?? Evidence(plan.household)
    return evidence.observe(weighing)
  }

  /// The stored weighings, oldest first, each as all evidence up to now judges it; older ones than
  /// the evidence looks back on are left out.
  mutating func hindsight(
    in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> [(sample: Sample, weighing: Weighing, verdict: Verdict)] {
    let history = try history(in: plan, reader)
    learn(history.map(\.weighing), of: plan.household)
    let verdicts = evidence?.hindsight ?? []
    return zip(history.suffix(verdicts.count), verdicts.suffix(history.count))
      .map { ($0.sample, $0.weighing, $1) }
  }

  private mutating func learn(_ history: [Weighing], of household: Household) {
    if household != self.household || !history.starts(with: learned) || evidence == nil {
      (self.household, learned, evidence) = (household, [], Evidence(household))
    }
    for weighing in history.dropFirst(learned.count) { _ = evidence?.observe(weighing) }
    learned = history
  }
}

// MARK: - History

extension WeighingJudge {
  /// The stored weighings in the order of their arrival.
  private func history(
    in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> [(sample: Sample, weighing: Weighing)] {
    let limit = Self.depth + Self.slack
    let query = SampleQuery(quantity: .bodyMass, limit: limit, states: [.live, .disowned])
    var samples = try reader.samples(query)
    var anchors: Set<SampleIdentity> = []
    if samples.count == limit {
      samples.removeFirst(Self.beginning(of: samples.prefix(Self.slack).map(\.start)))
      let first = samples[0].start
      for patient in plan.everyone {
        let earlier = try reader.samples(
          SampleQuery(owner: .patient(patient.id), quantity: .bodyMass, to: first, limit: 2))
        guard let anchor = earlier.last(where: { $0.start < first }) else { continue }
        anchors.insert(anchor.identity)
        samples.append(anchor)
      }
    }
    samples = samples.filter { $0.quantity.plausible.contains($0.value) }
    samples.sort {
      ($0.arrival, $0.start, $0.identity.rawValue) < ($1.arrival, $1.start, $1.identity.rawValue)
    }
    let companions = try Companions(of: samples, reader)
    return try samples.map { sample in
      var weighing = Weighing(sample.reading, at: sample.start, in: plan.timeZone)
      for companion in companions.of(sample) { weighing.add(companion.reading) }
      weighing.label =
        anchors.contains(sample.identity)
        ? sample.patient.map { .patient($0) } ?? .none : try label(of: sample, in: plan, reader)
      return (sample, weighing)
    }
  }

  /// The index of the weighing at which the history begins, of those at which it may begin.
  ///
  /// It is the one whose time has the least hash (Knuth's multiplicative hash), so that a further
  /// weighing rarely changes it.
  static func beginning(of starts: [Date]) -> Int {
    let hashes = starts.map {
      UInt64(bitPattern: $0.microseconds) &* 0x9E37_79B9_7F4A_7C15
    }
    return hashes.indices.min { hashes[$0] < hashes[$1] } ?? 0
  }

  /// What is known of a stored weighing apart from its values.
  private func label(
    of sample: Sample, in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> Weighing.Label {
    if sample.state == .disowned {
      let reason = try reader.assignment(of: sample)?.reason
      return reason == WeighingReview.housemateReason ? .none : .nobody
    }
    guard let patient = sample.patient else { return .none }
    if sample.provenance == .manual || sample.corrects != nil { return .entered(patient) }
    let bound =
      plan.bindings.slot(of: sample.reading).patient
      ?? plan.bindings.onlyPatient(of: sample.reading)
    if bound == patient { return .patient(patient) }
    guard let assignment = try reader.assignment(of: sample),
      assignment.reason?.hasPrefix(WeighingReview.reason) != true
    else { return .none }
    return .patient(patient)
  }
}

/// What scales measured with weights: impedance, body fat, heart rate.
private struct Companions {
  private struct Key: Hashable {
    var device: DeviceID
    var userIndex: Int?
    var deviceTime: LocalDateTime?
    var minute: Int
  }

  private var samples: [Key: [Sample]] = [:]

  init(of weights: [Sample], _ reader: any StoreReader) throws {
    guard let first = weights.map(\.start).min(), let last = weights.map(\.start).max() else {
      return
    }
    for device in Set(weights.map(\.device.address)) {
      for quantity in [Quantity.impedance, .bodyFatPercentage, .heartRate] {
        let query = SampleQuery(
          quantity: quantity, device: device, from: first.addingTimeInterval(-60),
          to: last.addingTimeInterval(60), states: [.live, .disowned])
        for sample in try reader.samples(query) {
          samples[Self.key(of: sample, 0), default: []].append(sample)
        }
      }
    }
  }

  /// What was measured within a minute of a weight.
  func of(_ weight: Sample) -> [Sample] {
    guard !samples.isEmpty else { return [] }
    return (-1...1).flatMap { samples[Self.key(of: weight, $0), default: []] }
      .filter { abs($0.start.timeIntervalSince(weight.start)) <= 60 }
  }

  private static func key(of sample: Sample, _ offset: Int) -> Key {
    Key(
      device: sample.device.address, userIndex: sample.userIndex, deviceTime: sample.deviceTime,
      minute: Int((sample.start.timeIntervalSince1970 / 60).rounded(.down)) + offset)
  }
}

extension Weighing {
  /// A weight as it is judged.
  fileprivate init(_ reading: Reading, at start: Date, in timeZone: TimeZone) {
    let seconds = start.timeIntervalSince1970
    let local = seconds + Double(timeZone.secondsFromGMT(for: start))
    self.init(
      minute: Int((seconds / 60).rounded(.down)), day: Int((local / 86_400).rounded(.down)),
      weight: Int((reading.value * 1_000).rounded()))
  }

  /// Adds what was measured with the weight.
  fileprivate mutating func add(_ reading: Reading) {
    guard reading.quantity.plausible.contains(reading.value) else { return }
    let hundredths = Int((reading.value * 100).rounded())
    switch reading.quantity {
    case .impedance: impedance = hundredths
    case .bodyFatPercentage: bodyFat = hundredths
    case .heartRate: heartRate = hundredths
    default: break
    }
  }
}

extension PlanSnapshot {
  /// Who may stand on the scales.
  fileprivate var household: Household {
    let others = everyone.map(\.others).max { $0.count < $1.count } ?? []
    return Household(
      people: everyone.map {
        Person(patient: $0.id, expects: $0.expects[Quantity.bodyMass.rawValue])
      } + others.map { Person(patient: nil, expects: $0) })
  }
}

extension Person {
  fileprivate init(patient: String?, expects expectation: Expectation?) {
    func grams(_ value: Double) -> Int { Int((min(max(value, 0), 1_000) * 1_000).rounded()) }
    self.init(
      patient: patient, weight: (expectation?.value).map(grams),
      tolerance: (expectation?.tolerance).map(grams))
  }
}
