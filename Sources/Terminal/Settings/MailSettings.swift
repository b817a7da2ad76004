package import Care
import Foundation
import Localization
package import Outlets
import PrivateFiles
package import StrictYAML

/// How mail is sent: the key `mail` of the settings.
///
/// The password is in a file of its own, which only the service may read: others may read the settings.
package struct MailSettings: Hashable {
  var server: MailServer
  package var from: MailAddress
  var passwordFile: String?

  /// The longest password, in bytes.
  private static let longest = 1_000

  /// Reads `{server, port, encryption, user, passwordFile, from, name}`.
  package init(_ node: YAMLNode) throws(YAMLError) {
    var keys = try node.mapping()
    let host = try keys.required("server")
    let port = try keys.optional("port")?.integer(in: 1...65_535)
    let encryption: MailServer.Encryption = try keys.optional("encryption")?.choice() ?? .startTLS
    let user = try keys.optional("user")?.string()
    passwordFile = try keys.optional("passwordFile")?.path()
    let sender = try keys.required("from")
    let name = try keys.optional("name")?.string()
    try keys.finish(meant: ["host": "server", "password": "passwordFile", "sender": "from"])
    guard
      let server = MailServer(
        host: try host.string(), port: port, encryption: encryption, user: user)
    else {
      throw host.location.error(
        "‘server’ is the name of a machine, and ‘encryption: none’ is for this machine alone")
    }
    guard let from = MailAddress(try sender.string(), name: name) else {
      throw sender.location.error("‘from’ is a mail address, such as box@example.org")
    }
    self.server = server
    self.from = from
  }

  /// The account with its password.
  ///
  /// - Throws: ``MailPasswordMissing``, `PrivateFileError`.
  package func account() throws -> Courier.MailAccount {
    guard let passwordFile else { return Courier.MailAccount(server: server, from: from) }
    guard let bytes = try PrivateFile(path: passwordFile).read(limit: Self.longest) else {
      throw MailPasswordMissing(file: passwordFile)
    }
    let password = String(decoding: bytes, as: UTF8.self)
      .trimmingCharacters(in: .newlines)
    let server = MailServer(
      host: server.host, port: server.port, encryption: server.encryption, user: server.user,
      password: Secret(password))
    return Courier.MailAccount(server: server ?? self.server, from: from)
  }
}

/// There is no file with the mail's password.
struct MailPasswordMissing: Error, Hashable, Localizable {
  var file: String

  var localized: LocalizedText {
    LocalizedText("delivery.passwordMissing", ["file": .verbatim(file)])
  }
}
