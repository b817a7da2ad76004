import ArgumentParser
import DeviceCatalog
import Foundation
import Localization
import Radio
import Terminal
import Traces

/// `measured devices`.
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Shows and checks the device definitions.",
    discussion: """
      Definitions in /etc/measured/devices.d are added to the built-in ones; a definition with the \
      id of a built-in one replaces it.

      Example:
        measured devices list renpho
        measured devices lint Devices/my-scale.yaml
      """,
    subcommands: [List.self, Show.self, Lint.self, Test.self, New.self],
    defaultSubcommand: List.self)

  /// `measured devices list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the devices that can be read.",
      discussion: """
        Words keep what they are a part of: an id, a name, a maker, or a product that a definition \
        serves.

        Example:
          measured devices list renpho
          measured devices list --json
        """)

    @Argument(help: "Words of a device's name, maker or id. Default: all devices.")
    var words: [String] = []

    @OptionGroup var catalog: CatalogOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    @Flag(help: "Print the table of docs/devices.md, and the short one of the README.")
    var markdown = false

    func validate() throws {
      guard markdown else { return }
      guard !json, words.isEmpty else {
        throw ValidationError(LocalizedText("command.devices.markdown").message)
      }
    }

    func run() async throws {
      try await reporting(isJSON: json) {
        let catalog = try DeviceCatalog.load(catalog)
        guard !markdown else {
          let table = DeviceTable(catalog)
          return (table.lines + [""] + table.summary).forEach(Console.out)
        }
        let search = DeviceSearch(words)
        let found = catalog.definitions.filter(search.finds)
        guard !found.isEmpty || words.isEmpty else {
          throw CommandFailure(.unknown, search.failure(in: catalog))
        }
        guard !json else { return try found.forEach { try Console.json(DefinitionOutput($0)) } }
        DeviceList(found, search).lines.forEach(Console.out)
      }
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
          LocalizedText(
            "command.devices.unknown",
            [
              "id": "\(id)",
              "known": .init(catalog.definitions.map(\.id).joined(separator: ", ")),
            ]))
      }
      guard !json else {
        try Console.json(DefinitionOutput(definition))
        return
      }
      let output = DefinitionOutput(definition)
      Console.out("\(definition.id): \(definition.displayName)")
      Console.out(definition.description)
      Console.out("")
      let words = Console.language
      func show(_ label: String, _ text: String) {
        Console.out(words.text(label).padded(to: 11) + " " + text)
      }
      show(
        "command.devices.readFrom",
        words.text(
          output.link == "advertisement"
            ? "command.devices.advertisements" : "command.devices.connection"))
      show(
        "command.devices.pairing",
        words.text(
          output.bond == "required" ? "command.devices.required" : "command.devices.none"))
      show("command.devices.serves", definition.families.joined(separator: ", "))
      show("command.devices.reads", definition.reads.joined(separator: ", "))
      if definition.setsClock {
        show("command.devices.clock", words.text("command.devices.clockIsSet"))
      }
      show("command.devices.howSure", DeviceList.explanation(of: definition.evidence))
      let rules = definition.ruleCount
      show(
        "command.devices.rules",
        words.text(
          "command.devices.proven",
          ["proven": String(rules.recorded), "all": String(rules.all)]))
      show("command.devices.toDo", definition.preparation.joined(separator: "; "))
      for vector in definition.vectors {
        show(
          "command.devices.vector",
          "\(vector.name) (\(vector.provenance.rawValue): \(vector.from))")
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
        let own = try files.flatMap(DefinitionFile.given)
        let layers = try DeviceCatalog.layers(folder: catalog.folder) + (own.isEmpty ? [] : [own])
        let findings = DeviceCatalog.lint(layers)
        for finding in findings {
          if json {
            try Console.json(
              Finding(file: finding.file, line: finding.line, reason: finding.reason))
          } else {
            Console.out(finding.description)
          }
        }
        guard findings.isEmpty else {
          throw CommandFailure(
            .failed, LocalizedText("command.devices.findings", count: findings.count))
        }
        let checked = own.isEmpty ? layers.joined().count : own.count
        if !json {
          Console.out(LocalizedText("command.devices.noFindings", count: checked).message)
        }
      }
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
      discussion: """
        With --print, every result is shown as a line of ‘expect’, to be compared with the source and \
        pasted. At the end it names the rules that no real frame has passed through: how a device is \
        recognised, the layouts of its frames, and what is answered.

        Example:
          measured devices test
          measured devices test --print my-scale.yaml
        """)

    @Argument(help: "Definition files or folders. Default: all definitions of this machine.")
    var files: [String] = []

    @OptionGroup var catalog: CatalogOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    @Flag(help: "Print what the frames give, as lines of ‘expect’.")
    var print = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let own = try files.flatMap(DefinitionFile.given)
        let layers = try DeviceCatalog.layers(folder: catalog.folder) + (own.isEmpty ? [] : [own])
        let ids = Set(try DeviceCatalog.load(own.isEmpty ? layers : [own]).definitions.map(\.id))
        let results = try DeviceCatalog.load(layers).runVectors().filter {
          ids.contains($0.definition)
        }
        for result in results {
          if json {
            try Console.json(Line(result))
            continue
          }
          Console.out(
            "\(result.isPassed ? "✓" : "✗") \(result.definition): \(result.vector)")
          result.failures.forEach { Console.out("    \($0)") }
          guard print else { continue }
          Console.out(result.actual.isEmpty ? "    expect: []" : "    expect:")
          result.actual.forEach { Console.out("      \($0)") }
          if result.refused > 0 { Console.out("    rejected: \(result.refused)") }
          guard !result.writes.isEmpty else { continue }
          Console.out("    writes:")
          result.writes.forEach { Console.out("      \($0)") }
        }
        try print(
          rules: DeviceCatalog.load(layers).ruleEvidence().filter { ids.contains($0.definition) })
        let failed = results.filter { !$0.isPassed }.count
        if !json {
          Console.out(
            LocalizedText(
              "command.devices.results",
              ["passed": .init(results.count - failed), "failed": .init(failed)]
            ).message)
        }
        guard failed == 0 else {
          throw CommandFailure(.failed, LocalizedText("command.devices.failed", count: failed))
        }
      }
    }

    /// Prints which rules no real frame has passed through; of given files, every rule.
    private func print(rules: [RuleEvidence]) throws {
      guard !json else { return try rules.forEach { try Console.json(RuleLine($0)) } }
      let proven = rules.count { $0.evidence == .recorded }
      let shown = rules.filter { !files.isEmpty || $0.evidence != .recorded }
      Console.out("")
      if !shown.isEmpty {
        Console.out(
          Console.language.text(
            files.isEmpty ? "command.devices.unprovenRules" : "command.devices.theRules"))
      }
      for rule in shown {
        Console.out(
          "  \(rule.definition): \(rule.kind.rawValue) \(rule.rule) (\(rule.evidence.rawValue))")
      }
      Console.out(
        LocalizedText(
          "command.devices.provenRules", ["proven": .init(proven), "all": .init(rules.count)]
        ).message)
    }

    struct RuleLine: Encodable {
      var definition: String
      var rule: String
      var kind: String
      var evidence: String

      init(_ rule: RuleEvidence) {
        definition = rule.definition
        self.rule = rule.rule
        kind = rule.kind.rawValue
        evidence = rule.evidence.rawValue
      }
    }

    struct Line: Encodable {
      var definition: String
      var vector: String
      var provenance: String
      var passed: Bool
      var failures: [String]
      var results: [String]
      var writes: [String]
      var rejected: Int

      init(_ result: VectorResult) {
        definition = result.definition
        vector = result.vector
        provenance = result.provenance.rawValue
        passed = result.isPassed
        failures = result.failures
        results = result.actual
        writes = result.writes
        rejected = result.refused
      }
    }
  }

  /// `measured devices new`.
  struct New: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Drafts a definition from what a device sent.",
      discussion: """
        The capture is a btsnoop log of a phone, another Bluetooth capture, or a recording of \
        measured record. The draft can be tested at once; what only a person knows is marked TODO.

        Example:
          measured record scale.jsonl
          measured devices new --from-capture scale.jsonl --address 5C:CA:D3:70:D4:A2 > my-scale.yaml
          measured devices test --print my-scale.yaml
        """)

    @Option(help: ArgumentHelp("The recording.", valueName: "file"))
    var fromCapture: String

    @Option(help: "The device in it. Default: the only one that was linked, or heard.")
    var address: String?

    @Option(help: "The definition's id.")
    var id = "my-device"

    func validate() throws {
      let isID =
        (1...64).contains(id.utf8.count)
        && id.utf8.allSatisfy { byte in
          byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
      guard isID else {
        throw ValidationError(LocalizedText("command.devices.id").message)
      }
    }

    func run() async throws {
      let reader = try TraceFile().open(CommandFiles.stream(fromCapture))
      let wanted = try address.map { text in
        guard let address = DeviceAddress(text) else {
          throw CommandFailure(
            .malformedArgument, LocalizedText("trace.invalidAddress", ["text": "\(text)"]))
        }
        return address
      }
      let text = try Drafts(reader, id: id).chosen(wanted)
      text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .forEach { Console.out(String($0)) }
    }
  }
}

