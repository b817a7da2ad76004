import ArgumentParser
import Foundation

/// `measured doctor`.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what is wrong with this machine, and what to do about it.",
    discussion: """
      Looks at the kernel, the controllers, rfkill, bluetoothd, permissions, time zones, the clock, \
      the store and the device definitions. It changes nothing. Exit code 1 where measuring cannot \
      work.

      Example:
        sudo -u measured measured doctor --store /var/lib/measured/measured.sqlite
      """)

  @OptionGroup var storage: StoreOptions
  @OptionGroup var catalog: CatalogOptions

  @Option(help: "The way to the controllers that is wanted: auto, bluetoothd or kernel.")
  var radio: RadioChoice = .auto

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    let facts = await MachineFacts.gather(
      storage: storage, catalog: catalog, choice: radio, now: Date())
    for finding in facts.findings {
      if json {
        Console.json(FindingOutput(finding))
      } else {
        let subject = finding.subject.padding(toLength: 12, withPad: " ", startingAt: 0)
        Console.out("\(finding.verdict.mark) \(subject) \(finding.finding)")
        if let advice = finding.advice { Console.out("               → \(advice)") }
      }
    }
    guard !facts.findings.contains(where: { $0.verdict == .problem }) else {
      throw CommandFailure(.failed, "", isJSON: json)
    }
  }
}

extension DoctorFinding.Verdict {
  /// What stands in front of a line.
  fileprivate var mark: String {
    switch self {
    case .good: "✓"
    case .warning: "!"
    case .problem: "✗"
    }
  }
}

/// A finding as JSON.
struct FindingOutput: Encodable {
  var subject: String
  var verdict: DoctorFinding.Verdict
  var finding: String
  @Nullable var advice: String?

  init(_ finding: DoctorFinding) {
    subject = finding.subject
    verdict = finding.verdict
    self.finding = finding.finding
    advice = finding.advice
  }
}
