import ArgumentParser
import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Plans
import Radio
import SystemBus
import Traces
import UnixSignals

/// `measured record`.
struct Record: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes what the radio hears to a trace that measured replay plays.",
    discussion: """
      Devices are connected to and read as the daemon would, and everything is written while it \
      runs; nothing is kept in the store. With --plan, the devices that the plan binds are read as \
      it says. Ctrl-C ends it. A trace holds addresses and health data: hand it on with care.

      Example:
        measured record weigh-in.jsonl --seconds 60
      """)

  @Argument(help: "The trace to write; - is standard output.")
  var file: String

  @Option(help: "How long to record. Default: until Ctrl-C.")
  var seconds: Double?

  @Option(name: .customLong("device"), help: "Only this device; may be repeated.")
  var addresses: [AddressArgument] = []

  @Option(help: "A care plan whose devices are read.")
  var plan: String?

  @Flag(help: "Write over a file that is there.")
  var force = false

  @OptionGroup var air: RadioOptions
  @OptionGroup var catalog: CatalogOptions

  func run() async throws {
    try await reporting(isJSON: false) {
      let definitions = try DeviceCatalog.load(catalog)
      let document = try plan.map { try PlanFile.load($0) }
      let writing = try TraceWriting(file: file, force: force, only: Set(addresses.map(\.address)))
      let store = try SQLStore.inMemory(makeUUID: { UUID() })
      if let document {
        _ = try await store.write { try $0.importPlan(document, now: Date()) }
      }
      let summary = try await AirListening(air).use { opened in
        let interruption = Task {
          for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
            opened.radio.interrupt()
          }
        }
        defer { interruption.cancel() }
        let timer = seconds.map { seconds in
          opened.loop.schedule(after: .seconds(seconds)) { opened.radio.interrupt() }
        }
        defer { if let timer { opened.loop.cancel(timer) } }
        let radio = RecordedRadio(opened.radio, writing: writing)
        var hub = try await Hub(radio: radio, store: store, catalog: definitions) { _ in }
        return try await hub.run()
      }
      Console.error(
        "\(writing.count) events were recorded, \(summary.stored + summary.unassigned) readings in them."
      )
    }
  }
}
