import Yams

extension YAMLError {
  /// The parser's error, with its place and in words.
  init(_ error: YamlError, file: String, text: String) {
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _):
      let reason = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
      self.init(file: file, line: mark.line, column: mark.column, reason: "not YAML: \(reason)")
    case .composer(_, let problem, let mark, _):
      self.init(file: file, line: mark.line, column: mark.column, reason: "not YAML: \(problem)")
    case .reader(let problem, let offset, _, _):
      let before = text.prefix(offset ?? 0)
      let line = before.count(where: \.isNewline) + 1
      let column = before.suffix(while: { !$0.isNewline }).unicodeScalars.count + 1
      self.init(file: file, line: line, column: column, reason: "not YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, let context):
      let names = keys.map { "‘\($0)’" }.joined(separator: ", ")
      self.init(
        file: file, line: context.mark.line, column: context.mark.column,
        reason: "the key \(names) is given more than once")
    default:
      self.init(file: file, line: 1, column: 1, reason: "not YAML: \(error)")
    }
  }
}

extension BidirectionalCollection {
  /// The longest end whose elements all satisfy `predicate`.
  fileprivate func suffix(while predicate: (Element) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, predicate(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
