import Care
import DeviceCatalog
import Foundation
import Logging
import Outlets
import PrivateFiles
import StrictYAML
import Testing

@testable import Daemon
@testable import Terminal

@Suite struct DaemonConfigurationTests {
  @Test func `reads every key`() throws {
    let settings = try ServiceSettings(
      parsing: """
        radio: kernel
        store: /srv/care.sqlite
        plan: /etc/measured/plan.yaml
        patient: john
        logLevel: debug
        """, file: "measured.yaml")
    var expected = ServiceSettings()
    expected.radio = .kernel
    expected.store = "/srv/care.sqlite"
    expected.plan = "/etc/measured/plan.yaml"
    expected.patient = "john"
    expected.logLevel = .debug
    #expect(settings == expected)
  }

  private func home(_ keys: String) throws -> HomeAssistantSettings? {
    try ServiceSettings(
      parsing: "outlets: {home: {kind: mqtt, people: all, \(keys)}}", file: "measured.yaml"
    ).outlets.first?.homeAssistant
  }

  @Test func `reads a broker`() throws {
    let plain = try #require(try home(#"address: "mqtt://192.168.1.5""#))
    #expect(plain.broker.host == "192.168.1.5")
    #expect(plain.broker.port == 1_883)
    #expect(!plain.broker.isEncrypted)
    #expect(plain.broker.version == .v5)
    #expect(plain.broker.client == "measured_home")
    #expect(plain.topics == HomeAssistantTopics(box: "home"))
    #expect(plain.answers == .ofPeople)
    let all = try #require(
      try home(
        #"address: "mqtts://broker.example", id: attic, user: box, protocol: 3.1.1, account: nora, "#
          + "discovery: ha, language: zh-Hant, authorities: /etc/ca.pem, certificate: /etc/c.pem, "
          + "key: /etc/c.key"))
    #expect(all.broker.isEncrypted)
    #expect(all.broker.port == 8_883)
    #expect(all.broker.version == .v311)
    #expect(all.broker.user == "box")
    #expect(all.broker.client == "measured_attic")
    #expect(all.topics == HomeAssistantTopics(box: "attic", discovery: "ha"))
    #expect(all.answers == .account("nora"))
    #expect(all.server == nil)
    #expect(all.presences == [:])
    #expect(
      try home(#"address: "mqtt://localhost", presence: {john: s/person/john/state, ann: a}"#)?
        .presences == ["s/person/john/state": "john", "a": "ann"])
    let past = try home(
      #"address: "mqtt://localhost", server: "http://ha.local:8123", tokenFile: /etc/token"#)
    #expect(past?.server == WebAddress("http://ha.local:8123"))
    #expect(
      try home(#"address: "mqtt://localhost:9", answers: false, protocol: 5"#)?.answers
        == HomeAssistantSettings.Answers.none)
    #expect(try home(#"address: "mqtt://localhost:9", protocol: 5"#)?.broker.port == 9)
  }

  @Test(arguments: [
    // In plain text through the internet.
    #"address: "mqtt://broker.example""#, #"address: "https://broker.example""#,
    #"address: "mqtts://broker.example/path""#, #"address: "mqtts://user:word@broker.example""#,
    #"address: "mqtt://localhost", id: a/b"#, #"address: "mqtt://localhost", discovery: "a#""#,
    #"address: "mqtt://localhost", protocol: 4"#, #"address: "mqtt://localhost", key: /etc/k"#,
    #"address: "mqtt://localhost", answers: false, account: nora"#,
    #"address: "mqtt://localhost", bucket: x"#,
    #"address: "mqtt://localhost", presence: {john: "a/#"}"#,
    #"address: "mqtt://localhost", presence: {john: a, ann: a}"#,
    #"address: "mqtt://localhost", server: "http://ha.local:8123""#,
    #"address: "mqtt://localhost", tokenFile: /etc/token"#,
    #"address: "mqtt://localhost", server: "http://ha.example", tokenFile: /etc/token"#,
  ])
  func `what is no broker is refused by its line`(keys: String) {
    #expect(throws: YAMLError.self) { try home(keys) }
  }

  private func page(_ text: String) throws -> PageAddress? {
    try ServiceSettings(parsing: text, file: "measured.yaml").page
  }

