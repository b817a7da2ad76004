import Care
import CareStore
import Foundation
import Glibc
import Localization
package import Logging
package import StrictYAML
import Web

/// The contents of `/etc/measured/measured.yaml`; every key is optional.
///
/// ```yaml
/// radio: auto                       # auto, bluetoothd or kernel
/// store: /var/lib/measured/measured.sqlite
/// plan: /etc/measured/plan.yaml     # imported at the start and at every reload
/// patient: john                     # attribute readings to no one else
/// page: 127.0.0.1:8473              # where the page is served on this machine, or off
/// #page: {listen: "0.0.0.0:8473", hosts: [box.local], proxy: false}   # for others, who sign in
/// #page: {listen: 127.0.0.1:8473, proxy: true, address: "https://box.example"}   # messages have links that answer
/// #mail: {server: smtp.example.org, user: box, from: box@example.org, passwordFile: /etc/measured/mail-password}
/// #silence: {ntfy: {server: "https://ntfy.example.org", topic: box-5f0c}}   # or {ping: https://…}
/// #outlets: {clinic: {kind: fhir, address: "https://clinic.example/fhir", people: [john], since: 2026-01-01, secretFile: /etc/measured/clinic-token}}
/// #outlets: {home: {kind: mqtt, address: "mqtt://192.168.1.5", people: all, user: home, secretFile: /etc/measured/home-password}}
/// #centre: true                     # boxes exchange with this store: see docs/centre.md
/// logLevel: info                    # debug, info, notice, warning or error
/// ```
package struct ServiceSettings: Hashable {
  /// The access to the controllers.
  package var radio = RadioChoice.auto
  /// The store's file; `nil` for the user's own.
  package var store: String?
  /// Whether the settings file may name another store, which could not be read.
  package var mayNameAnotherStore = false
  /// A care plan that is imported at the start and at every reload.
  package var plan: String?
  /// The only patient that readings are attributed to.
  package var patient: String?
  /// The address of the page; `nil` to serve none.
  package var page: PageAddress? = .standard
  /// How mail is sent; `nil` if it is not.
  package var mail: MailSettings?
  /// Where this machine says that it lives; `nil` if nowhere.
  package var silence: SilenceSettings?
  /// Where measurements go by themselves.
  package var outlets: [OutletSettings] = []
  /// Whether boxes join this machine and exchange rows with its store.
  package var isCentre = false
  /// How much is logged.
  package var logLevel = Logger.Level.info

  /// The default settings file.
  package static let path = "/etc/measured/measured.yaml"

  /// Reads settings.
  ///
  /// - Throws: ``YAMLError`` naming the file and the line.
  package init(parsing text: String, file: String) throws(YAMLError) {
    let faults: [YAMLError]
    (self, faults) = Self.readable(text, file: file)
    if let first = faults.first { throw first }
  }

  /// Reads what can be read of a settings file; keys with a mistake keep their defaults, and a page
  /// that is not understood is not served.
  ///
  /// - Returns: The settings, and the mistakes in the order of the keys.
  package static func readable(_ text: String, file: String) -> (
    ServiceSettings, faults: [YAMLError]
  ) {
    var settings = ServiceSettings()
    var faults: [YAMLError] = []
    func read(_ body: () throws(YAMLError) -> Void) {
      do throws(YAMLError) { try body() } catch { faults.append(error) }
    }
    // YAML without a mapping: a file in which every line is a comment.
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.contains(where: { !$0.drop(while: \.isWhitespace).hasPrefix("#") }) else {
      return (settings, [])
    }
    var keys: MappingReader
    do throws(YAMLError) {
      keys = try YAMLDocument.parse(text, file: file).mapping()
    } catch {
      (settings.page, settings.mayNameAnotherStore) = (nil, true)
      return (settings, [error])
    }
    if let node = keys.optional("radio") {
      read { () throws(YAMLError) in settings.radio = try node.choice() }
    }
    if let node = keys.optional("store") {
      settings.mayNameAnotherStore = true
      read { () throws(YAMLError) in
        settings.store = try node.store()
        settings.mayNameAnotherStore = false
      }
    } else {
      settings.mayNameAnotherStore = keys.misspelling(of: "store") != nil
    }
    if let node = keys.optional("plan") {
      read { () throws(YAMLError) in settings.plan = try node.path() }
    }
    if let node = keys.optional("patient") {
      read { () throws(YAMLError) in settings.patient = try node.string() }
    }
    if let node = keys.optional("page") {
      settings.page = nil
      read { () throws(YAMLError) in settings.page = try node.pageAddress() }
    }
    if let node = keys.optional("mail") {
      read { () throws(YAMLError) in settings.mail = try MailSettings(node) }
    }
    if let node = keys.optional("silence") {
      read { () throws(YAMLError) in settings.silence = try SilenceSettings(node) }
    }
    if let node = keys.optional("outlets") {
      read { () throws(YAMLError) in settings.outlets = try OutletSettings.all(node) }
    }
    if let node = keys.optional("centre") {
      read { () throws(YAMLError) in settings.isCentre = try node.boolean() }
    }
    if let node = keys.optional("logLevel") {
      read { () throws(YAMLError) in settings.logLevel = try node.choice() }
    }
    read { () throws(YAMLError) in try keys.finish() }
    return (settings, faults)
  }

  /// Reads what can be read of the settings file at `path`, which may be missing.
  ///
  /// - Returns: The settings, and what is wrong with the file.
  package static func readable(_ path: String) -> (settings: ServiceSettings, faults: [String]) {
    let isThere = unsafe faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    guard isThere || errno != ENOENT else { return (ServiceSettings(), []) }
    do {
      let (settings, faults) = readable(try TextFile.read(path), file: path)
      return (settings, faults.map(\.description))
    } catch {
      var settings = ServiceSettings()
      (settings.page, settings.mayNameAnotherStore) = (nil, true)
      return (settings, [CommandFailure(error).message])
    }
  }

  package init() {}
}

