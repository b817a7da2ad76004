import Care
import Foundation
import Outlets
import Testing
import TestSupport

/// The outcome of a simulated year, by the truth.
struct SimulatedYear {
  var told = 0
  var lost: [String] = []
  var doubled: [String] = []
  var ofThePast: [String] = []
  var afterAnswer: [String] = []
  var inQuietHours: [String] = []
  /// Steps whose minute nothing disturbed, and those of them that were told in another one.
  var (timed, late): (Int, [String]) = (0, [])
  /// Nights whose messages nothing disturbed, and those that gave no single digest.
  var (nights, split): (Int, [String]) = (0, [])
  /// Times without power after which nothing disturbed, and those without a single summary.
  var (restarts, unsummed): (Int, [String]) = (0, [])

  private let world: OutboxSimulation
  private var arrivals: [Recipient: [Occasion.Key: [OutboxSimulation.Arrival]]] = [:]
  private var failures: [Recipient: [OutboxSimulation.Failure]] = [:]
  private var held: [Recipient: [Date: [(OutboxSimulation.Truth, Occasion.Step)]]] = [:]
  private var missedByOff: [Recipient: [Date: [(OutboxSimulation.Truth, Occasion.Step)]]] = [:]

  init(_ world: OutboxSimulation) {
    self.world = world
    for arrival in world.arrivals {
      for key in arrival.tells {
        arrivals[arrival.way.recipient, default: [:]][key, default: []].append(arrival)
      }
      judgeQuiet(arrival)
    }
    failures = Dictionary(grouping: world.failures, by: \.way.recipient)
    for truth in world.truths { judge(truth) }
    judgeNights()
    judgeRestarts()
  }

  // MARK: One happening

  private mutating func judge(_ truth: OutboxSimulation.Truth) {
    let recipients = Set(truth.steps.map(\.recipient))
    for recipient in recipients {
      let steps = truth.steps.filter { $0.recipient == recipient }.sorted { $0.after < $1.after }
      let got = (arrivals[recipient]?[truth.key] ?? []).sorted { $0.begun < $1.begun }
      var (first, seen): ([OutboxSimulation.Arrival], Set<ItemID>) = ([], [])
      for arrival in got where seen.insert(arrival.id).inserted { first.append(arrival) }
      told += first.count
      let name =
        "\(truth.key) to \(recipient.text), noticed \(truth.noticed as Any): \(got.map { "\($0.kind) \($0.id) by \($0.way.index) at \($0.begun)" })"
      if first.count > steps.count { doubled.append(name) }
      let shownTwice = Dictionary(grouping: got, by: { "\($0.id) \($0.way.index)" }).values
        .contains { same in
          same.count > 1 && !(world.readers[recipient]?.ways[same[0].way.index].knowsNames ?? true)
            && !(world.parked[same[0].id]?.isPerhapsTwice ?? false)
        }
      if shownTwice { doubled.append(name) }
      if let closed = truth.closed, got.contains(where: { $0.begun > closed }) {
        afterAnswer.append(name)
      }
      guard let noticed = truth.noticed else { continue }
      let age =
        noticed.timeIntervalSince(truth.happened)
        - time(of: world.offs, in: truth.happened..<max(noticed, truth.happened))
      if age > 26 * 3_600 {
        if !got.isEmpty { ofThePast.append(name) }
        continue
      }
      guard age < 22 * 3_600 else { continue }
      for (index, step) in steps.enumerated() {
        let due = noticed + step.after
        let end = min(
          truth.closed ?? .distantFuture, truth.until ?? .distantFuture, world.end + 9 * 86_400)
        guard due < end else { continue }
        if first.count <= index, canBeTold(truth, step, from: due, to: end) {
          lost.append("step \(step.after) of \(name), closed \(truth.closed as Any)")
        }
        sort(truth, step, due: due, end: end)
        guard isUndisturbed(step, truth, due: due, end: end) else { continue }
        timed += 1
        let isExact = first.count > index && (due..<due + 60).contains(first[index].begun)
        if !isExact {
          late.append("step \(step.after) due \(due) of \(name), closed \(truth.closed as Any)")
        }
      }
    }
  }

  private func time(of spans: [Range<Date>], in span: Range<Date>) -> TimeInterval {
    spans.reduce(0) {
      let common = $1.clamped(to: span)
      return $0 + common.upperBound.timeIntervalSince(common.lowerBound)
    }
  }