/// The drafts of the devices in a recording.
private struct Drafts {
  private var drafts: [DeviceAddress: DefinitionDraft] = [:]
  private var linked: Set<DeviceAddress> = []

  /// The most devices of a recording.
  private static let mostDevices = 4096

  init(_ reader: any TraceReader, id: String) throws {
    var reader = reader
    while let timed = try reader.next() {
      guard let address = timed.event.address else { continue }
      guard drafts[address] != nil || drafts.count < Self.mostDevices else { continue }
      drafts[address, default: DefinitionDraft(id: id, address: address)].add(timed.event)
      if case .value = timed.event { linked.insert(address) }
    }
  }

  /// The text of the draft of `address`, or of the only device.
  func chosen(_ address: DeviceAddress?) throws -> String {
    let full = drafts.filter { !$0.value.isEmpty }.keys.map { $0 }
    let candidates = linked.isEmpty ? full : Array(linked)
    guard let chosen = address ?? (candidates.count == 1 ? candidates[0] : nil) else {
      let names = candidates.map(\.description).sorted().prefix(20).joined(separator: ", ")
      throw CommandFailure(
        .failed,
        candidates.isEmpty
          ? "command.devices.silent"
          : LocalizedText(
            "command.devices.several", ["names": "\(names)"], count: candidates.count))
    }
    guard let draft = drafts[chosen], !draft.isEmpty else {
      throw CommandFailure(
        .unknown, LocalizedText("command.devices.sentNothing", ["device": "\(chosen)"]))
    }
    let others = full.filter { $0 != chosen }.map(\.description).sorted()
    if address == nil, !others.isEmpty {
      let text = LocalizedText(
        "command.devices.draftOf",
        ["device": "\(chosen)", "others": .init(others.prefix(20).joined(separator: ", "))],
        count: others.count)
      Console.error("measured: \(text.message)")
    }
    return draft.text
  }
}

