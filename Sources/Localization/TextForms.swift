import Care
package import Foundation

extension Date {
  /// The time to the second: `2026-11-20T07:09:58-08:00`.
  package func toTheSecond(in timeZone: TimeZone) -> String {
    addingTimeInterval(-timeIntervalSince1970.truncatingRemainder(dividingBy: 1))
      .rfc3339(in: timeZone)
  }
}

extension String {
  /// The text as one word of a shell's command line.
  package var shellQuoted: String {
    let isPlain =
      !isEmpty
      && allSatisfy { character in
        character.isLetter || character.isNumber || "-_./:@%+,".contains(character)
      }
    return isPlain ? self : "'" + replacing("'", with: #"'\''"#) + "'"
  }
}
