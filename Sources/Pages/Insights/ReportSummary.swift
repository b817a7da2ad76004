import Assessments
import Care
import Foundation
import Localization
import Motion

/// The first page of a report: what was measured of what, in few numbers.
///
/// A pressure is a pair, apart for morning and evening; a range of motion is of one joint and side; a
/// value that was typed or corrected is marked. The numbers are those of every value that counts, without
/// the means of days in between.
struct ReportSummary {
  let facts: [Fact]
  let pressure: Pressure?
  let values: [ValueRow]
  let movements: [MovementRow]
  let alerts: [AlertRow]

  struct Fact {
    let title: String
    let text: String
  }

  struct Pressure {
    let rows: [PressureRow]
    let limit: String
    let remark: String?
  }

  struct PressureRow {
    let title: String
    let count: String
    let mean: String
    let range: String
    let share: String
  }

  struct ValueRow {
    let title: String
    let count: String
    let first: String
    let last: String
    let change: String
    let range: String
    let mean: String
    let remark: String?
  }

  struct MovementRow {
    let title: String
    let figure: String
    let count: String
    let first: String
    let last: String
    let best: String
  }

  struct AlertRow {
    let time: String
    let text: String
  }

  // Templates see what is stored.
  let hasValues: Bool
  let hasMovements: Bool
  let hasAlerts: Bool

  /// How many alerts are listed.
  private static let alertLimit = 12
  /// How many values of a quantity are read at most.
  private static let budget = 60_000

  /// Reads the summary of a person on some days.
  ///
  /// - Throws: ``StoreError``.
  init(
    _ reader: any StoreReader, person: Patient?, facts: InsightFacts, viewer: Viewer
  ) throws {
    let (words, days) = (viewer.language, facts.days)
    let patient = person?.id ?? ""
    var devices: Set<String> = []
    func samples(_ quantity: Quantity) throws -> [Sample] {
      var found: [Sample] = []
      let query = SampleQuery(owner: .patient(patient), quantity: quantity)
      _ = try SampleScan.forEach(reader, query, on: days, budget: Self.budget) { sample in
        guard sample.isResult else { return }
        found.append(sample)
        if sample.provenance != .manual { devices.insert(viewer.deviceName(sample.device)) }
      }
      return found.sorted { $0.start < $1.start }
    }
    let pairs = PressurePair.pairs(
      try samples(.bloodPressureSystolic), try samples(.bloodPressureDiastolic))
    pressure = Self.pressure(
      pairs, PressureLimit(facts.tasks.map(\.task)), days,
      Measure(
        .bloodPressureSystolic, for: person?.units, in: words), words)
    let paired: Set<Quantity> = [
      .bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .rangeOfMotion,
    ]
    values = try facts.quantities.filter { !paired.contains($0.quantity) }.compactMap {
      try Self.row(
        $0.quantity, samples($0.quantity), days,
        Measure($0.quantity, for: person?.units, in: words),
        words)
    }
    movements = try Self.movements(reader, patient, days, viewer)
    alerts = try Self.alerts(reader, patient, days, viewer)
    (hasValues, hasMovements) = (!values.isEmpty, !movements.isEmpty)
    hasAlerts = !alerts.isEmpty
    let own: [(String, [String])] = [
      ("allergies", person?.allergies ?? []), ("devices", devices.sorted()),
    ]
    self.facts = own.filter { !$0.1.isEmpty }.map { key, items in
      Fact(title: words.text("report." + key), text: words.list(items))
    }
  }

  // MARK: Pressure

  private static func pressure(
    _ pairs: [PressurePair], _ limit: PressureLimit, _ days: DayGrid, _ measure: Measure,
    _ words: Language
  ) -> Pressure? {
    guard let last = pairs.last else { return nil }
    func hour(_ pair: PressurePair) -> Int { LocalDateTime(pair.start, in: days.timeZone).hour }
    let week = days.end - 7 * 86_400
    let groups: [(String, [PressurePair])] = [
      ("all", pairs), ("morning", pairs.filter { hour($0) < 12 }),
      ("evening", pairs.filter { hour($0) >= 12 }),
      ("lastWeek", last.start >= week ? pairs.filter { $0.start >= week } : []),
    ]
    let irregular = pairs.count { $0.isIrregular }
    return Pressure(
      rows: groups.filter { !$0.1.isEmpty }.map { key, pairs in
        row(words.text("report.pressure." + key), pairs, limit, measure)
      },
      limit: words.text(
        limit.isOwn ? "report.pressure.limit" : "report.pressure.usualLimit",
        ["systolic": limit.systolic.plainText, "diastolic": limit.diastolic.plainText]),
      remark: irregular > 0
        ? words.text("report.pressure.irregular", count: irregular) : nil)
  }

