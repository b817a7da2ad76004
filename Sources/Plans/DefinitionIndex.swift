package import Care

/// The device definitions that a plan can name, with the properties that a plan has to agree with.
package struct DefinitionIndex: Hashable, Sendable {
  /// One kind of device.
  package struct Entry: Hashable, Sendable {
    /// The definition's id.
    package var id: String
    /// The name for people.
    package var name: String
    /// The quantities that it measures.
    package var quantities: Set<Quantity>
    /// Whether its readings can only be opened with a key.
    package var needsKey: Bool
    /// Whether its readings say which of its users they are of.
    package var hasUsers: Bool
    /// Whether it streams movement, from which other quantities are computed.
    package var streamsMotion: Bool

    /// Makes an entry.
    package init(
      id: String, name: String? = nil, quantities: Set<Quantity> = [], needsKey: Bool = false,
      hasUsers: Bool = false, streamsMotion: Bool = false
    ) {
      self.id = id
      self.name = name ?? id
      self.quantities = quantities
      self.needsKey = needsKey
      self.hasUsers = hasUsers
      self.streamsMotion = streamsMotion
    }

    /// Whether its readings tell the people of a household apart: by users, or by their weight.
    package var tellsPeople: Bool { hasUsers || quantities.contains(.bodyMass) }
  }

  /// The definitions, in their order.
  package var entries: [Entry]
  /// The folders that they were read from, as the person knows them; for errors.
  package var folders: [String]

  /// Makes an index.
  package init(_ entries: [Entry], folders: [String] = []) {
    self.entries = entries
    self.folders = folders
  }

  /// The definition of that id.
  package subscript(id: String) -> Entry? { entries.first { $0.id == id } }

  /// Where the definitions are looked for, as an error says it.
  var place: String {
    folders.isEmpty
      ? ""
      : " in \(folders.joined(separator: " or ")) (another folder is named with --devices)"
  }
}
