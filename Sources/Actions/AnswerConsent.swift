import Access
package import Care
package import Foundation

/// Agrees to the document of a care plan, in somebody's name.
package struct AgreeToConsent: Action {
  package var consent: ConsentEntry

  /// Makes the action.
  package init(_ consent: ConsentEntry) { self.consent = consent }

  /// - Returns: The answer; that which holds already if it says the same.
  /// - Throws: As ``Action``; ``ConsentRefusal``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> ConsentAnswer {
    try consent.record(.agreed, in: writer, by: performer, now: now)
  }
}

/// Does not agree to the document of a care plan, or no longer.
package struct WithdrawConsent: Action {
  package var consent: ConsentEntry

  /// Makes the action.
  package init(_ consent: ConsentEntry) { self.consent = consent }

  /// - Returns: The answer; that which holds already if it says the same.
  /// - Throws: As ``Action``; ``ConsentRefusal``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> ConsentAnswer {
    try consent.record(.withdrawn, in: writer, by: performer, now: now)
  }
}

/// Whose consent to which care plan is answered, by whom.
package struct ConsentEntry: Hashable, Sendable {
  /// The id of the patient.
  package var patient: String
  /// The id of the care plan.
  package var carePlan: String
  /// The name of who answers, as they typed it.
  package var name: String
  /// The path of the drawn name; `nil` or empty without one.
  package var signature: String?
  /// The digest of the document that was read; `nil` for the current one.
  package var digest: String?

  /// The most characters of a name.
  package static let longestName = 200

  /// Makes an entry.
  package init(
    patient: String, carePlan: String, name: String, signature: String? = nil,
    digest: String? = nil
  ) {
    self.patient = patient
    self.carePlan = carePlan
    self.name = name
    self.signature = signature
    self.digest = digest
  }

  fileprivate func record(
    _ state: ConsentAnswer.State, in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> ConsentAnswer {
    try performer.demand(.answer, on: .patient(patient))
    let people = try writer.patients().map(\.id)
    guard people.contains(patient) else {
      throw StoreError.unknown(.patient(patient, known: people))
    }
    let consents = try writer.consents(of: patient)
    guard let consent = consents.first(where: { $0.carePlan.id == carePlan }) else {
      throw ConsentRefusal.noDocument(carePlan, known: consents.map(\.carePlan.id))
    }
    // Who agrees has read this text, and no other.
    if let digest, digest != consent.document.digest { throw ConsentRefusal.otherDocument }
    let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !name.isEmpty else { throw ConsentRefusal.noName }
    guard name.count <= Self.longestName else {
      throw ConsentRefusal.longName(most: Self.longestName)
    }
    let drawn = signature.flatMap { $0.isEmpty ? nil : $0 }
    let signature = drawn.flatMap { ConsentSignature($0) }
    guard drawn == nil || signature != nil else { throw ConsentRefusal.noSignature }
    if let answer = consent.answer, answer.state == state, answer.name == name { return answer }
    // The number of the answer at that instant, so that two of them differ.
    let sameTime = try writer.things(ConsentAnswer.self, patient: patient)
      .count { $0.date.microseconds == now.microseconds }
    let answer = ConsentAnswer(
      id: "\(now.microseconds)-\(sameTime)", patient: patient, carePlan: carePlan,
      version: consent.document.version, digest: consent.document.digest, state: state, name: name,
      signature: signature, date: now)
    _ = try writer.put(answer, now: now)
    return answer
  }
}

/// Why a consent is not answered.
package enum ConsentRefusal: Error, Hashable, Sendable {
  /// The care plan is not there, or asks nothing.
  case noDocument(String, known: [String])
  /// The document has changed since it was read.
  case otherDocument
  case noName
  case longName(most: Int)
  /// The drawn name is no drawing.
  case noSignature
}
