import Actions
import BluetoothdRadio
import Care
import CareStore
import Controllers
import DeviceCatalog
import Foundation
import Glibc
import Hub
import KernelRadio
import Localization
import Plans
import PrivateFiles
import Radio
import SystemBus
import Terminal
import Web

/// The facts that `measured doctor` gathers about a machine.
struct MachineFacts {
  /// Why the kernel opens no Bluetooth socket; `nil` if it does.
  var socketFailure: String?
  /// The kernel's controllers.
  var controllers: [AttachedController] = []
  /// The access to the controllers.
  var mode = RadioMode.kernel
  /// The answer of bluetoothd on the system bus now.
  var bluetoothd = BluetoothdSurvey.absent
  /// Whether bluetoothd's unit is masked.
  var isBluetoothdMasked = false
  /// The service's unit, as systemd reports it; `nil` without it.
  var unit: UnitSurvey?
  /// Whether this process may manage controllers (CAP_NET_ADMIN).
  var mayManage = false
  /// Whether the time zone database is installed.
  var hasTimeZones = true
  /// The store.
  var store = Store.missing
  /// Whether this user may only read the store.
  var isStoreReadOnly = false
  /// Why the keys and consent codes of devices cannot be read; `nil` if they can, or are another
  /// user's.
  var secretsFault: String?
  /// Whether anybody has a channel.
  var hasChannels = false
  /// The fault that keeps the service's group from its store; `nil` for none.
  var groupFault: GroupFault?
  /// Assigned weighings that later evidence takes for another's.
  var contradictions: [WeighingReview.Contradiction] = []
  /// The store's path, whether it exists or not.
  var storePath = ""
  /// The damage that SQLite finds in the store; `nil` if it is intact or was not read.
  var damage: String?
  /// The tasks whose newest version was made while the clock was ahead.
  var lateTasks: [LateTask] = []
  /// The devices whose clocks were wrong at their last reading.
  var wrongClocks: [WrongClock] = []
  /// The fault of the settings' plan file; `nil` without a file or a fault.
  var planFault: String?
  /// The faults of the settings file.
  var settingsFaults: [String] = []
  /// The faults of its files and its page that a running daemon reports.
  var daemonFaults: [String] = []
  /// Why a running daemon has no controller that works; `nil` if it has one, or does not say.
  var daemonRadioTrouble: String?
  /// The patient whom the settings name and the store does not know; `nil` without one.
  var missingPatient: String?
  /// The free space in the store's folder, in bytes.
  var freeBytes: Int?
  /// Whether the store's file system can hold no further file.
  var isOutOfFiles = false
  /// Whether the store's file system can only be read.
  var isReadOnly = false
  /// The folder around the store that a program copies to other machines; `nil` if none is known.
  var syncedFolder: String?
  /// When the newest sample arrived; `nil` without one.
  var newestSample: Date?
  /// Whether the clock is set by the network; `nil` if unknown.
  var isClockSynchronized: Bool?
  /// The machine's time.
  var now: Date
  /// When this program was built, before which it cannot run; `nil` if unknown.
  var buildDate: Date?
  /// The number of device definitions, or what is wrong with them.
  var definitions: Result<Int, CommandFailure> = .success(0)
  /// The faults of the definitions that are left out, with file and line.
  var definitionFaults: [String] = []

  /// The state of the store.
  enum Store {
    case missing
    /// It was not opened, since the disk does not allow it.
    case unopened
    case open(patients: Int, tasks: Int)
    /// This user may not enter its folder.
    case hidden(Use)
    case failed(String)

    /// Who uses a store that this user may not see.
    enum Use {
      /// A daemon that answers this user.
      case daemon
      /// The service, by what systemd says.
      case service
      /// Nobody that is known.
      case unknown
    }
  }

  /// The faults that keep the group of the installed service from its store.
  enum GroupFault: Hashable {
    /// The folder does not give its files the group, or the group may not write into it.
    case folder(String)
    /// A file is not for the group.
    case file(String)

