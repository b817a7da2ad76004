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
  /// When it was off in the last days.
  package var offs: [DateInterval]

  /// Makes a report.
  package init(
    program: String, faults: [String] = [], radioFailedSince: Date? = nil, offs: [DateInterval] = []
  ) {
    (self.program, self.faults) = (program, faults)
    (self.radioFailedSince, self.offs) = (radioFailedSince, offs)
  }

  private static let most = 16
  private static let longest = 64

  /// The part that a centre keeps.
  var bounded: Self {
    func text(_ text: String) -> String { String(text.prefix(Self.longest)) }
    return Self(
      program: text(program), faults: faults.prefix(Self.most).map(text),
      radioFailedSince: radioFailedSince, offs: offs.suffix(Self.most))
  }
}

extension Request {
  /// The sender's state; only the first request of a session has it.
  var report: BoxReport? {
    switch self {
    case .still(let still): still.report
    case .hello(let hello): hello.report
    case .put, .get: nil
    }
  }
}