  /// Whether the box and a receiver that takes it were up together for six hours at a time when it
  /// could ring.
  private func canBeTold(
    _ truth: OutboxSimulation.Truth, _ step: Occasion.Step, from: Date, to: Date
  ) -> Bool {
    guard let reader = world.readers[step.recipient] else { return false }
    let refusing = refusing(truth, step)
    return reader.ways.indices.contains { index in
      guard !refusing.contains(index) else { return false }
      let blocked = world.offs + (world.downs[WayID(step.recipient, index)] ?? [])
      var date = from
      while date + 6 * 3_600 <= to {
        let span = date..<date + 6 * 3_600
        let isFree = !blocked.contains { $0.overlaps(span) }
        if isFree, step.isUrgent { return true }
        let quiet = stride(from: 0.0, through: 6 * 3_600, by: 1_800)
          .contains { isQuiet(reader, span.lowerBound + $0) }
        if isFree, !quiet { return true }
        date += 1_800
      }
      return false
    }
  }

  /// The ways of its reader that refused it, alone or together with others.
  private func refusing(_ truth: OutboxSimulation.Truth, _ step: Occasion.Step) -> Set<Int> {
    let refusals = (failures[step.recipient] ?? []).filter {
      $0.isRefusal && $0.tells.contains(truth.key)
    }
    return Set(refusals.map(\.way.index))
  }

  // MARK: Clocks

  /// Whether the reader's clock shows a quiet time.
  private func isQuiet(_ reader: Reader, _ date: Date) -> Bool {
    guard let quiet = reader.quiet else { return false }
    let minute = Self.minute(of: date, in: reader.timeZone)
    return quiet.from < quiet.to
      ? (quiet.from..<quiet.to).contains(minute) : minute >= quiet.from || minute < quiet.to
  }

  private static func minute(of date: Date, in zone: TimeZone) -> Int {
    let seconds =
      (Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0)
      + zone.secondsFromGMT(for: date)
    return (seconds % 86_400) / 60
  }

  /// Whether clocks are set within some hours of an instant.
  private func isChange(_ date: Date, in zone: TimeZone) -> Bool {
    zone.secondsFromGMT(for: date - 4 * 3_600) != zone.secondsFromGMT(for: date + 4 * 3_600)
  }

  private mutating func judgeQuiet(_ arrival: OutboxSimulation.Arrival) {
    guard let reader = world.readers[arrival.way.recipient], let quiet = reader.quiet,
      !arrival.isUrgent, isQuiet(reader, arrival.begun)
    else { return }
    // An hour that a change of clocks repeats is quiet once.
    let endsInside = isChange(arrival.begun, in: reader.timeZone) && quiet.to < 240
    if !endsInside { inQuietHours.append("\(arrival)") }
  }

  // MARK: Minutes

  private func isCalm(_ recipient: Recipient, _ span: Range<Date>, before: TimeInterval = 7_200)
    -> Bool
  {
    let wide = span.lowerBound - before..<span.upperBound
    return !world.deaths.contains { wide.contains($0) }
      && !(failures[recipient] ?? []).contains { wide.contains($0.time) }
      && !world.downs.contains {
        $0.key.recipient == recipient && $0.value.contains { $0.overlaps(wide) }
      }
  }

  private func isUndisturbed(
    _ step: Occasion.Step, _ truth: OutboxSimulation.Truth, due: Date, end: Date
  ) -> Bool {
    guard let reader = world.readers[step.recipient], end > due + 60 else { return false }
    let run = truth.happened - 1..<due + 120
    guard !world.offs.contains(where: { $0.overlaps(run) }) else { return false }
    guard step.isUrgent || !isQuiet(reader, due) && !isChange(due, in: reader.timeZone) else {
      return false
    }
    return isCalm(step.recipient, due..<due + 60)
  }

  // MARK: Coincidences

