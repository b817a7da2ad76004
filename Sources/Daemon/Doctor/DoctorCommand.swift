import ArgumentParser
import Foundation
import Interchange
import Localization
import Terminal
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
        let subject = finding.subject.text.message.padded(to: 12)
        Console.out("\(finding.verdict.mark) \(subject) \(finding.finding.message)")
        if let advice = finding.advice { Console.out("               → \(advice.message)") }
      }
    }
    guard !facts.findings.contains(where: { $0.verdict == .problem }) else {
      throw CommandFailure(.failed, isJSON: json)
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
  var subject: DoctorFinding.Subject
  var verdict: DoctorFinding.Verdict
  var finding: String
  @Nullable var advice: String?

  init(_ finding: DoctorFinding) {
    subject = finding.subject
    verdict = finding.verdict
    self.finding = finding.finding.message
    advice = finding.advice?.message
  }
}

/// One line of `measured doctor`, which the page shows in the reader's language.
struct DoctorFinding: Hashable, Sendable {
  /// How serious it is.
  enum Verdict: String, Encodable {
    case good
    /// Measuring works, with a drawback.
    case warning
    /// Measuring does not work.
    case problem
  }

  /// The part of the machine that it is about; the raw value is its name for programs.
  enum Subject: String, Encodable {
    case kernel, controller, bluetoothd, permissions, service
    case timeZones = "time zones"
    case clock, store, weighings, disk, plan, device, settings, definitions

    /// Its name for people.
    var text: LocalizedText { LocalizedText("doctor.subject.\(self)") }
  }

  var subject: Subject
  var verdict: Verdict
  /// The finding, with its facts.
  var finding: LocalizedText
  /// The advice; `nil` if there is nothing to do.
  var advice: LocalizedText?

  static func good(_ subject: Subject, _ finding: LocalizedText) -> DoctorFinding {
    DoctorFinding(subject: subject, verdict: .good, finding: finding)
  }

  static func warning(
    _ subject: Subject, _ finding: LocalizedText, _ advice: LocalizedText
  ) -> DoctorFinding {
    DoctorFinding(subject: subject, verdict: .warning, finding: finding, advice: advice)
  }

  static func problem(
    _ subject: Subject, _ finding: LocalizedText, _ advice: LocalizedText
  ) -> DoctorFinding {
    DoctorFinding(subject: subject, verdict: .problem, finding: finding, advice: advice)
  }
}
