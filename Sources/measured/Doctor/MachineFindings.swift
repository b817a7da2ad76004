import BluetoothdRadio
import Care
import Controllers
import Foundation
import Localization
import Radio

extension MachineFacts {
  /// The meaning of each fact, with advice.
  var findings: [DoctorFinding] {
    let machine: [DoctorFinding?] = [
      timeZones, clock, storage, groupFinding, secrets, weighings, synchronization, space,
    ]
    let files: [DoctorFinding?] = [settings, patient, planFile, catalog]
    return radioFindings + machine.compactMap(\.self) + late + deviceClocks
      + files.compactMap(\.self)
      + daemon
  }

  /// The findings about the kernel, the controllers, bluetoothd and the service.
  var radioFindings: [DoctorFinding] {
    let access: [DoctorFinding?] = [bluetoothdFinding, permissions]
    let air = [kernel] + radio + access.compactMap(\.self)
    // A problem of the radio that is found here is why no controller works for the daemon, too.
    let trouble = air.contains { $0.verdict == .problem } ? nil : radioTrouble
    return air + [serviceFinding, trouble].compactMap(\.self)
  }

  private var kernel: DoctorFinding {
    guard let socketFailure else {
      return DoctorFinding(subject: "kernel", verdict: .good, finding: "it supports Bluetooth")
    }
    return DoctorFinding(
      subject: "kernel", verdict: .problem,
      finding: "it opens no Bluetooth socket: \(socketFailure)",
      advice: "Load the module (modprobe bluetooth); in a container, use the host's network.")
  }

  private var radio: [DoctorFinding] {
    guard !controllers.isEmpty else {
      return [
        DoctorFinding(
          subject: "controller", verdict: .problem, finding: "there is none",
          advice: "Plug in a Bluetooth 4.0+ adapter, or switch on the built-in one (Raspberry Pi:"
            + " remove dtoverlay=disable-bt from config.txt).")
      ]
    }
    // One controller is enough to measure.
    let isOneFree = controllers.contains { $0.block == nil }
    return controllers.map { controller in
      let name = controller.name + (controller.bus.map { " (\($0))" } ?? "")
      guard let block = controller.block else {
        return DoctorFinding(subject: "controller", verdict: .good, finding: name)
      }
      return DoctorFinding(
        subject: "controller", verdict: isOneFree ? .warning : .problem,
        finding: block.finding(of: name).message, advice: block.advice.message)
    }
  }

  /// The daemon's trouble with its radio, while no controller works.
  private var radioTrouble: DoctorFinding? {
    (daemonRadioTrouble ?? unit?.radioTrouble).map { trouble in
      DoctorFinding(
        subject: "service", verdict: .problem, finding: "it measures nothing: \(trouble)",
        advice: "See what went before: journalctl -u measured -p warning; and what the kernel says:"
          + " journalctl -k --grep=bluetooth")
    }
  }

  private var bluetoothdFinding: DoctorFinding {
    func finding(
      _ verdict: DoctorFinding.Verdict, _ finding: String, _ advice: String? = nil
    ) -> DoctorFinding {
      DoctorFinding(subject: "bluetoothd", verdict: verdict, finding: finding, advice: advice)
    }
    switch (mode, bluetoothd) {
    case (.bluetoothd, .answers):
      return finding(
        .good,
        "it runs, and the radio is used through it (it confirms a device's indications itself,"
          + " before they are stored)")
    case (.bluetoothd, .silent):
      return finding(
        .problem, "it runs, and does not answer",
        "systemctl restart bluetooth; if that does not help, see journalctl -u bluetooth")
    case (.bluetoothd, .refused(let reason)):
      return finding(
        .problem, "it runs, and refuses this user: \(reason)",
        "Look for org.bluez in the policies of the bus: /etc/dbus-1/system.d and"
          + " /usr/share/dbus-1/system.d")
    case (.bluetoothd, .noBus(let reason)):
      return finding(
        .problem, "the system's message bus, over which it is reached, cannot be used: \(reason)",
        "systemctl start dbus; in a container, make /run/dbus of the host available")
    case (.bluetoothd, .absent) where isBluetoothdMasked:
      return finding(
        .problem, "it is masked, so nobody can start it",
        "systemctl unmask bluetooth && systemctl start bluetooth; or set radio: kernel")
    case (.bluetoothd, .absent):
      return finding(
        controllers.isEmpty ? .warning : .problem, "it is installed but does not run",
        "It starts when a controller appears; if it does not: systemctl start bluetooth")
    case (.kernel, .answers), (.kernel, .silent), (.kernel, .refused):
      return finding(
        .problem, "it runs, but kernel mode is set; only one of them can use the controllers",
        "Set radio: bluetoothd, or stop it: systemctl mask --now bluetooth")
    case (.kernel, .absent), (.kernel, .noBus):
      return finding(.good, "it does not run; the radio is used through the kernel")
    }
  }

