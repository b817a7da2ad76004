package import Care
package import Foundation
package import Localization

/// The form of a person: name, weight, units, zone and language.
package struct PersonFormPage: WizardPage {
  private let frame: Frame
  private let content: WizardScreen
  /// Whether the answers are complete and are to be saved.
  package let isToSave: Bool
  /// Whether an answer was refused.
  package let isRefused: Bool

  /// Makes the form's page.
  package init(
    draft: PersonDraft, viewer: Viewer, languages: [Language], refusal: String? = nil
  ) {
    let words = viewer.language
    let wizard = PersonWizard(draft: draft, viewer: viewer, languages: languages)
    let step = WizardStep(wizard)
    isToSave = step.screen == nil && refusal == nil
    isRefused = step.flaw != nil || refusal != nil
    content = WizardScreen(
      wizard, step: step, flaw: refusal, action: LocalAddress("setup", "person").description,
      preview: nil, saveTitle: words.text("wizard.save"), words: words)
    frame = Frame(
      viewer: viewer, kicker: content.step,
      title: draft.original.map(words.fullName(of:)) ?? words.text("personForm.new"),
      address: LocalAddress("setup", "person", items: [("patient", draft.original?.id)]))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("wizard", content, frame: frame) }
}

/// A person as a form describes them.
package struct PersonDraft: Sendable {
  /// The person before; `nil` for a new one.
  let original: Patient?
  /// The machine's zone, if the person is the plan's first: their zone becomes the plan's.
  let firstZone: TimeZone?
  /// Who can be told of something.
  let told: ToldFields
  private(set) var fields: FormFields

  /// Makes a draft; without fields it is the person as they are.
  ///
  /// - Parameters:
  ///   - fields: The fields that were entered so far.
  ///   - person: The person before; `nil` for a new one.
  ///   - firstZone: The machine's zone, if there is no plan yet.
  ///   - contacts: The contacts of the person and of everybody.
  ///   - people: The people of the plan.
  ///   - words: The language of names; `nil` where nobody is asked who is told.
  package init(
    _ fields: FormFields? = nil, of person: Patient?, firstZone: TimeZone? = nil,
    contacts: [Contact] = [], people: [Patient] = [], words: Language? = nil
  ) {
    original = person
    told = ToldFields(
      people: words.map { words in
        contacts.map { ToldFields.Told(id: $0.id, name: words.fullName(of: $0)) }
          + people.map { ToldFields.Told(id: $0.id, name: words.fullName(of: $0)) }
      } ?? [], original: person?.notify ?? [])
    self.firstZone = firstZone
    self.fields = fields ?? person.map(Self.fields) ?? FormFields()
    if fields == nil, let name = firstZone?.identifier, TimeZone(iana: name) != nil {
      self.fields["zone"] = name
    }
  }

  /// The same draft with other answers.
  func with(_ fields: FormFields) -> PersonDraft {
    var draft = self
    draft.fields = fields
    return draft
  }

  /// Shows all answers first, with the id by which the form finds the person again.
  package mutating func beginReviewing() {
    fields["person"] = original?.id
    fields["screen"] = WizardStep.review
  }

  /// The zone that the form names, for the first plan.
  package var zone: TimeZone? { fields["zone"].flatMap { TimeZone(iana: $0) } }

  /// Makes the person to be stored.
  ///
  /// - Returns: The person, or the words of what is wrong.
  package func person(
    taken: Set<String>, words: Language
  ) -> Result<Patient, TaskFormPage.Refusal> {
    do throws(DraftFlaw) {
      return .success(try person(taken: taken))
    } catch {
      return .failure(TaskFormPage.Refusal(text: error.text(words)))
    }
  }

  /// The units of the form's weight.
  var units: PreferredUnits? { fields["units"].flatMap(PreferredUnits.init) }

  func person(taken: Set<String>) throws(DraftFlaw) -> Patient {
    let given = fields["given"]
    guard let name = given ?? fields["family"] else { throw DraftFlaw("given", "noTitle") }
    guard [given, fields["family"]].allSatisfy({ ($0?.count ?? 0) <= 80 }) else {
      throw DraftFlaw("given", "tooLong", ["most": "80"])
    }
    var person =
      original ?? Patient(id: TaskDraft.id(from: name, taken: taken, else: "person"))
    person.name = PersonName(given: given, family: fields["family"])
    // The usual units are not said unless they were.
    person.units = original?.units == nil && units == .metric ? nil : units
    try describe(&person)
    person.language = fields["language"]
    if let name = fields["zone"] {
      guard let zone = TimeZone(iana: name) else {
        throw DraftFlaw("zone", "noZone", ["zone": name])
      }
      person.timeZone = zone
    } else {
      guard firstZone == nil else { throw DraftFlaw("zone", "zoneNeeded") }
      person.timeZone = nil
    }
    // The form's zone becomes the plan's, so the person needs none.
    if firstZone != nil { person.timeZone = nil }
    let unit = Quantity.bodyMass.unit(for: units).forEntry
    let key = Quantity.bodyMass.rawValue
    if fields.has("others") { person.others = try others(in: unit) }
    if let rules = try told.rules(fields) { person.notify = rules }
    guard let text = fields["weight"] else {
      person.expects[key] = nil
      return person
    }
    let measure: EnteredMeasure
    do throws(EnteredMeasure.Flaw) {
      measure = try EnteredMeasure(text)
    } catch {
      throw DraftFlaw("weight", "noNumber")
    }
    guard let entered = (measure.unit ?? unit).convert(measure.number, to: .kilogram) else {
      throw DraftFlaw("weight", "noUnit", ["unit": measure.unit?.symbol ?? ""])
    }
    if measure.unit == nil, !Self.usualWeights.contains(entered), fields["weight.sure"] != text,
      original?.expects[key].map({ Quantity.bodyMass.entry($0.value, in: unit) }) != text
    {
      let other: UnitOfMeasure = unit == .kilogram ? .pound : .kilogram
      throw DraftFlaw(
        "weight", "doubtedWeight", ["weight": unit.text(text), "other": other.text(text)],
        isDoubt: true)
    }
    let kilograms = entered.rounded(digits: 6)
    let range = Quantity.bodyMass.possible
    guard range.contains(kilograms) else {
      throw DraftFlaw(
        "weight", "range",
        [
          "least": Quantity.bodyMass.entry(range.lowerBound, in: unit),
          "most": Quantity.bodyMass.entry(range.upperBound, in: unit),
        ])
    }
    // The same text is the same weight, whatever its digits.
    if let old = original?.expects[key],
      Quantity.bodyMass.entry(old.value, in: unit) == fields["weight"]
    {
      return person
    }
    person.expects[key] = Expectation(
      value: kilograms, tolerance: original?.expects[key]?.tolerance)
    return person
  }

  /// The weights of housemates of whom nothing is stored, one a line.
  private func others(in unit: UnitOfMeasure) throws(DraftFlaw) -> [Expectation] {
    var others: [Expectation] = []
    var known = original?.others ?? []
    for line in (fields["others"] ?? "").split(whereSeparator: \.isNewline) {
      let text = String(line).trimmingWhitespace
      guard !text.isEmpty else { continue }
      // The same text is the same weight, with its tolerance.
      if let place = known.firstIndex(where: { Self.line(of: $0, in: unit) == text }) {
        others.append(known.remove(at: place))
        continue
      }
      guard let measure = try? EnteredMeasure(text),
        let kilograms = (measure.unit ?? unit).convert(measure.number, to: .kilogram)
      else { throw DraftFlaw("others", "noNumber") }
      let range = Quantity.bodyMass.possible
      guard range.contains(kilograms) else {
        throw DraftFlaw(
          "others", "range",
          [
            "least": Quantity.bodyMass.entry(range.lowerBound, in: unit),
            "most": Quantity.bodyMass.entry(range.upperBound, in: unit),
          ])
      }
      others.append(Expectation(value: kilograms.rounded(digits: 6)))
    }
    guard others.count <= Self.mostOthers else {
      throw DraftFlaw("others", "tooMany", ["most": String(Self.mostOthers)])
    }
    return others
  }

  /// The most housemates that the form takes.
  private static let mostOthers = 10

  private static func line(of other: Expectation, in unit: UnitOfMeasure) -> String {
    unit.text(Quantity.bodyMass.entry(other.value, in: unit))
  }

  /// The weights of nearly all adults, in kg; another one may be in another unit.
  private static let usualWeights = 40.0...150

  /// Sex, birthday and allergies, where the form says them.
  private func describe(_ person: inout Patient) throws(DraftFlaw) {
    if fields.has("sex"), fields["sex"] != "keep" {
      person.sex =
        switch fields["sex"] {
        case "female": .female
        case "male": .male
        default: nil
        }
    }
    if fields.has("birthday") {
      person.birthday = fields["birthday"].flatMap(CalendarDate.init)
      guard fields["birthday"] == nil || person.birthday != nil else {
        throw DraftFlaw("birthday", "noDate")
      }
    }
    if fields.has("allergies") {
      person.allergies = (fields["allergies"] ?? "").split(whereSeparator: \.isNewline)
        .map { String($0).trimmingWhitespace }.filter { !$0.isEmpty }
      let longest = person.allergies.map(\.count).max() ?? 0
      guard person.allergies.count <= 50, longest <= 200 else {
        throw DraftFlaw("allergies", "tooLong", ["most": "200"])
      }
    }
  }

  private static func fields(of person: Patient) -> FormFields {
    var fields = FormFields()
    fields["given"] = person.name.given
    fields["family"] = person.name.family
    fields["units"] = person.units?.rawValue
    fields["language"] = person.language
    fields["birthday"] = person.birthday?.description
    fields["allergies"] = person.allergies.isEmpty ? nil : person.allergies.joined(separator: "\n")
    fields["sex"] =
      switch person.sex {
      case .female: "female"
      case .male: "male"
      case .other: "keep"
      case nil: nil
      }
    fields["zone"] = person.timeZone?.identifier
    ToldFields.set(person.notify, in: &fields)
    let unit = Quantity.bodyMass.unit(for: person.units).forEntry
    fields["others"] =
      person.others.isEmpty
      ? nil : person.others.map { line(of: $0, in: unit) }.joined(separator: "\n")
    fields["weight"] = person.expects[Quantity.bodyMass.rawValue].map {
      Quantity.bodyMass.entry($0.value, in: Quantity.bodyMass.unit(for: person.units).forEntry)
    }
    return fields
  }
}

