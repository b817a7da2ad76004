package import Care
import Foundation
package import Localization

/// The form of a contact: who it is, and how to reach them.
package struct ContactFormPage: WizardPage {
  private let frame: Frame
  private let content: WizardScreen
  /// Whether the answers are complete and are to be saved.
  package let isToSave: Bool
  /// Whether an answer was refused.
  package let isRefused: Bool

  /// Makes the form's page.
  package init(draft: ContactDraft, people: [Patient], viewer: Viewer, refusal: String? = nil) {
    let words = viewer.language
    let wizard = ContactWizard(draft: draft, people: people, viewer: viewer)
    let step = WizardStep(wizard)
    isToSave = step.screen == nil && refusal == nil
    isRefused = step.flaw != nil || refusal != nil
    content = WizardScreen(
      wizard, step: step, flaw: refusal, action: LocalAddress("setup", "contact").description,
      preview: nil, saveTitle: words.text("wizard.save"), words: words)
    frame = Frame(
      viewer: viewer, kicker: content.step,
      title: draft.original.map(words.fullName(of:)) ?? words.text("contactForm.new"),
      address: LocalAddress(
        "setup", "contact",
        items: [("patient", draft.original?.owner), ("contact", draft.original?.id)]))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("wizard", content, frame: frame) }
}

/// A contact as a form describes them.
package struct ContactDraft: Sendable {
  /// The contact before; `nil` for a new one.
  let original: Contact?
  private(set) var fields: FormFields

  /// Makes a draft; without fields it is the contact as they are.
  package init(_ fields: FormFields? = nil, of contact: Contact?) {
    original = contact
    self.fields = fields ?? contact.map(Self.fields) ?? FormFields()
  }

  /// Shows all answers first, with what finds the contact again.
  package mutating func beginReviewing() {
    fields["contact"] = original?.id
    fields["owner"] = original?.owner
    fields["screen"] = WizardStep.review
  }

  /// The person of the form who is everyone.
  static let everyone = "everyone"
  /// The longest of the form's lines, in characters.
  private static let longest = 200

  /// Makes the contact to be stored.
  ///
  /// - Returns: The contact, or the words of what is wrong.
  package func contact(
    taken: Set<String>, words: Language
  ) -> Result<Contact, TaskFormPage.Refusal> {
    do throws(DraftFlaw) {
      return .success(try contact(taken: taken))
    } catch {
      return .failure(TaskFormPage.Refusal(text: error.text(words)))
    }
  }

  func contact(taken: Set<String>) throws(DraftFlaw) -> Contact {
    for name in fields.names where (fields[name]?.count ?? 0) > Self.longest {
      throw DraftFlaw(name, "tooLong", ["most": String(Self.longest)])
    }
    guard let name = fields["given"] ?? fields["family"] ?? fields["title"] else {
      throw DraftFlaw("given", "noTitle")
    }
    var contact =
      original
      ?? Contact(
        id: TaskDraft.id(from: name, taken: taken, else: "contact"), name: PersonName())
    contact.name = PersonName(given: fields["given"], family: fields["family"])
    contact.title = fields["title"]
    contact.role = fields["role"]
    contact.organization = fields["organization"]
    contact.category = fields["category"].flatMap(Contact.Category.init) ?? contact.category
    if let owner = fields["patient"] {
      contact.patient = owner == Self.everyone ? nil : owner
    }
    contact.phoneNumbers = try numbers("phone", contact.phoneNumbers, scheme: "tel")
    contact.messagingNumbers = try numbers("text", contact.messagingNumbers, scheme: "sms")
    if let mail = fields["mail"], ContactLink.mail(mail) == nil {
      throw DraftFlaw("mail", "noMail")
    }
    contact.emailAddresses = Self.changed(contact.emailAddresses, first: fields["mail"])
    return contact
  }

  private func numbers(
    _ name: String, _ old: [LabeledValue], scheme: String
  ) throws(DraftFlaw) -> [LabeledValue] {
    if let number = fields[name], ContactLink.telephone(number, scheme: scheme) == nil {
      throw DraftFlaw(name, "noTelephone")
    }
    return Self.changed(old, first: fields[name])
  }

  /// The form knows the first of several; the others stay.
  private static func changed(_ old: [LabeledValue], first: String?) -> [LabeledValue] {
    guard let first else { return Array(old.dropFirst()) }
    return [LabeledValue(label: old.first?.label, value: first)] + old.dropFirst()
  }

  private static func fields(of contact: Contact) -> FormFields {
    var fields = FormFields()
    fields["patient"] = contact.patient ?? everyone
    fields["given"] = contact.name.given
    fields["family"] = contact.name.family
    fields["title"] = contact.title
    fields["role"] = contact.role
    fields["organization"] = contact.organization
    fields["category"] = contact.category.rawValue
    fields["phone"] = contact.phoneNumbers.first?.value
    fields["text"] = contact.messagingNumbers.first?.value
    fields["mail"] = contact.emailAddresses.first?.value
    return fields
  }
}

/// The questions about a contact.
private struct ContactWizard: Wizard {
  let draft: ContactDraft
  let people: [Patient]
  let viewer: Viewer

  var fields: FormFields { draft.fields }
  private var words: Language { viewer.language }

  var screens: [String] { ["who", "reach", WizardStep.review] }

  func follower(of screen: String) -> String? { nil }

  func check(_ screen: String) throws(DraftFlaw) {
    do throws(DraftFlaw) {
      _ = try draft.contact(taken: [])
    } catch {
      if self.screen(of: error) == screen { throw error }
    }
  }

  func screen(of flaw: DraftFlaw) -> String {
    ["phone", "text", "mail"].contains(flaw.field) ? "reach" : "who"
  }

  func heading(of screen: String) -> (title: String, hint: String?) {
    (words.text("contactForm.screen." + screen), words.optionalText("contactForm.hint." + screen))
  }

  func summary(of screen: String) -> [String] {
    switch screen {
    case "who":
      let name = PersonName(given: fields["given"], family: fields["family"]).full
      return [name, fields["title"], fields["role"], fields["organization"]].compactMap(\.self)
    case "reach": return ["phone", "text", "mail"].compactMap { fields[$0] }
    default: return []
    }
  }

  func inputs(of screen: String, flaw: DraftFlaw?) -> [EventForm.Field] {
    let make = InputMaker(fields: fields, words: words, flaw: flaw)
    switch screen {
    case "who":
      var owners = people.map { ($0.id, words.fullName(of: $0)) }
      if viewer.may(.wholePlan) {
        owners.append((ContactDraft.everyone, words.text("devices.everyone")))
      }
      return [
        make.line("given", label: "personForm.given"),
        make.line("family", label: "personForm.family"),
        make.line("title", label: "contactForm.title", hint: "contactForm.titleHint"),
        make.line("role", label: "contactForm.role"),
        make.line("organization", label: "contactForm.organization"),
        make.choice(
          "category", label: "contactForm.category",
          Contact.Category.allCases.map { ($0.rawValue, words.text("connect." + $0.rawValue)) },
          default: Contact.Category.careTeam.rawValue),
        make.choice(
          "patient", label: "contactForm.patient", owners, default: owners.first?.0),
      ]
    case "reach":
      return [
        make.line("phone", label: "contactForm.phone", mode: "tel"),
        make.line("text", label: "contactForm.text", mode: "tel"),
        make.line("mail", label: "contactForm.mail", mode: "email"),
      ]
    default: return []
    }
  }
}