  private var serviceFinding: DoctorFinding? {
    guard let unit else { return nil }
    func finding(
      _ verdict: DoctorFinding.Verdict, _ finding: String, _ advice: String? = nil
    ) -> DoctorFinding {
      DoctorFinding(subject: "service", verdict: verdict, finding: finding, advice: advice)
    }
    func unstartable(_ verdict: DoctorFinding.Verdict) -> DoctorFinding {
      unit.loadState == "masked"
        ? finding(
          verdict, "measured.service is masked, so nobody can start it",
          "sudo systemctl unmask measured && sudo systemctl enable --now measured")
        : finding(
          verdict, "measured.service cannot be loaded (\(unit.loadState)), so nobody can start it",
          "See why: systemctl status measured. The likely cause is a drop-in:"
            + " systemctl cat measured")
    }
    let reason = "See why: journalctl -u measured -p warning"
    switch (unit.activeState, unit.subState) {
    case _ where !unit.isRunning && unit.loadState != "loaded": return unstartable(.problem)
    case (_, "auto-restart"):
      return finding(
        .problem,
        "measured.service ends again and again (\(unit.result)); systemd has started it"
          + " \(unit.restarts) times", reason)
    case ("failed", _):
      return finding(.problem, "measured.service has failed (\(unit.result))", reason)
    case ("inactive", _), ("deactivating", _):
      return finding(
        .warning, "measured.service does not run", "systemctl enable --now measured")
    case _ where unit.isWaitingForStore:
      return finding(
        .problem, "measured.service runs, and measures nothing: it is \(unit.status)", reason)
    // It runs on, and does not start again.
    case _ where unit.loadState != "loaded": return unstartable(.warning)
    default: return finding(.good, "measured.service runs")
    }
  }

  private var permissions: DoctorFinding? {
    guard mode == .kernel else { return nil }
    guard !mayManage else {
      return DoctorFinding(
        subject: "permissions", verdict: .good, finding: "this user may manage controllers")
    }
    guard unit?.mayManage != true else {
      return DoctorFinding(
        subject: "permissions", verdict: .good, finding: "the service may manage controllers")
    }
    return DoctorFinding(
      subject: "permissions", verdict: .problem,
      finding: "without bluetoothd, CAP_NET_ADMIN is needed to scan and to pair",
      advice: "For the service, install the drop-in kernel-mode.conf; by hand: sudo measured doctor"
    )
  }

  private var timeZones: DoctorFinding {
    hasTimeZones
      ? DoctorFinding(
        subject: "time zones", verdict: .good, finding: "their rules are known")
      : DoctorFinding(
        subject: "time zones", verdict: .problem, finding: "the time zone database is missing",
        advice: "apt install tzdata")
  }

  private static let day: TimeInterval = 86_400

