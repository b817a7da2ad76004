import Access
import Exchange
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Where boxes speak to this centre: each request is signed by the box's own key.
///
/// A body is bounded before its signature is looked at, and by what it says of itself before it is
/// unpacked. Boxes sign with nonces of the centre, so that what is overheard is of no use.
struct ExchangeRoutes {
  let environment: WebEnvironment
  let access: WebAccess?
  let logger: Logger

  func add(to group: RouterGroup<WebContext>) {
    guard let door = environment.door else { return }
    group.post("exchange") { try await answer($0, $1, door) }
    group.post("exchange/boxes") { try await join($0, $1, door) }
  }

  private func answer(
    _ request: Request, _ context: WebContext, _ door: CentreDoor
  ) async throws -> Response {
    guard ProtectedWay.holds(request, context, access) else { return unprotected }
    guard request.mediaType == "application/json", request.headers[.contentEncoding] == "gzip",
      let digest = Self.field("Content-Digest", request),
      let input = Self.field("Signature-Input", request),
      let signature = Self.field("Signature", request)
    else { return Problem(status: .badRequest, detail: "This is no request of a box.").response }
    var request = request
    let part = try await BodyReading.collect(
      &request, upTo: PackedMessage.longestPacked, in: environment.memory, for: context.sender)
    let body = Array(try await request.body.collect(upTo: .max).readableBytesView)
    let signed = SignedRequest(
      method: request.method.rawValue, path: request.uri.path, body: body)
    let fields = SignedRequest.Fields(
      contentDigest: digest, signatureInput: input, signature: signature)
    guard let believed = try await door.believe(signed, fields, in: environment.store) else {
      return Self.response(.unauthorized, [])
    }
    let (answer, own): (CentreDoor.Answer, MemoryBudget.Part)
    do {
      (answer, own) = try await door.inTurn(believed) { waiting in
        // The rest is a known box's, not its network's.
        let own = try environment.memory.take(
          believed.memory, for: .known("box \(believed.box)"))
        let answer = try await door.answer(
          believed, in: environment.store, now: environment.now(), waiting: waiting)
        return (answer, own)
      }
    } catch is DoorBusy {
      throw MemoryExhausted()
    } catch let fault as PackedMessage.Fault {
      return Problem(
        status: fault == .tooLong ? .contentTooLarge : .badRequest,
        detail: "The body is no packed message of a box."
      ).response
    }
    try own.resize(to: answer.body.count)
    withExtendedLifetime(part) {}
    var response = Self.response(
      HTTPResponse.Status(code: answer.status), answer.body, until: own)
    response.headers[.retryAfter] = answer.retryAfter.map { String($0) }
    return response
  }

  private func join(
    _ request: Request, _ context: WebContext, _ door: CentreDoor
  ) async throws -> Response {
    guard ProtectedWay.holds(request, context, access) else { return unprotected }
    guard request.mediaType == "application/json" else {
      throw HTTPError(.unsupportedMediaType, message: "Send application/json.")
    }
    let buffer = try await request.body.collect(upTo: context.maxUploadSize)
    let joined: JoinedMessage
    do {
      let message = try PackedMessage.read(
        JoinMessage.self, json: Array(buffer.readableBytesView))
      joined = try await door.join(message, in: environment.store, now: environment.now())
    } catch is PackedMessage.Fault {
      throw Fault(.malformed, "Send the code of an invitation and the box’s public key.")
    } catch let refusal as EnrolmentRefusal {
      return Problem(status: refusal.status, detail: refusal.detail).response
    }
    logger.notice("A box has joined: \(joined.box.prefix(8)).")
    return try JSONBody.response(joined)
  }

  private static func field(_ name: String, _ request: Request) -> String? {
    HTTPField.Name(name).flatMap { request.headers[$0] }
  }

  /// An answer to a box; its memory is given back once it has left.
  private static func response(
    _ status: HTTPResponse.Status, _ body: [UInt8], until part: MemoryBudget.Part? = nil
  ) -> Response {
    var headers: HTTPFields = [.cacheControl: "no-store"]
    if status == .unauthorized { headers[.wwwAuthenticate] = "Signature realm=\"measured\"" }
    guard !body.isEmpty else {
      return Response(status: status, headers: headers, body: ResponseBody())
    }
    headers[.contentType] = "application/json"
    headers[.contentEncoding] = "gzip"
    let buffer = ByteBuffer(bytes: body)
    return Response(
      status: status, headers: headers,
      body: ResponseBody(contentLength: body.count) { writer in
        try await writer.write(buffer)
        try await writer.finish(nil)
        withExtendedLifetime(part) {}
      })
  }

  private var unprotected: Response {
    ProtectedWay.refused(
      Problem(
        status: .upgradeRequired,
        detail: "Others in the network can read this: boxes come through the proxy with TLS."
      ).response)
  }
}

extension EnrolmentRefusal {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .unknownCode: .forbidden
    case .badKey: .badRequest
    case .knownKey: .conflict
    }
  }

  fileprivate var detail: String {
    switch self {
    case .unknownCode: "There is no such code: it is misspelt, was used, or is too old."
    case .badKey: "The key is none of Ed25519, 32 bytes in hex digits."
    case .knownKey: "A box with this key has joined already."
    }
  }
}