  private static func row(
    _ title: String, _ pairs: [PressurePair], _ limit: PressureLimit, _ measure: Measure
  ) -> PressureRow {
    let systolic = DaySummary(pairs.map(\.systolic))
    let diastolic = DaySummary(pairs.map(\.diastolic))
    func pair(_ first: Double?, _ second: Double?) -> String {
      guard let first, let second else { return "–" }
      return measure.number(first) + "/" + measure.number(second)
    }
    let high = pairs.count { limit.isReached($0) }
    return PressureRow(
      title: title, count: String(pairs.count), mean: pair(systolic.mean, diastolic.mean),
      range: pair(systolic.least, diastolic.least) + " – " + pair(systolic.most, diastolic.most),
      share: "\(high) (\((Double(high) / Double(pairs.count)).percent))")
  }

  // MARK: Values

  private static func row(
    _ quantity: Quantity, _ samples: [Sample], _ days: DayGrid, _ measure: Measure,
    _ words: Language
  ) -> ValueRow? {
    guard let first = samples.first, let last = samples.last else { return nil }
    let (typed, corrected) = (
      samples.count { $0.provenance == .manual && $0.corrects == nil },
      samples.count { $0.corrects != nil }
    )
    let remarks = [
      typed > 0 ? words.text("report.typed", count: typed) : nil,
      corrected > 0 ? words.text("report.corrected", count: corrected) : nil,
    ].compactMap(\.self)
    let remark = remarks.isEmpty ? nil : words.list(remarks)
    guard quantity.aggregation == .discrete else {
      // A cumulative quantity is summed by whole days.
      var sums: [Int: Double] = [:]
      for sample in samples {
        if let place = days.place(of: sample.start) { sums[place, default: 0] += sample.value }
      }
      let summary = DaySummary(sums.values)
      return ValueRow(
        title: words.text("report.perDay", ["quantity": words.title(of: quantity)]),
        count: String(summary.count), first: "–", last: "–", change: "–",
        range: measure.number(summary.least) + " – " + measure.number(summary.most),
        mean: summary.mean.map(measure.text) ?? "–", remark: remark)
    }
    let summary = DaySummary(samples.map(\.value))
    let change = last.value - first.value
    return ValueRow(
      title: words.title(of: quantity), count: String(samples.count),
      first: measure.text(first.value), last: measure.text(last.value),
      change: samples.count > 1
        ? words.change(change, measure.difference(change), measure.isNothing(change)) : "–",
      range: measure.number(summary.least) + " – " + measure.number(summary.most),
      mean: summary.mean.map(measure.text) ?? "–", remark: remark)
  }

  // MARK: Movements

  /// The figures of measured movements, each of its joint and side, whether a sensor measured them or
  /// somebody typed them.
  private static func movements(
    _ reader: any StoreReader, _ patient: String, _ days: DayGrid, _ viewer: Viewer
  ) throws -> [MovementRow] {
    let words = viewer.language
    struct Key: Hashable {
      var task: ActiveTask
      var kind: String
    }
    var found: [Key: (unit: UnitOfMeasure, values: [Double])] = [:]
    var order: [Key] = []
    let events = try reader.events(
      EventQuery(patient: patient, from: days.start, to: min(days.end, viewer.now + 1)))
    for event in events where event.occurrence.start >= days.start {
      guard let task = event.task.activeTask else { continue }
      for figure in event.task.planned.figures where figure.quantity != nil {
        guard let unit = figure.unit,
          let value = event.outcome?.values.first(where: { $0.kind == figure.kind }),
          let number = value.value.number, number.isFinite
        else { continue }
        let key = Key(
          task: ActiveTask(type: task.type, joint: task.joint, side: task.side), kind: figure.kind)
        if found[key] == nil { order.append(key) }
        found[key, default: (unit, [])].values.append(number)
      }
    }
    return order.compactMap { key in
      guard let (unit, values) = found[key], let first = values.first, let last = values.last
      else { return nil }
      func text(_ value: Double) -> String {
        words.figure(unit.text(value.grouped(digits: unit == .degree ? 0 : 1)))
      }
      return MovementRow(
        title: [words.assessmentTitle(key.task.type), words.place(of: key.task)]
          .compactMap(\.self).joined(separator: words.text("list.comma")),
        figure: words.optionalText("figure." + key.kind) ?? key.kind, count: String(values.count),
        first: text(first), last: text(last),
        best: text(values.min() ?? first) + " – " + text(values.max() ?? last))
    }
  }

