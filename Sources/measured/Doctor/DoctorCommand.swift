import ArgumentParser
import Foundation
import Interchange
import Web

/// `measured doctor`.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks this machine and says how to correct what is wrong.",
    discussion: """
      Checks the kernel, the controllers, rfkill, bluetoothd, permissions, time zones, the clock, \
      the store and the device definitions, and changes nothing. The exit code is 1 if measuring \
      cannot work.

      Example:
        sudo -u measured measured doctor --store /var/lib/measured/measured.sqlite
      """)

  @OptionGroup var storage: StoreFileOptions
  @OptionGroup var catalog: CatalogOptions

  @Option(
    help: "The access to the controllers: auto, bluetoothd or kernel. Default: the settings'.")
  var radio: RadioChoice?

  @Flag(help: "Print JSON Lines.")
  var json = false

  func run() async throws {
    let facts = await MachineFacts.gather(
      storage: storage, catalog: catalog, choice: radio, now: Date())
    for finding in facts.findings {
      if json {
        try Console.json(FindingOutput(finding))
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
  /// The mark at the beginning of a line.
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

/// One line of `measured doctor`.
struct DoctorFinding: Hashable {
  /// How serious it is.
  enum Verdict: String, Encodable {
    case good
    /// Measuring works, with a drawback.
    case warning
    /// Measuring does not work.
    case problem
  }

  var subject: String
  var verdict: Verdict
  /// The finding, in words.
  var finding: String
  /// The advice; `nil` if there is nothing to do.
  var advice: String?
}
