import Actions
import BluetoothdRadio
import Care
import Controllers
import Foundation
import Localization
import Radio
import Terminal

extension MachineFacts {
  /// The meaning of each fact, with advice.
  var findings: [DoctorFinding] {
    let machine: [DoctorFinding?] = [
      timeZones, clock, storage, groupFinding, secrets, outlets, weighings, synchronization, space,
    ]
    let files: [DoctorFinding?] = [settings, patient, planFile, catalog]
    return radioFindings + machine.compactMap(\.self) + late + deviceClocks
      + files.compactMap(\.self)
      + daemon
  }

  /// The findings about what a daemon needs while it runs.
  var watchedFindings: [DoctorFinding] { radioFindings + [clock, space].compactMap(\.self) }

  /// The findings about the kernel, the controllers, bluetoothd and the service.
  var radioFindings: [DoctorFinding] {
    let access: [DoctorFinding?] = [bluetoothdFinding, permissions]
    let air = [kernel] + radio + access.compactMap(\.self)
    // A problem of the radio that is found here is why no controller works for the daemon, too.
    let trouble = air.contains { $0.verdict == .problem } ? nil : radioTrouble
    return air + [serviceFinding, trouble].compactMap(\.self)
  }

  private var kernel: DoctorFinding {
    guard let socketFailure else { return .good(.kernel, "doctor.kernel") }
    return .problem(
      .kernel, LocalizedText("doctor.noSocket", ["reason": "\(socketFailure)"]),
      "doctor.noSocketAdvice")
  }

  private var radio: [DoctorFinding] {
    guard !controllers.isEmpty else {
      return [.problem(.controller, "doctor.noController", "doctor.noControllerAdvice")]
    }
    // One controller is enough to measure.
    let isOneFree = controllers.contains { $0.block == nil }
    return controllers.map { controller in
      let name = controller.name + (controller.bus.map { " (\($0))" } ?? "")
      guard let block = controller.block else { return .good(.controller, .verbatim(name)) }
      return DoctorFinding(
        subject: .controller, verdict: isOneFree ? .warning : .problem,
        finding: block.finding(of: name), advice: block.advice)
    }
  }

  /// The daemon's trouble with its radio, while no controller works.
  private var radioTrouble: DoctorFinding? {
    (daemonRadioTrouble ?? unit?.radioTrouble).map { trouble in
      .problem(
        .service, LocalizedText("doctor.radioTrouble", ["trouble": "\(trouble)"]),
        "doctor.radioTroubleAdvice")
    }
  }

  private var bluetoothdFinding: DoctorFinding {
    switch (mode, bluetoothd) {
    case (.bluetoothd, .answers): .good(.bluetoothd, "doctor.throughBluetoothd")
    case (.bluetoothd, .silent):
      .problem(.bluetoothd, "doctor.bluetoothdSilent", "doctor.bluetoothdSilentAdvice")
    case (.bluetoothd, .refused(let reason)):
      .problem(
        .bluetoothd, LocalizedText("doctor.bluetoothdRefuses", ["reason": "\(reason)"]),
        "doctor.bluetoothdRefusesAdvice")
    case (.bluetoothd, .noBus(let reason)):
      .problem(
        .bluetoothd, LocalizedText("doctor.noBus", ["reason": "\(reason)"]), "doctor.noBusAdvice")
    case (.bluetoothd, .absent) where isBluetoothdMasked:
      .problem(.bluetoothd, "doctor.bluetoothdMasked", "doctor.bluetoothdMaskedAdvice")
    case (.bluetoothd, .absent):
      DoctorFinding(
        subject: .bluetoothd, verdict: controllers.isEmpty ? .warning : .problem,
        finding: "doctor.bluetoothdAsleep", advice: "doctor.bluetoothdAsleepAdvice")
    case (.kernel, .answers), (.kernel, .silent), (.kernel, .refused):
      .problem(.bluetoothd, "doctor.bluetoothdBeside", "doctor.bluetoothdBesideAdvice")
    case (.kernel, .absent), (.kernel, .noBus): .good(.bluetoothd, "doctor.throughKernel")
    }
  }