    /// Looks at the service's own store; another one is its user's.
    init?(store: String, service: String = UnitSurvey.store) {
      guard DaemonSocket.realPath(of: store) == DaemonSocket.realPath(of: service) else {
        return nil
      }
      let folder = (store as NSString).deletingLastPathComponent
      guard FileAudience(ofFilesIn: folder) == .group else {
        self = .folder(folder)
        return
      }
      for file in ["", "-wal", "-shm"].map({ store + $0 }) {
        var status = stat()
        guard unsafe lstat(file, &status) == 0, UInt32(status.st_mode & 0o777) != 0o660 else {
          continue
        }
        self = .file(file)
        return
      }
      return nil
    }
  }

  /// A task whose newest version has not taken effect because the clock was ahead.
  struct LateTask: Hashable {
    var task: String
    var patient: String
    var effectiveDate: Date
  }

  /// A device whose clock is wrong.
  struct WrongClock: Hashable {
    var device: String
    /// By how many seconds it is ahead.
    var error: TimeInterval
  }
}

// MARK: - Gathering

extension MachineFacts {
  /// Examines this machine; changes nothing.
  static func gather(
    storage: StoreFileOptions, catalog: CatalogOptions, choice: RadioChoice?, now: Date
  ) async -> MachineFacts {
    var (facts, evidence) = await gatherRadio(now: now)
    let (settings, settingsFaults) = ServiceSettings.readable(ServiceSettings.path)
    facts.settingsFaults = settingsFaults
    facts.hasTimeZones = TimeZone(identifier: "Europe/Berlin")?.secondsFromGMT() ?? 0 != 0
    do {
      // The settings' faults are a finding of their own.
      facts.storePath =
        try (try? storage.path) ?? settings.store
        ?? StoreLocation(environment: Console.variables, settings: nil).path
      let daemon = DaemonSocket.holding(facts.storePath)
      facts.mode = .judged(
        choice, daemon: daemon?.facts.radio, settings: settings.radio, evidence)
      facts.daemonFaults = daemon?.facts.faults ?? []
      facts.daemonRadioTrouble = daemon?.facts.radioTrouble
      let place = StoreLocation.companion(of: facts.storePath)
      let isOnServer = SQLStore.isOnServer(facts.storePath)
      facts.syncedFolder = isOnServer ? nil : syncedFolder(around: place)
      facts.examineDisk(at: (place as NSString).deletingLastPathComponent)
      switch isOnServer ? 0 : failure(at: place) {
      case ENOENT: break
      case 0 where facts.isDiskUsable:
        await facts.examine(
          try StoreFileOptions.open(facts.storePath),
          patient: daemon != nil || settings.store == facts.storePath ? settings.patient : nil)
        facts.isStoreReadOnly = unsafe !isOnServer && access(place, W_OK) != 0
        facts.groupFault = GroupFault(store: place)
      case 0: facts.store = .unopened
      case EACCES:
        facts.store = .hidden(
          facts.useOfHiddenStore(answers: daemon != nil, settings: settings.store))
      case let code:
        facts.store = .failed(
          LocalizedText(
            "doctor.storeHiddenFor", ["path": "\(facts.storePath)", "reason": .system(code)]
          ).message)
      }
    } catch {
      facts.store = .failed(CommandFailure(error).message)
    }
    facts.isClockSynchronized = isClockSynchronized
    facts.buildDate = buildDate
    facts.planFault = planFault(settings: ServiceSettings.path)
    do {
      let (catalog, faults, _) = try DeviceCatalog.readable(folder: catalog.folder)
      facts.definitions = .success(catalog.definitions.count)
      facts.definitionFaults = faults
    } catch {
      facts.definitions = .failure(CommandFailure(error))
    }
    return facts
  }

  /// Examines the kernel, the controllers, bluetoothd and the service.
  static func gatherRadio(now: Date) async -> (MachineFacts, RadioMode.Evidence) {
    var facts = MachineFacts(now: now)
    var evidence = RadioMode.Evidence(isOwned: false, isInstalled: false)
    do {
      let loop = try EventLoop(name: "survey")
      evidence = await RadioMode.evidence(on: loop)
      facts.controllers = (try? await ControllerDirectory(loop: loop).controllers()) ?? []
      facts.bluetoothd = await BluetoothdSurvey.ask(on: loop)
      facts.isBluetoothdMasked = BluetoothdUnit().isMasked
      facts.unit = await UnitSurvey.ask(on: loop)
      loop.stop()
      facts.socketFailure = KernelRadio.socketFailure?.reason
    } catch {
      facts.socketFailure = Message.of(error)
    }
    facts.mayManage = capabilities(status: "/proc/self/status").map { $0 & 1 << 12 != 0 } ?? false
    return (facts, evidence)
  }