  // MARK: Alerts

  private static func alerts(
    _ reader: any StoreReader, _ patient: String, _ days: DayGrid, _ viewer: Viewer
  ) throws -> [AlertRow] {
    let firings = try reader.firings(FiringQuery(patient: patient, kinds: [.alert]))
      .filter { days.start <= $0.firing.due && $0.firing.due < days.end }
    guard !firings.isEmpty else { return [] }
    let text = try FiringText(reader, people: try reader.patients(), viewer: viewer)
    return firings.suffix(alertLimit).map { stored in
      AlertRow(
        time: viewer.language.dayMonth(stored.firing.due, in: viewer.timeZone) + " "
          + viewer.language.time(stored.firing.due, in: viewer.timeZone),
        text: text.row(stored, back: nil, isStanding: true).text)
    }
  }
}

// MARK: - Pressure

/// Both pressures of one measurement.
struct PressurePair: Hashable, Sendable {
  var start: Date
  var systolic: Double
  var diastolic: Double
  var isIrregular: Bool

  /// The measurements that have both pressures, of one device at one time; what was typed is a pair by its
  /// time.
  static func pairs(_ systolic: [Sample], _ diastolic: [Sample]) -> [PressurePair] {
    struct Key: Hashable {
      var start: Date
      var device: DeviceID
    }
    let lower = Dictionary(
      diastolic.map { (Key(start: $0.start, device: $0.device.address), $0) },
      uniquingKeysWith: { first, _ in first })
    return systolic.compactMap { upper in
      lower[Key(start: upper.start, device: upper.device.address)].map { lower in
        PressurePair(
          start: upper.start, systolic: upper.value, diastolic: lower.value,
          isIrregular: upper.context.union(lower.context).contains(.irregularPulse))
      }
    }
  }
}

/// The pressures from which on a pair is high.
///
/// Source of the usual ones: home measurement, European Society of Hypertension 2021: 135/85 mmHg.
struct PressureLimit: Hashable, Sendable {
  var systolic = 135.0
  var diastolic = 85.0
  /// Whether the plan names them.
  var isOwn = false

  /// The targets of the plan's tasks of a pressure, where less is better.
  init(_ tasks: [CareTask]) {
    for task in tasks {
      for linkage in task.linkages {
        let kind = task.planned.valueKind(of: linkage)
        let target = task.schedule.elements.flatMap(\.targets).first {
          $0.isAtMost && $0.kind == kind
        }
        guard let number = target?.value.number else { continue }
        switch linkage.quantity {
        case .bloodPressureSystolic: (systolic, isOwn) = (number, true)
        case .bloodPressureDiastolic: (diastolic, isOwn) = (number, true)
        default: break
        }
      }
    }
  }

  func isReached(_ pair: PressurePair) -> Bool {
    pair.systolic >= systolic || pair.diastolic >= diastolic
  }
}

extension Language {
  /// The joint and side of a movement, `left knee`; `nil` for one of neither.
  fileprivate func place(of task: ActiveTask) -> String? {
    guard let joint = task.joint else {
      return task.side.map { text("body." + $0.rawValue) }
    }
    let name = text("body." + joint.rawValue)
    return task.side.map {
      text("body.sided", ["side": text("body." + $0.rawValue), "joint": name])
    } ?? name
  }
}
