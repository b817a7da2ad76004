import Assessments
package import Care
import Foundation
import Localization

/// The result of an event, in a reader's words and units.
struct EventResult {
  /// The value that counts; `nil` if there is none.
  var value: ValueText?
  /// The text beside the value: `98–109`, `of 6000`.
  var note: String?
  /// The remarks of the task's thresholds and its devices about the value.
  var says: String?
  /// When, how and from what: `07:05 by itself, Mi Scale 2`.
  var provenance: String?
  /// The other figures and the answers.
  var figures: [Figure] = []
  /// Who gave it.
  var giver: Giver?
  /// When it was given, on a clock.
  var time: String?

  /// Who gave an event its result.
  enum Giver {
    case sensor, person
  }

  struct Figure {
    let name: String
    let text: String
    var file: FileLink?
  }

  /// A picture or video that answers a question.
  struct FileLink {
    let href: String
    /// Whether browsers show it small on the page.
    let isPicture: Bool
    /// The question that the picture answers, as text for those who do not see it.
    let alternative: String

    init(_ attachment: Attachment, question: String) {
      href = LocalAddress("api", "v1", "attachments", attachment.sha256).description
      isPicture = attachment.type.kind == .picture
      alternative = question
    }
  }
}

/// A value as it is set: the numbers large, the units small.
struct ValueText {
  let parts: [Part]
  /// Whether it is too long for the largest size.
  let isLong: Bool
  /// The same in one line.
  let plain: String

  struct Part {
    let text: String
    let isUnit: Bool
  }

  init(_ text: String) {
    let grouped = text.groupingDigits
    plain = grouped
    isLong = grouped.count > 14
    let hasNumber = grouped.contains(where: \.isNumber)
    parts = grouped.split(separator: " ").enumerated().map { place, word in
      let isNumber = word.first.map { $0.isNumber || "-−+".contains($0) } ?? false
      return Part(text: (place > 0 ? " " : "") + word, isUnit: hasNumber && !isNumber)
    }
  }
}

extension String {
  /// The text with a narrow space between the thousands of a leading number: `3 214`.
  var groupingDigits: String {
    let isNegative = hasPrefix("-")
    let digits = drop { $0 == "-" }.prefix { $0.isASCII && $0.isNumber }
    guard digits.count > 3 else { return self }
    var grouped = ""
    for (place, digit) in digits.enumerated() {
      if place > 0, (digits.count - place).isMultiple(of: 3) { grouped += "\u{202F}" }
      grouped.append(digit)
    }
    let rest = String(dropFirst(digits.count + (isNegative ? 1 : 0)))
    return (isNegative ? "-" : "") + grouped + rest
  }
}

// MARK: - Reading a result

extension EventResult {
  /// Reads what `event` came to, for a person with these units.
  init(
    _ event: Event, _ reader: any StoreReader, viewer: Viewer, units: PreferredUnits?
  ) throws {
    guard let outcome = event.outcome, outcome.answer.state == .done else { return }
    let words = viewer.language
    let values = outcome.values.filter { !$0.isPlainTrue }
    let shown = Shown(values, of: event, units: units)
    value = shown.text.map { ValueText(words.figure($0)) }
    note = shown.note.map(words.figure)
    let cautions = words.remarks(of: try reader.cautions(of: event))
    let remarks = event.thresholds.map(\.says) + cautions
    says = remarks.isEmpty ? nil : remarks.joined(separator: ", ")
    figures = shown.others.compactMap { value in
      words.answerText(value, of: event, units: units).map {
        let name = words.name(ofKind: value.kind, in: event.task.planned)
        guard case .attachment(let attachment) = value.value else {
          return Figure(name: name, text: $0)
        }
        return Figure(name: name, text: $0, file: FileLink(attachment, question: name))
      }
    }
    let isByPerson =
      outcome.values.isEmpty || outcome.values.contains { $0.provenance == .manual }
    giver = isByPerson ? .person : .sensor
    let day = event.occurrence.start
    if let latest = shown.values.last ?? outcome.values.last {
      let device = try viewer.deviceName(of: latest, in: event, reader)
      let done = event.doneTime(by: latest)
      time = done.map { words.time($0, relativeTo: day, in: viewer.timeZone) }
      provenance = words.provenance(
        latest.provenance, at: done, device: device, day: day, in: viewer.timeZone)
    } else {
      let done = event.doneTime()
      time = done.map { words.time($0, relativeTo: day, in: viewer.timeZone) }
      provenance = words.provenance(
        .manual, at: done, device: nil, day: day, in: viewer.timeZone)
    }
  }

