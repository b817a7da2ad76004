import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore

/// Bodies of JSON.
enum JSONBody {
  /// Reads the body of a request.
  ///
  /// - Throws: ``Fault`` for another media type and for a body that does not fit.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from request: Request, in context: WebContext
  ) async throws -> Value {
    guard request.mediaType == "application/json" else {
      throw HTTPError(.unsupportedMediaType, message: "Send application/json.")
    }
    let buffer = try await request.body.collect(upTo: context.maxUploadSize)
    do {
      return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
    } catch let error as DecodingError {
      throw Fault(.malformed, error.words)
    } catch {
      throw Fault(.malformed, "The body is no JSON.")
    }
  }

  /// A response with `value`.
  static func response(
    _ value: some Encodable, status: HTTPResponse.Status = .ok
  ) throws -> Response {
    Response(
      status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONText.of(value))))
  }
}

extension DecodingError {
  /// Describes the mistake in the body, and its position.
  fileprivate var words: String {
    func place(_ context: Context) -> String {
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      return path.isEmpty ? "The body" : "‘\(path)’"
    }
    switch self {
    case .typeMismatch(_, let context): return "\(place(context)) is of another type."
    case .valueNotFound(_, let context): return "\(place(context)) is missing."
    case .keyNotFound(let key, _): return "‘\(key.stringValue)’ is missing."
    case .dataCorrupted(let context):
      let isDocument = context.codingPath.isEmpty
      return isDocument ? "The body is no JSON." : "\(place(context)) is not one of the values."
    @unknown default: return "The body does not fit."
    }
  }
}
