import Motion

/// A whole recording of the thigh, broken where the sensor was silent for more than a second.
struct ThighRecording: Hashable, Sendable {
  /// What the samples were worth.
  let quality: SignalQuality
  /// The unbroken stretches in order.
  private let stretches: [ThighCourse]
  /// How long the silence before each stretch but the first was, in microseconds.
  private let silences: [Int64]

  /// Divides samples into stretches; those that come late are left out.
  init(_ samples: [MotionSample]) {
    var monitor = StreamMonitor()
    var courses: [EvenCourse] = []
    var silences: [Int64] = []
    var last: Int64 = 0
    for sample in samples {
      switch monitor.judge(sample) {
      case .outOfOrder: continue
      case .first:
        if !courses.isEmpty {
          let (silence, overflow) = sample.time.subtractingReportingOverflow(last)
          silences.append(overflow ? .max : silence)
        }
        courses.append(EvenCourse(sample))
      case .next: courses[courses.count - 1].add(sample)
      }
      last = sample.time
    }
    quality = monitor.quality
    self.silences = silences
    stretches = courses.map { course in
      var course = course
      course.close()
      return ThighCourse(course)
    }
  }

  /// The one task of the recording, and the stretch that it lies in.
  func task() throws(TimedUpAndGoRefusal) -> (thigh: ThighCourse, excursion: Excursion) {
    var found: [(thigh: ThighCourse, excursion: Excursion)] = []
    var refusal = TimedUpAndGoRefusal.noWalk
    for thigh in stretches {
      for result in Excursion.judge(thigh) {
        switch result {
        case .success(let excursion): found.append((thigh, excursion))
        // Of several walks the one that came furthest says best what was missing.
        case .failure(let failure): refusal = refusal == .noSitDown ? refusal : failure
        }
      }
    }
    if let task = found.first, found.count == 1 { return task }
    guard found.isEmpty else { throw .severalTasks(count: found.count) }
    for (index, silence) in silences.enumerated()
    where stretches[index].movesAtEnd || stretches[index + 1].movesAtStart {
      throw .dropout(milliseconds: silence / 1_000)
    }
    throw refusal
  }
}

extension ThighCourse {
  /// Whether the thigh was moving when the stretch began.
  fileprivate var movesAtStart: Bool { activity.first ?? 0 >= Excursion.stillness }
  /// Whether the thigh was moving when the stretch ended.
  fileprivate var movesAtEnd: Bool { activity.last ?? 0 >= Excursion.stillness }
}