  private var clock: DoctorFinding {
    // This program is newer than June 2025: an earlier clock was reset, having no battery.
    let earliest = max(Date(timeIntervalSince1970: 1_750_000_000), buildDate ?? .distantPast)
    if now < earliest {
      return DoctorFinding(
        subject: "clock", verdict: .problem,
        finding: "it shows \(now.toTheSecond(in: .gmt)), before this program was built",
        advice: "timedatectl set-ntp true; without a network, set it by hand: timedatectl set-time")
    }
    if let newestSample, newestSample > now + Self.day {
      return DoctorFinding(
        subject: "clock", verdict: .warning,
        finding: "it shows \(now.toTheSecond(in: .gmt)), and the newest measurement arrived at"
          + " \(newestSample.toTheSecond(in: .gmt))",
        advice: "Compare it with another clock: it is behind now, or was ahead then. timedatectl"
          + " set-ntp true")
    }
    if isClockSynchronized != true, let last = [newestSample, buildDate].compactMap(\.self).max(),
      now > last + 180 * Self.day
    {
      return DoctorFinding(
        subject: "clock", verdict: .warning,
        finding: "it shows \(now.toTheSecond(in: .gmt)), long after the newest measurement and the"
          + " installation of this program, and is not known to be set by the network",
        advice: "Compare it with another clock. timedatectl set-ntp true")
    }
    return switch isClockSynchronized {
    case true?:
      DoctorFinding(subject: "clock", verdict: .good, finding: "it is set by the network")
    case false?:
      DoctorFinding(
        subject: "clock", verdict: .warning, finding: "it is not set by the network",
        advice:
          "timedatectl set-ntp true. To let the service wait until it is set: systemctl enable"
          + " systemd-time-wait-sync")
    case nil:
      DoctorFinding(
        subject: "clock", verdict: .good, finding: "it shows \(now.rfc3339(in: .gmt))")
    }
  }

  private var storage: DoctorFinding? {
    switch store {
    case .unopened: nil
    case .missing where unit?.isWaitingForStore == true:
      DoctorFinding(
        subject: "store", verdict: .problem,
        finding: "there is none at \(storePath); the service still holds the one that was there",
        advice:
          "Put the file back. Without a copy of it: download a backup from the page, under Set-up,"
          + " before you restart the service; then measured store restore FILE")
    case .missing:
      DoctorFinding(
        subject: "store", verdict: .warning, finding: "there is none at \(storePath)",
        advice:
          "Import a plan: measured plan import FILE. For the service's store add"
          + " --store \(UnitSurvey.store)")
    case .open where damage != nil:
      DoctorFinding(
        subject: "store", verdict: .problem,
        finding: "\(storePath) is damaged: \(damage ?? "")",
        advice: "Restore it from a backup: measured store restore FILE")
    case .open where isStoreReadOnly:
      DoctorFinding(
        subject: "store", verdict: .problem,
        finding: "\(storePath) can be read and not be written by this user",
        advice:
          "Check the file's owner and permissions: chmod 600, and 660 for the service's; chown to"
          + " the service's user.")
    case .open(let patients, let tasks):
      DoctorFinding(
        subject: "store", verdict: tasks == 0 ? .warning : .good,
        finding: "\(storePath): patients: \(patients), tasks: \(tasks)",
        advice: tasks == 0 ? "Import a plan: measured plan import FILE" : nil)
    case .hidden(.daemon):
      DoctorFinding(
        subject: "store", verdict: .good,
        finding: "the service works with \(storePath); sudo measured doctor examines it")
    case .hidden(.service):
      DoctorFinding(
        subject: "store", verdict: .warning,
        finding: "this user may not look for \(storePath), with which the service works",
        advice: "sudo measured doctor; or join the service's group and sign in again:"
          + " sudo usermod -aG measured $USER")
    case .hidden(.unknown):
      DoctorFinding(
        subject: "store", verdict: .problem, finding: "this user may not look for \(storePath)",
        advice: "sudo measured doctor. If this user is the service's: check the owner and the"
          + " permissions of the folder.")
    case .failed(let reason):
      DoctorFinding(
        subject: "store", verdict: .problem, finding: reason,
        advice: "Check the file's owner and permissions, or restore it from a copy.")
    }
  }

  private var groupFinding: DoctorFinding? {
    groupFault.map { fault in
      DoctorFinding(
        subject: "store", verdict: .warning,
        finding: fault.words,
        advice: "sudo systemd-tmpfiles --create measured.conf gives the group its rights again.")
    }
  }

  private var secrets: DoctorFinding? {
    secretsFault.map { fault in
      DoctorFinding(
        subject: "store", verdict: .warning, finding: fault,
        advice: "Until then devices with a key or a consent code are not read.")
    }
  }

  private var weighings: DoctorFinding? {
    contradictions.message.map {
      DoctorFinding(
        subject: "weighings", verdict: .warning, finding: $0,
        advice: "Look at them with measured samples --quantity bodyMass, and assign one of each"
          + " person by hand: measured samples assign ID --patient P")
    }
  }

