import Foundation
import StrictYAML
import Terminal

/// Who may open the page, as the set-up asks it.
enum PageAudience: String, Hashable {
  /// On this machine, without signing in.
  case here
  /// In the network of the house, after signing in.
  case home
  /// No one.
  case off

  /// Reads the settings; `nil` for an address that the set-up does not ask for.
  init?(_ settings: ServiceSettings) {
    guard let page = settings.page else {
      self = .off
      return
    }
    if page == .standard {
      self = .here
    } else if page == Self.homeAddress {
      self = .home
    } else {
      return nil
    }
  }

  private static var homeAddress: PageAddress? {
    (try? ServiceSettings(parsing: "page: \(home.text)\n", file: "settings"))?.page ?? nil
  }

  /// The value of `page` in the settings file.
  private var text: String {
    switch self {
    case .here: "127.0.0.1:8473"
    case .home: "{listen: \"0.0.0.0:8473\"}"
    case .off: "off"
    }
  }

  /// A settings file with this page and everything else as it was.
  ///
  /// - Throws: ``YAMLError`` if it would be no valid settings file.
  func settings(from text: String, file: String) throws(YAMLError) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    let line = "page: \(self.text)"
    if let place = lines.firstIndex(where: { $0.hasPrefix("page:") }) {
      lines[place] = line
      // The lines of a mapping below it were its own.
      while lines.indices.contains(place + 1), lines[place + 1].first?.isWhitespace == true {
        lines.remove(at: place + 1)
      }
    } else {
      lines.append(line)
    }
    let changed = lines.joined(separator: "\n") + "\n"
    _ = try ServiceSettings(parsing: changed, file: file)
    return changed
  }
}