  @Test
  func `an address of this machine needs no accounts; every other one does`() throws {
    #expect(try page("page: off") == nil)
    #expect(try page("radio: auto") == .standard)
    for text in ["8473", "127.0.0.1:8080", "localhost:0", "'[::1]:80'"] {
      #expect(try page("page: \(text)")?.requiresSignIn == false, "\(text)")
    }
    for text in [
      "0.0.0.0:8473", "192.168.1.20:80", "box.local:80", "'[::]:80'", "127.0.0.2:80",
      "'localhost.:80'", "LOCALHOST:80",
    ] {
      #expect(try page("page: \(text)")?.requiresSignIn == true, "\(text)")
    }
  }

  @Test func `reads a page for other machines`() throws {
    let address = try #require(
      try page(#"page: {listen: "0.0.0.0:8473", hosts: [Box.local, 192.168.1.20]}"#))
    #expect(address.host == "0.0.0.0")
    #expect(address.port == 8_473)
    #expect(address.names == ["box.local", "192.168.1.20"])
    #expect(address.requiresSignIn)
    #expect(!address.isBehindProxy)
    #expect(address.exposure?.contains("without TLS") == true)
    #expect(address.allNames.contains("box.local"))
    let proxied = try #require(try page(#"page: {listen: "127.0.0.1:8473", proxy: true}"#))
    #expect(proxied.requiresSignIn)
    #expect(proxied.isBehindProxy)
    #expect(proxied.exposure?.contains("proxy") == true)
    #expect(PageAddress.standard.exposure == nil)
  }

  /// A definition that cannot be read is left out; the others are used.
  @Test func `a broken definition does not stop the service`() throws {
    let folder = try TemporaryFolder()
    let settings = try folder.write("radio: kernel", to: "settings")
    _ = try folder.write("id: broken\nname: [", to: "broken.yaml")
    try Data([0xFF, 0xFE, 0x00]).write(to: folder.url.appending(path: "binary.yaml"))
    let built = try DeviceCatalog.layers(folder: nil).flatMap(\.self)
    let scale = try #require(built.first { $0.name.hasSuffix("xiaomi-mi-scale-2.yaml") })
    _ = try folder.write(scale.text, to: "scale.yaml")
    let source = ConfigurationSource(
      file: settings, definitions: folder.url.path, overrides: { _ in })
    let configuration = try source.load()
    #expect(configuration.catalog.definitions.map(\.id) == ["xiaomi-mi-scale-2"])
    #expect(configuration.definitionFaults.count == 2)
    #expect(configuration.definitionFaults.contains { $0.contains("broken.yaml:") })
    #expect(configuration.definitionFaults.contains { $0.contains("binary.yaml: ") })
  }

  /// A mistake in a file leaves the rest in force.
  @Test(arguments: [
    ("radio: kernel\npagee: off", ["measured.yaml:2: unknown key ‘pagee’"], true),
    ("radio: kernel\npage: 1.2.3.4", ["measured.yaml:2: ‘1.2.3.4’ is no address"], false),
    ("radio: kernel\nstroe: /x", ["measured.yaml:2: unknown key ‘stroe’"], true),
    (
      "radio: kernel\nstore: x\nlogLevel: loud",
      [
        "measured.yaml:2: ‘x’ is no absolute path", "measured.yaml:3: ‘loud’ is not one of",
      ], true
    ),
  ])
  func `reads the rest of settings with mistakes`(
    text: String, mistakes: [String], servesPage: Bool
  ) {
    let (settings, faults) = ServiceSettings.readable(text, file: "measured.yaml")
    #expect(settings.radio == .kernel)
    #expect((settings.page != nil) == servesPage)
    #expect(settings.store == nil)
    #expect(settings.mayNameAnotherStore == (text.contains("store") || text.contains("stroe")))
    #expect(faults.count == mistakes.count)
    for (fault, mistake) in zip(faults, mistakes) {
      #expect(fault.description.hasPrefix(mistake), "\(fault)")
    }
  }

  /// Which page was meant cannot be known, so none is served.
  @Test func `no settings can be read of a broken file`() {
    let (settings, faults) = ServiceSettings.readable("radio: [kernel", file: "measured.yaml")
    var expected = ServiceSettings()
    (expected.page, expected.mayNameAnotherStore) = (nil, true)
    #expect(settings == expected)
    #expect(faults.count == 1)
  }

  @Test func `starts with a broken plan`() throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write("patients: [", to: "plan.yaml")
    let settings = try folder.write("plan: \(plan)\nradoi: kernel", to: "settings")
    let source = ConfigurationSource(file: settings, definitions: nil, overrides: { _ in })
    let configuration = try source.load()
    #expect(configuration.plan == nil)
    #expect(configuration.catalog.definitions.count > 5)
    #expect(configuration.faults.count == 2)
    #expect(configuration.faults.first?.contains("unknown key ‘radoi’") == true)
    let fault = try #require(configuration.faults.last)
    #expect(fault.hasPrefix("The plan is not imported: \(plan):"), "\(fault)")
  }

