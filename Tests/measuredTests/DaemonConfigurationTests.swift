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
