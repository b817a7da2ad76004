package import Attribution
package import Care
package import Foundation

/// The stored weighings that count as evidence, in the order of their arrival.
package struct WeighingHistory {
  /// The weighings that count, at least: a year of five people who weigh daily, and their visitors.
  ///
  /// Of earlier ones, only the latest of each patient counts, and whose they are is not judged again.
  package static let depth = 2_048
  /// How many more may count, so that the first one stays the same for many weighings: what was
  /// learned from it on is then not learned again.
  package static let slack = 256
  /// The quantities that it is read from.
  package static let quantities: [Quantity] = [.bodyMass] + Companions.quantities

  /// A stored weighing and what the evidence looks at.
  package struct Entry: Equatable {
    package var sample: Sample
    package var weighing: Weighing
  }

  /// The weighings.
  package private(set) var entries: [Entry]
  /// The start from which on weighings count; `nil` if all do.
  private var beginning: Date?
  /// The statements of who is at home, of the patients whose plan lets it be said.
  private var presences: [Presence] = []
  /// The impedances of each device.
  private var impedances: [DeviceID: ConstantImpedance] = [:]

  /// Reads the history.
  package init(in plan: PlanSnapshot, _ reader: any StoreReader) throws {
    let limit = Self.depth + Self.slack
    let query = SampleQuery(quantity: .bodyMass, limit: limit, states: [.live, .disowned])
    var samples = try reader.samples(query)
    var anchors: [Entry] = []
    if samples.count == limit {
      samples.removeFirst(Self.beginning(of: samples.prefix(Self.slack).map(\.start)))
      let first = samples[0].start
      beginning = first
      for patient in plan.everyone {
        let earlier = try reader.samples(
          SampleQuery(owner: .patient(patient.id), quantity: .bodyMass, to: first, limit: 2))
        guard let anchor = earlier.last(where: { $0.start < first && $0.isPlausible }) else {
          continue
        }
        anchors.append(Entry(anchor, label: .patient(patient.id), in: plan))
      }
    }
    entries =
      try anchors
      + samples.filter(\.isPlausible).map { sample in
        Entry(sample, label: try Self.label(of: sample, in: plan, reader), in: plan)
      }
    entries.sort { $0.precedes($1) }
    let companions = try Companions(of: entries.map(\.sample), reader)
    let saying = Set(plan.everyone.filter(\.saysPresence).map(\.id))
    if !saying.isEmpty {
      presences = try reader.presences(since: entries.map(\.sample.start).min())
        .filter { saying.contains($0.patient) }
    }
    for index in entries.indices {
      entries[index].add(companions)
      entries[index].weighing.presence = presence(at: entries[index].sample.start)
      note(entries[index])
    }
    dropConstants()
  }

  private mutating func note(_ entry: Entry) {
    guard let impedance = entry.weighing.impedance else { return }
    impedances[entry.sample.device.address, default: ConstantImpedance()]
      .add(Double(impedance), with: entry.sample.value)
  }

  /// Leaves out the impedances that say nothing.
  private mutating func dropConstants() {
    let constants = impedances.compactMapValues(\.constant)
    guard !constants.isEmpty else { return }
    for index in entries.indices where constants[entries[index].sample.device.address] != nil {
      entries[index].weighing.impedance = nil
    }
  }

  /// Who is at home at a time, or away: the last statement holds.
  package func presence(at time: Date) -> [String: Bool] {
    presences.reduce(into: [:]) { if $1.contains(time) { $0[$1.patient] = $1.isHome } }
  }

  /// Whether a reading is an impedance that its device sends with whatever weight.
  package func isConstant(_ reading: Reading) -> Bool {
    reading.quantity == .impedance && impedances[reading.device.address]?.constant != nil
  }

  /// Whether the last weighing was in an earlier week than a reading.
  package func ends(
    beforeWeekOf reading: Reading, at start: Date, in plan: PlanSnapshot
  ) -> Bool {
    guard let last = entries.last?.weighing else { return false }
    return last.day / 7 < Weighing(reading, at: start, in: plan.timeZone).day / 7
  }

  /// Adds a sample that was stored after the history was read: a weighing, or what a scale measured
  /// with one.
  package mutating func add(
    _ sample: Sample, in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws {
    guard sample.state == .live || sample.state == .disowned, sample.isPlausible else { return }
    if sample.quantity == .bodyMass {
      var entry = Entry(sample, label: try Self.label(of: sample, in: plan, reader), in: plan)
      guard beginning.map({ sample.start >= $0 }) ?? true else { return }
      entry.add(try Companions(of: [sample], reader))
      entry.weighing.presence = presence(at: sample.start)
      let index = entries.lastIndex { $0.precedes(entry) }.map { $0 + 1 } ?? 0
      note(entry)
      entries.insert(entry, at: index)
      dropConstants()
    } else if Companions.quantities.contains(sample.quantity) {
      for index in entries.indices
      where entries[index].sample.isWeight(with: sample.reading, at: sample.start) {
        entries[index].weighing.add(sample.reading)
        if sample.quantity == .impedance { note(entries[index]) }
      }
      dropConstants()
    }
  }

  /// The index of the weighing at which the history begins, of those at which it may begin.
  ///
  /// It is the one whose time has the least hash (Knuth's multiplicative hash), so that a further
  /// weighing rarely changes it.
  package static func beginning(of starts: [Date]) -> Int {
    let hashes = starts.map {
      UInt64(bitPattern: $0.microseconds) &* 0x9E37_79B9_7F4A_7C15
    }
    return hashes.indices.min { hashes[$0] < hashes[$1] } ?? 0
  }

  /// Derives the label of a stored weighing from everything but its values.
  private static func label(
    of sample: Sample, in plan: PlanSnapshot, _ reader: any StoreReader
  ) throws -> Weighing.Label {
    if sample.state == .disowned {
      return try reader.assignment(of: sample)?.decidedBy == .evidence ? .none : .nobody
    }
    guard let patient = sample.patient else { return .none }
    if sample.provenance == .manual || sample.corrects != nil { return .entered(patient) }
    let bound =
      plan.bindings.slot(of: sample.reading).patient
      ?? plan.bindings.onlyPatient(of: sample.reading)
    if bound == patient { return .patient(patient) }
    guard let assignment = try reader.assignment(of: sample) else {
      // A history was imported as this patient's.
      return sample.isOfHistory ? .patient(patient) : .none
    }
    return assignment.decidedBy == .person ? .patient(patient) : .none
  }
}

extension WeighingHistory.Entry {
  fileprivate init(_ sample: Sample, label: Weighing.Label, in plan: PlanSnapshot) {
    self.sample = sample
    weighing = Weighing(sample.reading, at: sample.start, in: plan.timeZone)
    weighing.label = label
  }

  fileprivate func precedes(_ other: Self) -> Bool {
    (sample.arrival, sample.start, sample.identity.text)
      < (other.sample.arrival, other.sample.start, other.sample.identity.text)
  }

  fileprivate mutating func add(_ companions: Companions) {
    for companion in companions.of(sample) { weighing.add(companion.reading) }
  }
}

extension Sample {
  fileprivate var isPlausible: Bool { reading.quantity.plausible.contains(reading.value) }
}

/// The samples that scales measure with weights: impedance, body fat, heart rate.
private struct Companions {
  static let quantities = [Quantity.impedance, .bodyFatPercentage, .heartRate]

  /// The samples in the spans of time that they were measured in, counted from 1970.
  private var samples: [Int: [Sample]] = [:]

  init(of weights: [Sample], _ reader: any StoreReader) throws {
    guard let first = weights.map(\.start).min(), let last = weights.map(\.start).max() else {
      return
    }
    for device in Set(weights.map(\.device.address)) {
      for quantity in Self.quantities {
        let query = SampleQuery(
          quantity: quantity, device: device, from: first - Sample.weighingSpan,
          to: last + Sample.weighingSpan, states: [.live, .disowned])
        for sample in try reader.samples(query) {
          samples[Self.span(of: sample), default: []].append(sample)
        }
      }
    }
  }

  /// The samples that were measured with a weight.
  func of(_ weight: Sample) -> [Sample] {
    guard !samples.isEmpty else { return [] }
    let span = Self.span(of: weight)
    return (span - 1...span + 1).flatMap { samples[$0, default: []] }
      .filter { weight.isWeight(with: $0.reading, at: $0.start) }
  }

  private static func span(of sample: Sample) -> Int {
    Int(saturating: (sample.start.timeIntervalSince1970 / Sample.weighingSpan).rounded(.down))
  }
}

extension Weighing {
  /// A plausible weight as it is judged.
  package init(_ reading: Reading, at start: Date, in timeZone: TimeZone) {
    let seconds = start.timeIntervalSince1970
    let local = seconds + Double(timeZone.secondsFromGMT(for: start))
    self.init(
      minute: Int(saturating: (seconds / 60).rounded(.down)),
      day: Int(saturating: (local / 86_400).rounded(.down)),
      weight: Int(saturating: (reading.value * 1_000).rounded()))
  }

  /// Adds what was measured with the weight.
  package mutating func add(_ reading: Reading) {
    guard reading.quantity.plausible.contains(reading.value) else { return }
    let hundredths = Int(saturating: (reading.value * 100).rounded())
    switch reading.quantity {
    case .impedance: impedance = hundredths
    case .bodyFatPercentage: bodyFat = hundredths
    case .heartRate: heartRate = hundredths
    default: break
    }
  }
}
