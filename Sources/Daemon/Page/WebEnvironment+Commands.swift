import Actions
import CareStore
import DeviceCatalog
import Exchange
import Foundation
import Hub
import Localization
import Outlets
import Pages
import Radio
import Terminal
import Web

extension WebEnvironment {
  /// The environment of a store with what a daemon knows of radio, machine and boxes.
  init(
    store: SQLStore, path: String?, catalog: DeviceCatalog, nearby: NearbyDevices? = nil,
    desk: MeasuringDesk? = nil, pairing: PairingDesk? = nil, counts: HubCounts? = nil,
    mode: RadioMode? = nil, takesTaps: Bool = false, isCentre: Bool = false,
    reached: String? = nil, authorities: String? = nil,
    tester: ChannelTester? = nil, receivers: OutletDesk? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(store: store, catalog: catalog, desk: desk, now: now)
    self.nearby = { nearby?.devices(at: now(), by: catalog) }
    self.pairing = pairing
    self.takesTaps = takesTaps
    door = isCentre ? CentreDoor(Centre(), random: AccessFiles.random) : nil
    centres = CentreDesk(store, authorities: authorities, now: now)
    self.reached = reached
    self.receivers = receivers
    if let tester { test = { try await tester.perform(ChannelTrial($0, in: $1)) } }
    findings = { [radio = mode.map(RadioFindings.init)] in
      await radio?.problems(at: now()) ?? []
    }
    metrics = {
      await DaemonMetrics(store: store, path: path, hub: counts).families()
    }
  }
}

extension OutletDesk {
  /// The desk of a daemon, which sends, and whose settings have these outlets.
  init(
    _ store: SQLStore, settings: [OutletSettings], path: String, authorities: String?,
    mail: @escaping @Sendable () -> MailSettings?, now: @escaping @Sendable () -> Date
  ) {
    self.init(
      settings: Dictionary(
        settings.map { ($0.name, $0.definition) }, uniquingKeysWith: { first, _ in first }),
      test: { name in
        let outlet = try await OutletSettings.named(name, in: settings, store: store)
        return try await outlet.test(
          in: store, folder: StoreLocation.folder(of: path), authorities: authorities, mail: mail(),
          now: now)
      })
  }
}

extension CentreDesk {
  /// The desk of a store whose secrets this process may write.
  init(
    _ store: SQLStore, authorities: String?, now: @escaping @Sendable () -> Date
  ) {
    self.init(
      join: { address, code in
        let transport = CentreConversation.transport(authorities: authorities, keeps: false)
        defer { transport.close() }
        do {
          let joined = try await CentreJoining(store: store, transport: transport, now: now)
            .join(try CentreJoining.address(address), code: code)
          return .joined(
            LocalizedText("setup.centre.joined", ["centre": "\(joined.centre.address)"]))
        } catch let refusal as CentreJoining.Refusal {
          return .refused(refusal.localized)
        }
      }, leave: { try await $0.leave(store) })
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
