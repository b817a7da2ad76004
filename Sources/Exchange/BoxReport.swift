package import Care
package import Foundation

/// The state in which a box says that it is, with the first request of each session.
///
/// A centre cannot look at a box. Of what an unknown program sends, no more is kept than a list shows.
package struct BoxReport: Hashable, Sendable, Codable {
  /// The program's version.
  package var program: String
  /// The parts of the machine that do not work: `controller`, `clock`, `disk`.
  package var faults: [String]
  /// Since when it cannot receive sensors; `nil` while it can.
  package var radioFailedSince: Date?
  /// The time by the box's clock; `nil` of an older program.
  package var date: Date?
  /// The devices that it reads, without their keys; `nil` where nothing is said of them.
  package var devices: [DeviceBinding]?
  /// When it was off in the last days, as the box says.
  private var offs: [Off]

  /// A time in which a box was off; a box may say that one ends before it begins.
  private struct Off: Hashable, Codable {
    var start: Date
    var end: Date
  }

  /// The times in which it was off.
  package var spans: [Range<Date>] {
    offs.filter { $0.start < $0.end }.map { $0.start..<$0.end }
  }

  /// Makes a report.
  package init(
    program: String, faults: [String] = [], radioFailedSince: Date? = nil,
    offs: [Range<Date>] = [], date: Date? = nil, devices: [DeviceBinding]? = nil
  ) {
    (self.date, self.devices) = (date, devices)
    (self.program, self.faults) = (program, faults)
    self.radioFailedSince = radioFailedSince
    self.offs = offs.map { Off(start: $0.lowerBound, end: $0.upperBound) }
  }

  private static let most = 16
  private static let longest = 64

  /// The part that a centre keeps.
  var bounded: Self {
    // Bytes, since one character can have any number of them.
    func text(_ text: String) -> String {
      String(decoding: text.utf8.prefix(Self.longest), as: UTF8.self)
    }
    return Self(
      program: text(program), faults: faults.prefix(Self.most).map(text),
      radioFailedSince: radioFailedSince, offs: spans.suffix(Self.most),
      date: date, devices: devices.map(DeviceKit.bounded))
  }

  /// The report with the devices of these people and of nobody; of `nil`, without the devices.
  func naming(_ people: Set<String>?) -> Self {
    var report = self
    report.devices = people.flatMap { people in devices?.filter { $0.isOf(people) } }
    return report
  }
}

extension Request {
  /// The sender's state; only the first request of a session has it.
  var report: BoxReport? {
    switch self {
    case .still(let still): still.report
    case .hello(let hello): hello.report
    case .latest, .put, .get: nil
    }
  }
}
