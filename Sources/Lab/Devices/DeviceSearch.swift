import DeviceCatalog
import Localization
import StrictYAML
import Terminal

/// The devices that some words name.
struct DeviceSearch {
  private let words: [String]

  /// Makes a search; without words it finds every device.
  init(_ words: [String]) { self.words = words }

  /// Whether each word is a part of the definition's id, name, vendor or one of its families.
  ///
  /// Neither case nor spaces and hyphens count: `escs20m` finds `ES-CS20M`.
  func finds(_ definition: DeviceDefinition) -> Bool {
    let names = Self.names(of: definition).map(Self.bare)
    return words.allSatisfy { word in names.contains { $0.contains(Self.bare(word)) } }
  }

  /// The families of a definition that a word names, but its name does not show.
  func families(of definition: DeviceDefinition) -> [String] {
    let shown = [definition.id, definition.displayName].map(Self.bare)
    let hidden = words.map(Self.bare).filter { word in !shown.contains { $0.contains(word) } }
    return definition.families.filter { family in
      hidden.contains { Self.bare(family).contains($0) }
    }
  }

  /// The message if nothing was found, with advice.
  func failure(in catalog: DeviceCatalog) -> LocalizedText {
    let known = catalog.definitions.flatMap(Self.names)
      .flatMap { $0.split(separator: " ").map(String.init) }
    let unknown = words.first { word in
      !known.contains { Self.bare($0).contains(Self.bare(word)) }
    }
    return LocalizedText(
      "command.devices.notFound",
      [
        "words": .init(words.joined(separator: " ")),
        "suggestion": unknown.map { .suggestion(for: $0, among: Set(known).sorted()) } ?? "",
      ])
  }

  private static func names(of definition: DeviceDefinition) -> [String] {
    [definition.id, definition.name, definition.vendor] + definition.families
  }

  private static func bare(_ text: String) -> String {
    text.lowercased().filter { $0.isLetter || $0.isNumber }
  }
}
