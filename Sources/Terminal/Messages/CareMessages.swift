package import Care
import Foundation
import Localization

// How values of the care model read for people.

extension AttachmentError: PresentableError {
  package var exitCode: ExitCode { .refused }
}

extension Sample {
  /// The quantity and its value in the units of its patient: `Weight 61.75 kg`.
  package func summary(for units: [String: PreferredUnits] = [:]) -> String {
    let kind = reading.kind.map { " (\($0))" } ?? ""
    return "\(Console.language.title(of: reading.quantity))\(kind) "
      + reading.quantity.text(reading.value, for: patient.flatMap { units[$0] })
  }
}

extension MeasurementContext {
  /// Its parts in words, `irregular pulse, cuff too loose`; `nil` if there are none.
  package var text: String? {
    isEmpty ? nil : Console.language.remarks(of: self).joined(separator: ", ")
  }
}

extension String {
  /// The text without characters that control a terminal: a device chooses its own name.
  package var printable: String {
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
