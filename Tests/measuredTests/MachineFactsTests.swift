import Controllers
import Foundation
import Radio
import Testing

@testable import measured

@Suite struct MachineFactsTests {
  static let healthy: MachineFacts = {
    var facts = MachineFacts(now: Date(timeIntervalSince1970: 1_790_000_000))
    facts.controllers = [
      AttachedController(name: "hci0", bus: "usb")
    ]
    facts.mode = .bluetoothd
    facts.isBluetoothdRunning = true
    facts.store = .open(patients: 1, tasks: 2)
    facts.storePath = "/srv/care.sqlite"
    facts.freeBytes = 1 << 30
    facts.isClockSynchronized = true
    facts.definitions = .success(16)
    return facts
  }()

  @Test func reportsAHealthyMachineAsGood() {
    let findings = Self.healthy.findings
    #expect(findings.allSatisfy { $0.verdict == .good && $0.advice == nil })
    #expect(
      findings.map(\.subject) == [
        "kernel", "controller", "bluetoothd", "time zones", "clock", "store", "definitions",
      ])
  }

  /// The faults of a machine.
  enum Fault: CaseIterable {
    case noSocket, noController, softBlock, hardBlock, bluetoothdAsleep, bluetoothdBeside, noRight
    case noTimeZones, clockReset, clockLoose, noStore, emptyStore, brokenStore, fullDisk
    case brokenDefinition, skippedDefinition, clockBeforeBuild, damagedStore, lateTask
    case deviceClock, exposedPlan
  }

  /// A healthy machine with one fault.
  static func machine(with fault: Fault) -> MachineFacts {
    var facts = healthy
    switch fault {
    case .noSocket: facts.socketFailure = "Address family not supported by protocol"
    case .noController: facts.controllers = []
    case .softBlock: facts.controllers[0].block = .soft
    case .hardBlock: facts.controllers[0].block = .hard
    case .bluetoothdAsleep: facts.isBluetoothdRunning = false
    case .bluetoothdBeside: (facts.mode, facts.mayManage) = (.kernel, true)
    case .noRight: (facts.mode, facts.isBluetoothdRunning) = (.kernel, false)
    case .noTimeZones: facts.hasTimeZones = false
    case .clockReset: facts.now = Date(timeIntervalSince1970: 0)
    case .clockLoose: facts.isClockSynchronized = false
    case .noStore: facts.store = .missing
    case .emptyStore: facts.store = .open(patients: 0, tasks: 0)
    case .brokenStore: facts.store = .failed("The store cannot be opened.")
    case .fullDisk: facts.freeBytes = 5 << 20
    case .brokenDefinition:
      facts.definitions = .failure(CommandFailure(.failed, "x.yaml:3: unknown key"))
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

  @Test func namesADeviceWithTheErrorOfItsClock() {
    let findings = Self.machine(with: .deviceClock).findings
    #expect(
      findings.contains {
        $0.finding.hasPrefix("the clock of 5C:CA:D3:70:D4:A2 is 1 day behind")
      })
  }

  /// Each fault is one line with advice.
  @Test(
    arguments: zip(
      Fault.allCases,
      [
        ("kernel", .problem), ("controller", .problem), ("controller", .problem),
        ("controller", .problem), ("bluetoothd", .warning), ("bluetoothd", .problem),
        ("permissions", .problem), ("time zones", .problem), ("clock", .problem),
        ("clock", .warning), ("store", .warning), ("store", .warning), ("store", .problem),
        ("disk", .problem), ("definitions", .problem), ("definitions", .warning),
        ("clock", .problem), ("store", .problem), ("plan", .warning), ("device", .warning),
        ("plan", .warning),
      ] as [(String, DoctorFinding.Verdict)]))
  func advisesOnEachFault(fault: Fault, expected: (subject: String, verdict: DoctorFinding.Verdict))
    throws
  {
    let findings = Self.machine(with: fault).findings.filter { $0.verdict != .good }
    let finding = try #require(findings.first)
    #expect(findings.count == 1)
    #expect(finding.subject == expected.subject)
    #expect(finding.verdict == expected.verdict)
    #expect(finding.advice?.isEmpty == false)
  }
}
