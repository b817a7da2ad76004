import Care
package import CareStore
import Foundation
package import Interchange
import Localization
package import Outlets

/// The plans of the people of a mapping, on the FHIR server of an outlet.
package struct FHIRPlanSource {
  /// The outlet's name.
  let name: String
  let server: FHIRServer
  /// The ids of the server's Patients.
  let people: [String]

  /// Finds an outlet and its people.
  ///
  /// - Parameters:
  ///   - outlet: The outlet.
  ///   - patient: Our id of the only person that is meant; `nil` for all of the mapping.
  ///   - mapping: The other side's names of our people.
  ///   - store: The store, which keeps the secrets of its own outlets.
  ///   - send: The transport.
  /// - Throws: ``CommandFailure``, ``OutletSecretMissing``.
  package init(
    _ outlet: OutletSettings, patient: String?, mapping: FHIRMapping, store: SQLStore?,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) throws {
    guard outlet.kind == .fhir else {
      throw CommandFailure(.failed, LocalizedText("fhir.noServer", ["name": "\(outlet.name)"]))
    }
    name = outlet.name
    server = try outlet.server(
      for: .reading, in: store, now: { Date() }, send: send)
    let ids = mapping.patients.filter { patient == nil || $0.value == patient }.keys.map { key in
      key.split(separator: "/").last.map(String.init) ?? key
    }
    people = Set(ids).sorted().filter { id in
      (1...64).contains(id.utf8.count)
        && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }
    }
    guard !people.isEmpty else {
      throw CommandFailure(.failed, LocalizedText("fhir.nobody", ["name": "\(outlet.name)"]))
    }
  }

  /// The active care plans, requests and medicines of the people, and the questionnaires that they name,
  /// as one Bundle; `nil` if there is nothing.
  ///
  /// - Throws: ``FHIRSearchFault``.
  package func bundle() async throws -> FHIRValue? {
    var (resources, known): ([FHIRValue], Set<String>) = ([], [])
    func add(_ found: [FHIRValue]) {
      for resource in found {
        let id = (resource.resourceType ?? "") + "/" + (resource.object?["id"]?.text ?? "")
        if known.insert(id).inserted { resources.append(resource) }
      }
    }
    for person in people {
      for type in ["CarePlan", "ServiceRequest", "MedicationRequest"] {
        add(try await server.search("\(type)?patient=\(person)&status=active&_count=100"))
      }
    }
    guard !resources.isEmpty else { return nil }
    for url in questionnaires(of: resources) {
      guard let text = url.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
        continue
      }
      add(try await server.search("Questionnaire?url=\(text)&_count=10"))
    }
    return .object([
      "resourceType": "Bundle", "type": "collection",
      "entry": .array(
        resources.map { resource in
          let id = resource.object?["id"]?.text ?? ""
          let url = "\(server.address.base)/\(resource.resourceType ?? "")/\(id)"
          return .object(["fullUrl": .string(url), "resource": resource])
        }),
    ])
  }

  /// The questionnaires that requests name, without their versions.
  private func questionnaires(of resources: [FHIRValue]) -> [String] {
    let named = resources.flatMap { $0.object?["instantiatesCanonical"]?.elements ?? [] }
    let urls = named.compactMap(\.text).compactMap {
      $0.split(separator: "|").first.map(String.init)
    }
    return Set(urls).sorted()
  }
}