  private mutating func sort(
    _ truth: OutboxSimulation.Truth, _ step: Occasion.Step, due: Date, end: Date
  ) {
    guard let reader = world.readers[step.recipient] else { return }
    if let off = world.offs.first(where: { $0.contains(due) }) {
      if due > off.lowerBound + 1_500, off.upperBound.timeIntervalSince(off.lowerBound) > 3_000,
        end > off.upperBound + 120, step.isUrgent || !isQuiet(reader, off.upperBound + 60)
      {
        missedByOff[step.recipient, default: [:]][off.upperBound, default: []].append((truth, step))
      }
    } else if !step.isUrgent, isQuiet(reader, due), !isChange(due, in: reader.timeZone),
      let quiet = reader.quiet, !world.offs.contains(where: { $0.contains(truth.happened) })
    {
      let seconds = due.timeIntervalSince1970
      let minutes = (quiet.to - Self.minute(of: due, in: reader.timeZone) + 1_440) % 1_440
      let morning = Date(
        timeIntervalSince1970: (seconds / 60).rounded(.down) * 60 + Double(minutes) * 60)
      if end > morning + 60, !isChange(morning, in: reader.timeZone) {
        held[step.recipient, default: [:]][morning, default: []].append((truth, step))
      }
    }
  }

  private mutating func judgeNights() {
    for (recipient, mornings) in held {
      for (morning, steps) in mornings
      where steps.count > 1 && isCalm(recipient, morning..<morning + 60)
        && !world.offs.contains(where: { $0.overlaps(morning - 54_000..<morning + 60) })
      {
        nights += 1
        let carriers = carriers(of: steps, to: recipient)
        let isOne =
          Set(carriers.map(\.id)).count == 1
          && carriers.allSatisfy {
            $0.kind == .digest && (morning..<morning + 60).contains($0.begun)
          }
        if !isOne { split.append("\(recipient.text) \(morning): \(carriers)") }
      }
    }
  }

  private mutating func judgeRestarts() {
    for (recipient, restarts) in missedByOff {
      for (restart, steps) in restarts
      where isCalm(recipient, restart..<restart + 120)
        && !world.offs.contains(where: { $0.lowerBound >= restart && $0.lowerBound < restart + 300 }
        )
      {
        self.restarts += 1
        let carriers = carriers(of: steps, to: recipient)
        let isOne =
          Set(carriers.map(\.id)).count == 1
          && carriers.allSatisfy {
            $0.kind == .summary && (restart..<restart + 120).contains($0.begun)
          }
        if !isOne {
          unsummed.append(
            "\(recipient.text) \(restart): \(steps.map { "\($0.0.key) after \($0.1.after) noticed \($0.0.noticed as Any)" }) by \(carriers)"
          )
        }
      }
    }
  }

  /// The messages that told these steps; a step that was not told has none of its own.
  private func carriers(
    of steps: [(OutboxSimulation.Truth, Occasion.Step)], to recipient: Recipient
  ) -> [OutboxSimulation.Arrival] {
    steps.flatMap { truth, step in
      let got = (arrivals[recipient]?[truth.key] ?? []).filter {
        $0.begun >= (truth.noticed ?? .distantPast) + step.after
      }
      return got
    }
  }
}

@Suite struct OutboxSimulationTests {
  @Test(arguments: Rounds.seeds(30)) func `an alarm reaches somebody, once`(seed: UInt64) throws {
    var world = try OutboxSimulation(seed: seed)
    world.run()
    let year = SimulatedYear(world)
    #expect(year.told > 500 && year.timed > 300)
    #expect(year.lost.prefix(3) == [])
    #expect(year.doubled.prefix(3) == [])
    #expect(year.ofThePast.prefix(3) == [])
    #expect(year.afterAnswer.prefix(3) == [])
    #expect(year.inQuietHours.prefix(3) == [])
    #expect(year.late.prefix(3) == [])
    #expect(year.split.prefix(3) == [])
    #expect(year.unsummed.prefix(3) == [])
    if let path = ProcessInfo.processInfo.environment["MEASURED_SIMULATION"] {
      let line =
        "\(seed) steps \(world.steps) told \(year.told) lost \(year.lost.count) "
        + "doubled \(year.doubled.count) past \(year.ofThePast.count) "
        + "answered \(year.afterAnswer.count) quiet \(year.inQuietHours.count) "
        + "timed \(year.timed) late \(year.late.count) nights \(year.nights) "
        + "split \(year.split.count) restarts \(year.restarts) unsummed \(year.unsummed.count)\n"
      try Data(line.utf8).write(to: URL(filePath: "\(path)/\(seed)"))
    }
  }
}
