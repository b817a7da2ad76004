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

  /// Its picture, if it is one that a page may show: data, or a file of this server.
  package var picture: String? {
    guard let image else { return nil }
    let isData = image.lowercased().hasPrefix("data:image/")
    let isLocal = image.hasPrefix("/") && !image.hasPrefix("//") && !image.hasPrefix("/\\")
    return isData || isLocal ? image : nil
  }
}
