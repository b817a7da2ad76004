package import Agenda
package import Care
import Foundation
import Localization

/// Who needs somebody this morning: a row for each person, for those who look after many.
package struct MorningPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let waiting: String?
    let rows: [Row]
    let csv: String
  }

  private struct Row {
    let id: String
    let name: String
    let today: String
    let alerts: String?
    let acknowledge: Acknowledge?
    let seenList: [String]
    let connect: String
    let silence: String?
    let isAway: Bool
    let isCalm: Bool
    let box: String
    let clock: String?
    let isClockWrong: Bool
    let program: String?
    let faults: [String]
    let devices: [Device]
    let week: String
    let month: String
  }

  /// The form by which somebody says that they look after the alerts.
  private struct Acknowledge {
    let patient: String
    let label: String
    let delays: [Delay]
  }

  /// A number of days for which the alerts are put off.
  private struct Delay {
    let days: Int
    let text: String
  }

  private struct Device {
    let name: String
    let last: String
    let isLate: Bool
    let battery: String?
    let isBatteryLow: Bool
  }

  /// Reads the page.
  ///
  /// - Parameters:
  ///   - morning: How the people stand.
  ///   - reader: The store.
  ///   - viewer: Who looks at it.
  ///   - notice: A message about the latest action.
  /// - Throws: ``StoreError``.
  package init(
    _ morning: Morning, _ reader: any StoreReader, viewer: Viewer, notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let address = LocalAddress("morning")
    frame = Frame(
      viewer: viewer, section: .morning, title: words.text("morning.title"), address: address,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    content = Content(
      waiting: morning.waiting == 0 || !viewer.may(.readAll)
        ? nil : words.text("morning.waiting", count: morning.waiting),
      rows: morning.people.enumerated().map { Self.row($1, place: $0, viewer) },
      csv: "/morning.csv")
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("morning", content, frame: frame) }

  /// A length in days if it is some, else in hours or minutes.
  private static func coarse(_ seconds: TimeInterval) -> TimeInterval {
    let unit: TimeInterval = seconds >= 2 * 86_400 ? 86_400 : seconds >= 2 * 3_600 ? 3_600 : 60
    return (seconds / unit).rounded() * unit
  }

  private static func row(_ person: PersonMorning, place: Int, _ viewer: Viewer) -> Row {
    let words = viewer.language
    func time(_ date: Date) -> String {
      words.time(date, relativeTo: viewer.now, in: viewer.timeZone)
    }
    func done(_ counts: Adherence.Counts) -> String {
      counts.due == 0
        ? words.text("morning.nothingDue")
        : words.text(
          "morning.done", ["done": String(counts.performed), "due": String(counts.due)])
    }
    let alerts = person.alertsSince.map { since in
      words.text("morning.alerts", count: person.alerts, ["time": time(since)])
    }
    let patient = [("patient", Optional(person.patient.id))]
    return Row(
      id: "person-\(place)", name: words.fullName(of: person.patient),
      today: LocalAddress("today", items: patient).description, alerts: alerts,
      acknowledge: alerts == nil || !viewer.may(.correct)
        ? nil
        : Acknowledge(
          patient: person.patient.id,
          label: words.text(
            "morning.acknowledgeOf", ["name": words.fullName(of: person.patient)]),
          delays: (1...3).map { Delay(days: $0, text: words.text("morning.delay", count: $0)) }),
      seenList: person.seen.map { sight in
        if let until = sight.until {
          return words.text(
            sight.name == nil ? "morning.putOff" : "morning.putOffBy", count: sight.count,
            [
              "name": sight.name ?? "", "time": time(until), "reason": sight.reason ?? "",
            ])
        }
        guard let name = sight.name else {
          return words.text("morning.seen", count: sight.count, ["time": time(sight.date)])
        }
        return words.text(
          "morning.seenBy", count: sight.count, ["name": name, "time": time(sight.date)])
      },
      connect: LocalAddress("connect", items: patient).description,
      silence: person.silence.map(words.silence(_:)),
      isAway: person.silence?.isAway ?? false,
      isCalm: person.measured != nil,
      box: person.box.map { box in
        box.contact.map { words.text("morning.contact", ["time": time($0)]) }
          ?? words.text("morning.neverSpoke")
      } ?? words.text("morning.noBox"),
      clock: person.box.flatMap { box in
        box.wrongClock.map { seconds in
          words.text(
            seconds > 0 ? "morning.clockAhead" : "morning.clockBehind",
            ["time": words.length(Self.coarse(abs(seconds)))])
        } ?? box.clock.map { _ in words.text("morning.clockRight") }
      },
      isClockWrong: person.box?.wrongClock != nil, program: person.box?.program,
      faults: (person.box?.faults ?? []).map { fault in
        words.text(
          "morning.fault", ["what": words.optionalText("doctor.subject.\(fault)") ?? fault])
      },
      devices: person.devices.map { device in
        Device(
          name: viewer.deviceName(device.identity), last: time(device.last),
          isLate: device.isLate(now: viewer.now),
          battery: device.battery.map { level in
            let percent = String(Int(saturating: level))
            return device.batteryDays.map {
              words.text("morning.batteryDays", count: $0, ["percent": percent])
            }
              ?? words.text(
                device.isBatteryLow ? "devices.batteryLow" : "devices.battery", ["percent": percent]
              )
          }, isBatteryLow: device.isBatteryLow)
      }, week: done(person.week), month: done(person.month))
  }
}
