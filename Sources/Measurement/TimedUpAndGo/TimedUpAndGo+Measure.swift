public import Motion

extension TimedUpAndGo {
  /// Microseconds by which people are seen to begin before the thigh stirs: the trunk leans first.
  ///
  /// This and `trail` are medians over 16 people on video; leaving any of them out moves neither by
  /// more than 0.1 s.
  static let lead: Int64 = 300_000
  /// Microseconds by which people are seen to finish after the thigh is calm: the back leans on.
  static let trail: Int64 = 260_000
  /// Microseconds between half way up, or down, and upright: half of a rise of one second.
  static let halfRise: Int64 = 500_000

  /// Measures the task in a recording of one sensor on the thigh, such as a telephone in a front
  /// pocket, mounted in any way.
  ///
  /// The task is found by itself; what was recorded before and after it changes nothing, so long as
  /// two and a half seconds of sitting are left on either side. Throws where there is no task, more
  /// than one, or a silence within it. Error of the phases from one movement of the thigh to another
  /// 0.2 to 0.3 s on average; of the total 0.7 s, because on video people begin and finish with what
  /// a thigh does not show. Cost: some twenty passes over the samples.
  public static func measure(
    _ samples: [MotionSample]
  ) throws(TimedUpAndGoRefusal) -> TimedUpAndGo {
    let recording = ThighRecording(samples)
    if case .refused(let refusal) = recording.quality.verdict { throw .stream(refusal) }
    let (thigh, excursion) = try recording.task()
    for silence in thigh.course.silences
    where silence.cells.overlaps(excursion.cells) {
      throw .dropout(milliseconds: silence.duration / 1_000)
    }
    return TimedUpAndGo(excursion, of: thigh, quality: recording.quality)
  }

  /// Puts times to an excursion's cells.
  private init(_ excursion: Excursion, of thigh: ThighCourse, quality: SignalQuality) {
    let time = thigh.course.time(of:)
    startTime = time(excursion.calmBefore) &- Self.lead
    endTime = time(excursion.calmAfter) &+ Self.trail
    let upright = time(excursion.rise) &+ Self.halfRise
    self.quality = quality
    standMicroseconds = upright &- startTime
    if let turns = TurnPair(of: thigh, in: excursion), upright <= time(turns.first.lowerBound) {
      walk = Walk(
        walkOutMicroseconds: time(turns.first.lowerBound) &- upright,
        turn1Microseconds: Int64(turns.first.count) * EvenCourse.cell,
        walkBackMicroseconds: Int64(turns.second.lowerBound - turns.first.upperBound)
          * EvenCourse.cell,
        turn2Microseconds: Int64(turns.second.count) * EvenCourse.cell,
        peakTurnRateMillidegrees: turns.peak)
      sitMicroseconds = endTime &- time(turns.second.upperBound)
    } else {
      sitMicroseconds = endTime &- (time(excursion.sink) &- Self.halfRise)
    }
  }
}