  private var serviceFinding: DoctorFinding? {
    guard let unit else { return nil }
    func unstartable(_ verdict: DoctorFinding.Verdict) -> DoctorFinding {
      unit.loadState == "masked"
        ? DoctorFinding(
          subject: .service, verdict: verdict, finding: "doctor.unitMasked",
          advice: "doctor.unitMaskedAdvice")
        : DoctorFinding(
          subject: .service, verdict: verdict,
          finding: LocalizedText("doctor.unitUnloadable", ["state": "\(unit.loadState)"]),
          advice: "doctor.unitUnloadableAdvice")
    }
    switch (unit.activeState, unit.subState) {
    case _ where !unit.isRunning && unit.loadState != "loaded": return unstartable(.problem)
    case (_, "auto-restart"):
      return .problem(
        .service,
        LocalizedText(
          "doctor.unitRestarts", ["result": "\(unit.result)", "restarts": .init(unit.restarts)]),
        "doctor.unitAdvice")
    case ("failed", _):
      return .problem(
        .service, LocalizedText("doctor.unitFailed", ["result": "\(unit.result)"]),
        "doctor.unitAdvice")
    case ("inactive", _), ("deactivating", _):
      return .warning(.service, "doctor.unitStopped", "doctor.unitStoppedAdvice")
    case _ where unit.isWaitingForStore:
      return .problem(
        .service, LocalizedText("doctor.unitWaits", ["status": "\(unit.status)"]),
        "doctor.unitAdvice")
    // It runs on, and does not start again.
    case _ where unit.loadState != "loaded": return unstartable(.warning)
    default: return .good(.service, "doctor.unitRuns")
    }
  }

  private var permissions: DoctorFinding? {
    guard mode == .kernel else { return nil }
    guard !mayManage else { return .good(.permissions, "doctor.mayManage") }
    guard unit?.mayManage != true else {
      return .good(.permissions, "doctor.serviceMayManage")
    }
    return .problem(.permissions, "doctor.mayNotManage", "doctor.mayNotManageAdvice")
  }

  private var timeZones: DoctorFinding {
    hasTimeZones
      ? .good(.timeZones, "doctor.timeZones")
      : .problem(.timeZones, "doctor.noTimeZones", "doctor.noTimeZonesAdvice")
  }

  private static let day: TimeInterval = 86_400

  private var clock: DoctorFinding {
    let time = LocalizedText.Value(now.toTheSecond(in: .gmt))
    // This program is newer than June 2025: an earlier clock was reset, having no battery.
    let earliest = max(Date(timeIntervalSince1970: 1_750_000_000), buildDate ?? .distantPast)
    if now < earliest {
      return .problem(
        .clock, LocalizedText("doctor.clockReset", ["time": time]), "doctor.clockResetAdvice")
    }
    if let newestSample, newestSample > now + Self.day {
      return .warning(
        .clock,
        LocalizedText(
          "doctor.clockBehind",
          ["time": time, "newest": .init(newestSample.toTheSecond(in: .gmt))]),
        "doctor.clockBehindAdvice")
    }
    if isClockSynchronized != true, let last = [newestSample, buildDate].compactMap(\.self).max(),
      now > last + 180 * Self.day
    {
      return .warning(
        .clock, LocalizedText("doctor.clockAhead", ["time": time]), "doctor.clockAheadAdvice")
    }
    return switch isClockSynchronized {
    case true?: .good(.clock, "doctor.clockSet")
    case false?: .warning(.clock, "doctor.clockLoose", "doctor.clockLooseAdvice")
    case nil:
      .good(.clock, LocalizedText("doctor.clockShows", ["time": .init(now.rfc3339(in: .gmt))]))
    }
  }

  private var storage: DoctorFinding? {
    let path: [String: LocalizedText.Value] = ["path": "\(storePath)"]
    return switch store {
    case .unopened: nil
    case .missing where unit?.isWaitingForStore == true:
      .problem(.store, LocalizedText("doctor.storeGone", path), "doctor.storeGoneAdvice")
    case .missing:
      .warning(
        .store, LocalizedText("doctor.noStore", path),
        LocalizedText("doctor.noStoreAdvice", ["store": "\(UnitSurvey.store)"]))
    case .open where damage != nil:
      .problem(
        .store, LocalizedText("doctor.storeDamaged", path).with("damage", "\(damage ?? "")"),
        "doctor.storeDamagedAdvice")
    case .open where isStoreReadOnly:
      .problem(.store, LocalizedText("doctor.storeReadOnly", path), "doctor.storeReadOnlyAdvice")
    case .open(let patients, let tasks):
      DoctorFinding(
        subject: .store, verdict: tasks == 0 ? .warning : .good,
        finding: LocalizedText("doctor.store", path)
          .with("patients", .init(patients)).with("tasks", .init(tasks)),
        advice: tasks == 0 ? "doctor.storeEmptyAdvice" : nil)
    case .hidden(.daemon): .good(.store, LocalizedText("doctor.storeOfDaemon", path))
    case .hidden(.service):
      .warning(.store, LocalizedText("doctor.storeOfService", path), "doctor.storeOfServiceAdvice")
    case .hidden(.unknown):
      .problem(.store, LocalizedText("doctor.storeHidden", path), "doctor.storeHiddenAdvice")
    case .failed(let reason): .problem(.store, .verbatim(reason), "doctor.storeFailedAdvice")
    }
  }

