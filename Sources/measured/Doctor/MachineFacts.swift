import Care
import CareStore
import Controllers
import DeviceCatalog
import Foundation
import KernelRadio
import Radio
import SystemBus
import Hub

/// The facts that `measured doctor` gathers about a machine.
struct MachineFacts {
  /// Why the kernel opens no Bluetooth socket; `nil` if it does.
  var socketFailure: String?
  /// The kernel's controllers.
  var controllers: [AttachedController] = []
  /// The access to the controllers.
  var mode = RadioMode.kernel
  /// Whether bluetoothd answers on the system bus now.
  var isBluetoothdRunning = false
  /// Whether this process may manage controllers (CAP_NET_ADMIN).
  var mayManage = false
  /// Whether the time zone database is installed.
  var hasTimeZones = true
  /// The store.
  var store = Store.missing
  /// Assigned weighings that later evidence takes for another's.
  var contradictions: [WeighingReview.Contradiction] = []
  /// The store's path, whether it exists or not.
  var storePath = ""
  /// The free space in the store's folder, in bytes.
  var freeBytes: Int?
  /// Whether the clock is set by the network; `nil` if unknown.
  var isClockSynchronized: Bool?
  /// The machine's time.
  var now: Date
  /// The number of device definitions, or what is wrong with them.
  var definitions: Result<Int, CommandFailure> = .success(0)

  /// The state of the store.
  enum Store {
    case missing
    case open(patients: Int, tasks: Int)
    case failed(String)
  }
}

// MARK: - Gathering

extension MachineFacts {
  /// Examines this machine; changes nothing.
  static func gather(
    storage: StoreFileOptions, catalog: CatalogOptions, choice: RadioChoice, now: Date
  ) async -> MachineFacts {
    var facts = MachineFacts(now: now)
    do {
      let loop = try EventLoop(name: "survey")
      let bluetoothd = await RadioMode.evidence(on: loop)
      facts.controllers = (try? await ControllerDirectory(loop: loop).controllers()) ?? []
      loop.stop()
      facts.socketFailure = KernelRadio.socketFailure?.reason
      facts.mode = choice.mode ?? .automatic(bluetoothd)
      facts.isBluetoothdRunning = bluetoothd.isOwned
    } catch {
      facts.socketFailure = Message.of(error)
    }
    facts.mayManage = capabilities(status: "/proc/self/status").map { $0 & 1 << 12 != 0 } ?? false
    facts.hasTimeZones = TimeZone(identifier: "Europe/Berlin")?.secondsFromGMT() ?? 0 != 0
    do {
      facts.storePath = try storage.path
      facts.store = await store(storage, path: facts.storePath)
      if case .open = facts.store {
        facts.contradictions =
          (try? await storage.open().read { try WeighingReview.contradictions(in: $0) }) ?? []
      }
      facts.freeBytes = freeBytes(at: (facts.storePath as NSString).deletingLastPathComponent)
    } catch {
      facts.store = .failed(CommandFailure(error).message)
    }
    facts.isClockSynchronized =
      FileManager.default.fileExists(atPath: "/run/systemd/timesync")
      ? FileManager.default.fileExists(atPath: "/run/systemd/timesync/synchronized") : nil
    do {
      facts.definitions = .success(try DeviceCatalog.load(catalog).definitions.count)
    } catch {
      facts.definitions = .failure(CommandFailure(error))
    }
    return facts
  }

  private static func store(_ storage: StoreFileOptions, path: String) async -> Store {
    guard FileManager.default.fileExists(atPath: path) else { return .missing }
    do {
      let store = try storage.open()
      return try await store.read { reader in
        .open(
          patients: try reader.patients().count,
          tasks: Set(try reader.taskVersions(patient: nil).map(\.id)).count)
      }
    } catch {
      return .failed(CommandFailure(error).message)
    }
  }

  private static func freeBytes(at folder: String) -> Int? {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    return (attributes?[.systemFreeSize] as? NSNumber)?.intValue
  }

  /// The effective capabilities of this process (proc(5), `CapEff`).
  private static func capabilities(status: String) -> UInt64? {
    guard let text = try? String(contentsOfFile: status, encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    return line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
  }
}
