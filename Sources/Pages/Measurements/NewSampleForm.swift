import Actions
import Care
import Foundation
import Localization

/// The form that adds a reading of a person that no task asks for.
package struct NewSampleForm {
  /// The person's name, where several have a form.
  let name: String?
  let patient: String
  let back: String
  let id: String
  /// Whether it is unfolded: it was refused.
  let isOpen: Bool
  let choices: [Choice]
  let valueError: String?
  let timeError: String?
  /// The end of today, `2026-11-20T23:59`: the form is the same all day.
  let latest: String

  /// A quantity, as `Blood pressure (120/80 mmHg)`.
  struct Choice {
    let value: String
    let caption: String
    let isChosen: Bool
  }

  /// Makes the form; `nil` for a quantity that no person enters, and for who may not.
  ///
  /// - Parameters:
  ///   - person: Whose reading.
  ///   - quantity: The quantity that is chosen; the first for `nil`.
  ///   - viewer: Who looks.
  ///   - back: The page that has it.
  ///   - isOne: Whether it is the only one there.
  ///   - notice: The latest action, which may be this form's refusal.
  init?(
    of person: Patient, _ quantity: Quantity? = nil, viewer: Viewer, back: LocalAddress,
    isOne: Bool = true, notice: Notice?
  ) {
    let words = viewer.language
    guard viewer.may(.answer), quantity.map(AddSample.quantities.contains) ?? true else {
      return nil
    }
    name = isOne ? nil : words.fullName(of: person)
    patient = person.id
    id = "add-\(person.id)"
    self.back = back.description
    let refusal: Notice.Refusal? = if case .refused(let refusal) = notice { refusal } else { nil }
    // Of a page with several forms nothing says which one was sent.
    func error(_ field: String) -> String? {
      isOne && refusal?.field == Self.field(field) ? words.refusal(refusal?.code ?? "") : nil
    }
    valueError = error("value")
    timeError = error("at")
    isOpen = valueError != nil || timeError != nil
    let chosen = quantity == .bloodPressureDiastolic ? .bloodPressureSystolic : quantity
    choices = AddSample.quantities.filter { $0 != .bloodPressureDiastolic }.map { quantity in
      let isPressure = quantity == .bloodPressureSystolic
      let unit = Measure(quantity, for: person.units, in: words).entryUnit
      let example = isPressure ? "120/80 " : ""
      let title = isPressure ? words.text("newSample.pressure") : words.title(of: quantity)
      return Choice(
        value: quantity.rawValue,
        // Glucose has its unit in its name.
        caption: unit == .one || title.contains(unit.symbol)
          ? title
          : words.text(
            "newSample.choice", ["quantity": title, "unit": example + words.symbol(of: unit)]),
        isChosen: quantity == chosen)
    }
    latest = viewer.now.day(in: viewer.timeZone) + "T23:59"
  }

  /// The name of one of its fields in a refusal: other forms of the page have a value, too.
  package static func field(_ name: String) -> String { "new." + name }
}
