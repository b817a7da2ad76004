import Agenda
import ArgumentParser
import Care
import CareStore
import Exchange
import Foundation
import Localization
import Terminal

extension CentreCommand {
  /// `measured centre morning`.
  struct Morning: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A line for each person, those who need somebody first.",
      discussion: """
        Alerts of the last three days, when the box last spoke, the last measurement, why nothing is \
        measured, and how much of the last seven days' plan was done.

        Example:
          measured centre morning
        """)

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let now = Date()
        let (lines, zone) = try await storage.openExisting().readingExchange { exchange in
          (try MorningLine.all(in: exchange, now: now), try exchange.zone())
        }
        guard !json else {
          for line in lines { try Console.json(MorningOutput(line, zone)) }
          return
        }
        guard !lines.isEmpty else {
          return Console.out(LocalizedText("command.centre.nobody").message)
        }
        var table = TextTable([
          "command.head.person", "command.centre.alerts", "command.centre.contact",
          "command.centre.measured", "command.centre.silence", "command.centre.done",
        ])
        for line in lines {
          table.add([
            line.name, line.alerts == 0 ? "–" : String(line.alerts),
            line.contact?.rfc3339(in: zone).minutes ?? "–",
            line.measured?.rfc3339(in: zone).minutes ?? "–", line.silence.map(\.message) ?? "–",
            line.due == 0 ? "–" : "\(line.performed)/\(line.due)",
          ])
        }
        table.lines.forEach(Console.out)
      }
    }
  }
}

/// How a person stands this morning, as the centre knows it.
struct MorningLine: Sendable {
  var patient: String
  var name: String
  /// The alerts of the last three days.
  var alerts = 0
  /// When a box of the person's last spoke; `nil` without one.
  var contact: Date?
  /// When something was last measured.
  var measured: Date?
  /// Why nothing is measured.
  var silence: Silence?
  /// The events of the last seven days that were due, and those that were done.
  var due = 0
  var performed = 0

  /// Why nothing comes of a person.
  enum Silence: Hashable, Sendable {
    /// No box of the person's has spoken for long: what it measures is not known.
    case box
    /// A rule says that a sensor is silent, for these reasons.
    case sensor([SilenceReason])

    var message: String {
      switch self {
      case .box: LocalizedText("command.centre.boxSilent").message
      case .sensor(let reasons): Console.language.silence(reasons)
      }
    }
  }

  /// Twice as long as the longest pause of a box that works.
  private static let longestPause = 2 * SyncPace.longest
  private static let day: TimeInterval = 86_400

  /// A line for each person; those who need somebody come first.
  static func all(in exchange: any RowExchange, now: Date) throws -> [MorningLine] {
    let boxes = try Enrolment(Centre()).boxes(in: exchange).filter { $0.state != .revoked }
    return try exchange.patients().map { patient in
      try MorningLine(patient, boxes, in: exchange, now: now)
    }.sorted {
      ($0.need, $1.name, $1.patient) > ($1.need, $0.name, $0.patient)
    }
  }

  /// How much the person needs somebody: an alert before a silence, a silence before nothing.
  private var need: Int { alerts > 0 ? 2 : silence == nil ? 0 : 1 }

  private init(
    _ patient: Patient, _ boxes: [Enrolment.Known], in exchange: any RowExchange, now: Date
  ) throws {
    (self.patient, name) = (patient.id, patient.displayName)
    let own = boxes.filter { $0.membership.people.contains(patient.id) }
    contact = own.compactMap(\.contact).max()
    measured = try exchange.samples(
      SampleQuery(owner: .patient(patient.id), to: now, limit: 1)
    ).last?.end
    alerts = try exchange.firings(
      FiringQuery(patient: patient.id, kinds: [.alert], from: now - 3 * Self.day)
    ).count
    if !own.isEmpty, contact.map({ now.timeIntervalSince($0) > Self.longestPause }) ?? true {
      silence = .box
    } else {
      silence = try Self.reasons(of: patient.id, since: measured, in: exchange, now: now)
        .map(Silence.sensor)
    }
    let zone = try exchange.zone(of: patient.id, at: now)
    for entry in try exchange.adherence(
      by: .day, patient: patient.id, from: now - 7 * Self.day, to: now, in: zone, now: now)
    {
      due += entry.counts.due
      performed += entry.counts.performed
    }
  }

  /// Why a sensor is silent that a rule watches; `nil` if none is, or something came since.
  private static func reasons(
    of patient: String, since measured: Date?, in exchange: any RowExchange, now: Date
  ) throws -> [SilenceReason]? {
    let firings = try exchange.firings(
      FiringQuery(patient: patient, kinds: [.rule, .alert], from: now - 7 * day))
    for stored in firings.reversed() where stored.firing.date > measured ?? .distantPast {
      if let evidence = try SilenceEvidence(of: stored.firing, in: exchange, offs: []) {
        return SilenceReason.probable(evidence)
      }
    }
    return nil
  }
}

/// A line of the morning for programs.
private struct MorningOutput: Encodable {
  var patient: String
  var alerts: Int
  var contact: String?
  var measured: String?
  var silence: [String]
  var due: Int
  var performed: Int

  init(_ line: MorningLine, _ zone: TimeZone) {
    (patient, alerts, due, performed) = (line.patient, line.alerts, line.due, line.performed)
    contact = line.contact?.rfc3339(in: zone)
    measured = line.measured?.rfc3339(in: zone)
    silence =
      switch line.silence {
      case .box: ["box"]
      case .sensor(let reasons): reasons.map(\.rawValue)
      case nil: []
      }
  }
}
