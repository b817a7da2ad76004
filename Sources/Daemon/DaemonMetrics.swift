import Care
import CareStore
import Foundation
import Radio
import Terminal
import Web

/// The figures of a daemon for Prometheus: none of them is of a person.
struct DaemonMetrics: Sendable {
  let store: SQLStore
  /// The store's file; `nil` in memory.
  let path: String?
  /// The hub's counts; `nil` without a hub.
  let hub: HubCounts?

  /// The figures now.
  func families() async -> [Metric] {
    let numbers = hub?.now ?? HubCounts.Numbers()
    let last = (try? await lastReadings()) ?? [:]
    let latest = last.merging(numbers.lastReadings) { max($0, $1) }
    let failures = Dictionary(
      uniqueKeysWithValues: LinkFailure.allCases.map {
        ($0.rawValue, Double(numbers.linkFailures[$0.rawValue] ?? 0))
      })
    return [
      Metric(
        "measured_info", "The program.", .gauge, by: "version", [Program.version: 1]),
      Metric(
        "measured_readings_total", "Readings of devices, by what became of them.", .counter,
        by: "result", numbers.readings.mapValues(Double.init)),
      Metric(
        "measured_events_completed_total", "Events that a measurement completed.", .counter,
        Double(numbers.completed)),
      Metric(
        "measured_assessments_refused_total", "Performed assessments that were not measured.",
        .counter, Double(numbers.notMeasured)),
      Metric(
        "measured_link_failures_total", "Failed links and commands to devices, by kind.", .counter,
        by: "kind", failures),
      Metric(
        "measured_last_reading_timestamp_seconds",
        "When the latest reading of a kind of device arrived, since 1970.", .gauge,
        by: "definition", latest.mapValues(\.timeIntervalSince1970)),
      Metric(
        "measured_store_size_bytes", "The store's file with its log.", .gauge,
        Double(storeSize)),
    ] + ProcessFacts.current.metrics
  }

  /// When the latest reading of each bound kind of device arrived.
  private func lastReadings() async throws -> [String: Date] {
    try await store.read { reader in
      var last: [String: Date] = [:]
      for binding in try reader.deviceBindings() {
        let latest = try reader.samples(SampleQuery(device: binding.address, limit: 1)).last
        guard let latest, let definition = latest.device.definition else { continue }
        last[definition] = max(last[definition] ?? latest.arrival, latest.arrival)
      }
      return last
    }
  }

  private var storeSize: Int {
    guard let path else { return 0 }
    return ["", "-wal"].reduce(0) { sum, companion in
      var info = stat()
      return unsafe stat(path + companion, &info) == 0 ? sum + Int(info.st_size) : sum
    }
  }
}

/// The kernel's figures for this process.
struct ProcessFacts: Hashable {
  /// Bytes.
  var residentMemory = 0
  /// Bytes.
  var virtualMemory = 0
  /// Seconds of processor time.
  var processorTime = 0.0
  /// Open files.
  var openFiles = 0

  /// This process now; zeros for what cannot be read.
  static var current: ProcessFacts {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
    return ProcessFacts(
      stat: (try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8)) ?? "",
      page: sysconf(Int32(_SC_PAGESIZE)), ticks: sysconf(Int32(_SC_CLK_TCK)),
      // The list itself is one.
      openFiles: (files ?? 1) - 1)
  }

  /// Reads `/proc/PID/stat` (proc_pid_stat(5)).
  init(stat: String, page: Int, ticks: Int, openFiles: Int) {
    self.openFiles = openFiles
    // The second field is a name in parentheses, which may contain spaces.
    guard let end = stat.lastIndex(of: ")") else { return }
    let fields = stat[stat.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
    guard fields.count > 21, ticks > 0 else { return }
    processorTime = (fields[11] + fields[12]) / Double(ticks)
    virtualMemory = Int(saturating: fields[20])
    residentMemory = Int(saturating: fields[21]).saturatingProduct(page)
  }

  /// The figures, under the names that Prometheus expects.
  var metrics: [Metric] {
    [
      Metric(
        "process_resident_memory_bytes", "Resident memory.", .gauge, Double(residentMemory)),
      Metric("process_virtual_memory_bytes", "Virtual memory.", .gauge, Double(virtualMemory)),
      Metric("process_cpu_seconds_total", "Processor time.", .counter, processorTime),
      Metric("process_open_fds", "Open files.", .gauge, Double(openFiles)),
    ]
  }
}
