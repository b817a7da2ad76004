import Access
import Actions
import Care
import CareStore
import Foundation
import Hummingbird
import Interchange
import StrictYAML

/// The documents that people are asked to agree to, for programs.
struct ConsentRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder

  func add(to group: RouterGroup<WebContext>) {
    group.get("consents", use: list)
    group.post("consents", use: answer)
  }

  private struct ConsentList: Encodable {
    var consents: [ConsentOutput]
  }

  @Sendable private func list(_ request: Request, _ context: WebContext) async throws -> Response {
    let items = try QueryItems(request, known: ["patient"])
    return try await responder.respond(to: request, context, key: ["consents"] + items.key) {
      reader, now in
      let patient = try items["patient"].map { try reader.patient(named: $0) }
      return try JSONText.of(
        ConsentList(
          consents: try ConsentOutput.list(
            reader, patient: patient, isWhole: true, in: reader.zone(of: patient, at: now))))
    }
  }

  private struct ConsentInput: JSONInput {
    var entry: ConsentEntry
    var state: ConsentAnswer.State

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      state = try body.required("state").choice()
      entry = ConsentEntry(
        patient: try body.required("patient").string(),
        carePlan: try body.required("carePlan").string(),
        name: try body.required("name").string(),
        signature: try body.optional("signature")?.string(),
        digest: try body.required("digest").string())
      try body.finish()
    }
  }

  @Sendable private func answer(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let input = try await JSONBody.decode(ConsentInput.self, from: request, in: context)
    let text =
      switch input.state {
      case .agreed: try await perform(AgreeToConsent(input.entry), context)
      case .withdrawn: try await perform(WithdrawConsent(input.entry), context)
      }
    return JSONBody.response(text: text, status: .created)
  }

  /// Performs the action of an answer, and says what holds then.
  private func perform<A: Action>(
    _ action: A, _ context: WebContext
  ) async throws -> Data where A.Result == ConsentAnswer {
    let now = environment.now()
    return try await environment.perform(action, context) { answer, reader in
      try JSONText.of(
        ConsentOutput.list(
          reader, patient: answer.patient, carePlan: answer.carePlan, isWhole: true,
          in: reader.zone(of: answer.patient, at: now)
        ).first)
    }.1
  }
}
