/// The pictures and addresses that the page shows of a task beside its words.
extension PlannedTask {
  /// Its links by name, in the order of the names: those facts of ``userInfo`` that are addresses.
  package var links: [(name: String, address: String)] {
    userInfo.filter { Self.isAddress($0.value) }.sorted { $0.key < $1.key }
      .map { (name: $0.key, address: $0.value) }
  }

  /// Whether a page may lead to an address: a page, mail or telephone.
  package static func isAddress(_ text: String) -> Bool {
    let text = text.lowercased()
    return ["https://", "http://", "mailto:", "tel:", "sms:"].contains { text.hasPrefix($0) }
  }

  /// Whether a page may lead to a video there.
  package static func isVideo(_ text: String) -> Bool {
    ["https://", "http://"].contains { text.lowercased().hasPrefix($0) }
  }

  /// Its video, if it is an own file of the store and not an address.
  package var ownVideo: Attachment? { video.flatMap(Attachment.init(reference:)) }

  /// Its picture, if it is one that a page may show: data, or a file of this server.
  package var picture: String? {
    guard let image else { return nil }
    let isData = image.lowercased().hasPrefix("data:image/")
    let isLocal = image.hasPrefix("/") && !image.hasPrefix("//") && !image.hasPrefix("/\\")
    return isData || isLocal ? image : nil
  }
}

extension Attachment {
  /// The beginning of every reference, before the digest.
  package static let referencePrefix = "sha256="

  /// How a plan names an own file that the store has:
  /// `sha256=DIGEST;bytes=1048576;type=video/mp4`.
  package var reference: String {
    "\(Self.referencePrefix)\(sha256);bytes=\(byteCount);type=\(type.rawValue)"
  }

  /// Reads a ``reference``; `nil` for any other text, and for what is no video.
  package init?(reference text: String) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].hasPrefix(Self.referencePrefix), parts[1].hasPrefix("bytes="),
      parts[2].hasPrefix("type="), let count = Int(parts[1].dropFirst("bytes=".count)),
      let type = MediaType(rawValue: String(parts[2].dropFirst("type=".count))),
      type.kind == .video,
      let found = Attachment(
        type: type, byteCount: count,
        sha256: String(parts[0].dropFirst(Self.referencePrefix.count))),
      found.reference == text
    else { return nil }
    self = found
  }
}
