import Actions
import Assessments
import Care
import CareStore
import Exchange
import Foundation
import Localization
import Outlets
import Synchronization
import Testing
import WebTestSupport

@testable import Web

/// The page and the interface over a store in memory, at a time that the test sets.
final class TestSite: RespondingSite {
  let store: SQLStore
  let environment: WebEnvironment
  private let clock: Clock
  let responder: TestResponder
  /// The places in which pictures and videos arrive.
  let uploads: UploadPlaces
  /// Every route, such as `GET /today`.
  var routes: [String] { responder.routes }

  /// Noon of 20 November 2026 in Berlin.
  static let noon = Date(timeIntervalSince1970: 1_795_172_400)
  static let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  init(
    hosts: Set<String>? = ["localhost"], now: Date = noon, access: WebAccess? = nil,
    store: SQLStore? = nil, measuring: Measuring? = nil, pairing: PairingDesk? = nil,
    takesTaps: Bool = true, isCentre: Bool = true
  ) throws {
    let store = try store ?? SQLStore.inMemory(makeUUID: { UUID() })
    self.store = store
    let clock = Clock(now)
    self.clock = clock
    environment = WebEnvironment(
      store: store, now: { clock.now }, timeZone: Self.zone,
      fault: { error in
        switch error {
        case StoreError.refused: Fault(.refused, "refused")
        case StoreError.unknown: Fault(.unknown, "unknown")
        case EntryRefusal.unknownUnit(let name): Fault(.malformed, "\(name)")
        case EntryRefusal.store(let error): Fault(.refused, "\(error)")
        case is EntryRefusal, is ScreenTestRefusal: Fault(.refused, "\(error)")
        case MessageRefusal.unknownContact: Fault(.unknown, "\(error)")
        case ChannelRefusal.nobody, ChannelRefusal.unknown: Fault(.unknown, "\(error)")
        case is ChannelRefusal: Fault(.malformed, "\(error)")
        case is MessageRefusal: Fault(.malformed, "\(error)")
        case is AssessmentRefusal: Fault(.refused, "\(error)")
        case let fault as Fault: fault
        case let error as AttachmentError: Fault(.refused, "\(error)")
        case MeasuringFault.unknown: Fault(.unknown, "no session")
        case let fault as MeasuringFault: Fault(.refused, "\(fault)")
        default: Fault(.failed, "\(error)")
        }
      },
      plans: PlanText(
        encode: { "\(try $0.histories(patient: nil).count) tasks" },
        parse: { throw Fault(.refused, $0) }, check: { _, _ in }),
      measuring: measuring, pairing: pairing, takesTaps: takesTaps,
      door: isCentre
        ? CentreDoor(Centre(version: 1)) { (0..<$0).map { _ in .random(in: .min ... .max) } } : nil,
      centres: CentreDesk(
        join: { address, code in
          code == "GOOD"
            ? .joined(LocalizedText("setup.centre.joined", ["centre": "\(address)"]))
            : .refused(LocalizedText("command.join.unknownCode"))
        }, leave: { _ in }),
      receivers: OutletDesk(
        settings: [
          "clinic": OutletDefinition(
            .fhir, ["address": ["https://clinic.example/fhir"], "people": ["all"]])
        ],
        test: { name in
          name == "clinic" ? .delivered : .later(.unreachable("example.org"), after: nil)
        }),
      test: { channel, _ in channel.kind == .email ? .delivered : .later(.timeout, after: nil) })
    uploads = environment.uploads
    responder = try TestResponder(environment, hosts: hosts, access: access)
  }

  /// Sets the time.
  func set(_ date: Date) { clock.now = date }

  private final class Clock: Sendable {
    private let date: Mutex<Date>

    init(_ date: Date) { self.date = Mutex(date) }

    var now: Date {
      get { date.withLock { $0 } }
      set { date.withLock { $0 = newValue } }
    }
  }
}
