import Care
import Controllers
import Foundation
import Radio

extension MachineFacts {
  /// What each fact means and what to do about it.
  var findings: [DoctorFinding] {
    ([kernel] + radio
      + [bluetoothd, permissions, timeZones, clock, storage, weighings, space])
      .compactMap(\.self) + late + deviceClocks + [planFile, catalog].compactMap(\.self)
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
    return controllers.map { controller in
      let name = controller.name + (controller.bus.map { " (\($0))" } ?? "")
      guard let block = controller.block else {
        return DoctorFinding(subject: "controller", verdict: .good, finding: name)
      }
      return DoctorFinding(
        subject: "controller", verdict: .problem, finding: block.finding(of: name),
        advice: block.advice)
    }
  }

  private var bluetoothd: DoctorFinding {
    switch (mode, isBluetoothdRunning) {
    case (.bluetoothd, true):
      DoctorFinding(
        subject: "bluetoothd", verdict: .good,
        finding:
          "it runs, and the radio is used through it (it confirms a device's indications itself,"
          + " before they are stored)")
    case (.bluetoothd, false):
      DoctorFinding(
        subject: "bluetoothd", verdict: .warning, finding: "it is installed but does not run",
        advice: "It starts when a controller appears; if it does not: systemctl start bluetooth")
    case (.kernel, true):
      DoctorFinding(
        subject: "bluetoothd", verdict: .problem,
        finding: "it runs, but kernel mode is set; only one of them can use the controllers",
        advice: "Set radio: bluetoothd, or stop it: systemctl mask --now bluetooth")
    case (.kernel, false):
      DoctorFinding(
        subject: "bluetoothd", verdict: .good,
        finding: "it does not run; the radio is used through the kernel")
    }
  }

  private var permissions: DoctorFinding? {
    guard mode == .kernel else { return nil }
    guard !mayManage else {
      return DoctorFinding(
        subject: "permissions", verdict: .good, finding: "this user may manage controllers")
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
        subject: "time zones", verdict: .good, finding: "the time zone database is installed")
      : DoctorFinding(
        subject: "time zones", verdict: .problem, finding: "the time zone database is missing",
        advice: "apt install tzdata")
  }

  private var clock: DoctorFinding {
    // This program is newer than June 2025: an earlier clock was reset, having no battery.
    let earliest = max(Date(timeIntervalSince1970: 1_750_000_000), buildDate ?? .distantPast)
    if now < earliest {
      return DoctorFinding(
        subject: "clock", verdict: .problem,
        finding: "it shows \(now.toTheSecond(in: .gmt)), before this program was built",
        advice: "timedatectl set-ntp true; without a network, set it by hand: timedatectl set-time")
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

  private var storage: DoctorFinding {
    switch store {
    case .missing:
      DoctorFinding(
        subject: "store", verdict: .warning, finding: "there is none at \(storePath)",
        advice:
          "Import a plan: measured plan import FILE. For the service's store add"
          + " --store /var/lib/measured/measured.sqlite")
    case .open where damage != nil:
      DoctorFinding(
        subject: "store", verdict: .problem,
        finding: "\(storePath) is damaged: \(damage ?? "")",
        advice: "Restore it from a backup: measured store restore FILE")
    case .open(let patients, let tasks):
      DoctorFinding(
        subject: "store", verdict: tasks == 0 ? .warning : .good,
        finding: "\(storePath): patients: \(patients), tasks: \(tasks)",
        advice: tasks == 0 ? "Import a plan: measured plan import FILE" : nil)
    case .failed(let reason):
      DoctorFinding(
        subject: "store", verdict: .problem, finding: reason,
        advice: "Check the file's owner and permissions, or restore it from a copy.")
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
    guard let freeBytes, freeBytes < 100 << 20 else { return nil }
    return DoctorFinding(
      subject: "disk", verdict: .problem, finding: "\(freeBytes >> 20) MiB are free for the store",
      advice: "Free some space; measurements cannot be stored on a full disk.")
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
        finding: "the clock of \(wrong.device) is \(Reading.difference(wrong.error)); its readings"
          + " are dated by their arrival",
        advice: "Set the clock of the device, such as with its maker's app, or leave it.")
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
