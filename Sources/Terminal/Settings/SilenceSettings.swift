package import Care
import Outlets
package import StrictYAML

/// Where this machine says that it lives: the key `silence` of the settings.
package enum SilenceSettings: Hashable {
  /// A topic of ntfy, whose server holds back a message of the machine's silence.
  case ntfy(server: WebAddress, topic: NtfyTopic, tokenFile: String?)
  /// A health check, which waits for calls.
  case ping(WebAddress)

  /// Reads `{ntfy: {server, topic, tokenFile}}` or `{ping: https://…}`.
  package init(_ node: YAMLNode) throws(YAMLError) {
    var keys = try node.mapping()
    let (ntfy, ping) = (keys.optional("ntfy"), keys.optional("ping"))
    try keys.finish(meant: ["url": "ping", "webhook": "ping"])
    func address(_ node: YAMLNode) throws(YAMLError) -> WebAddress {
      guard let address = WebAddress(try node.string()) else {
        throw node.location.error("it is no address: https://…, or http://… within the house")
      }
      return address
    }
    switch (ntfy, ping) {
    case (let ntfy?, nil):
      var keys = try ntfy.mapping()
      let server = try address(keys.required("server"))
      let name = try keys.required("topic")
      let tokenFile = try keys.optional("tokenFile")?.path()
      try keys.finish(meant: ["token": "tokenFile"])
      guard let topic = NtfyTopic(try name.string()) else {
        throw name.location.error("a topic has 1 to 64 letters, digits, _ and -")
      }
      self = .ntfy(server: server, topic: topic, tokenFile: tokenFile)
    case (nil, let ping?): self = .ping(try address(ping))
    default: throw node.location.error("‘silence’ has one of ntfy, ping")
    }
  }
}
