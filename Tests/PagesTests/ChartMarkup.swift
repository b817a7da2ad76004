import Foundation

@testable import Pages

/// Reads the texts of a drawing and their places.
enum ChartMarkup {
  /// A text of a drawing with its place.
  struct Text {
    var left: Double
    var right: Double
    var y: Double
    var isGoal: Bool
    var content: String
  }

  /// The texts of a drawing.
  static func texts(in svg: String) -> [Text] {
    svg.components(separatedBy: "<text").dropFirst().compactMap { part in
      let tag = part.prefix { $0 != ">" }
      let content = part.dropFirst(tag.count + 1).prefix { $0 != "<" }
        .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
      guard let x = number("x", in: tag), let y = number("y", in: tag) else { return nil }
      let width = String(content).drawnWidth()
      let left = tag.contains("middle") ? x - width / 2 : tag.contains("\"end\"") ? x - width : x
      return Text(
        left: left, right: left + width, y: y, isGoal: tag.contains("goal"),
        content: String(content))
    }
  }

  private static func number(_ name: String, in tag: Substring) -> Double? {
    tag.components(separatedBy: " \(name)=\"").dropFirst().first
      .flatMap { Double($0.prefix { $0 != "\"" }) }
  }
}