  /// The values that are shown large, and the others.
  private struct Shown {
    var text: String?
    var note: String?
    var values: [OutcomeValue] = []
    var others: [OutcomeValue] = []

    init(_ all: [OutcomeValue], of event: Event, units: PreferredUnits?) {
      let task = event.task.planned
      let questions = Set(task.survey.map(\.kind))
      let answers = all.filter { $0.kind.map(questions.contains) ?? false }
      let measured = all.filter { !($0.kind.map(questions.contains) ?? false) }
      others = answers
      guard let last = measured.last else { return }
      if let series = ValueSeries(measured, of: event) {
        let texts = series.texts(for: units)
        (text, note, values) = (texts.mean, "\(texts.least)–\(texts.most)", measured)
      } else if task.activeTask != nil {
        let first = measured[0]
        (text, values) = (event.comparedText(first, for: units), [first])
        others = Array(measured.dropFirst()) + answers
      } else if task.linkages.count > 1 {
        let latest = task.linkages.compactMap { linkage in
          measured.last { task.isValue($0, of: linkage) }
        }
        values = latest
        text = Self.joined(latest.compactMap { event.numberText($0, for: units) })
      } else if task.linkage?.type != .discrete, measured.count > 1,
        measured.allSatisfy({ $0.value.number != nil })
      {
        (text, values) = (event.amountText(event.progress.value, for: units), measured)
      } else {
        (text, values) = (event.numberText(last, for: units) ?? last.value.plainText, [last])
      }
    }

    /// `128/82 mmHg` for two numbers of one unit, else the numbers one after another.
    private static func joined(_ texts: [String]) -> String? {
      let split = texts.map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
      let units = Set(split.map { $0.count > 1 ? $0[1] : "" })
      guard let unit = units.first, units.count == 1 else { return texts.joined(separator: ", ") }
      let numbers = split.compactMap(\.first).joined(separator: "/")
      return texts.isEmpty ? nil : unit.isEmpty ? numbers : numbers + " " + unit
    }
  }
}

extension OutcomeValue {
  /// Whether it only says that something was done.
  var isPlainTrue: Bool { value == .boolean(true) && kind == nil }
}

extension Value {
  /// A text or number as it is; `nil` for bytes and truths.
  fileprivate var plainText: String? {
    switch self {
    case .text(let text): text
    case .integer(let number): String(number)
    case .double(let number): number.plainText
    case .boolean, .binary, .attachment, .date: nil
    }
  }
}

// MARK: - Amounts and targets

extension Event {
  /// A number in the unit of its targets or linkage, as the person reads it.
  func amountText(_ number: Double, for units: PreferredUnits?) -> String {
    let unit = goalUnit
    if let quantity = task.linkage?.quantity {
      return quantity.text(number, in: unit ?? quantity.unit, for: units).groupingDigits
    }
    return (unit.map { $0.text(number.plainText) } ?? number.plainText).groupingDigits
  }

  /// The unit in which progress counts.
  private var goalUnit: UnitOfMeasure? {
    targets.first { $0.value.number != nil }?.unit ?? task.linkage?.unit
      ?? outcome?.values.first { $0.value.number != nil }?.unit
  }

  /// A result as the person reads it, with further digits where rounding would hide that it misses
  /// its target: `12.04 s`, not `12 s`, of at most 12 s.
  fileprivate func comparedText(_ value: OutcomeValue, for units: PreferredUnits?) -> String? {
    let text = numberText(value, for: units)
    let limits = targets.compactMap(\.value.number).map {
      amountText($0, for: units)
    }
    guard !progress.isCompleted, let text, limits.contains(text.groupingDigits),
      let number = value.value.number
    else { return text }
    return value.unit.map { $0.text(number.plainText) } ?? number.plainText
  }

  /// Its target in words; `nil` without a number to reach.
  ///
  /// With `style` `ofValue`, to stand after a value: `of 6000`, `of at most 12 s`, `of 60° to 80°`.
  func targetText(
    _ words: Language, for units: PreferredUnits?, _ style: TargetStyle = .alone
  ) -> String? {
    let targets = self.targets.filter { $0.value.number != nil }
    guard let first = targets.first, let number = first.value.number else { return nil }
    let goal = words.figure(amountText(number, for: units))
    if first.isAtMost { return words.text(style.rawValue + ".atMost", ["goal": goal]) }
    let limit = targets.first { $0.isAtMost && $0.kind == first.kind }?.value.number
    guard let limit else { return words.text(style.rawValue + ".atLeast", ["goal": goal]) }
    return words.text(
      style.rawValue + ".between",
      ["goal": goal, "limit": words.figure(amountText(limit, for: units))])
  }

