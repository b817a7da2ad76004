import Attribution
package import Care

/// Those who use the household's scales, each with the weighings that are taken for theirs, and the
/// question that helps to tell them apart.
package struct WeighingTracks: Sendable {
  /// The patients in the plan's order, then the others from the lightest on.
  package var tracks: [Track]
  /// The weighings of guests, oldest first.
  package var guests: [Sample]
  /// The question whose answer helps most.
  package var question: WeighingQuestion?

  /// The weighings of one person.
  package struct Track: Sendable {
    /// The patient; `nil` for somebody who is not in the plan, or of whom it is open.
    package var patient: String?
    /// The weighings with the weight as it is followed, oldest first.
    package var points: [Point]

    /// How many of them wait in the tray.
    package var waitingCount: Int { points.count(where: \.waits) }
  }

  /// A weighing of a track.
  package struct Point: Sendable {
    package var sample: Sample
    /// Whether it waits in the tray.
    package var waits: Bool
    /// The weight in kg after it, as far as it is known from all up to it.
    package var weight: Double
    /// The standard deviation in kg of a weighing around it.
    package var deviation: Double
  }

  /// Reads the tracks; `memory` spares learning what it knows.
  package init(
    _ reader: any StoreReader, _ memory: WeighingMemory = WeighingMemory()
  ) throws {
    let plan = try PlanSnapshot(reader, patient: nil)
    let entries = try WeighingHistory(in: plan, reader).entries
    let judged = memory.judged(entries.map(\.weighing), in: plan.household)
    let bodies = judged.evidence.residents
    let patients = plan.everyone.map(\.id)
    // The body of each weighing, and whose the body probably is.
    var body: [Int: Int] = [:]
    for (place, resident) in bodies.enumerated() {
      for weighing in resident.weighings { body[weighing] = place }
    }
    let names = bodies.map { resident in
      resident.weighings.last.flatMap { last in
        patients.first { judged.odds(of: $0, at: last) >= 900_000 }
      }
    }
    var own = Array(repeating: [Int](), count: patients.count + bodies.count)
    guests = []
    for index in entries.indices {
      let sample = entries[index].sample
      let patient = sample.patient ?? body[index].flatMap { names[$0] }
      if let place = patient.flatMap(patients.firstIndex) {
        own[place].append(index)
      } else if let place = body[index] {
        own[patients.count + place].append(index)
      } else {
        guests.append(sample)
      }
    }
    tracks = own.enumerated().filter { !$1.isEmpty }.map { place, indices in
      Track(
        patient: patients.indices.contains(place) ? patients[place] : nil,
        points: Self.points(indices.map { entries[$0] }))
    }
    question = WeighingQuestion(entries, in: plan, memory)
  }

  private static func points(_ entries: [WeighingHistory.Entry]) -> [Point] {
    let ordered = entries.sorted { $0.sample.start < $1.sample.start }
    return zip(ordered, Course(of: ordered.map(\.weighing)).points).map { entry, point in
      Point(
        sample: entry.sample, waits: entry.waits, weight: Double(point.weight) / 1_000,
        deviation: Double(point.deviation) / 1_000)
    }
  }
}
