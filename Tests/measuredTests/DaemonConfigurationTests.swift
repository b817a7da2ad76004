import DeviceCatalog
import Foundation
import Logging
import StrictYAML
import Testing

@testable import measured

@Suite struct DaemonConfigurationTests {
  @Test func readsEveryKey() throws {
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

  /// A definition that cannot be read is left out; the others are used.
  @Test func aBrokenDefinitionDoesNotStopTheService() throws {
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

  @Test(arguments: ["", "# radio: kernel\n", "  # nothing\n\n"])
  func acceptsAFileWithoutKeys(text: String) throws {
    #expect(try ServiceSettings(parsing: text, file: "measured.yaml") == ServiceSettings())
  }

  @Test(arguments: [
    ("radio: kernal", "measured.yaml:1: ‘kernal’ is not one of auto, bluetoothd, kernel"),
    ("store: care.sqlite", "measured.yaml:1: ‘care.sqlite’ is no absolute path"),
    ("radio: auto\nstroe: /x", "measured.yaml:2: unknown key ‘stroe’"),
    ("- radio", "measured.yaml:1: "),
  ])
  func reportsMistakesWithFileAndLine(text: String, message: String) throws {
    let error = #expect(throws: YAMLError.self) {
      try ServiceSettings(parsing: text, file: "measured.yaml")
    }
    #expect(error?.description.hasPrefix(message) == true, "\(String(describing: error))")
  }
}