  @Test func `a missing settings file of the command line is refused`() throws {
    let source = ConfigurationSource(file: "/nowhere/x", definitions: nil, overrides: { _ in })
    #expect(throws: CommandFailure.self) { try source.load() }
    #expect(ServiceSettings.readable("/nowhere/x").faults.isEmpty)
  }

  @Test(arguments: ["", "# radio: kernel\n", "  # nothing\n\n"])
  func `accepts a file without keys`(text: String) throws {
    #expect(try ServiceSettings(parsing: text, file: "measured.yaml") == ServiceSettings())
  }

  @Test(arguments: [
    ("radio: kernal", "measured.yaml:1: ‘kernal’ is not one of auto, bluetoothd, kernel"),
    ("store: care.sqlite", "measured.yaml:1: ‘care.sqlite’ is no absolute path"),
    ("radio: auto\nstroe: /x", "measured.yaml:2: unknown key ‘stroe’"),
    ("- radio", "measured.yaml:1: "),
    ("page: 1.2.3.4", "measured.yaml:1: ‘1.2.3.4’ is no address with a port"),
    ("page: ::1:80", "measured.yaml:1: ‘::1:80’ is no address with a port"),
    ("page: {hosts: [a]}", "measured.yaml:1: "),
    ("page: {listen: off}", "measured.yaml:1: ‘listen’ is an address with a port"),
    (#"page: {listen: "0.0.0.0:80", host: a}"#, "measured.yaml:1: unknown key ‘host’"),
    (#"page: {listen: "0.0.0.0:80", hosts: ["a/b"]}"#, "measured.yaml:1: ‘a/b’ is no name"),
  ])
  func `reports mistakes with file and line`(text: String, message: String) throws {
    let error = #expect(throws: YAMLError.self) {
      try ServiceSettings(parsing: text, file: "measured.yaml")
    }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }
}

/// The keys of the settings that messages need.
@Suite struct MessageSettingsTests {
  private func mail(_ text: String) throws -> MailSettings? {
    try ServiceSettings(parsing: "mail: {\(text)}", file: "measured.yaml").mail
  }

  @Test func `mail has a port by its encryption`() throws {
    let settings = try #require(try mail("server: a.example, from: box@a.example, user: box"))
    #expect(settings.server == MailServer(host: "a.example", user: "box"))
    #expect(settings.server.port == 587 && settings.server.encryption == .startTLS)
    #expect(
      try mail("server: a.example, from: box@a.example, encryption: tls")?.server.port == 465)
    #expect(
      try mail("server: localhost, from: box@a.example, encryption: none")?.server.port == 25)
  }

  @Test(arguments: [
    "server: a.example", "from: box@a.example", "server: a.example, from: box",
    // In plain text to another machine.
    "server: a.example, from: box@a.example, encryption: none",
    "server: a.example/x, from: box@a.example", "server: a.example, from: box@a.example, port: 0",
    "server: a.example, from: box@a.example, password: horse",
  ])
  func `what would send nothing, or a password in plain text, is refused`(text: String) {
    #expect(throws: YAMLError.self) { try mail(text) }
  }

  @Test func `the password is a file of its own, and in no description`() throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let file = scratch.appending(path: "password").path
    let settings = try #require(
      try mail("server: a.example, from: box@a.example, user: box, passwordFile: \(file)"))
    #expect(throws: MailPasswordMissing(file: file)) { try settings.account() }
    #expect(
      FileManager.default.createFile(
        atPath: file, contents: Data("right horse\n".utf8), attributes: [.posixPermissions: 0o600]))
    let account = try settings.account()
    #expect(account.server.password?.revealed == "right horse")
    #expect(!String(reflecting: account).contains("horse"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    #expect(throws: PrivateFileError.self) { try settings.account() }
  }

  @Test func `the page's address is one that telephones reach`() throws {
    func reached(_ address: String) throws -> String? {
      try ServiceSettings(
        parsing: #"page: {listen: "127.0.0.1:8473", address: "\#(address)"}"#, file: "f"
      ).page?.reached?.text
    }
    #expect(try reached("https://box.example") == "https://box.example")
    #expect(throws: YAMLError.self) { try reached("box.example") }
    #expect(throws: YAMLError.self) { try reached("http://box.example") }
  }
}