extension YAMLNode {
  /// `{address: 172.30.32.2, accounts: {ID: nora}}`.
  fileprivate func ingress() throws(YAMLError) -> WebIngress {
    var keys = try mapping()
    let node = try keys.required("address")
    let address = try node.string()
    guard address.wholeMatch(of: /[0-9]{1,3}(\.[0-9]{1,3}){3}|[0-9a-f:]*:[0-9a-f:]*/) != nil else {
      throw node.location.error("‘\(address)’ is no address, such as 172.30.32.2")
    }
    var accounts: [String: String] = [:]
    for pair in try keys.optional("accounts")?.pairs() ?? [] {
      accounts[pair.key] = try pair.value.string()
    }
    try keys.finish(meant: ["users": "accounts", "ip": "address"])
    return WebIngress(address: address, accounts: accounts)
  }

  /// An address, or a mapping with `listen`, `hosts`, `proxy` and `ingress`; `nil` for `off`.
  fileprivate func pageAddress() throws(YAMLError) -> PageAddress? {
    guard case .mapping = content else { return try listenAddress() }
    var keys = try mapping()
    let listen = try keys.required("listen")
    guard var address = try listen.listenAddress() else {
      throw listen.location.error("‘listen’ is an address with a port, such as 0.0.0.0:8473")
    }
    // Whoever names hosts or a proxy means other machines, also through a loopback address.
    address.requiresSignIn = true
    if let hosts = keys.optional("hosts") {
      for node in try hosts.sequence() {
        let name = try node.string()
        guard PageAddress.isName(name) else {
          throw node.location.error("‘\(name)’ is no name of a machine, such as box.local")
        }
        address.names.append(name.lowercased())
      }
    }
    if let node = keys.optional("proxy") { address.isBehindProxy = try node.boolean() }
    address.ingress = try keys.optional("ingress")?.ingress()
    if let node = keys.optional("address") {
      let text = try node.string()
      // Over plain HTTP anybody in the network could use the links, so that none is answered.
      guard let reached = WebAddress(text),
        reached.isEncrypted || HostName.isThisMachine(reached.host)
      else {
        throw node.location.error(
          "‘\(text)’ is no address under which telephones reach the page by TLS, such as https://box.example"
        )
      }
      address.reached = reached
    }
    try keys.finish()
    return address
  }

  /// An address with a port; `nil` for `off`.
  private func listenAddress() throws(YAMLError) -> PageAddress? {
    let text = try string()
    guard text != "off" else { return nil }
    guard let address = PageAddress(argument: text) else {
      throw location.error(
        "‘\(text)’ is no address with a port, such as 127.0.0.1:8473; off serves no page")
    }
    return address
  }

  /// The absolute path of a store, or the address of its database.
  func store() throws(YAMLError) -> String {
    let text = try string()
    return SQLStore.isOnServer(text) ? text : try path()
  }

  /// An absolute path.
  func path() throws(YAMLError) -> String {
    let path = try string()
    guard path.hasPrefix("/") else {
      throw location.error("‘\(path)’ is no absolute path; a service has no working directory")
    }
    return path
  }
}
