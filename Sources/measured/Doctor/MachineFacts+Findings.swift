import Care
import Controllers
import Foundation
import Radio

extension MachineFacts {
  /// What the facts mean, and what to do about each.
  var findings: [DoctorFinding] {
    [kernel] + radio
      + [bluetoothd, permissions, timeZones, clock, storage, space, catalog]
      .compactMap(\.self)
  }

  private var kernel: DoctorFinding {
    guard let socketFailure else {
      return DoctorFinding(subject: "kernel", verdict: .good, finding: "it speaks Bluetooth")
    }
    return DoctorFinding(
      subject: "kernel", verdict: .problem,
      finding: "it gives no Bluetooth socket: \(socketFailure)",
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
        finding: "it runs, and the radio is used through it (it confirms what a device indicates by"
          + " itself, before it is kept)")
    case (.bluetoothd, false):
      DoctorFinding(
        subject: "bluetoothd", verdict: .warning, finding: "it is installed but does not run",
        advice: "It starts when a controller appears; else: systemctl start bluetooth")
    case (.kernel, true):
      DoctorFinding(
        subject: "bluetoothd", verdict: .problem,
        finding: "it runs, while the kernel's own sockets are asked for; the two do not share",
        advice: "Use radio: bluetoothd, or systemctl mask --now bluetooth")
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
        subject: "permissions", verdict: .good, finding: "controllers may be managed")
    }
    return DoctorFinding(
      subject: "permissions", verdict: .problem,
      finding: "without bluetoothd, CAP_NET_ADMIN is needed to scan and to pair",
      advice: "For the service, install the drop-in kernel-mode.conf; by hand: sudo measured doctor"
    )
  }

  private var timeZones: DoctorFinding {
    hasTimeZones
      ? DoctorFinding(subject: "time zones", verdict: .good, finding: "their rules are installed")
      : DoctorFinding(
        subject: "time zones", verdict: .problem, finding: "their rules are missing",
        advice: "apt install tzdata")
  }

  private var clock: DoctorFinding {
    // No machine that runs this was built before; without a battery, clocks start in the past.
    if now < Date(timeIntervalSince1970: 1_750_000_000) {
      return DoctorFinding(
        subject: "clock", verdict: .problem, finding: "it says \(now.rfc3339(in: .gmt))",
        advice: "timedatectl set-ntp true; without a network, set it by hand: timedatectl set-time")
    }
    return switch isClockSynchronized {
    case true?:
      DoctorFinding(subject: "clock", verdict: .good, finding: "it is set by the network")
    case false?:
      DoctorFinding(
        subject: "clock", verdict: .warning, finding: "it is not set by the network",
        advice: "timedatectl set-ntp true")
    case nil:
      DoctorFinding(
        subject: "clock", verdict: .good, finding: "it says \(now.rfc3339(in: .gmt))")
    }
  }

  private var storage: DoctorFinding {
    switch store {
    case .missing:
      DoctorFinding(
        subject: "store", verdict: .warning, finding: "there is none at \(storePath)",
        advice:
          "measured plan import FILE; the service's own: --store /var/lib/measured/measured.sqlite")
    case .open(let patients, let tasks):
      DoctorFinding(
        subject: "store", verdict: tasks == 0 ? .warning : .good,
        finding: "\(storePath): patients: \(patients), tasks: \(tasks)",
        advice: tasks == 0 ? "measured plan import FILE" : nil)
    case .failed(let reason):
      DoctorFinding(
        subject: "store", verdict: .problem, finding: reason,
        advice: "Look at the file's owner and permissions, or restore it from a copy.")
    }
  }

  private var space: DoctorFinding? {
    guard let freeBytes, freeBytes < 100 << 20 else { return nil }
    return DoctorFinding(
      subject: "disk", verdict: .problem, finding: "\(freeBytes >> 20) MiB are left for the store",
      advice: "Make room; measurements cannot be kept on a full disk.")
  }

  private var catalog: DoctorFinding {
    switch definitions {
    case .success(let count):
      DoctorFinding(
        subject: "definitions", verdict: .good, finding: "\(count) devices are known")
    case .failure(let failure):
      DoctorFinding(
        subject: "definitions", verdict: .problem, finding: failure.message,
        advice: "measured devices lint")
    }
  }
}
