package import Agenda
import Care
package import Foundation

/// How a person stands this morning, as JSON and as a line of a table.
package struct MorningOutput: Encodable {
  var patient: String
  var alerts: Int
  @Nullable var alertsSince: String?
  /// Who has seen the alerts that are not counted, and when.
  var seen: [SightOutput]
  @Nullable var contact: String?
  /// The version of the box's program, and what does not work there.
  @Nullable var program: String?
  var faults: [String]
  /// How far its clock is ahead of this one, in whole seconds.
  @Nullable var clock: Int?
  @Nullable var measured: String?
  /// `box`, or the names of the reasons, the most probable first.
  var silence: [String]
  var devices: [DeviceOutput]
  /// Of seven days and of thirty.
  var week: DoneOutput
  var month: DoneOutput

  /// The events that were due, and how many were done.
  struct DoneOutput: Encodable {
    var due: Int
    var performed: Int
  }

  /// Somebody who looks after alerts.
  struct SightOutput: Encodable {
    @Nullable var by: String?
    var date: String
    var alerts: Int
    /// Until when they are put off, and why.
    @Nullable var until: String?
    @Nullable var reason: String?
  }

  /// A device that measured the person.
  struct DeviceOutput: Encodable {
    var device: String
    @Nullable var definition: String?
    var last: String
    /// Whether it has measured nothing for twice its longest pause; `null` if its rhythm is not known.
    @Nullable var isLate: Bool?
    @Nullable var battery: Double?
    @Nullable var batteryDays: Int?
  }

  /// Writes how a person stands, with times in a zone.
  package init(_ person: PersonMorning, _ zone: TimeZone, now: Date) {
    patient = person.patient.id
    alerts = person.alerts
    faults = person.box?.faults ?? []
    clock = person.box?.clock.map { Int(saturating: $0.rounded()) }
    seen = person.seen.map {
      SightOutput(
        by: $0.name, date: $0.date.rfc3339(in: zone), alerts: $0.count,
        until: $0.until?.rfc3339(in: zone), reason: $0.reason)
    }
    silence =
      switch person.silence {
      case .box: ["box"]
      case .device(let reasons): reasons.map(\.rawValue)
      case nil: []
      }
    devices = person.devices.map { device in
      DeviceOutput(
        device: device.address.text, definition: device.identity.definition,
        last: device.last.rfc3339(in: zone),
        isLate: device.longestPause.map { _ in device.isLate(now: now) },
        battery: device.battery, batteryDays: device.batteryDays)
    }
    week = DoneOutput(due: person.week.due, performed: person.week.performed)
    month = DoneOutput(due: person.month.due, performed: person.month.performed)
    alertsSince = person.alertsSince?.rfc3339(in: zone)
    contact = person.box?.contact?.rfc3339(in: zone)
    program = person.box?.program
    measured = person.measured?.rfc3339(in: zone)
  }

  package static let csvHeading =
    "patient,alerts,alertsSince,seenBy,contact,program,faults,clock,measured,silence,late,weekDone,weekDue,monthDone,monthDue"

  /// The person as a line of CSV; devices that are late are named in one cell.
  package var csv: String {
    CSVLine([
      patient, String(alerts), alertsSince ?? "",
      seen.compactMap(\.by).joined(separator: " "), contact ?? "", program ?? "",
      faults.joined(separator: " "), clock.map { String($0) } ?? "", measured ?? "",
      silence.joined(separator: " "),
      devices.filter { $0.isLate == true }.map(\.device).joined(separator: " "),
      String(week.performed), String(week.due), String(month.performed), String(month.due),
    ]).text
  }
}
