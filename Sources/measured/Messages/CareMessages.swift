import Care
import Foundation
import Localization
import Pages

// How values of the care model read for people.

extension AttachmentError: PresentableError {
  var exitCode: ExitCode { .refused }
}

extension Sample {
  /// The quantity and its value in the units of its patient: `Weight 61.75 kg`.
  func summary(for units: [String: PreferredUnits] = [:]) -> String {
    let kind = reading.kind.map { " (\($0))" } ?? ""
    return "\(reading.quantity.title)\(kind) "
      + reading.quantity.text(reading.value, for: patient.flatMap { units[$0] })
  }
}

extension OutcomeValue {
  /// The kind, the value and its unit: `range 82.4°`.
  var text: String { (kind.map { $0 + " " } ?? "") + figure }

  /// The value and its unit: `82.4°`.
  var figure: String {
    let number =
      switch value {
      case .integer(let number): String(number)
      case .double(let number): number.plainText
      case .boolean(let flag): flag ? "yes" : "no"
      case .text(let text): text
      case .binary(let bytes): "\(bytes.count) bytes"
      case .attachment(let attachment): attachment.summary
      case .date(let date): date.rfc3339(in: .gmt)
      }
    return unit?.text(number) ?? number
  }
}

extension Attachment {
  /// The kind and the size: `picture, 2.1 MB`.
  var summary: String { "\(type.kind.rawValue), \(sizeText)" }
}

extension String {
  /// The text without characters that control a terminal: a device chooses its own name.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
          default: true
          }
        }))
  }
}
