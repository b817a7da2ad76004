import ArgumentParser
import BluetoothdRadio
import Controllers
import Foundation
import Localization
import Radio
import SystemBus
import Testing

@testable import Daemon
@testable import Terminal

@Suite struct MachineFactsTests {
  static let healthy: MachineFacts = {
    var facts = MachineFacts(now: Date(timeIntervalSince1970: 1_790_000_000))
    facts.controllers = [
      AttachedController(name: "hci0", bus: "usb")
    ]
    facts.mode = .bluetoothd
    facts.bluetoothd = .answers
    facts.store = .open(patients: 1, tasks: 2)
    facts.storePath = "/srv/care.sqlite"
    facts.freeBytes = 1 << 30
    facts.isClockSynchronized = true
    facts.definitions = .success(16)
    return facts
  }()

  @Test func `reports a healthy machine as good`() {
    let findings = Self.healthy.findings
    #expect(findings.allSatisfy { $0.verdict == .good && $0.advice == nil })
    #expect(
      findings.map(\.subject) == [
        .kernel, .controller, .bluetoothd, .timeZones, .clock, .store, .definitions,
      ])
  }

  /// The faults of a machine.
  enum Fault: CaseIterable {
    case noSocket, noController, softBlock, hardBlock, bluetoothdAsleep, bluetoothdBeside, noRight
    case noTimeZones, clockReset, clockLoose, noStore, emptyStore, brokenStore, fullDisk
    case brokenDefinition, skippedDefinition, clockBeforeBuild, damagedStore, lateTask
    case deviceClock, exposedPlan
    case bluetoothdMasked, bluetoothdHung, bluetoothdForbidden, noBus, unitFailed, unitRestarting
    case unitStopped, unitMasked, unitUnloadable, noWorkingController, oneBlocked
    case readOnlyDisk, noInodes, fullestDisk, clockFarAhead, clockBehindSample
    case brokenSettings, readOnlyStore, syncedStore
  }

  /// The notice of a daemon whose only controller fails.
  private static let trouble = RadioNotice.controller(
    "hci0", .trouble(.notPowered(.bus("Connection timed out")))
  ).message

  /// A healthy machine with one fault.
  static func machine(with fault: Fault) -> MachineFacts {
    var facts = healthy
    switch fault {
    case .noSocket: facts.socketFailure = "Address family not supported by protocol"
    case .noController: facts.controllers = []
    case .softBlock: facts.controllers[0].block = .soft
    case .hardBlock: facts.controllers[0].block = .hard
    case .bluetoothdAsleep: facts.bluetoothd = .absent
    case .bluetoothdMasked: (facts.bluetoothd, facts.isBluetoothdMasked) = (.absent, true)
    case .bluetoothdHung: facts.bluetoothd = .silent
    case .bluetoothdForbidden: facts.bluetoothd = .refused("Rejected send message")
    case .noBus: facts.bluetoothd = .noBus("No such file or directory")
    case .unitFailed:
      facts.unit = UnitSurvey(
        activeState: "failed", subState: "failed", result: "exit-code", restarts: 0)
    case .unitRestarting:
      facts.unit = UnitSurvey(
        activeState: "activating", subState: "auto-restart", result: "exit-code", restarts: 7)
    case .unitStopped:
      facts.unit = UnitSurvey(
        activeState: "inactive", subState: "dead", result: "success", restarts: 0)
    case .unitMasked:
      facts.unit = UnitSurvey(
        loadState: "masked", activeState: "inactive", subState: "dead", result: "success",
        restarts: 0)
    case .unitUnloadable:
      facts.unit = UnitSurvey(
        loadState: "bad-setting", activeState: "inactive", subState: "dead", result: "success",
        restarts: 0)
    case .noWorkingController: facts.daemonRadioTrouble = trouble
    case .oneBlocked: facts.controllers.append(AttachedController(name: "hci1", block: .hard))
    case .readOnlyDisk: (facts.store, facts.isReadOnly) = (.unopened, true)
    case .noInodes: (facts.store, facts.isOutOfFiles) = (.unopened, true)
    case .fullestDisk: (facts.store, facts.freeBytes) = (.unopened, 0)
    case .clockFarAhead:
      facts.isClockSynchronized = nil
      facts.newestSample = facts.now - 365 * 86_400
    case .clockBehindSample: facts.newestSample = facts.now + 3 * 86_400
    case .brokenSettings: facts.settingsFaults = ["measured.yaml:1: unknown key ‘radoi’"]
    case .readOnlyStore: facts.isStoreReadOnly = true
    case .syncedStore: facts.syncedFolder = "/home/anna/Dropbox"
    case .bluetoothdBeside: (facts.mode, facts.mayManage) = (.kernel, true)
    case .noRight: (facts.mode, facts.bluetoothd) = (.kernel, .absent)
    case .noTimeZones: facts.hasTimeZones = false
    case .clockReset: facts.now = Date(timeIntervalSince1970: 0)
    case .clockLoose: facts.isClockSynchronized = false
    case .noStore: facts.store = .missing
    case .emptyStore: facts.store = .open(patients: 0, tasks: 0)
    case .brokenStore: facts.store = .failed("The store cannot be opened.")
    case .fullDisk: facts.freeBytes = 5 << 20
    case .brokenDefinition:
      facts.definitions = .failure(CommandFailure(.failed, .verbatim("x.yaml:3: unknown key")))
    case .skippedDefinition: facts.definitionFaults = ["x.yaml:3: unknown key"]
    case .clockBeforeBuild: facts.buildDate = facts.now + 1
    case .damagedStore: facts.damage = "Tree 4 page 10: btreeInitPage() returns error code 11"
    case .lateTask:
      facts.lateTasks = [
        .init(task: "walk", patient: "john", effectiveDate: facts.now + 3_000_000_000)
      ]
    case .deviceClock: facts.wrongClocks = [.init(device: "5C:CA:D3:70:D4:A2", error: -86_400)]
    case .exposedPlan: facts.planFault = "plan.yaml contains keys"
    }
    return facts
  }

  /// The drop-in gives the right to the service, not to the person who asks.
  @Test(arguments: [true, false])
  func `asks whether the service may manage controllers`(mayManage: Bool) {
    var facts = Self.machine(with: .noRight)
    facts.unit = UnitSurvey(
      activeState: "active", subState: "running", result: "success", restarts: 0,
      mayManage: mayManage)
    let permissions = facts.findings.first { $0.subject == .permissions }
    #expect(permissions?.verdict == (mayManage ? .good : .problem))
  }

  @Test func `says that messages cannot leave, and by which lines they can`() {
    var facts = Self.healthy
    facts.unit = Self.running("listening")
    facts.hasChannels = true
    func advice() -> LocalizedText? {
      facts.findings.first { $0.subject == .service && $0.verdict == .warning }?.advice
    }
    #expect(advice() == nil)
    facts.unit?.isKeptIn = true
    #expect(advice() == "doctor.outletsBlockedAdvice")
    facts.hasChannels = false
    #expect(advice() == nil)
  }

  /// As systemd shows the filters of addresses: family, address, length.
  @Test(
    arguments: [
      ([([127, 0, 0, 0], 8), ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 128)], true),
      ([], true), ([([0, 0, 0, 0], 0)], false),
      ([([127, 0, 0, 0], 8), ([10, 0, 0, 0], 8)], false),
      ([([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0)], false),
    ] as [([([UInt8], UInt32)], Bool)])
  func `knows whether the unit lets anything out`(
    allowed: [([UInt8], UInt32)], isKeptIn: Bool
  ) throws {
    func filter(_ networks: [([UInt8], UInt32)]) -> BusValue {
      .array(
        of: "(iayu)",
        networks.map { address, length in
          .structure([.int32(address.count == 4 ? 2 : 10), .bytes(address), .uint32(length)])
        })
    }
    let unit: [String: BusValue] = ["LoadState": .string("loaded")]
    var service = [
      "IPAddressDeny": filter([([0, 0, 0, 0], 0)]), "IPAddressAllow": filter(allowed),
    ]
    #expect(try #require(UnitSurvey(unit: unit, service: service)).isKeptIn == isKeptIn)
    service["IPAddressDeny"] = filter([])
    #expect(try #require(UnitSurvey(unit: unit, service: service)).isKeptIn == false)
  }

  /// A service as systemd shows it while it runs.
  private static func running(_ status: String) -> UnitSurvey {
    UnitSurvey(
      activeState: "active", subState: "running", result: "success", restarts: 0, status: status)
  }

  /// A service without a controller that works runs, and measures nothing; its status says so to
  /// whom its socket does not answer.
  @Test func `says that no controller works`() {
    var facts = Self.healthy
    facts.unit = Self.running("\(UnitSurvey.waitingForRadio): \(Self.trouble)")
    for trouble in [nil, Self.trouble] {
      facts.daemonRadioTrouble = trouble
      let problems = facts.findings.filter { $0.verdict == .problem }
      #expect(problems.map(\.subject) == [.service])
      #expect(problems.first?.finding.message == "it measures nothing: \(Self.trouble)")
    }
    // A notice from before it ended is over.
    facts.daemonRadioTrouble = nil
    facts.unit?.activeState = "inactive"
    #expect(!facts.findings.contains { $0.verdict == .problem })
  }

  @Test(arguments: [
    ("Dropbox/health", "", true), ("stores", ".stfolder", true), ("a/b/c", "", false),
    ("Nextcloud", "", true), ("dropboxes-of-others/x", "", true),
  ])
  func `a folder that a program synchronizes is known`(
    folder: String, mark: String, isSynced: Bool
  ) throws {
    let scratch = try TemporaryFolder()
    let path = scratch.path(folder)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    if !mark.isEmpty {
      try FileManager.default.createDirectory(
        atPath: path + "/" + mark, withIntermediateDirectories: true)
    }
    #expect((MachineFacts.syncedFolder(around: path + "/s.sqlite") != nil) == isSynced)
  }

  /// A cause that is found here is not repeated in the daemon's words.
  @Test(arguments: [
    Fault.noSocket, .noController, .softBlock, .hardBlock, .bluetoothdMasked, .bluetoothdHung,
    .noRight,
  ])
  func `says once why no controller works`(fault: Fault) {
    var facts = Self.machine(with: fault)
    facts.unit = Self.running("\(UnitSurvey.waitingForRadio): \(Self.trouble)")
    facts.daemonRadioTrouble = Self.trouble
    #expect(facts.findings.count { $0.verdict == .problem } == 1)
  }

  /// Measuring needs one controller.
  @Test(arguments: [0, 1, 2])
  func `fails only if every controller is blocked`(blocked: Int) {
    var facts = Self.healthy
    facts.controllers = (0..<2).map { index in
      AttachedController(name: "hci\(index)", block: index < blocked ? .soft : nil)
    }
    let expected: [[DoctorFinding.Verdict]] = [
      [.good, .good], [.warning, .good], [.problem, .problem],
    ]
    let verdicts = facts.findings.filter { $0.subject == .controller }.map(\.verdict)
    #expect(verdicts == expected[blocked])
  }

  /// A unit that is masked or has a mistake is there, and cannot be started.
  @Test(
    arguments: [
      ("loaded", "active", .good, "runs", nil),
      ("masked", "inactive", .problem, "is masked", "unmask measured"),
      ("masked", "failed", .problem, "is masked", "enable --now measured"),
      ("masked", "active", .warning, "is masked", "unmask measured"),
      ("bad-setting", "inactive", .problem, "cannot be loaded (bad-setting)", "drop-in"),
      ("error", "inactive", .problem, "cannot be loaded (error)", "systemctl status measured"),
      ("not-found", "inactive", nil, "", nil),
    ] as [(String, String, DoctorFinding.Verdict?, String, String?)])
  func `says whether the service can be started`(
    loadState: String, activeState: String, verdict: DoctorFinding.Verdict?, words: String,
    advice: String?
  ) {
    var facts = Self.healthy
    facts.unit = UnitSurvey(
      unit: ["LoadState": .string(loadState), "ActiveState": .string(activeState)], service: [:])
    let finding = facts.findings.first { $0.subject == .service }
    #expect(finding?.verdict == verdict)
    #expect(finding?.finding.message.contains(words) ?? (verdict == nil))
    if let advice { #expect(finding?.advice?.message.contains(advice) == true) }
  }

  /// A running daemon knows how it reaches the radio; its drop-in may say so beside the settings.
  @Test(
    arguments: [
      (nil, "kernel", .auto, .kernel), (nil, "kernel", .bluetoothd, .kernel),
      (nil, "bluetoothd", .kernel, .bluetoothd), (.bluetoothd, "kernel", .auto, .bluetoothd),
      (.auto, "kernel", .bluetoothd, .kernel), (nil, nil, .kernel, .kernel),
      (nil, nil, .auto, .bluetoothd), (.auto, nil, .kernel, .bluetoothd),
    ] as [(RadioChoice?, String?, RadioChoice, RadioMode)])
  func `judges by the mode in use`(
    choice: RadioChoice?, daemon: String?, settings: RadioChoice, mode: RadioMode
  ) {
    let evidence = RadioMode.Evidence(isOwned: false, isInstalled: true)
    #expect(RadioMode.judged(choice, daemon: daemon, settings: settings, evidence) == mode)
  }

  /// The service works with its own store, and with no other one that is hidden.
  @Test(
    arguments: [
      ("/root/care.sqlite", nil, false, .unknown), ("/root/care.sqlite", nil, true, .daemon),
      ("/root/care.sqlite", "/root/care.sqlite", false, .service),
      ("/var/lib/measured/measured.sqlite", nil, false, .service),
      ("/var/lib/measured/measured.sqlite", "/root/care.sqlite", false, .unknown),
    ] as [(String, String?, Bool, MachineFacts.Store.Use)])
  func `tells the store of the service from others`(
    path: String, settings: String?, answers: Bool, use: MachineFacts.Store.Use
  ) {
    var facts = Self.healthy
    facts.unit = Self.running("listening")
    facts.storePath = path
    #expect(facts.useOfHiddenStore(answers: answers, settings: settings) == use)
  }

  /// A service that waits for its store runs, and measures nothing.
  @Test func `says that the service waits for its store`() {
    var facts = Self.machine(with: .noStore)
    facts.unit = UnitSurvey(
      activeState: "active", subState: "running", result: "success", restarts: 0,
      status: "degraded (x; see measured doctor): waiting for the store: it was deleted.")
    let findings = facts.findings
    #expect(findings.first { $0.subject == .service }?.verdict == .problem)
    let store = findings.first { $0.subject == .store }
    #expect(store?.verdict == .problem)
    // An import would make another store, and the service would lose the one that it holds.
    #expect(store?.advice?.message.contains("import") == false)
    #expect(store?.advice?.message.contains("backup") == true)
  }

  /// A store that this user may not see is no fault while somebody works with it.
  @Test(
    arguments: zip(
      [MachineFacts.Store.Use.daemon, .service, .unknown],
      [DoctorFinding.Verdict.good, .warning, .problem]))
  func `says who uses a hidden store`(use: MachineFacts.Store.Use, verdict: DoctorFinding.Verdict) {
    var facts = Self.healthy
    facts.store = .hidden(use)
    let store = facts.findings.first { $0.subject == .store }
    #expect(store?.verdict == verdict)
    #expect(store?.finding.message.contains("/srv/care.sqlite") == true)
    // Advice must not cost the store.
    #expect(store?.advice?.message.contains("restore") != true)
  }

  @Test func `names a device with the error of its clock`() {
    let findings = Self.machine(with: .deviceClock).findings
    #expect(
      findings.contains {
        $0.finding.message.hasPrefix("the clock of 5C:CA:D3:70:D4:A2 is 1 day behind")
      })
  }

  /// A daemon of another user meets what this user does not.
  @Test func `reports what only the daemon met`() {
    var facts = Self.machine(with: .brokenSettings)
    facts.definitionFaults = ["x.yaml:3: unknown key"]
    facts.daemonFaults = [
      "measured.yaml:1: unknown key ‘radoi’",
      "A device definition is left out: x.yaml:3: unknown key",
      "The plan is not imported: /etc/measured/plan.yaml: Permission denied",
      "The page cannot be served on 127.0.0.1:8473: Address already in use",
    ]
    let findings = facts.findings.filter { $0.subject == .service }
    #expect(
      findings.map(\.finding.message) == facts.daemonFaults.dropFirst(2).map { "it says: \($0)" })
    #expect(findings.allSatisfy { $0.verdict == .warning && $0.advice != nil })
  }

  @Test func `names the patient whom nobody knows`() {
    var facts = Self.healthy
    facts.missingPatient = "jon"
    let findings = facts.findings.filter { $0.verdict != .good }
    #expect(findings.map(\.subject) == [.settings])
    #expect(findings.first?.finding.message.contains("patient: jon") == true)
  }

  /// Each fault is one line with advice.
  @Test(
    arguments: zip(
      Fault.allCases,
      [
        (.kernel, .problem), (.controller, .problem), (.controller, .problem),
        (.controller, .problem), (.bluetoothd, .problem), (.bluetoothd, .problem),
        (.permissions, .problem), (.timeZones, .problem), (.clock, .problem),
        (.clock, .warning), (.store, .warning), (.store, .warning), (.store, .problem),
        (.disk, .problem), (.definitions, .problem), (.definitions, .warning),
        (.clock, .problem), (.store, .problem), (.plan, .warning), (.device, .warning),
        (.plan, .warning),
        (.bluetoothd, .problem), (.bluetoothd, .problem), (.bluetoothd, .problem),
        (.bluetoothd, .problem), (.service, .problem), (.service, .problem),
        (.service, .warning), (.service, .problem), (.service, .problem),
        (.service, .problem), (.controller, .warning), (.disk, .problem), (.disk, .problem),
        (.disk, .problem),
        (.clock, .warning), (.clock, .warning), (.settings, .warning), (.store, .problem),
      ] as [(DoctorFinding.Subject, DoctorFinding.Verdict)]))
  func `advises on each fault`(
    fault: Fault, expected: (subject: DoctorFinding.Subject, verdict: DoctorFinding.Verdict)
  )
    throws
  {
    let findings = Self.machine(with: fault).findings.filter { $0.verdict != .good }
    let finding = try #require(findings.first)
    #expect(findings.count == 1)
    #expect(finding.subject == expected.subject)
    #expect(finding.verdict == expected.verdict)
    let advice = try #require(finding.advice)
    for words in LanguageCatalogue.embedded.languages {
      for text in [finding.finding, advice, finding.subject.text] {
        #expect(!words.text(text).isEmpty && !words.text(text).contains { "⟦{}".contains($0) })
      }
    }
  }

  /// A machine without a controller is told that, and bluetoothd is not to blame.
  @Test func `bluetoothd may sleep without a controller`() {
    var facts = Self.machine(with: .noController)
    facts.bluetoothd = .absent
    let findings = facts.findings.filter { $0.verdict != .good }
    #expect(findings.map(\.subject) == [.controller, .bluetoothd])
    #expect(findings.map(\.verdict) == [.problem, .warning])
  }

  /// A clock that the network sets may be long after the last measurement.
  @Test func `trusts a synchronized clock`() {
    var facts = Self.healthy
    facts.newestSample = facts.now - 3650 * 86_400
    #expect(facts.findings.allSatisfy { $0.verdict == .good })
  }

  /// Where a folder may not be entered, it cannot be said that there is no store.
  @Test func `says that a store cannot be looked for`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "file")
    let storage = try StoreFileOptions.parse(["--store", file + "/measured.sqlite"])
    let facts = await MachineFacts.gather(
      storage: storage, catalog: try CatalogOptions.parse([]), choice: .kernel, now: Date())
    let store = try #require(facts.findings.first { $0.subject == .store })
    #expect(store.verdict == .problem)
    #expect(store.finding.message.contains("may not look"))
  }
}
