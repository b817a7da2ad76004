import Care

extension AttachmentError: PresentableError {
  var exitCode: ExitCode { .refused }

  /// Why a file cannot be stored as a picture or video, and what can.
  var message: String {
    switch self {
    case .empty: "The file is empty."
    case .otherContent(let content):
      "This is \(content.name), not a picture or video. \(Self.formats)"
    case .otherKind(let type, let expected):
      "This is a \(type.kind.rawValue) (\(type.rawValue)), not a \(expected.rawValue)."
    case .wronglyLabelled(let type, let label):
      "This is \(type.rawValue), and was sent as ‘\(label)’. Send it as what it is."
    case .tooLong(let kind):
      "The \(kind.rawValue) is larger than \(kind.longest / 1_000_000) MB. "
        + (kind == .picture ? "Take it in a lower resolution." : "Take a shorter one.")
    case .damaged(let type):
      "The file begins like \(type.rawValue), and is none. Take the picture again."
    }
  }

  private static let formats =
    "Pictures are JPEG, PNG, WebP or HEIC; videos are MP4, QuickTime or WebM."
}

extension FileContent.Other {
  /// The format, with its article.
  fileprivate var name: String {
    switch self {
    case .gif: "a GIF"
    case .avif: "an AVIF"
    case .matroska: "a Matroska video"
    case .sound: "a sound"
    case .pdf: "a PDF"
    case .zip: "a ZIP archive"
    case .gzip: "a compressed archive"
    case .program: "a program"
    case .markup: "a web page or a drawing in text"
    case .text: "a text"
    case .unknown: "of an unknown format"
    }
  }
}
