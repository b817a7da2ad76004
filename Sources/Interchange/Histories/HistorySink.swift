import Care
import Foundation

/// Takes what the rows of a history say.
struct HistorySink {
  /// The kind that is read.
  let kind: HistoryKind
  /// The facts that the rows give together; complete once all were read.
  var survey: HistorySurvey
  /// Whether a comma before three digits is a decimal one, too, as the table's dialect says.
  var hasDecimalComma = false
  /// Whether the rows are read for the survey alone.
  var isSurvey = false
  var entries: [HistoryEntry] = []
  var answers: [HistoryAnswer] = []
  var skips: [HistorySkip] = []
  /// How much was taken.
  var count: Int { entries.count + answers.count + skips.count }
  /// How many records of a kind were left out that this program has no quantity for.
  private(set) var unsupported: [String: Int] = [:]

  init(_ kind: HistoryKind, _ survey: HistorySurvey = HistorySurvey()) {
    self.kind = kind
    self.survey = survey
  }

  /// Leaves a row out.
  mutating func skip(_ line: Int, _ reason: HistorySkip.Reason) {
    if case .unsupported(let name) = reason {
      // A hostile file could name anything.
      guard unsupported.count < 200 || unsupported[name] != nil else { return }
      unsupported[name, default: 0] += 1
      return
    }
    guard !isSurvey else { return }
    skips.append(HistorySkip(line: line, reason: reason))
  }

  /// Adds an answer.
  mutating func add(_ answer: HistoryAnswer) {
    if !isSurvey { answers.append(answer) }
  }

  /// Reads the time of a row, from one text or from a date and a time of day.
  ///
  /// - Returns: `nil` if there is none; the row is then skipped.
  mutating func time(_ date: String, _ time: String = "", line: Int) -> HistoryTime? {
    let joined = time.isEmpty ? date : date + " " + time
    guard let clock = ClockText(joined, order: survey.order), let result = HistoryTime(clock) else {
      // A spreadsheet's 1.69E+12 is a time that has lost its days.
      if !joined.lowercased().contains("e"), let number = HistoryNumber(joined)?.value,
        let time = HistoryTime(unix: number)
          ?? (joined.contains(where: { ".,".contains($0) })
            ? HistoryTime(spreadsheetDay: number) : nil)
      {
        return time
      }
      skip(line, .time(String(joined.prefix(40))))
      return nil
    }
    // A clock that was never set.
    guard (clock.date?.year ?? 0) >= 1990 else {
      skip(line, .time(String(joined.prefix(40))))
      return nil
    }
    if let order = clock.order { survey.note(order) }
    if clock.isOrdered, !isSurvey, survey.order == nil {
      skip(line, .dayOrMonth(String(joined.prefix(40))))
      return nil
    }
    return result
  }

  /// The facts of a value beside its number.
  struct Facts {
    var line: Int
    var time: HistoryTime
    var end: HistoryTime?
    var id: String?
    var source: String
    var isDerived = false
    var isTyped = false
    var isStreamed = false
    var hasDecimalComma = false
    /// Whether zero is a value: a count, not something that was not measured.
    var takesZero = false
  }

  /// Reads a number of the table's dialect.
  ///
  /// Of what is counted `10,432` are thousands everywhere.
  func number(_ text: String, _ facts: Facts, isCount: Bool = false) -> HistoryNumber? {
    HistoryNumber(text, hasDecimalComma: facts.hasDecimalComma || hasDecimalComma && !isCount)
  }

  /// Adds a value; nothing for what was not measured.
  mutating func add(
    _ text: String, _ quantity: Quantity, in unit: UnitOfMeasure?, column: String, _ facts: Facts
  ) {
    guard !HistoryNumber.isMissing(text) else { return }
    let isCount = quantity.fractionDigits(in: unit ?? quantity.unit) == 0
    guard let number = self.number(text, facts, isCount: isCount) else {
      return skip(facts.line, .number(String(text.prefix(40)), column: column))
    }
    // Programs write zero for what they did not measure.
    guard number.value != 0 || facts.takesZero else { return }
    var unit = unit
    if !number.unit.isEmpty {
      guard let read = UnitOfMeasure(header: number.unit) else {
        return skip(facts.line, .unit(String(number.unit.prefix(40)), column: column))
      }
      unit = read
    }
    add(number.value, digits: number.digits, quantity, in: unit, column: column, facts)
  }

  /// Adds a number.
  mutating func add(
    _ number: Double, digits: String, _ quantity: Quantity, in unit: UnitOfMeasure?,
    column: String, _ facts: Facts
  ) {
    var unit = unit ?? quantity.unit
    // Some versions of a program write metres where others write centimetres.
    if quantity == .height, unit == .centimetre, number < 3 { unit = .metre }
    guard let value = quantity.value(number, in: unit), value.isFinite else {
      return skip(facts.line, .unit(unit.code, column: column))
    }
    let isSource = unit != quantity.unit && unit.dimension == quantity.unit.dimension
    entries.append(
      HistoryEntry(
        line: facts.line, quantity: quantity, value: quantity.rounded(value, in: quantity.unit),
        sourceValue: isSource ? SourceValue(value: number, unit: unit) : nil,
        digits: String(digits.prefix(40)), time: facts.time, end: facts.end, id: facts.id,
        source: facts.source, isDerived: facts.isDerived, isTyped: facts.isTyped,
        isStreamed: facts.isStreamed))
  }

