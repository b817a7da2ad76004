import Assessments
import Care
import Foundation
import Localization

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

  /// Makes the summary of a person from what was read of the days.
  ///
  /// - Throws: ``StoreError``.
  init(
    _ reader: any StoreReader, person: Patient?, facts: InsightFacts, samples: ReportSamples,
    viewer: Viewer
  ) throws {
    let (words, days) = (viewer.language, facts.days)
    func measure(_ quantity: Quantity) -> Measure {
      Measure(quantity, for: person?.units, in: words)
    }
    let pairs = PressurePair.pairs(
      samples.pressures[.bloodPressureSystolic] ?? [],
      samples.pressures[.bloodPressureDiastolic] ?? [])
    pressure = Self.pressure(
      pairs, PressureLimit(facts.tasks.map(\.task)), days, measure(.bloodPressureSystolic), words)
    let paired: Set<Quantity> = [
      .bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean,
    ]
    values = facts.measured.filter { !paired.contains($0.quantity) }.compactMap { measured in
      samples.runs[ReportSamples.Key(measurand: measured.measurand, kind: nil)].flatMap {
        Self.row(
          measured, $0, facts,
          measure(measured.quantity).even(over: measured.values.summaries.values), words)
      }
    }
    movements = samples.movements.map { key, run in
      Self.movement(key, run, measure(key.measurand.quantity), words)
    }
    alerts = try Self.alerts(reader, person?.id ?? "", days, viewer)
    (hasValues, hasMovements) = (!values.isEmpty, !movements.isEmpty)
    hasAlerts = !alerts.isEmpty
    let devices = Set(samples.devices.map(viewer.deviceName))
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
    _ measured: MeasuredDays, _ run: ReportSamples.Run, _ facts: InsightFacts, _ measure: Measure,
    _ words: Language
  ) -> ValueRow? {
    let title = words.title(of: measured.measurand)
    let remarks = [
      run.typed > 0 ? words.text("report.typed", count: run.typed) : nil,
      run.corrected > 0 ? words.text("report.corrected", count: run.corrected) : nil,
    ].compactMap(\.self)
    let remark = remarks.isEmpty ? nil : words.list(remarks)
    guard measured.quantity.aggregation == .discrete else {
      // A cumulative quantity is summed by whole days.
      let summary = measured.values.summary(of: facts.shown)
      return ValueRow(
        title: words.text("report.perDay", ["quantity": title]),
        count: String(summary.count), first: "–", last: "–", change: "–",
        range: measure.number(summary.least) + " – " + measure.number(summary.most),
        mean: summary.mean.map(measure.text) ?? "–", remark: remark)
    }
    let change = run.last.value - run.first.value
    return ValueRow(
      title: title, count: String(run.summary.count),
      first: measure.text(run.first.value), last: measure.text(run.last.value),
      change: run.summary.count > 1
        ? words.change(change, measure.difference(change), measure.isNothing(change)) : "–",
      range: measure.number(run.summary.least) + " – " + measure.number(run.summary.most),
      mean: run.summary.mean.map(measure.text) ?? "–", remark: remark)
  }

  // MARK: Movements

  private static func movement(
    _ key: ReportSamples.Key, _ run: ReportSamples.Run, _ measure: Measure, _ words: Language
  ) -> MovementRow {
    let kind = key.kind ?? ""
    return MovementRow(
      title: words.title(of: key.measurand), figure: words.optionalText("figure." + kind) ?? kind,
      count: String(run.summary.count), first: measure.text(run.first.value),
      last: measure.text(run.last.value),
      best: measure.text(run.summary.least) + " – " + measure.text(run.summary.most))
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

// MARK: - Samples

/// The facts that a report takes of the samples of its days while they are read once.
struct ReportSamples {
  private let days: DayGrid
  /// The values by what they are of.
  private(set) var runs: [Key: Run] = [:]
  /// The pressures, by quantity.
  private(set) var pressures: [Quantity: [Sample]] = [:]
  /// The devices that measured.
  private(set) var devices: Set<DeviceIdentity> = []

  /// The measurand of values, and which of an assessment's values they are.
  struct Key: Hashable {
    let measurand: Measurand
    let kind: String?
  }

  /// Values over time, in no order.
  struct Run {
    private(set) var first: (start: Date, value: Double)
    private(set) var last: (start: Date, value: Double)
    private(set) var summary = DaySummary()
    /// How many were typed.
    private(set) var typed = 0
    /// How many stand in place of what was measured.
    private(set) var corrected = 0

    fileprivate init(_ sample: Sample) {
      (first, last) = ((sample.start, sample.value), (sample.start, sample.value))
    }

    fileprivate mutating func add(_ sample: Sample) {
      if sample.start < first.start { first = (sample.start, sample.value) }
      if sample.start >= last.start { last = (sample.start, sample.value) }
      summary.add(sample.value)
      guard sample.provenance == .manual else { return }
      if sample.corrects == nil { typed += 1 } else { corrected += 1 }
    }
  }

  init(of days: DayGrid) {
    self.days = days
  }

  mutating func add(_ sample: Sample) {
    guard days.start <= sample.start, sample.start < days.end else { return }
    runs[Key(measurand: sample.measurand, kind: sample.kind), default: Run(sample)].add(sample)
    if sample.provenance != .manual { devices.insert(sample.device) }
    if [.bloodPressureSystolic, .bloodPressureDiastolic].contains(sample.quantity) {
      pressures[sample.quantity, default: []].append(sample)
    }
  }

  /// The figures of assessments, each of its joint and side, whether a sensor measured or somebody typed
  /// them; by quantity and place, the result first.
  var movements: [(key: Key, run: Run)] {
    let order = Dictionary(
      Quantity.all.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    func rank(_ key: Key) -> (Int, UInt64, Int) {
      let kinds = key.measurand.quantity.figureKinds
      return (
        order[key.measurand.quantity] ?? .max, key.measurand.place.rawValue,
        key.kind.flatMap(kinds.firstIndex) ?? .max
      )
    }
    return runs.filter { $0.key.kind != nil }.sorted { rank($0.key) < rank($1.key) }
      .map { ($0.key, $0.value) }
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
    let systolic = systolic.sorted { $0.start < $1.start }
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
