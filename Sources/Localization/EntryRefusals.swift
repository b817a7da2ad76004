package import Actions
package import Care

// The keys and values of what a person entered is refused for.

extension EntryRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .flawed(let entry, let task):
      LocalizedText("store.ofTask", ["task": "\(task)", "problem": .text(entry.localized)])
    case .flawedMeasure(let entry): entry.localized
    case .notANumber(let text, let task) where text.isDecimalWithComma:
      LocalizedText(
        "entry.decimalComma",
        ["text": "\(text)", "number": .init(text.replacing(",", with: "."))]
      ).with("task", "\(task)")
    case .notANumber(let text, let task):
      LocalizedText("entry.notANumber", ["task": "\(task)", "text": "\(text)"])
    case .otherUnit(let unit, let task, let expected):
      StoreError.Refusal.otherDimension(unit, expected: expected, task: task).localized
    case .countedWithoutUnit(let unit, let task, let quantity):
      LocalizedText(
        "entry.counted",
        [
          "task": "\(task)", "quantity": .quantityInSentence(quantity), "unit": .init(unit.name),
        ])
    case .otherUnitOfQuantity(let unit, let quantity):
      LocalizedText(
        quantity.unit == .one
          ? "entry.withoutUnit" : unit == nil ? "entry.missingUnit" : "entry.otherUnit",
        ["quantity": .quantity(quantity), "expected": .init(quantity.unit.name)]
      ).with("unit", .init(unit?.name ?? ""))
    case .superfluousKind(let kind, let task):
      LocalizedText("entry.superfluousKind", ["task": "\(task)", "kind": "\(kind)"])
    case .unknownKind(let kind, let task, let known):
      LocalizedText(
        "entry.unknownKind",
        [
          "task": "\(task)", "kind": "\(kind)",
          "suggestion": .suggestion(for: kind, among: known), "known": .quoted(known),
        ])
    case .missingKind(let task, let known):
      LocalizedText("entry.missingKind", ["task": "\(task)", "known": .quoted(known)])
    case .unknownUnit(let name): LocalizedText("entry.unknownUnit", ["unit": "\(name)"])
    case .notEntered(let quantity):
      LocalizedText("entry.notEntered", ["quantity": .quantity(quantity)])
    case .measuredInFuture(let date, let timeZone):
      LocalizedText("entry.measuredInFuture", ["time": .init(date.toTheSecond(in: timeZone))])
    case .swappedPressures(let systolic, let diastolic):
      LocalizedText(
        "entry.swapped",
        [
          "systolic": .figure(systolic.plainText),
          "diastolic": .figure(Quantity.bloodPressureSystolic.unit.text(diastolic.plainText)),
        ])
    case .missingAmount(let task, let unit):
      LocalizedText(
        "entry.missingAmount",
        ["flags": .init(unit.map { " --unit \($0.shellName)" } ?? "")]
      ).with("task", "\(task)").with("command", .init(task.shellQuoted))
    case .falseCountsAsDone(let task):
      LocalizedText(
        "entry.falseCountsAsDone", ["task": "\(task)", "command": .init(task.shellQuoted)])
    case .store(let error): error.localized
    }
  }
}

extension EntryRefusal.Entry: Localizable {
  /// The problem with the text, and input that would fit, with the unit of a bare number.
  package var localized: LocalizedText {
    switch (flaw, quantity) {
    case (.ambiguous(let thousands, let decimals), _):
      LocalizedText(
        "entry.ambiguous", ["thousands": "\(thousands)", "decimals": "\(decimals)"]
      ).with("text", "\(text)")
    case (.malformed, nil): LocalizedText("entry.noNumber", ["text": "\(text)"])
    case (.malformed, .bodyMass?):
      LocalizedText(
        "entry.noWeight",
        [
          "text": "\(text)", "number": .figure(unit == .pound ? "141" : "63.9"),
          "unit": .init(unit.name), "other": .init(unit == .kilogram ? "141 lb" : "64 kg"),
        ])
    case (.malformed, let quantity?):
      LocalizedText(
        unit == .one ? "entry.noCount" : "entry.noValue",
        ["quantity": .quantityInSentence(quantity)]
      ).with("text", "\(text)").with("unit", .init(unit.name))
    }
  }
}

extension UnitOfMeasure {
  /// A name that the command line reads without quotation marks.
  package var shellName: String {
    UnitOfMeasure(symbol) == self ? symbol.shellQuoted : code.shellQuoted
  }
}