extension DefinitionFile {
  /// The definition files that an argument names: a file, or those of a folder.
  fileprivate static func given(_ path: String) throws -> [DefinitionFile] {
    let url = URL(fileURLWithPath: path)
    if (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true {
      return try DefinitionFile.files(in: url)
    }
    return [DefinitionFile(name: path, text: try TextFile.read(path))]
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
  /// The products that it serves.
  var families: [String]
  var kind: String
  /// The data read, in words.
  var reads: [String]
  /// Whether the device's clock is set.
  var setsClock: Bool
  /// `device`, `frames` or `derived`.
  var evidence: String
  /// The preparation by pairing or in the plan; absent for a device that needs neither.
  var pairing: String?
  /// The steps that a person takes, in order.
  var preparation: [String]

  init(_ definition: DeviceDefinition) {
    id = definition.id
    name = definition.name
    vendor = definition.vendor
    description = definition.description
    link = definition.link.mode.rawValue
    bond = definition.link.bond.rawValue
    vectors = definition.vectors.count
    families = definition.families
    kind = definition.kind.rawValue
    reads = definition.reads
    setsClock = definition.setsClock
    evidence = definition.evidence.rawValue
    pairing = definition.pairing
    preparation = definition.preparation
  }
}

extension DeviceDefinition {
  /// The vendor and the name, without repeating the vendor.
  var displayName: String { name.hasPrefix(vendor) ? name : "\(vendor) \(name)" }
}
