import Care
import CareStore
import DeviceCatalog
import Foundation
import Radio
import SystemBus

extension MachineFacts {
  /// Looks at this machine; nothing is changed.
  static func gather(
    storage: StoreOptions, catalog: CatalogOptions, choice: RadioChoice, now: Date
  ) async -> MachineFacts {
    var facts = MachineFacts(now: now)
    do {
      let loop = try EventLoop(name: "survey")
      let survey = await RadioSurvey.take(on: loop, choice: choice.mode)
      loop.stop()
      facts.socketFailure = survey.socketFailure
      facts.controllers = survey.controllers
      facts.mode = survey.mode
      facts.isBluetoothdRunning = survey.bluetoothd.isOwned
    } catch {
      facts.socketFailure = error.description
    }
    facts.mayManage = capabilities(status: "/proc/self/status").map { $0 & 1 << 12 != 0 } ?? false
    facts.hasTimeZones = TimeZone(identifier: "Europe/Berlin")?.secondsFromGMT() ?? 0 != 0
    facts.storePath = storage.path
    facts.store = await store(storage)
    facts.freeBytes = freeBytes(at: (storage.path as NSString).deletingLastPathComponent)
    facts.isClockSynchronized =
      FileManager.default.fileExists(atPath: "/run/systemd/timesync")
      ? FileManager.default.fileExists(atPath: "/run/systemd/timesync/synchronized") : nil
    do {
      facts.definitions = .success(try DeviceCatalog.load(catalog).definitions.count)
    } catch {
      facts.definitions = .failure(CommandFailure(error, isJSON: false))
    }
    return facts
  }

  private static func store(_ storage: StoreOptions) async -> Store {
    guard FileManager.default.fileExists(atPath: storage.path) else { return .missing }
    do {
      let store = try storage.open()
      return try await store.read { reader in
        .open(
          patients: try reader.patients().count,
          tasks: Set(try reader.taskVersions(patient: nil).map(\.id)).count)
      }
    } catch {
      return .failed(CommandFailure(error, isJSON: false).message)
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
