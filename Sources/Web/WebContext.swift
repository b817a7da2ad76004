import Hummingbird
import Logging

/// What belongs to one request.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: Source) {
    coreContext = CoreRequestContextStorage(source: source)
  }

  /// The largest body of a form or a JSON object, in bytes.
  static let longestForm = 64 << 10

  var maxUploadSize: Int { Self.longestForm }
}
