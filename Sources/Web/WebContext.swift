import Hummingbird
import Logging

/// What belongs to one request.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: Source) {
    self.init(core: CoreRequestContextStorage(source: source))
  }

  /// Makes the context of a request that came over no connection.
  init(core: CoreRequestContextStorage) {
    coreContext = core
  }

  /// The largest body of a form or a JSON object, in bytes.
  static let longestForm = 64 << 10

  var maxUploadSize: Int { Self.longestForm }
}
