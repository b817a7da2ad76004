import Care
import Foundation
import Hummingbird

/// The parameters of a request's address: each once, and none that is not known.
struct QueryItems: Sendable {
  private var items: [String: String] = [:]
  /// The parameters by name.
  var values: [String: String] { items }
  /// The names and values in the order of the names, to tell requests apart.
  var key: [String] { items.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] } }

  /// Reads the parameters.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - known: The names of the parameters.
  ///   - allowsEmpty: Whether a parameter without a value counts as absent, as in a form with a field
  ///     left empty.
  /// - Throws: ``Fault`` for a repeated one, for one that is not among `known`, for one without a
  ///   value unless `allowsEmpty`, and for text that is no UTF-8.
  init(_ request: Request, known: Set<String>, allowsEmpty: Bool = false) throws(Fault) {
    let query = request.uri.query ?? ""
    for part in query.split(separator: "&", omittingEmptySubsequences: true) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.text(sides[0]), let value = Self.text(sides.dropFirst().first ?? "")
      else { throw Fault(.malformed, "The parameter ‘\(part)’ is no text.") }
      guard known.contains(name) else {
        throw Fault(
          .malformed,
          known.isEmpty
            ? "There is no parameter ‘\(name)’ here."
            : "There is no parameter ‘\(name)’; there are \(known.sorted().joined(separator: ", "))."
        )
      }
      guard allowsEmpty || !value.isEmpty else {
        throw Fault(
          .malformed, "The parameter ‘\(name)’ has no value. Give it one, or leave it out.")
      }
      guard items.updateValue(value, forKey: name) == nil else {
        throw Fault(.malformed, "The parameter ‘\(name)’ is given twice.")
      }
    }
  }

  /// The values of a parameter, decoded, however often it is given.
  static func values(of name: String, in request: Request) -> [String] {
    (request.uri.query ?? "").split(separator: "&").compactMap { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard text(sides[0]) == name else { return nil }
      return text(sides.dropFirst().first ?? "")
    }
  }

  /// Decodes a part of a query: `%20` and `+` are spaces; `nil` for invalid UTF-8 and U+0000.
  static func text(_ part: Substring) -> String? {
    let text = part.replacing("+", with: " ").removingPercentEncoding
    return text?.contains("\0") == true ? nil : text
  }

  /// The value; `nil` for an absent or empty one.
  subscript(name: String) -> String? {
    guard let value = items[name], !value.isEmpty else { return nil }
    return value
  }

  /// A time, or a day's start; `zone` is the zone of one without an offset.
  func date(_ name: String, in zone: TimeZone) throws(Fault) -> Date? {
    guard let text = self[name] else { return nil }
    guard let date = Date(text, in: zone) else {
      throw Fault(
        .malformed,
        "‘\(text)’ of ‘\(name)’ is no time. Write 2026-11-20 or 2026-11-20T07:30:00+01:00.")
    }
    return date
  }

  /// A whole number.
  func number(_ name: String, in range: ClosedRange<Int>) throws(Fault) -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Fault(
        .malformed,
        "‘\(text)’ of ‘\(name)’ is no number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// One of the values of an enumeration.
  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Choice.Type = Choice.self
  ) throws(Fault) -> Choice? {
    guard let text = self[name] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw Fault(.malformed, "‘\(text)’ of ‘\(name)’ is none of \(known).")
    }
    return choice
  }
}
