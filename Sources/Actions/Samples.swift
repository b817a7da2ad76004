import Access
package import Care
package import Foundation

/// Changes whose samples are, and whether they count, with what was measured with them.
package struct ChangeSamples: Action {
  /// Which samples.
  package var selections: [SampleSelection]
  package var change: SampleChange
  /// Why, as the person says.
  package var reason: String?

  /// Makes the action.
  package init(_ selections: [SampleSelection], _ change: SampleChange, reason: String?) {
    self.selections = selections
    self.change = change
    self.reason = reason
  }

  /// The changed samples.
  package struct Result: Sendable {
    /// The changed samples, without streamed ones.
    package var samples: [Sample] = []
    /// How many streamed samples changed, too.
    package var streamedCount = 0
    /// The effect on the owners of the other weighings.
    package var review = WeighingReview.Outcome()
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Result {
    for selection in selections {
      let patient = try selection.sample.map { try writer.requiredSample($0).patient }
      switch patient {
      case .some(.some(let patient)): try performer.demand(.correct, on: .patient(patient))
      case .some(.none): try performer.demand(.correct, on: .tray)
      case .none: try performer.demand(.correct, on: .box)
      }
    }
    if case .assign(let patient) = change {
      try performer.demand(.correct, on: .patient(patient))
    }
    var result = Result()
    for selection in selections {
      let changed = try writer.change(selection, change, reason: reason, now: now)
      result.samples += changed.samples
      result.streamedCount += changed.streamedCount
    }
    if result.samples.contains(where: { $0.quantity == .bodyMass }) {
      result.review = try WeighingReview.update(in: writer, now: now)
    }
    return result
  }
}

/// Puts a value in the place of a measured one, which stays visible as its origin.
package struct CorrectSample: Action {
  /// The sample.
  package var identity: SampleIdentity
  /// The right value.
  package var value: Entry
  /// Its unit; `nil` for the one in the text, else the one that the person reads.
  package var unit: UnitOfMeasure?
  /// The units that people read, by patient; empty for those of the quantities.
  package var units: [String: PreferredUnits]
  /// Why, as the person says.
  package var reason: String?

  /// A value as it was entered.
  package enum Entry: Hashable, Sendable {
    /// A number, also with its unit: `64 kg`.
    case text(String)
    case number(Double)
  }

  /// Makes the action.
  package init(
    _ identity: SampleIdentity, to value: Entry, unit: UnitOfMeasure?,
    units: [String: PreferredUnits] = [:], reason: String?
  ) {
    self.identity = identity
    self.value = value
    self.unit = unit
    self.units = units
    self.reason = reason
  }

  /// The measured sample and its correction.
  package struct Result: Sendable {
    /// The sample that was measured.
    package var origin: Sample
    /// The sample that replaces it.
    package var correction: Sample
    /// The effect on the owners of the other weighings.
    package var review = WeighingReview.Outcome()
  }

  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Result {
    let origin = try writer.requiredSample(identity)
    try performer.demand(.correct, on: origin.patient.map { .patient($0) } ?? .tray)
    let quantity = origin.quantity
    let amount = try quantity.amount(
      of: value, in: unit, for: origin.patient.flatMap { units[$0] })
    let correction = try writer.correct(
      identity, value: amount.value, source: amount.source, reason: reason, now: now)
    var result = Result(origin: origin, correction: correction)
    if quantity == .bodyMass {
      result.review = try WeighingReview.update(in: writer, now: now)
    }
    return result
  }
}

/// Adds what a person read from an instrument that no task asks for: a value like any other, or the two
/// of a pressure.
package struct AddSample: Action {
  /// Whose it is, by id.
  package var patient: String
  /// One of ``quantities``.
  package var quantity: Quantity
  /// The value, also with its unit: `64 kg`; a pressure as `120/80`.
  package var text: String
  /// Its unit; `nil` for the one in the text, else the one that the person reads.
  package var unit: UnitOfMeasure?
  /// Whether a number without a unit is in the one that the person reads, rather than the quantity's.
  package var isTyped: Bool
  /// When it was measured; `nil` for now.
  package var time: Date?

  /// Those that a person reads from an instrument; any other is a sensor's or an assessment's.
  package static let quantities: [Quantity] = [
    .bodyMass, .bloodPressureSystolic, .bloodPressureDiastolic, .pulseRate, .heartRate,
    .bodyTemperature, .oxygenSaturation, .bloodGlucose, .bloodGlucoseMass, .haemoglobinA1c, .height,
    .bodyFatPercentage, .musclePercentage, .bodyWaterPercentage, .visceralFat, .carbohydrates,
  ]

  /// Makes the action.
  package init(
    _ quantity: Quantity, _ text: String, unit: UnitOfMeasure? = nil,
    of patient: String, at time: Date? = nil, isTyped: Bool = false
  ) {
    self.quantity = quantity
    self.text = text
    self.unit = unit
    self.isTyped = isTyped
    self.patient = patient
    self.time = time
  }

  /// The samples that were added.
  package struct Result: Sendable {
    /// One, or the two of a pressure; what was there already is not added again.
    package var samples: [Sample] = []
    /// The effect on the owners of the other weighings.
    package var review = WeighingReview.Outcome()
  }

  /// - Throws: As ``Action``; ``EntryRefusal`` for a quantity that no person enters, a text that is no
  ///   value of it, and a time that has not come; `StoreError` for an unknown patient and a value
  ///   that nobody has.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Result {
    try performer.demand(.answer, on: .patient(patient))
    guard Self.quantities.contains(quantity) else { throw EntryRefusal.notEntered(quantity) }
    let people = try writer.patients()
    guard let person = people.first(where: { $0.id == patient }) else {
      throw StoreError.unknown(.patient(patient, known: people.map(\.id)))
    }
    if let time, time > now {
      throw EntryRefusal.measuredInFuture(time, try writer.zone(of: patient, at: now))
    }
    let start = Date(microseconds: (time ?? now).microseconds)
    let pressures = [Quantity.bloodPressureSystolic, .bloodPressureDiastolic]
    var parts = [(quantity: quantity, text: text, unit: unit)]
    if pressures.contains(quantity), let typed = TypedPressures(text) {
      parts = zip(pressures, typed.texts).map { (quantity: $0, text: $1, unit: unit ?? typed.unit) }
    }
    let amounts = try parts.map { part in
      try part.quantity.amount(
        of: .text(part.text), in: part.unit, for: isTyped ? person.units : nil)
    }
    if amounts.count == 2, amounts[0].value <= amounts[1].value {
      throw EntryRefusal.swappedPressures(amounts[0].value, amounts[1].value)
    }
    var result = Result()
    for (part, amount) in zip(parts, amounts) {
      result.samples.append(
        try add(amount, of: part.quantity, at: start, in: writer, now: now))
    }
    if quantity == .bodyMass { result.review = try WeighingReview.update(in: writer, now: now) }
    return result
  }

  private func add(
    _ amount: EnteredAmount, of quantity: Quantity, at start: Date, in writer: any StoreWriter,
    now: Date
  ) throws -> Sample {
    // A form that is sent twice says the same once.
    let known = try writer.samples(
      SampleQuery(owner: .patient(patient), quantity: quantity, from: start, to: start)
    ).first { sample in
      sample.provenance == .manual && sample.device.address == .entered && sample.start == start
        && sample.value == amount.value && sample.corrects == nil
    }
    if let known { return known }
    let reading = Reading(
      quantity: quantity, value: amount.value, sourceValue: amount.source,
      arrival: Date(microseconds: now.microseconds), device: DeviceIdentity(address: .entered))
    var sample = Sample(
      reading: reading, patient: patient, start: start, end: start, provenance: .manual)
    while try writer.sample(sample.identity) != nil {
      sample.reading.ordinal += 1
      sample.identity = SampleIdentity(sample.reading)
    }
    _ = try writer.insert(sample)
    return sample
  }
}