  /// How a target is worded; the group of its texts.
  enum TargetStyle: String {
    /// By itself: `Goal: at most 12 s`.
    case alone = "goal"
    /// After the value that is compared with it: `of at most 12 s`.
    case ofValue
  }
}

// MARK: - Words

extension Language {
  /// That a person said that an event was not done or was left out, with the reason.
  func declined(_ event: Event) -> String {
    let key = event.outcome?.answer.state == .skipped ? "today.skipped" : "today.notDone"
    return event.outcome?.answer.reason.map { text(key + "Reason", ["reason": $0]) } ?? text(key)
  }
}

extension Attachment {
  /// The number of bytes for people: `2.1 MB`, `240 kB`.
  package var sizeText: String {
    guard byteCount >= 999_500 else { return "\(max(1, (byteCount + 500) / 1_000)) kB" }
    let tenths = (byteCount + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10) MB"
  }
}

extension Language {
  /// The name of a value's kind: the question's, the linkage's, the figure's.
  func name(ofKind kind: String?, in task: PlannedTask) -> String {
    guard let kind else { return task.linkage.map { title(of: $0.quantity) } ?? task.title }
    if let question = task.survey.first(where: { $0.kind == kind }) {
      return question.title ?? kind
    }
    if let linkage = task.linkages.first(where: { task.valueKind(of: $0) == kind }) {
      return title(of: linkage.quantity)
    }
    return optionalText("figure." + kind)
      ?? Quantity(rawValue: kind).map { title(of: $0) } ?? kind
  }

  /// A value of an outcome in words; `nil` for bytes.
  func answerText(_ value: OutcomeValue, of event: Event, units: PreferredUnits?) -> String? {
    switch value.value {
    case .integer, .double:
      return event.numberText(value, for: units).map { figure($0.groupingDigits) }
    case .boolean(let flag): return text(flag ? "answer.yes" : "answer.no")
    case .text(let word):
      let isFigure = event.task.activeTask != nil
      return isFigure ? optionalText("figureWord." + word) ?? word : word
    case .date(let date): return time(date, in: event.occurrence.element.timeZone)
    case .binary: return text("answer.file")
    case .attachment(let attachment): return fileText(attachment)
    }
  }

  /// `picture, 2.1 MB`.
  func fileText(_ attachment: Attachment) -> String {
    text("answer." + attachment.type.kind.rawValue, ["size": figure(attachment.sizeText)])
  }

  /// `07:05 by itself, Mi Scale 2`; without a time what a person said of it afterwards.
  func provenance(
    _ provenance: Provenance, at date: Date?, device: String?, day: Date, in timeZone: TimeZone
  ) -> String {
    guard let date else { return text("provenance.untimed") }
    let time = time(date, relativeTo: day, in: timeZone)
    let key = "provenance." + provenance.rawValue
    guard let device else { return text(key, ["time": time]) }
    return text(key + "Device", ["time": time, "device": device])
  }
}

extension Viewer {
  /// The name of the device that measured a value of an event; `nil` if no device did.
  func deviceName(
    of value: OutcomeValue, in event: Event, _ reader: any StoreReader
  ) throws -> String? {
    guard value.provenance != .manual, let quantity = event.task.planned.quantity(of: value)
    else { return nil }
    let sample = try reader.samples(
      SampleQuery(
        owner: .patient(event.task.patient), quantity: quantity, from: value.time, to: value.time,
        limit: 1))
    return sample.last.map { deviceName($0.device) }
  }

  /// A device's name: the definition's, else its address.
  package func deviceName(_ device: DeviceIdentity) -> String {
    guard let definition = device.definition else { return device.address.text }
    return deviceNames[definition] ?? Self.name(ofDefinition: definition)
  }

  /// `Xiaomi Mi Scale 2` of `xiaomi-mi-scale-2`: words, those with a digit in capitals.
  private static func name(ofDefinition id: String) -> String {
    id.split(separator: "-").map { word in
      word.contains(where: \.isNumber)
        ? word.uppercased() : word.prefix(1).uppercased() + word.dropFirst()
    }.joined(separator: " ")
  }
}
