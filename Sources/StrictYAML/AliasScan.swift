/// Looks for aliases before the text is parsed.
///
/// A handful of aliases of aliases spell out to more nodes than there is memory, so they must be
/// refused before a tree is built. An alias `*name` needs an anchor `&name`; a text in which no name
/// stands after both cannot have one. Text that says both in prose is refused too, which is rare
/// enough; a lone `*word*` or `R&D` is fine.
enum AliasScan {
  /// A name that stands after `&` and after `*` in `text`.
  static func aliasedName(in text: String) -> String? {
    let anchors = names(after: UInt8(ascii: "&"), in: text)
    guard !anchors.isEmpty else { return nil }
    return names(after: UInt8(ascii: "*"), in: text).intersection(anchors).min()
  }

  private static func names(after indicator: UInt8, in text: String) -> Set<String> {
    var names: Set<String> = []
    var rest = text.utf8[...]
    while let found = rest.firstIndex(of: indicator) {
      // Inside a word (`R&D`) it is a letter like any other.
      let isInsideWord = rest[..<found].last.map(isNameByte) ?? false
      rest = rest[rest.index(after: found)...]
      let name = rest.prefix(while: isNameByte)
      if !name.isEmpty, !isInsideWord { names.insert(String(decoding: name, as: UTF8.self)) }
    }
    return names
  }

  /// The characters of an anchor's name as libyaml reads them.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