/// A value that a person gives of a quantity, as it is stored.
private struct EnteredAmount {
  /// In the quantity's unit.
  var value: Double
  /// As it was given, if in a unit.
  var source: SourceValue?
}

extension Quantity {
  /// A value of it that a person gives.
  ///
  /// - Parameters:
  ///   - entry: The value.
  ///   - unit: Its unit; `nil` for the one in the text, else the one that the person reads.
  ///   - units: The units that the person reads; `nil` for the quantity's.
  /// - Returns: The value.
  /// - Throws: ``EntryRefusal``, `StoreError` for what is no value of it.
  fileprivate func amount(
    of entry: CorrectSample.Entry, in unit: UnitOfMeasure?, for units: PreferredUnits?
  ) throws -> EnteredAmount {
    let (number, named) = try measure(entry, in: unit, for: units)
    let unit = unit ?? named ?? units.map(entryUnit)
    let given = unit ?? self.unit
    guard let canonical = convert(number, from: given, to: self.unit) else {
      throw EntryRefusal.otherUnitOfQuantity(unit, self)
    }
    guard canonical.isFinite else { throw StoreError.refused(.sampleNotFinite(self)) }
    let isSame = given.dimension == self.unit.dimension
    try OutcomeRule.check(
      entered: isSame ? number : canonical, in: isSame ? given : self.unit, of: self)
    return EnteredAmount(
      value: canonical,
      source: unit.flatMap { isSame ? SourceValue(value: number, unit: $0) : nil })
  }

  private func measure(
    _ entry: CorrectSample.Entry, in unit: UnitOfMeasure?, for units: PreferredUnits?
  ) throws(EntryRefusal) -> (number: Double, unit: UnitOfMeasure?) {
    let text: String
    switch entry {
    case .number(let number): return (number, nil)
    case .text(let entered): text = entered
    }
    do throws(EnteredMeasure.Flaw) {
      let measure = try EnteredMeasure(text)
      guard unit == nil || measure.unit == nil || measure.unit == unit else { throw .malformed }
      return (measure.number, measure.unit)
    } catch {
      throw .flawedMeasure(
        EntryRefusal.Entry(
          flaw: error, text: text, quantity: self,
          unit: unit ?? units.map(entryUnit) ?? self.unit))
    }
  }
}

extension SampleSelection {
  /// The one sample that is meant; `nil` for all of a device.
  fileprivate var sample: SampleIdentity? {
    guard case .sample(let identity) = self else { return nil }
    return identity
  }
}

extension StoreReader {
  /// The sample of an identity.
  ///
  /// - Throws: `StoreError.unknown(_:)` if there is none.
  fileprivate func requiredSample(_ identity: SampleIdentity) throws -> Sample {
    guard let sample = try sample(identity) else {
      throw StoreError.unknown(.sample(identity))
    }
    return sample
  }
}