  private var groupFinding: DoctorFinding? {
    groupFault.map { .warning(.store, $0.words, "doctor.groupAdvice") }
  }

  private var secrets: DoctorFinding? {
    secretsFault.map { .warning(.store, .verbatim($0), "doctor.secretsAdvice") }
  }

  private var outlets: DoctorFinding? {
    guard hasChannels, unit?.isKeptIn == true else { return nil }
    return .warning(.service, "doctor.outletsBlocked", "doctor.outletsBlockedAdvice")
  }

  private var weighings: DoctorFinding? {
    contradictions.swapped.map { .warning(.weighings, $0, "doctor.weighingsAdvice") }
  }

  private var space: DoctorFinding? {
    let path: [String: LocalizedText.Value] = ["path": "\(storePath)"]
    if isReadOnly {
      return .problem(
        .disk, LocalizedText("doctor.diskReadOnly", path), "doctor.diskReadOnlyAdvice")
    }
    if isOutOfFiles {
      return .problem(
        .disk, LocalizedText("doctor.diskOutOfFiles", path), "doctor.diskOutOfFilesAdvice")
    }
    guard let freeBytes, freeBytes < 100 << 20 else { return nil }
    return .problem(
      .disk, LocalizedText("doctor.diskFull", ["free": .init(freeBytes >> 20)]),
      "doctor.diskFullAdvice")
  }

  private var synchronization: DoctorFinding? {
    syncedFolder.map { folder in
      .warning(
        .store,
        LocalizedText("doctor.storeSynced", ["path": "\(storePath)", "folder": "\(folder)"]),
        "doctor.storeSyncedAdvice")
    }
  }

  /// The versions that an import made while the clock was ahead.
  private var late: [DoctorFinding] {
    lateTasks.map { late in
      .warning(
        .plan,
        LocalizedText(
          "doctor.lateTask",
          [
            "task": "\(late.task)", "patient": "\(late.patient)",
            "day": .init(late.effectiveDate.day(in: .gmt)),
          ]), "doctor.lateTaskAdvice")
    }
  }

  private var deviceClocks: [DoctorFinding] {
    wrongClocks.map { wrong in
      .warning(
        .device,
        LocalizedText(
          "doctor.deviceClock",
          ["device": "\(wrong.device)", "difference": .text(Reading.difference(wrong.error))]),
        "doctor.deviceClockAdvice")
    }
  }

  private var settings: DoctorFinding? {
    settingsFaults.first.map { fault in
      .warning(
        .settings,
        LocalizedText("doctor.settings", ["faults": .faults(fault, of: settingsFaults)]),
        "doctor.settingsAdvice")
    }
  }

  private var patient: DoctorFinding? {
    missingPatient.map {
      .warning(.settings, Self.unknownPatient($0), "doctor.unknownPatientAdvice")
    }
  }

  /// The faults that only the daemon has found: it is another user, and holds the page.
  private var daemon: [DoctorFinding] {
    let own = settingsFaults + definitionFaults + [planFault].compactMap(\.self)
    return daemonFaults.filter { fault in !own.contains { fault.contains($0) } }.map { fault in
      .warning(
        .service, LocalizedText("doctor.daemonFault", ["fault": "\(fault)"]),
        "doctor.daemonFaultAdvice")
    }
  }

  private var planFile: DoctorFinding? {
    planFault.map { .warning(.plan, .verbatim($0), "doctor.planFileAdvice") }
  }

  private var catalog: DoctorFinding {
    switch definitions {
    case .success(let count):
      guard let first = definitionFaults.first else {
        return .good(.definitions, LocalizedText("doctor.definitions", ["number": .init(count)]))
      }
      return .warning(
        .definitions,
        LocalizedText(
          "doctor.definitionFaults",
          ["number": .init(count), "faults": .faults(first, of: definitionFaults)]),
        "doctor.definitionsAdvice")
    case .failure(let failure):
      return .problem(.definitions, .verbatim(failure.message), "doctor.definitionsAdvice")
    }
  }
}

extension LocalizedText.Value {
  /// The first of several faults, and how many there are more.
  fileprivate static func faults(_ first: String, of all: [String]) -> Self {
    guard all.count > 1 else { return "\(first)" }
    return .text(
      LocalizedText("doctor.andMore", ["fault": "\(first)", "more": .init(all.count - 1)]))
  }
}

extension MachineFacts.GroupFault {
  fileprivate var words: LocalizedText {
    switch self {
    case .folder(let path): LocalizedText("doctor.groupFolder", ["path": "\(path)"])
    case .file(let path): LocalizedText("doctor.groupFile", ["path": "\(path)"])
    }
  }
}
