package import Care
package import Foundation

/// The consent of a person to a care plan, as JSON.
package struct ConsentOutput: Encodable, Sendable {
  private struct AnswerOutput: Encodable {
    var state: ConsentAnswer.State
    var name: String
    var signature: ConsentSignature?
    var version: String
    var digest: String
    var date: String
  }

  private let patient: String
  private let carePlan: String
  private let title: String
  private let state: ConsentState
  private let mayLeave: Bool
  private let version: String
  private let digest: String
  private let document: ConsentDocument?
  private let answers: [AnswerOutput]

  /// Makes the output.
  ///
  /// - Parameters:
  ///   - consent: The document and its answers.
  ///   - mayLeave: Whether anything of the person may leave the box.
  ///   - isWhole: Whether it has the document's sections.
  ///   - timeZone: The zone of its times.
  package init(_ consent: Consent, mayLeave: Bool, isWhole: Bool, in timeZone: TimeZone) {
    patient = consent.carePlan.patient
    carePlan = consent.carePlan.id
    title = consent.document.title ?? consent.carePlan.title
    state = consent.state
    self.mayLeave = mayLeave
    version = consent.document.version
    digest = consent.document.digest
    document = isWhole ? consent.document : nil
    answers = consent.answers.map { answer in
      AnswerOutput(
        state: answer.state, name: answer.name, signature: answer.signature,
        version: answer.version, digest: answer.digest, date: answer.date.rfc3339(in: timeZone))
    }
  }

  /// The consents of a store's people, or of one of them.
  package static func list(
    _ reader: any StoreReader, patient: String?, carePlan: String? = nil, isWhole: Bool = false,
    in timeZone: TimeZone
  ) throws -> [ConsentOutput] {
    try reader.consents(of: patient).filter { carePlan == nil || $0.carePlan.id == carePlan }.map {
      ConsentOutput(
        $0, mayLeave: try reader.consent(of: $0.carePlan.patient).permitsLeaving,
        isWhole: isWhole, in: timeZone)
    }
  }
}
