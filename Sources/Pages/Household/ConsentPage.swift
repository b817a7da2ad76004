package import Care
import Foundation
import Localization

/// The document of a care plan, who agreed to it or withdrew, and the form to answer it.
package struct ConsentPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let version: String
    let state: String
    let isOpen: Bool
    let sections: [Section]
    let answers: Answers?
    let form: Form?
    var script = ""
  }

  private struct Section {
    let title: String?
    let html: String
  }

  private struct Answers {
    let lines: [Line]
  }

  private struct Line {
    let text: String
    let signature: String?
  }

  private struct Form {
    let back: String
    let patient: String
    let carePlan: String
    let digest: String
    let longest: Int
    let nameError: String?
    let width: Int
    let height: Int
    let agrees: Bool
    let withdraws: Bool
    let withdrawal: String
  }

  /// The most characters of the name of who answers.
  package static let longestName = 200

  /// Reads the document of a person's care plan; `nil` if it asks nothing.
  package init?(
    _ reader: any StoreReader, viewer: Viewer, carePlan: String, notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let consents = try reader.consents(of: viewer.patient)
    guard let consent = consents.first(where: { $0.carePlan.id == carePlan }) else { return nil }
    let owner = consent.carePlan.patient
    let address = Self.address(of: consent)
    let person = try reader.patients().first { $0.id == owner }.map(words.fullName(of:)) ?? owner
    let state = consent.state
    let refusal = if case .refused(let refusal) = notice { refusal } else { nil as Notice.Refusal? }
    content = Content(
      version: words.text("consent.version", ["version": consent.document.version]),
      state: words.text("consent.state." + state.rawValue), isOpen: state == .open,
      sections: consent.document.sections.map {
        Section(title: $0.title, html: Markdown($0.text).html)
      },
      answers: consent.answers.isEmpty
        ? nil
        : Answers(
          lines: consent.answers.reversed().map { answer in
            Line(
              text: words.text(
                "consent.answered." + answer.state.rawValue,
                [
                  "name": answer.name, "version": answer.version,
                  "time": words.when(answer.date, isToday: false, viewer),
                ]), signature: answer.signature?.path)
          }),
      form: viewer.may(.answer)
        ? Form(
          back: address.description, patient: owner, carePlan: carePlan,
          digest: consent.document.digest, longest: Self.longestName,
          nameError: refusal?.field == "name" ? refusal.map { words.refusal($0.code) } : nil,
          width: ConsentSignature.width, height: ConsentSignature.height,
          agrees: state != .agreed, withdraws: state != .withdrawn,
          withdrawal: words.text(state == .agreed ? "consent.withdraw" : "consent.decline")) : nil)
    frame = Frame(
      viewer: viewer, section: .connect, kicker: person,
      title: consent.document.title ?? consent.carePlan.title, address: address,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address))
  }

  /// The page.
  package func html(_ site: Site) -> String {
    var content = content
    content.script = site.asset(named: "consent.js")?.address ?? ""
    return site.html("consent", content, frame: frame)
  }

  /// The address of a document.
  static func address(of consent: Consent) -> LocalAddress {
    LocalAddress(
      "consent", items: [("patient", consent.carePlan.patient), ("plan", consent.carePlan.id)])
  }
}

/// A document in a list: its name, what holds of it, where it stands.
struct ConsentRow {
  let title: String
  let text: String
  let label: String
  let href: String

  init(_ consent: Consent, people: [Patient], viewer: Viewer) {
    let words = viewer.language
    title = consent.document.title ?? consent.carePlan.title
    let person = people.first { $0.id == consent.carePlan.patient }
    let name = person.map(words.fullName(of:)) ?? consent.carePlan.patient
    text = words.text(
      "consent.row",
      ["name": name, "state": words.text("consent.state." + consent.state.rawValue)])
    label = words.text("consent.openOf", ["title": title, "name": name])
    href = ConsentPage.address(of: consent).description
  }
}
