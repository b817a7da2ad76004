package import Care
package import Foundation
package import Interchange

/// A FHIR server, and how it lets this box in.
package struct FHIRServer: Sendable {
  /// How the server lets this box in.
  package enum Admission: Sendable {
    /// Without any proof.
    case open
    /// By a token that does not end.
    case bearer(Secret<String>)
    /// By a key, for tokens of a few minutes.
    case key(BackendServices)
  }

  /// The base: `https://clinic.example/fhir`.
  package let address: WebAddress
  private let admission: Admission
  private let send: @Sendable (HTTPRequest) async -> TransferResult

  /// Makes a server.
  ///
  /// - Parameters:
  ///   - address: Its base.
  ///   - admission: How it lets this box in.
  ///   - send: The transport.
  package init(
    _ address: WebAddress, admission: Admission = .open,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) {
    (self.address, self.admission, self.send) = (address, admission, send)
  }

  /// The fault of a server that answers as none of FHIR does.
  var isNone: DeliveryFault { .unexpected(detail: "\(address.host) is no FHIR server") }

  /// Sends a request below the base.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path with its slash, and a query; empty for the base.
  ///   - body: The resource.
  ///   - mostBytes: The most bytes of the answer; `nil` for those of the transport.
  /// - Returns: The server's answer, or why there is none.
  package func request(
    _ method: String, _ path: String = "", body: Data? = nil, mostBytes: Int? = nil
  ) async -> TransferResult {
    guard let address = path.isEmpty ? address : address.appending(path) else {
      return .ended(.later(.unexpected(detail: "no address"), after: nil))
    }
    return await request(method, at: address, body: body, mostBytes: mostBytes)
  }

  private func request(
    _ method: String, at address: WebAddress, body: Data?, mostBytes: Int?
  ) async -> TransferResult {
    let type = "application/fhir+json"
    var request = HTTPRequest(
      method, address, headers: [.init("Accept", type)], body: body, mostBytes: mostBytes)
    if body != nil { request.headers.append(.init("Content-Type", type)) }
    switch admission {
    case .open: return await send(request)
    case .bearer(let token): return await send(request, by: token)
    case .key(let services):
      do throws(BackendServices.Refusal) {
        let token = try await services.token()
        let result = await send(request, by: token)
        guard case .answered(401, _, _) = result else { return result }
        // A token may end before its time: another one is asked for once.
        services.forget(token)
        return await send(request, by: try await services.token())
      } catch {
        return .ended(error.result)
      }
    }
  }

  private func send(_ request: HTTPRequest, by token: Secret<String>) async -> TransferResult {
    var request = request
    request.headers.append(.bearer(token))
    return await send(request)
  }

  // MARK: Searches

  /// The most pages and resources of one search, and the most bytes of a page.
  private static let (mostPages, mostResources, mostPageBytes) = (50, 5_000, 8 << 20)

  /// The resources that a search finds, of all its pages.
  ///
  /// - Parameter query: A type and its parameters: `CarePlan?patient=4711`.
  /// - Returns: The resources, in the server's order.
  /// - Throws: ``FHIRSearchFault``.
  package func search(_ query: String) async throws(FHIRSearchFault) -> [FHIRValue] {
    var found: [FHIRValue] = []
    var page = address.appending("/" + query)
    for _ in 0..<Self.mostPages {
      guard let address = page else { return found }
      let result = await request("GET", at: address, body: nil, mostBytes: Self.mostPageBytes)
      guard case .answered(let status, _, let body) = result, (200..<300).contains(status) else {
        throw FHIRSearchFault(query: query, fault: result.searchFault ?? isNone)
      }
      guard let bundle = try? FHIRJSON.value(of: body), bundle.resourceType == "Bundle",
        let object = bundle.object
      else { throw FHIRSearchFault(query: query, fault: isNone) }
      for entry in object["entry"]?.elements ?? [] {
        // A note about the search is no result.
        guard let resource = entry.object?["resource"],
          resource.resourceType != "OperationOutcome"
        else { continue }
        found.append(resource)
      }
      guard found.count <= Self.mostResources else {
        throw FHIRSearchFault(
          query: query, fault: .unexpected(detail: "more than \(Self.mostResources) resources"))
      }
      let links = (object["link"]?.elements ?? []).compactMap(\.object)
      let next = links.first { $0["relation"]?.text == "next" }?["url"]?.text
      guard let next else { return found }
      page = try following(next, of: query)
    }
    throw FHIRSearchFault(
      query: query, fault: .unexpected(detail: "more than \(Self.mostPages) pages"))
  }

  /// The address of a further page; the token goes to no other server.
  private func following(
    _ link: String, of query: String
  ) throws(FHIRSearchFault) -> WebAddress? {
    guard let base = URL(string: address.base + "/"),
      let url = URL(string: link, relativeTo: base)?.absoluteURL,
      url.scheme?.lowercased() == base.scheme?.lowercased(),
      url.host()?.lowercased() == base.host()?.lowercased(), url.port == base.port,
      let next = WebAddress(url.absoluteString)
    else {
      throw FHIRSearchFault(
        query: query, fault: .unexpected(detail: "the next page is on another server"))
    }
    return next
  }
}

/// A search that a server did not answer.
package struct FHIRSearchFault: Error, Hashable {
  /// The search: `CarePlan?patient=4711`.
  package var query: String
  /// Why.
  package var fault: DeliveryFault
}

extension TransferResult {
  /// Why it is no answer to a search; `nil` for one that may be.
  fileprivate var searchFault: DeliveryFault? {
    if case .answered(let status, let retryAfter, let body) = self {
      let words = (try? FHIRJSON.value(of: body))?.outcomeWords ?? body.firstLine
      return DeliveryResult(status: status, retryAfter: retryAfter, detail: words).fault
    }
    return meaning.fault
  }
}

extension FHIRValue {
  /// The words of an OperationOutcome.
  var outcomeWords: String? {
    guard resourceType == "OperationOutcome",
      let issue = object?["issue"]?.elements?.first?.object
    else { return nil }
    let details = issue["diagnostics"]?.text ?? issue["details"]?.object?["text"]?.text
    let place = issue["expression"]?.elements?.first?.text
    return [issue["code"]?.text, details, place].compactMap(\.self).joined(separator: ": ")
  }
}
