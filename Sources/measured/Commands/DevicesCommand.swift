import ArgumentParser
import DeviceCatalog
import Foundation

/// `measured devices`.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Shows and checks the device definitions.",
    discussion: """
      Definitions in /etc/measured/devices.d are added to the built-in ones; a definition with the \
      id of a built-in one replaces it.

      Example:
        measured devices list
        measured devices lint Devices/my-scale.yaml
      """,
    subcommands: [List.self, Show.self, Lint.self, Test.self], defaultSubcommand: List.self)

  /// `measured devices list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the devices that can be read.",
      discussion: "Example:\n  measured devices list --json")

    @OptionGroup var catalog: CatalogOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      let definitions = try DeviceCatalog.load(catalog).definitions
      for definition in definitions where json { Console.json(DefinitionOutput(definition)) }
      guard !json else { return }
      var table = TextTable(["id", "device", "read from", "vectors"])
      for definition in definitions {
        table.add([
          definition.id, definition.displayName,
          definition.link.mode == .advertisement ? "advertisements" : "a connection",
          String(definition.vectors.count),
        ])
      }
      table.lines.forEach(Console.out)
    }
  }

  /// `measured devices show`.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows a definition.",
      discussion: "Example:\n  measured devices show xiaomi-mi-scale-2")

    @Argument(help: "The definition's id.")
    var id: String

    @OptionGroup var catalog: CatalogOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      let catalog = try DeviceCatalog.load(catalog)
      guard let definition = catalog.definition(id) else {
        throw CommandFailure(
          .unknown,
          "there is no device definition ‘\(id)’; there are "
            + catalog.definitions.map(\.id).joined(separator: ", "))
      }
      guard !json else {
        Console.json(DefinitionOutput(definition))
        return
      }
      let output = DefinitionOutput(definition)
      Console.out("\(definition.id): \(definition.displayName)")
      Console.out(definition.description)
      Console.out("")
      Console.out(
        "read from   \(output.link == "advertisement" ? "advertisements" : "a connection")")
      Console.out("pairing     \(output.bond == "required" ? "required" : "none")")
      for vector in definition.vectors {
        Console.out("vector      \(vector.name) (\(vector.provenance.rawValue): \(vector.from))")
      }
    }
  }

  /// `measured devices lint`.
  struct Lint: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists mistakes in definitions, each with file, line and reason.",
      discussion: """
        The given files are checked together with the definitions of this machine.

        Example:
          measured devices lint
          measured devices lint my-scale.yaml
        """)

    @Argument(help: "Definition files or folders. Default: all definitions of this machine.")
    var files: [String] = []

    @OptionGroup var catalog: CatalogOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let own = try files.flatMap(definitions)
        let layers = try DeviceCatalog.layers(folder: catalog.folder) + (own.isEmpty ? [] : [own])
        let findings = DeviceCatalog.lint(layers)
        for finding in findings {
          if json {
            Console.json(
              Finding(file: finding.file, line: finding.line, reason: finding.reason))
          } else {
            Console.out(finding.description)
          }
        }
        guard findings.isEmpty else {
          throw CommandFailure(.failed, "\(findings.count) finding(s)")
        }
        if !json { Console.out("no findings in \(layers.joined().count) definitions") }
      }
    }

    private func definitions(_ path: String) throws -> [DefinitionFile] {
      let url = URL(fileURLWithPath: path)
      if (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true {
        return try DefinitionFile.files(in: url)
      }
      return [DefinitionFile(name: path, text: try TextFile.read(path))]
    }

    struct Finding: Encodable {
      var file: String
      var line: Int
      var reason: String
    }
  }

  /// `measured devices test`.
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Runs the test vectors of every definition.",
      discussion: "Example:\n  measured devices test")

    @OptionGroup var catalog: CatalogOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let results = try DeviceCatalog.load(catalog).runVectors()
        for result in results {
          if json {
            Console.json(Line(result))
            continue
          }
          Console.out(
            "\(result.isPassed ? "✓" : "✗") \(result.definition): \(result.vector)")
          result.failures.forEach { Console.out("    \($0)") }
        }
        let failed = results.filter { !$0.isPassed }.count
        if !json { Console.out("\(results.count - failed) passed, \(failed) failed") }
        guard failed == 0 else { throw CommandFailure(.failed, "\(failed) vector(s) failed") }
      }
    }

    struct Line: Encodable {
      var definition: String
      var vector: String
      var provenance: String
      var passed: Bool
      var failures: [String]

      init(_ result: VectorResult) {
        definition = result.definition
        vector = result.vector
        provenance = result.provenance.rawValue
        passed = result.isPassed
        failures = result.failures
      }
    }
  }
}

/// A definition as JSON.
struct DefinitionOutput: Encodable {
  var id: String
  var name: String
  var vendor: String
  var description: String
  var link: String
  var bond: String
  var vectors: Int

  init(_ definition: DeviceDefinition) {
    id = definition.id
    name = definition.name
    vendor = definition.vendor
    description = definition.description
    link = definition.link.mode.rawValue
    bond = definition.link.bond.rawValue
    vectors = definition.vectors.count
  }
}

extension DeviceDefinition {
  /// The vendor and the name, without repeating the vendor.
  var displayName: String { name.hasPrefix(vendor) ? name : "\(vendor) \(name)" }
}
