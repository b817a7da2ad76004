package import Care

extension AttachmentError: Localizable {
  /// Why a file cannot be stored as a picture or video, and what can.
  package var localized: LocalizedText {
    switch self {
    case .empty: "refused.fileEmpty"
    case .otherContent(let content): Self.text("file", content.rawValue)
    case .otherKind(_, let expected): Self.text("fileNo", expected.rawValue)
    case .wronglyLabelled: "refused.fileLabel"
    case .tooLong(let kind): Self.text("fileLong", kind.rawValue)
    case .damaged: "refused.fileDamaged"
    case .notPlayed: "refused.fileNotPlayed"
    }
  }

  private static func text(_ problem: String, _ subject: String) -> LocalizedText {
    LocalizedText("refused." + problem + subject.prefix(1).uppercased() + subject.dropFirst())
  }
}
