import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore
import StrictYAML

/// The bodies that the interface takes, as JSON.
///
/// An unknown key is refused with its name: a misspelt `state` would else be an answer of another
/// meaning.
protocol JSONInput {
  /// Reads it.
  ///
  /// - Throws: `YAMLError` for a missing or unknown key, and for a value of another type.
  init(_ node: YAMLNode) throws(YAMLError)
}

/// Bodies of JSON.
enum JSONBody {
  /// Reads the body of a request.
  ///
  /// - Throws: ``Fault`` for a body that does not fit; `HTTPError` for another media type.
  static func decode<Value: JSONInput>(
    _ type: Value.Type, from request: Request, in context: WebContext
  ) async throws -> Value {
    guard request.mediaType == "application/json" else {
      throw HTTPError(.unsupportedMediaType, message: "Send application/json.")
    }
    let buffer = try await request.body.collect(upTo: context.maxUploadSize)
    return try read(type, from: Array(buffer.readableBytesView))
  }

  /// Reads a JSON text.
  ///
  /// - Throws: ``Fault`` for a text that does not fit.
  static func read<Value: JSONInput>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws(Fault) -> Value {
    do {
      return try Value(try YAMLDocument.parse(json: bytes, name: "the body"))
    } catch {
      throw Fault(.malformed, "The body cannot be read: \(error.reason).")
    }
  }

  /// A response with `value`.
  static func response(
    _ value: some Encodable, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    response(text: try JSONText.of(value), status: status)
  }

  /// A response with JSON that was made in the transaction of a change: what could not be answered
  /// is not done.
  static func response(text: Data, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
  }
}
