import Actions
import Care
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The fields of a form, in the order in which they were sent.
struct FormBody: Sendable {
  private var fields: [(name: String, value: String)] = []

  /// Makes a form without fields.
  init() {}

  /// The most fields of a form.
  static let most = 200

  /// Reads a body of `application/x-www-form-urlencoded`.
  ///
  /// - Throws: ``Fault`` for text that is no UTF-8 and for too many fields.
  init(_ request: Request, _ context: WebContext) async throws {
    guard request.mediaType == "application/x-www-form-urlencoded" else {
      throw HTTPError(.unsupportedMediaType, message: "Send the form as it is.")
    }
    try self.init(try await request.body.collect(upTo: context.maxUploadSize))
  }

  /// Reads the body.
  init(_ buffer: ByteBuffer) throws {
    guard let text = String(validating: buffer.readableBytesView, as: UTF8.self) else {
      throw Fault(.malformed, "The form is no text.")
    }
    for part in text.split(separator: "&") {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = QueryItems.text(sides[0]),
        let value = QueryItems.text(sides.dropFirst().first ?? "")
      else { throw Fault(.malformed, "A field of the form is no text.") }
      try add(name, value)
    }
  }

  /// Adds a field.
  ///
  /// - Throws: ``Fault`` for too many fields.
  mutating func add(_ name: String, _ value: String) throws(Fault) {
    fields.append((name, value))
    guard fields.count <= Self.most else { throw Fault(.malformed, "The form is too long.") }
  }

  /// The trimmed value of a field; `nil` for an absent or empty one.
  subscript(name: String) -> String? {
    let text = fields.first { $0.name == name }?.value.trimmingCharacters(
      in: .whitespacesAndNewlines)
    return text?.isEmpty == true ? nil : text
  }

  /// The value of a field as it was entered; empty for an absent one.
  func exactly(_ name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

  /// Every value of a field, without empty ones.
  func values(_ name: String) -> [String] {
    fields.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
  }

  /// The fields in their order.
  var all: [(name: String, value: String)] { fields }

  /// Whether it has a field for a value, filled or not.
  var asksForValues: Bool {
    fields.contains { $0.name == "value" || $0.name.hasPrefix("value.") }
  }

  /// The values that were entered for a task, in order.
  ///
  /// They are those of `value`, without a kind, and of each `value.KIND`. A decimal comma of a number
  /// is a point. A value that is measured may have its unit, such as `148 lb`.
  ///
  /// - Throws: `EntryRefusal` for a unit that does not exist.
  func answers(to task: PlannedTask) throws(EntryRefusal) -> [EnteredValue] {
    var answers: [EnteredValue] = []
    for field in fields {
      var text = field.value.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !text.isEmpty else { continue }
      let question = task.survey.first { "value." + $0.kind == field.name }
      if question.map({ [.number, .scale].contains($0.type) }) ?? true,
        text.wholeMatch(of: /-?[0-9]+,[0-9]+/) != nil
      {
        text = text.replacing(",", with: ".")
      }
      let measure = question == nil ? try? EnteredMeasure(text) : nil
      if let measure, measure.unit != nil { text = measure.number.plainText }
      let isOnly = field.name == "value"
      guard isOnly || field.name.hasPrefix("value.") else { continue }
      let kind = isOnly ? nil : String(field.name.dropFirst("value.".count))
      var unit = measure?.unit
      if unit == nil, let name = self[kind.map { "unit." + $0 } ?? "unit"] {
        unit = try UnitOfMeasure(entered: name)
      }
      answers.append(EnteredValue(text: text, unit: unit, kind: kind))
    }
    return answers
  }

  /// Where to go afterwards: a path of this page; the day for anything else.
  var back: String { Self.local(self["return"]) }

  /// The path if it is one of this page; the day's for anything else.
  static func local(_ path: String?) -> String {
    guard let text = path, text.hasPrefix("/"), !text.hasPrefix("//"),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
    else { return "/today" }
    return text
  }
}