/// The questions about a person.
struct PersonWizard: Wizard {
  let draft: PersonDraft
  let viewer: Viewer
  let languages: [Language]
  /// Whether the person stands in a list that is reviewed as a whole.
  var isListed = false

  var fields: FormFields { draft.fields }
  private var words: Language { viewer.language }

  var screens: [String] {
    // Of few people somebody is told: that is asked for from the review alone.
    let isReviewed = fields["reviewed"] != nil || fields["screen"] == WizardStep.review
    let told = !isListed && isReviewed && !draft.told.people.isEmpty ? ["told"] : []
    return ["name", "units", "weight", "about", "place"] + told
      + (isListed ? [] : [WizardStep.review])
  }

  func follower(of screen: String) -> String? { screen == "units" ? "weight" : nil }

  func check(_ screen: String) throws(DraftFlaw) {
    do throws(DraftFlaw) {
      _ = try draft.person(taken: [])
    } catch {
      if self.screen(of: error) == screen { throw error }
    }
  }

  func screen(of flaw: DraftFlaw) -> String {
    switch flaw.field {
    case "weight", "others": "weight"
    case "zone", "language": "place"
    case "birthday", "sex", "allergies": "about"
    case "units": "units"
    case let field where field.hasPrefix(ToldFields.keep): "told"
    default: "name"
    }
  }

