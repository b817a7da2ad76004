package import CareStore
package import Localization

extension StoreFinding: Localizable {
  /// The problem with a store, the part that has it, and the advice.
  package var localized: LocalizedText {
    LocalizedText("storeFinding.\(name).fact", ["id": "\(id)", "detail": "\(detail)"])
      .followed(by: advice)
  }

  /// The advice.
  package var advice: LocalizedText { LocalizedText("storeFinding.\(name).advice") }

  /// The kind's name in the languages' files.
  private var name: String {
    kind == .wrongSchema && detail == "missing" ? "missingSchema" : kind.rawValue
  }

  /// The kind of thing that the id names: `file`, `block`, `outcome`, `version`, `row`, `store`,
  /// `patient`.
  package var thing: String {
    switch kind {
    case .damagedFile, .copiedFile, .wrongSchema: "file"
    case .damagedBlock, .wrongFigures: "block"
    case .orphanedOutcome, .outcomeConflict: "outcome"
    case .brokenEdge, .conflict, .changedRow: "version"
    case .wrongState, .unreadableRow, .missingRow: "row"
    case .repeatedStamp, .wrongClock: "store"
    case .unknownOwner: "patient"
    case .damagedAttachment: "attachment"
    case .missingAttachment: "outcome"
    }
  }
}