  private var space: DoctorFinding? {
    if isReadOnly {
      return DoctorFinding(
        subject: "disk", verdict: .problem,
        finding: "the file system of \(storePath) can only be read",
        advice: "See dmesg: after an error of the disk Linux mounts it so. Replace a worn SD card.")
    }
    if isOutOfFiles {
      return DoctorFinding(
        subject: "disk", verdict: .problem,
        finding: "the file system of \(storePath) can hold no further file (df -i)",
        advice: "Remove files that nobody needs; the store needs some beside it.")
    }
    guard let freeBytes, freeBytes < 100 << 20 else { return nil }
    return DoctorFinding(
      subject: "disk", verdict: .problem, finding: "\(freeBytes >> 20) MiB are free for the store",
      advice: "Free some space; measurements cannot be stored on a full disk.")
  }

  private var synchronization: DoctorFinding? {
    syncedFolder.map { folder in
      DoctorFinding(
        subject: "store", verdict: .warning,
        finding: "\(storePath) is in \(folder), which another program copies while it is written",
        advice: "Move it to a folder of this machine alone; for a copy elsewhere: measured store"
          + " backup FILE")
    }
  }

  /// The versions that an import made while the clock was ahead.
  private var late: [DoctorFinding] {
    lateTasks.map { late in
      DoctorFinding(
        subject: "plan", verdict: .warning,
        finding: "the newest version of ‘\(late.task)’ of ‘\(late.patient)’ takes effect on"
          + " \(late.effectiveDate.day(in: .gmt)); it was imported while the clock was ahead",
        advice: "Import the plan again: measured plan import FILE")
    }
  }

  private var deviceClocks: [DoctorFinding] {
    wrongClocks.map { wrong in
      DoctorFinding(
        subject: "device", verdict: .warning,
        finding:
          "the clock of \(wrong.device) is \(Reading.difference(wrong.error).message); its readings"
          + " are dated by their arrival",
        advice: "Set the clock of the device, such as with its maker's app, or leave it.")
    }
  }

  private var settings: DoctorFinding? {
    settingsFaults.first.map { fault in
      let rest = settingsFaults.count > 1 ? " and \(settingsFaults.count - 1) more" : ""
      return DoctorFinding(
        subject: "settings", verdict: .warning,
        finding: "the service works without what cannot be read: \(fault)\(rest)",
        advice: "Correct the file, then: systemctl reload measured")
    }
  }

  private var patient: DoctorFinding? {
    missingPatient.map { patient in
      DoctorFinding(
        subject: "settings", verdict: .warning, finding: Self.unknownPatient(patient),
        advice: "measured patient list shows who there is. Correct the file, then: systemctl reload"
          + " measured")
    }
  }

  /// The faults that only the daemon has found: it is another user, and holds the page.
  private var daemon: [DoctorFinding] {
    let own = settingsFaults + definitionFaults + [planFault].compactMap(\.self)
    return daemonFaults.filter { fault in !own.contains { fault.contains($0) } }.map { fault in
      DoctorFinding(
        subject: "service", verdict: .warning, finding: "it says: \(fault)",
        advice: "Once that is corrected: systemctl reload measured, or restart it for the page")
    }
  }

  private var planFile: DoctorFinding? {
    planFault.map { fault in
      DoctorFinding(
        subject: "plan", verdict: .warning, finding: fault,
        advice: "For the service: sudo install -m 640 -g measured FILE /etc/measured/")
    }
  }

  private var catalog: DoctorFinding {
    if case .success(let count) = definitions, let first = definitionFaults.first {
      let rest = definitionFaults.count > 1 ? " and \(definitionFaults.count - 1) more" : ""
      return DoctorFinding(
        subject: "definitions", verdict: .warning,
        finding: "\(count) devices, without the definition that cannot be read: \(first)\(rest)",
        advice: "List every mistake: measured devices lint")
    }
    return switch definitions {
    case .success(let count):
      DoctorFinding(
        subject: "definitions", verdict: .good, finding: "\(count) devices")
    case .failure(let failure):
      DoctorFinding(
        subject: "definitions", verdict: .problem, finding: failure.message,
        advice: "List every mistake: measured devices lint")
    }
  }
}

extension MachineFacts.GroupFault {
  fileprivate var words: String {
    switch self {
    case .folder(let path): "the group measured may not work in \(path)"
    case .file(let path): "the group measured may not write \(path)"
    }
  }
}
