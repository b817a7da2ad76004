import Assessments
import Care
import CareStore
import DeviceCatalog
import Exchange
import Foundation
import Hub
import Localization
import Outlets
import Pages
import Plans
import Radio
import Web

extension WebEnvironment {
  /// The environment of a store, with the words and rules of the command line.
  init(
    store: SQLStore, path: String?, catalog: DeviceCatalog, nearby: NearbyDevices? = nil,
    desk: MeasuringDesk? = nil, pairing: PairingDesk? = nil, counts: HubCounts? = nil,
    mode: RadioMode? = nil, takesTaps: Bool = false, isCentre: Bool = false,
    tester: ChannelTester? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    var test: (@Sendable (Channel, Language) async throws -> DeliveryResult)?
    if let tester { test = { try await tester.perform(ChannelTrial($0, in: $1)) } }
    self.init(
      store: store, now: now, timeZone: .current,
      fault: { error in
        let failure = CommandFailure(error)
        return Fault(Fault.Kind(failure.code), failure.message)
      },
      deviceNames: Dictionary(
        catalog.definitions.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first }),
      nearby: { nearby?.devices(at: now(), by: catalog) },
      plans: .commands(definitions: DefinitionIndex(catalog)),
      measuring: desk.map { Measuring($0, store: store, now: now) },
      pairing: pairing, takesTaps: takesTaps,
      door: isCentre ? CentreDoor(Centre(), random: AccessFiles.random) : nil,
      test: test,
      findings: { [radio = mode.map(RadioFindings.init)] in
        await radio?.problems(at: now()) ?? []
      },
      metrics: {
        await DaemonMetrics(store: store, path: path, hub: counts).families()
      })
  }
}

/// The faults that keep the radio from measuring, as `measured doctor` says them.
private actor RadioFindings {
  private let mode: RadioMode
  private var latest: (date: Date, findings: [SetupFinding])?

  init(mode: RadioMode) { self.mode = mode }

  /// How long an answer holds, in seconds: the page asks again while it is open.
  private static let lifetime: TimeInterval = 20

  func problems(at date: Date) async -> [SetupFinding] {
    if let latest, abs(date.timeIntervalSince(latest.date)) < Self.lifetime {
      return latest.findings
    }
    var (facts, _) = await MachineFacts.gatherRadio(now: date)
    facts.mode = mode
    let findings = facts.radioFindings
      .filter { $0.verdict == .problem }
      .map { problem in
        SetupFinding(
          title: LocalizedText(
            "doctor.line",
            ["subject": .capitalized(problem.subject.text), "finding": .text(problem.finding)]),
          advice: problem.advice)
      }
    latest = (date, findings)
    return findings
  }
}

extension Measuring {
  /// The sessions of a desk, whose results `store` keeps.
  fileprivate init(
    _ desk: MeasuringDesk, store: SQLStore, now: @escaping @Sendable () -> Date
  ) {
    self.init(
      open: { event, startsSoon, reader in
        try desk.open(event, startsSoon: startsSoon, in: reader, now: now())
      },
      status: { desk.status(of: $0) }, statusOfEvent: { desk.status(ofEvent: $0) },
      all: { desk.statuses }, perform: { try desk.perform($0, on: $1) },
      keep: { try await desk.keep($0, in: store, now: now()) })
  }
}

extension MeasuringDesk {
  /// The desk of this program.
  static func live() -> MeasuringDesk {
    let start = ContinuousClock.now
    return MeasuringDesk(
      clock: {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
      },
      makeID: { UUID().uuidString.lowercased() })
  }
}

extension PlanText {
  /// Plan files as the command line reads and writes them; all mistakes of a file are reported.
  ///
  /// `definitions` are the device definitions; `nil` to take any.
  static func commands(definitions: DefinitionIndex? = nil) -> PlanText {
    PlanText(
      encode: { PlanFile.encode(try PlanDocument(current: $0, patient: nil)) },
      parse: { try PlanFile.plan(in: $0, file: "the plan", definitions: definitions) },
      check: { task, reader in
        var plan = try PlanDocument(current: reader, patient: nil)
        plan.tasks = [task]
        (plan.devices, plan.notes) = ([], [])
        let read = try PlanFile.parse(
          PlanFile.encode(plan), file: "the plan", activeTasks: AssessmentList.forms)
        guard read.tasks == [task] else {
          throw CommandFailure(.refused, "command.plan.unsayable")
        }
      })
  }
}

extension Fault.Kind {
  fileprivate init(_ code: ExitCode) {
    self =
      switch code {
      case .done, .failed: .failed
      case .malformedArgument: .malformed
      case .refused: .refused
      case .unknown: .unknown
      }
  }
}
