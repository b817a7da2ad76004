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
    let read = origin.patient.flatMap { units[$0] }
    let (number, named) = try measure(of: quantity, for: read)
    let unit = unit ?? named ?? read.map(quantity.entryUnit)
    let given = unit ?? quantity.unit
    guard let canonical = quantity.convert(number, from: given, to: quantity.unit) else {
      throw EntryRefusal.otherUnitOfQuantity(unit, quantity)
    }
    guard canonical.isFinite else { throw StoreError.refused(.sampleNotFinite(quantity)) }
    let isSame = given.dimension == quantity.unit.dimension
    try OutcomeRule.check(
      entered: isSame ? number : canonical, in: isSame ? given : quantity.unit, of: quantity)
    let correction = try writer.correct(
      identity, value: canonical,
      source: unit.flatMap { isSame ? SourceValue(value: number, unit: $0) : nil },
      reason: reason, now: now)
    var result = Result(origin: origin, correction: correction)
    if quantity == .bodyMass {
      result.review = try WeighingReview.update(in: writer, now: now)
    }
    return result
  }

  private func measure(
    of quantity: Quantity, for units: PreferredUnits?
  ) throws(EntryRefusal) -> (number: Double, unit: UnitOfMeasure?) {
    let text: String
    switch value {
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
          flaw: error, text: text, quantity: quantity,
          unit: unit ?? units.map(quantity.entryUnit) ?? quantity.unit))
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
