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
    case brokenDefinition
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
    }
    return facts
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
        ("disk", .problem), ("definitions", .problem),
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
