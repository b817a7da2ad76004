import Care
import CareStore

extension StoreFinding {
  /// The problem with a store, the part that has it, and the advice.
  var message: String { parts.fact + " " + parts.advice }

  /// The advice.
  var advice: String { parts.advice }

  /// The kind of thing that the id names: `file`, `block`, `outcome`, `version`, `row`, `store`,
  /// `patient`.
  var thing: String {
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

  private var parts: (fact: String, advice: String) {
    switch kind {
    case .damagedFile:
      (
        "The file is damaged (\(id): \(detail)).",
        "Restore it from a backup: measured store restore."
      )
    case .damagedBlock:
      (
        "Block \(id) of streamed samples cannot be read (\(detail)).",
        "Restore the store from a backup, or import the export of another one."
      )
    case .wrongFigures:
      (
        "The sums of block \(id) are not those of its samples (\(detail)).",
        "Restore the store from a backup."
      )
    case .orphanedOutcome:
      (
        "The outcome \(id) belongs to no event: \(detail).", "Import the plan that has the task."
      )
    case .brokenEdge:
      (
        "The version \(id) is next to one that is missing (\(detail)).",
        "Import the export of the store that has it."
      )
    case .conflict:
      (
        "Several stores changed \(detail). The newest version is shown.",
        "`measured tasks --conflicts` shows all of them and says how to settle it."
      )
    case .outcomeConflict:
      (
        "Several stores answered the event \(detail) differently. The newest answer is shown.",
        "Answer it again to settle it; `measured tasks --conflicts` prints the command."
      )
    case .wrongState:
      (
        "What the store shows of \(id) is not what its rows say: \(detail).",
        "Restore the store from a backup."
      )
    case .repeatedStamp:
      (
        "Two files wrote under the name \(id) (\(detail)). Each has taken another name since;"
          + " nothing is lost.", "Do not run two copies of one store."
      )
    case .unreadableRow:
      (
        "The row \(id) cannot be read: \(detail).", "Restore the store from a backup."
      )
    case .changedRow:
      (
        "The version \(id) was changed after it was written (\(detail)): its id is not that of its"
          + " content.", "Restore the store from a backup."
      )
    case .missingRow:
      (
        "Rows of \(id) are missing (\(detail)).",
        "Restore the store from a backup, or import the export of another one."
      )
    case .wrongSchema:
      (
        detail == "missing"
          ? "The \(id) of the file is missing." : "The \(id) in the file is not this program's.",
        "Export the store and import it again: measured store export FILE, then measured store import"
          + " FILE --replace."
      )
    case .wrongClock:
      (
        "The count of the store \(id) is behind its rows (\(detail)): the next row would have the name"
          + " of another one.", "Restore the store from a backup."
      )
    case .damagedAttachment:
      (
        "The bytes of the picture or video \(id) were changed (\(detail)).",
        "Restore the store from a backup, or import the export of another one."
      )
    case .missingAttachment:
      (
        "The bytes of a picture or video of the outcome \(id) are missing (\(detail)).",
        "Restore the store from a backup, or import the export of another one."
      )
    case .unknownOwner:
      (
        "There are samples of ‘\(id)’, who is no patient.",
        "Import a plan with this patient, or assign the samples to someone else."
      )
    case .copiedFile:
      (
        "The file is a copy. It takes a name of its own with its first change;",
        "nothing is to be done."
      )
    }
  }
}
