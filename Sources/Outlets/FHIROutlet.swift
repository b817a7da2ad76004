package import Care
import Foundation
package import Interchange
import Synchronization

/// Measurements as Observations of a FHIR server (R4).
///
/// Where the server takes ids, each Observation has the one that follows from what it is. Elsewhere it is
/// updated by its identifier; doubles that a race left are repaired. What counts no more is
/// `entered-in-error`.
package struct FHIROutlet: DataOutlet {
  private let server: FHIRServer
  private let coder: FHIRCoder
  private let memory = Memory()

  package let takesHoursWhole = true

  /// The facts learned of the server since the start of the program.
  private final class Memory: Sendable {
    private let state = Mutex((takesIDs: Bool?.none, known: Set<String>()))

    var takesIDs: Bool? { state.withLock { $0.takesIDs } }
    func note(takesIDs: Bool) { state.withLock { $0.takesIDs = takesIDs } }
    func isKnown(_ reference: String) -> Bool { state.withLock { $0.known.contains(reference) } }
    func note(known references: [String]) { state.withLock { $0.known.formUnion(references) } }
  }

  /// Makes an outlet.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - coder: What writes the resources.
  package init(to server: FHIRServer, coder: FHIRCoder) {
    (self.server, self.coder) = (server, coder)
  }

  package func name(of item: FeedItem) -> String { coder.id(of: item) }

  package func test() async -> DeliveryResult { await capability().1 }

  package func send(_ batch: [OutletPiece]) async -> OutletAnswer {
    let (found, result) = await capability()
    guard let takesIDs = found else { return OutletAnswer(result) }
    if takesIDs {
      let result = await introduce(batch)
      guard result == .delivered else { return OutletAnswer(result) }
    }
    var (entries, places, refused): ([FHIRValue], [Int], [Int: DeliveryFault]) = ([], [], [:])
    for (place, piece) in batch.enumerated() {
      do throws(FHIRRefusal) {
        entries.append(entry(try resource(of: piece), takesIDs: takesIDs, piece))
        places.append(place)
      } catch {
        refused[place] = .message(detail: error.path)
      }
    }
    guard !entries.isEmpty else { return OutletAnswer(.delivered, refused: refused) }
    switch await post(entries) {
    case .failure(let ended): return OutletAnswer(ended.result)
    case .success(let responses):
      for (response, place) in zip(responses, places) {
        var result = response.result
        if response.status == 412, !takesIDs { result = await repair(batch[place]) }
        switch result {
        case .delivered: break
        case .refused(let fault): refused[place] = fault
        // Those that it took are sent again, under the same names.
        case .later, .unknown: return OutletAnswer(result)
        }
      }
      return OutletAnswer(.delivered, refused: refused)
    }
  }

  // MARK: Resources

  private func resource(of piece: OutletPiece) throws(FHIRRefusal) -> FHIRValue {
    switch piece.change {
    case .put(let item, _, _): subjected(try coder.observation(of: item), to: item.patient)
    case .remove(let item): subjected(try coder.retraction(of: item), to: item.patient)
    }
  }

  /// The reference by which the server knows a person, of the mapping.
  private func known(_ patient: String) -> String? {
    coder.mapping.patients.first { $0.value == patient }?.key
  }

  private func subjected(_ resource: FHIRValue, to patient: String) -> FHIRValue {
    guard let reference = known(patient), var object = resource.object else { return resource }
    let isReference = reference.contains("/")
    object["subject"] = .object([
      "reference": .string(isReference ? reference : "Patient/" + reference)
    ])
    return .object(object)
  }

  private func entry(_ resource: FHIRValue, takesIDs: Bool, _ piece: OutletPiece) -> FHIRValue {
    let name = piece.change.name
    let url = takesIDs ? "Observation/\(name)" : "Observation?\(Self.query(name))"
    let resource =
      takesIDs ? resource : coder.withoutIDs(resource, device: piece.samples.first?.device.address)
    return Self.entry(resource, url: url)
  }

  private static func entry(_ resource: FHIRValue, url: String) -> FHIRValue {
    .object([
      "resource": resource,
      "request": .object(["method": "PUT", "url": .string(url)]),
    ])
  }

  private static func query(_ name: String) -> String {
    "identifier=" + FHIRName.system("observation").replacing(":", with: "%3A") + "%7C" + name
  }

  /// Tells the server of the people and devices to which the batch refers, once.
  private func introduce(_ batch: [OutletPiece]) async -> DeliveryResult {
    var resources: [String: FHIRValue] = [:]
    for piece in batch {
      guard case .put(let item, _, _) = piece.change else { continue }
      var new = known(item.patient) == nil ? [coder.person(item.patient)] : []
      for sample in item.samples.prefix(3) where sample.device.address != .entered {
        if let device = try? coder.encode(sample.reading.device) { new.append(device) }
      }
      for resource in new {
        guard let object = resource.object, let type = object["resourceType"]?.text,
          let id = object["id"]?.text, !memory.isKnown("\(type)/\(id)")
        else { continue }
        resources["\(type)/\(id)"] = resource
      }
    }
    guard !resources.isEmpty else { return .delivered }
    let urls = resources.keys.sorted()
    switch await post(urls.compactMap { url in resources[url].map { Self.entry($0, url: url) } }) {
    case .failure(let ended): return ended.result
    case .success(let responses):
      for response in responses {
        if case .later = response.result { return response.result }
      }
      memory.note(known: urls)
      return .delivered
    }
  }

  // MARK: Repair

  /// Several resources have one identifier: the oldest of them stays, the others are in error.
  private func repair(_ piece: OutletPiece) async -> DeliveryResult {
    let name = piece.change.name
    let found = await server.request("GET", "/Observation?" + Self.query(name))
    guard case .answered(let status, _, let body) = found, (200..<300).contains(status),
      let bundle = try? FHIRJSON.value(of: body),
      let elements = bundle.object?["entry"]?.elements
    else { return found.meaning }
    let doubles = elements.compactMap { $0.object?["resource"]?.object }.sorted { a, b in
      (a["meta"]?.object?["lastUpdated"]?.text ?? "", a["id"]?.text ?? "")
        < (b["meta"]?.object?["lastUpdated"]?.text ?? "", b["id"]?.text ?? "")
    }
    guard let own = try? resource(of: piece) else { return .delivered }
    var entries: [FHIRValue] = []
    for (place, double) in doubles.enumerated() {
      guard let id = double["id"]?.text else { continue }
      var resource = double
      if place == 0 {
        let device = piece.samples.first?.device.address
        resource = coder.withoutIDs(own, device: device).object ?? double
        resource["id"] = .string(id)
      } else {
        resource["status"] = "entered-in-error"
      }
      entries.append(Self.entry(.object(resource), url: "Observation/\(id)"))
    }
    guard !entries.isEmpty else { return .refused(.message(detail: "412")) }
    switch await post(entries) {
    case .failure(let ended): return ended.result
    case .success(let responses):
      return responses.map(\.result).first { $0 != .delivered } ?? .delivered
    }
  }

  // MARK: Requests

  /// Whether the server takes our ids; `nil` with the reason if it does not say.
  private func capability() async -> (Bool?, DeliveryResult) {
    if let known = memory.takesIDs { return (known, .delivered) }
    // The statement of a whole server has a megabyte and more.
    let result = await server.request("GET", "/metadata", mostBytes: 8 << 20)
    guard case .answered(let status, _, let body) = result else { return (nil, result.meaning) }
    guard (200..<300).contains(status) else {
      return (nil, result.meaning.ofNoItem)
    }
    guard let statement = try? FHIRJSON.value(of: body),
      statement.resourceType == "CapabilityStatement"
    else {
      return (nil, .later(server.isNone, after: nil))
    }
    let resources = (statement.object?["rest"]?.elements ?? []).flatMap {
      $0.object?["resource"]?.elements ?? []
    }
    let takesIDs = resources.contains { resource in
      resource.object?["type"]?.text == "Observation"
        && resource.object?["updateCreate"] == .boolean(true)
    }
    memory.note(takesIDs: takesIDs)
    return (takesIDs, .delivered)
  }

  /// The server's answer to one entry.
  private struct Response {
    var status: Int
    var result: DeliveryResult
  }

  private struct Ended: Error { var result: DeliveryResult }

  private func post(_ entries: [FHIRValue]) async -> Result<[Response], Ended> {
    let bundle = FHIRValue.object([
      "resourceType": "Bundle", "type": "batch", "entry": .array(entries),
    ])
    let result = await server.request(
      "POST", body: FHIRJSON.text(of: bundle), mostBytes: 1 << 20)
    guard case .answered(let status, let retryAfter, let body) = result else {
      return .failure(Ended(result: result.meaning))
    }
    let answer = try? FHIRJSON.value(of: body)
    guard (200..<300).contains(status) else {
      return .failure(
        Ended(
          result: DeliveryResult(
            status: status, retryAfter: retryAfter, detail: answer?.outcomeWords ?? body.firstLine))
      )
    }
    guard answer?.resourceType == "Bundle",
      let responses = answer?.object?["entry"]?.elements, responses.count == entries.count
    else {
      return .failure(Ended(result: .later(server.isNone, after: nil)))
    }
    return .success(
      responses.map { entry in
        let response = entry.object?["response"]?.object
        let status = Int((response?["status"]?.text ?? "").prefix(3)) ?? 500
        var result = DeliveryResult(
          status: status, retryAfter: nil, detail: response?["outcome"]?.outcomeWords ?? "")
        // Of one resource these are no matter of time.
        if case .later(let fault, _) = result, [404, 405, 409, 410, 412].contains(status) {
          result = .refused(fault)
        }
        return Response(status: status, result: result)
      })
  }
}