  /// Examines what a running daemon needs beside its radio: the clock, and room for the store.
  mutating func examineClockAndDisk(store: String) {
    storePath = store
    isClockSynchronized = Self.isClockSynchronized
    buildDate = Self.buildDate
    let place = StoreLocation.companion(of: store) as NSString
    examineDisk(at: place.deletingLastPathComponent)
  }

  /// Who uses the store that this user may not see.
  ///
  /// - Parameters:
  ///   - answers: Whether the store's daemon answers this user.
  ///   - settings: The store of the service's settings; `nil` if they name none.
  /// - Returns: The daemon, the service if it is the service's own store, else nobody.
  func useOfHiddenStore(answers: Bool, settings: String?) -> Store.Use {
    if answers { return .daemon }
    let own = DaemonSocket.realPath(of: settings ?? UnitSurvey.store)
    guard let unit, unit.activeState == "active", !unit.isWaitingForStore,
      DaemonSocket.realPath(of: storePath) == own
    else { return .unknown }
    return .service
  }

  /// Examines a store that can be opened; `patient` is whom the settings name.
  private mutating func examine(_ opened: SQLStore, patient: String?) async {
    secretsFault = opened.secretsFault.map { CommandFailure($0).message }
    do {
      let (patients, tasks) = try await opened.read { reader in
        (
          try reader.patients().map(\.id),
          Set(try reader.taskVersions(patient: nil).map(\.id)).count
        )
      }
      store = .open(patients: patients.count, tasks: tasks)
      hasChannels = try await !opened.read { try $0.channels() }.isEmpty
      missingPatient = patient.flatMap { tasks > 0 && !patients.contains($0) ? $0 : nil }
    } catch {
      store = .failed(CommandFailure(error).message)
      return
    }
    do {
      damage = try await opened.damage()
      guard damage == nil else { return }
      let now = now
      (lateTasks, wrongClocks, contradictions, newestSample) = try await opened.read { reader in
        (
          try LateTask.all(in: reader, now: now), try WrongClock.all(in: reader),
          (try? WeighingReview.contradictions(in: reader)) ?? [],
          try reader.samples(SampleQuery(limit: 1)).last?.arrival
        )
      }
    } catch {
      damage = CommandFailure(error).message
    }
  }

  /// Whether the network sets the clock, according to systemd-timesyncd or, for any other service,
  /// the kernel; `nil` if neither can be asked.
  static var isClockSynchronized: Bool? {
    let files = FileManager.default
    if files.fileExists(atPath: "/run/systemd/timesync/synchronized") { return true }
    return MachineClock.isSynchronized
      ?? (files.fileExists(atPath: "/run/systemd/timesync") ? false : nil)
  }

  /// The date of this program's file.
  private static var buildDate: Date? {
    var status = stat()
    guard unsafe stat("/proc/self/exe", &status) == 0 else { return nil }
    return Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
  }

  /// The warning about a patient of the settings whom the store does not know.
  static func unknownPatient(_ patient: String) -> LocalizedText {
    LocalizedText("doctor.unknownPatient", ["patient": "\(patient)"])
  }

  /// The fault of the plan that a settings file names.
  static func planFault(settings path: String) -> String? {
    guard let file = ServiceSettings.readable(path).settings.plan else { return nil }
    do {
      return try PlanFile.load(file).exposure(in: file)
    } catch {
      return CommandFailure(error).message
    }
  }

  /// Why there is nothing at a path (errno(3)); 0 if there is.
  private static func failure(at path: String) -> CInt {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? 0 : errno
  }

  /// The least free space, in bytes, with which the store is opened: its companions need some.
  private static let leastSpace = 1 << 20

