package import Care

// The numbers of an event's outcome as people read them; the same in every language.

extension Event {
  /// Whether less is better: its goal is the greatest value that meets it.
  package var isAtMost: Bool { targets.first?.isAtMost ?? false }

  /// A number of its outcome with the digits that its quantity has, in the person's units; `nil` for
  /// a value that is no number.
  package func numberText(_ value: OutcomeValue, for units: PreferredUnits? = nil) -> String? {
    guard let number = value.value.number else { return nil }
    if let quantity = task.planned.quantity(of: value) {
      return quantity.text(number, in: value.unit, for: units)
    }
    guard let unit = value.unit else { return number.plainText }
    let hasOwnDigits = task.activeTask != nil
    return unit.text(
      hasOwnDigits ? number.plainText(digits: unit.fractionDigits) : number.plainText)
  }
}

extension PlannedTask {
  /// The quantity of a value; `nil` for an answer, and for a figure that is not stored as a sample.
  package func quantity(of value: OutcomeValue) -> Quantity? {
    if let linkage = linkages.first(where: { isValue(value, of: $0) }) { return linkage.quantity }
    // The mean, the least and the most of many samples.
    if linkages.count == 1, survey.isEmpty, activeTask == nil { return linkage?.quantity }
    return figures.first { $0.kind == value.kind }?.quantity
  }

  /// Whether its assessment is performed on a screen, without a sensor.
  package var isOnScreen: Bool {
    AssessmentList.all.first { $0.type == activeTask?.type }?.sensors == .screen
  }

  /// Whether a sensor can measure its assessment in a session.
  package var isMeasurable: Bool { activeTask != nil && !isOnScreen }

  /// The figures of the assessment that it asks for.
  package var figures: [FigureDescription] {
    AssessmentList.all.first { $0.type == activeTask?.type }?.figureDescriptions ?? []
  }
}

extension Quantity {
  /// The kinds of the assessments' figures that are stored as its samples, results first.
  package var figureKinds: [String] {
    AssessmentList.all.flatMap { assessment in
      assessment.figureDescriptions.filter { $0.quantity == self }.map(\.kind)
    }.uniqued()
  }
}

extension Sample {
  /// Whether its value stands for its quantity: a plain one, or the result of an assessment rather
  /// than one of its details.
  package var isResult: Bool {
    guard let kind = reading.kind else { return true }
    let firsts = AssessmentList.all.compactMap { assessment in
      assessment.figureDescriptions.first { $0.quantity == reading.quantity }?.kind
    }
    return firsts.isEmpty || firsts.contains(kind)
  }
}

extension UnitOfMeasure {
  /// The digits of an assessment's figure that is no quantity.
  fileprivate var fractionDigits: Int {
    switch self {
    case .degree, .perMinute, .one: 0
    case .second, .metre, .hertz: 1
    case .metrePerSecond: 2
    default: 3
    }
  }
}

/// Many values of one quantity: their mean, the least and the most.
package struct ValueSeries {
  package var mean: Double
  package var least: Double
  package var most: Double
  package var unit: UnitOfMeasure?
  package var quantity: Quantity?

  /// The most values that are listed one by one.
  private static let mostListed = 3

  /// The values of an event that is linked to a discrete quantity; `nil` if they are few.
  package init?(_ values: [OutcomeValue], of event: Event) {
    func figure(_ kind: String) -> Double? { values.first { $0.kind == kind }?.value.number }
    unit = values.first?.unit
    quantity = event.task.linkage?.quantity
    if let mean = figure("mean"), let least = figure("least"), let most = figure("most") {
      (self.mean, self.least, self.most) = (mean, least, most)
      return
    }
    let numbers = values.compactMap(\.value.number)
    guard event.task.linkages.count == 1, numbers.count > Self.mostListed,
      let least = numbers.min(), let most = numbers.max()
    else { return nil }
    (mean, self.least, self.most) = (numbers.reduce(0, +) / Double(numbers.count), least, most)
  }

  /// The mean with its unit, and the least and the most without.
  package func texts(
    for units: PreferredUnits?
  ) -> (mean: String, least: String, most: String) {
    let texts = [mean, least, most].map { number in
      quantity?.text(number, in: unit, for: units) ?? unit?.text(number.plainText)
        ?? number.plainText
    }
    return (texts[0], texts[1].numberAlone, texts[2].numberAlone)
  }
}

extension String {
  /// A value without its unit; one in stones and pounds as it is.
  fileprivate var numberAlone: String {
    let words = split(separator: " ")
    return words.count == 2 ? String(words[0]) : self
  }
}