  /// Adds what a record holds that has both values of a blood pressure, or none: one alone is no
  /// measurement.
  mutating func addPressures(line: Int, _ add: (inout HistorySink) -> Void) {
    let (count, skipped) = (entries.count, skips.count)
    add(&self)
    let new = entries[count...].map(\.quantity)
    guard new.contains(.bloodPressureSystolic) != new.contains(.bloodPressureDiastolic) else {
      return
    }
    entries[count...].removeAll {
      [.bloodPressureSystolic, .bloodPressureDiastolic].contains($0.quantity)
    }
    // A text that is no number was said.
    if skips.count == skipped { skip(line, .halfPressure) }
  }
}

extension Quantity {
  /// A number in the canonical unit; `nil` if `unit` measures something else.
  fileprivate func value(_ number: Double, in unit: UnitOfMeasure) -> Double? {
    if let value = convert(number, from: unit, to: self.unit) { return value }
    // A sensor in the skin measures glucose, too, so the units of blood glucose hold.
    guard self == .interstitialGlucose else { return nil }
    return Quantity.bloodGlucoseMass.convert(number, from: unit, to: self.unit)
  }
}

/// The facts that the rows of a file give together.
struct HistorySurvey: Hashable, Sendable {
  private var dayFirst = 0
  private var monthFirst = 0
  private var masses: [Mass: Int] = [:]
  /// The columns of habits that have numbers, not marks.
  var numbered: Set<Int> = []
  /// The hours of the rows, where a layout does not say how its times are to be read.
  var risings = HistoryRisings()
  /// Name and unit of each group of records that has them once.
  var metrics: [Int: Metric] = [:]

  /// The name and unit of a group of records.
  struct Metric: Hashable, Sendable {
    var name: String
    var unit: String
  }

  /// A unit of weights.
  enum Mass: Hashable, CaseIterable {
    case kilogram, pound, stone

    var unit: UnitOfMeasure {
      switch self {
      case .kilogram: .kilogram
      case .pound: .pound
      case .stone: .stone
      }
    }
  }

  /// Takes note of a date that can be read in one way only.
  mutating func note(_ order: DateOrder) {
    if order == .dayFirst { dayFirst += 1 } else { monthFirst += 1 }
  }

  /// Whether the day or the month comes first; `nil` if no row tells.
  var order: DateOrder? {
    guard dayFirst != monthFirst else { return nil }
    return dayFirst > monthFirst ? .dayFirst : .monthFirst
  }

  /// Takes note of a weight and its body mass index, which name the unit by the height that follows.
  ///
  /// Of the heights that kilograms, pounds and stones give, one alone is an adult's: they are each
  /// 1.48 and 3.74 times apart, adults from 1.40 to 2.08 m.
  mutating func note(weight: Double, bodyMassIndex: Double) {
    guard weight > 0, bodyMassIndex > 5, bodyMassIndex < 120 else { return }
    for mass in Mass.allCases {
      guard let kilograms = mass.unit.convert(weight, to: .kilogram) else { continue }
      if (1.40..<2.08).contains((kilograms / bodyMassIndex).squareRoot()) {
        masses[mass, default: 0] += 1
      }
    }
  }

  /// The unit of weights; `nil` if the rows do not tell.
  var massUnit: UnitOfMeasure? {
    let best = masses.max { $0.value < $1.value }
    guard let best, best.value * 2 > masses.values.reduce(0, +) else { return nil }
    return best.key.unit
  }
}

extension UnitOfMeasure {
  /// The unit that other programs write: `kg`, `lbs`, `BPM`, `ºC`, `count/min`, `mmol<180.1558>/L`.
  init?(header text: String) {
    let name = text.trimmed.replacing("º", with: "°").replacing("\u{A0}", with: "")
    if name.hasPrefix("mmol<"), name.hasSuffix(">/L") {
      self = .millimolePerLitre
      return
    }
    if let unit = UnitOfMeasure(typed: name) {
      self = unit
      return
    }
    switch name.lowercased() {
    case "kgs": self = .kilogram
    case "cal": self = .kilocalorie
    case "mg/dl": self = .milligramPerDecilitre
    case "mmol/l": self = .millimolePerLitre
    case "bpm", "/min", "beats per minute", "count/min", "1/min": self = .perMinute
    case "mm hg": self = .millimetreOfMercury
    case "percentage": self = .percent
    default: return nil
    }
  }
}