  /// Whether the store can be opened without an error of the disk, and without leaving anything.
  private var isDiskUsable: Bool {
    !isReadOnly && !isOutOfFiles && freeBytes.map { $0 >= Self.leastSpace } ?? true
  }

  /// Examines the file system of a folder (statvfs(3)).
  private mutating func examineDisk(at folder: String) {
    var system = statvfs()
    guard unsafe statvfs(folder, &system) == 0 else { return }
    freeBytes = Int(
      clamping: UInt64(system.f_bavail).multipliedReportingOverflow(
        by: UInt64(system.f_frsize)
      ).partialValue)
    isOutOfFiles = system.f_files > 0 && system.f_favail == 0
    isReadOnly = system.f_flag & UInt(ST_RDONLY) != 0
  }

  /// The nearest folder above a path that a program for synchronizing files takes for its own, by its
  /// name or by what the program keeps in it.
  static func syncedFolder(around path: String) -> String? {
    let names = [
      "dropbox", "onedrive", "nextcloud", "owncloud", "google drive", "icloud", "syncthing", "mega",
      "pcloud",
    ]
    let marks = [
      ".dropbox", ".dropbox.cache", ".stfolder", ".nextcloudsync.log", ".owncloudsync.log",
      ".sync", ".SynologyWorkingDirectory",
    ]
    var folder = (DaemonSocket.realPath(of: path) as NSString).deletingLastPathComponent
    while folder.count > 1 {
      let name = (folder as NSString).lastPathComponent.lowercased()
      let isMarked = marks.contains { FileManager.default.fileExists(atPath: folder + "/" + $0) }
      if isMarked || names.contains(where: name.hasPrefix) { return folder }
      folder = (folder as NSString).deletingLastPathComponent
    }
    return nil
  }

  /// The effective capabilities of this process (proc(5), `CapEff`).
  private static func capabilities(status: String) -> UInt64? {
    guard let text = try? String(contentsOfFile: status, encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    return line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
  }
}

extension RadioMode {
  /// The mode by which `doctor` judges: the one that is asked for, else that of the running daemon,
  /// else that of the settings or of this machine.
  static func judged(
    _ choice: RadioChoice?, daemon: String?, settings: RadioChoice, _ evidence: Evidence
  ) -> RadioMode {
    choice?.mode ?? daemon.flatMap(RadioMode.init) ?? (choice ?? settings).mode
      ?? automatic(evidence)
  }
}

// MARK: - In the store

extension MachineFacts.LateTask {
  /// The tasks whose newest version was made later than now, and takes effect later than now.
  static func all(in reader: any StoreReader, now: Date) throws -> [Self] {
    try reader.histories(patient: nil).compactMap { history in
      guard let last = history.current(at: .distantFuture),
        last.effectiveDate > now, last.createdDate > now + 3_600
      else { return nil }
      return Self(task: last.id, patient: last.patient, effectiveDate: last.effectiveDate)
    }
  }
}

extension MachineFacts.WrongClock {
  /// The devices whose last reading with a time was not dated by it.
  static func all(in reader: any StoreReader) throws -> [Self] {
    let zone = try reader.planTimeZone() ?? .gmt
    var last: [DeviceID: Sample] = [:]
    for quantity in Quantity.allNames.compactMap(Quantity.init) {
      let samples = try reader.samples(
        SampleQuery(quantity: quantity, limit: 64, states: Set(Sample.State.allCases)))
      for sample in samples where sample.deviceTime != nil {
        let known = last[sample.device.address]
        if known.map({ $0.arrival < sample.arrival }) ?? true {
          last[sample.device.address] = sample
        }
      }
    }
    return last.values.compactMap { sample in
      guard !sample.isClockTrusted, let time = sample.deviceTime?.instants(in: zone).first else {
        return nil
      }
      // A record that was fetched later starts at its corrected time; what arrived before this
      // machine's clock was set, at the device's.
      let error = time.timeIntervalSince(sample.start)
      return abs(error) < 1 ? nil : Self(device: sample.device.address.text, error: error)
    }.sorted { $0.device < $1.device }
  }
}