  func heading(of screen: String) -> (title: String, hint: String?) {
    (
      words.text("personForm.screen." + screen),
      screen == "place" && draft.firstZone != nil
        ? nil : words.optionalText("personForm.hint." + screen)
    )
  }

  func summary(of screen: String) -> [String] {
    switch screen {
    case "name":
      return [[fields["given"], fields["family"]].compactMap(\.self).joined(separator: " ")]
    case "units": return [words.text("setup.units." + (draft.units ?? .metric).rawValue)]
    case "weight":
      return fields["weight"].map {
        [[$0, Quantity.bodyMass.unit(for: draft.units).forEntry.symbol].joined(separator: " ")]
      } ?? [] + (fields["others"] ?? "").split(whereSeparator: \.isNewline).map(String.init)
    case "about":
      return [fields["birthday"], sex(fields["sex"])].compactMap(\.self)
        + (fields["allergies"] ?? "").split(whereSeparator: \.isNewline).map(String.init)
    case "place":
      let language = fields["language"].map { tag in
        languages.first { $0.code == tag }?.name ?? tag
      }
      return [fields["zone"], language].compactMap(\.self)
    case "told":
      let rules = ((try? draft.told.rules(fields)) ?? nil) ?? draft.told.original
      return rules.isEmpty ? [words.text("told.nobody")] : draft.told.lines(rules, words)
    default: return []
    }
  }

