import Foundation
import StrictYAML
import Testing

@testable import Terminal

/// The order in which a command finds its store.
@Suite struct StoreLocationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(
    _ environment: [String: String], settings: String? = nil, hasService: Bool = false
  ) throws -> String {
    try StoreLocation(
      environment: environment, settings: settings ?? folder.path("missing.yaml"),
      serviceFolder: hasService ? folder.url.path : folder.path("missing")
    ).path
  }

  @Test func `finds the store in order`() throws {
    let settings = try folder.write("store: /srv/m.sqlite\n", to: "measured.yaml")
    let home = ["HOME": "/home/anna"]
    let all = home.merging(["MEASURED_STORE": "/tmp/e.sqlite", "STATE_DIRECTORY": "/state"]) { $1 }
    #expect(try path(all, settings: settings, hasService: true) == "/tmp/e.sqlite")
    let named = all.merging(["MEASURED_STORE": ""]) { $1 }
    #expect(try path(named, settings: settings, hasService: true) == "/srv/m.sqlite")
    #expect(try path(named, hasService: true) == "/state/measured.sqlite")
    #expect(try path(home, hasService: true) == folder.path("measured.sqlite"))
    #expect(
      try path(home.merging(["XDG_STATE_HOME": "/xdg"]) { $1 }) == "/xdg/measured/measured.sqlite")
    #expect(try path(home) == "/home/anna/.local/state/measured/measured.sqlite")
  }

  @Test func `settings without a store leave it open`() throws {
    let settings = try folder.write("# store: /srv/m.sqlite\n", to: "measured.yaml")
    #expect(
      try path(["HOME": "/h"], settings: settings) == "/h/.local/state/measured/measured.sqlite")
  }

  @Test func `reports faulty settings`() throws {
    let settings = try folder.write("stor: /srv/m.sqlite\n", to: "measured.yaml")
    #expect(throws: YAMLError.self) { try path([:], settings: settings) }
  }
}