  private func more(_ make: InputMaker) -> [EventForm.Field] {
    isListed ? [make.flag(TaskWizard.more, label: "personForm.more")] : []
  }

  private func ifMore(_ make: InputMaker) -> (EventForm.Field) -> EventForm.Field {
    { isListed ? make.when(TaskWizard.more, is: ["1"], $0) : $0 }
  }

  /// A sex in words; that of before if the form cannot say it.
  private func sex(_ value: String?) -> String? {
    if value == "keep", case .other(let own) = draft.original?.sex { return own }
    return value.map { words.text("personForm.sexIs." + $0) }
  }

  func inputs(of screen: String, flaw: DraftFlaw?) -> [EventForm.Field] {
    let make = InputMaker(fields: fields, words: words, flaw: flaw)
    switch screen {
    case "name":
      return [
        make.line("given", label: "personForm.given"),
        make.line("family", label: "personForm.family"),
      ]
    case "units":
      return [
        make.choice(
          "units", label: "personForm.units",
          PreferredUnits.allCases.map { ($0.rawValue, words.text("setup.units." + $0.rawValue)) },
          default: PreferredUnits.metric.rawValue)
      ]
    case "weight":
      return [
        make.line(
          "weight", label: "personForm.weight", hint: "personForm.weightHint", css: "short",
          mode: "decimal", suffix: Quantity.bodyMass.unit(for: draft.units).forEntry.symbol)
      ]
        // In a list of people everyone of the house is one of them.
        + (isListed
          ? []
          : [
            make.area(
              "others", label: "personForm.others", hint: "personForm.othersHint", isList: true)
          ])
    case "about":
      let sexes = ["female", "male"] + (fields["sex"] == "keep" ? ["keep"] : [])
      // In a list of people, few of whom need more, it is asked whether there is more to say.
      return more(make)
        + [
          make.line("birthday", label: "personForm.birthday", kind: "date"),
          make.menu(
            "sex", label: "personForm.sex",
            [("", words.text("personForm.unsaid"))] + sexes.map { ($0, sex($0) ?? $0) }),
          make.area(
            "allergies", label: "personForm.allergies", hint: "personForm.allergiesHint",
            isList: true),
        ].map(ifMore(make))
    case "place":
      var codes = languages.map { ($0.code, $0.name) }
      if let own = fields["language"], !codes.contains(where: { $0.0 == own }) {
        codes.append((own, own))
      }
      return [
        ifMore(make)(
          make.line(
            "zone", label: "personForm.zone",
            hint: draft.firstZone == nil ? "personForm.zoneHint" : "personForm.firstZoneHint")),
        make.menu(
          "language", label: "personForm.language",
          [("", words.text("personForm.browserLanguage"))] + codes),
      ]
    case "told": return draft.told.inputs(fields, make)
    default: return []
    }
  }
}
