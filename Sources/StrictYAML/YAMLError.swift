/// A defect of a file with its location.
///
/// `description` reads like a compiler's diagnostic:
/// `plan.yaml:7: unknown key ‘intervall’ (did you mean ‘interval’?)`.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's name as the caller gave it.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The column, in Unicode scalars from 1.
  package var column: Int
  /// The kind of defect, with its facts.
  package var fault: Fault

  /// Makes an error.
  package init(file: String, line: Int, column: Int, fault: Fault) {
    self.file = file
    self.line = line
    self.column = column
    self.fault = fault
  }

  /// Makes an error of which only a person reads the reason.
  package init(file: String, line: Int, column: Int, reason: String) {
    self.init(file: file, line: line, column: column, fault: .invalid(reason))
  }

  /// The reason in words.
  package var reason: String { fault.text }

  package var description: String { "\(file):\(line): \(reason)" }
}

extension YAMLError {
  /// The kinds of defects that a ``YAMLRepair`` treats differently.
  package enum Fault: Hashable, Sendable {
    /// A required key is missing.
    case missingKey(String)
    /// A key that a mapping does not have; `known` are those that it has, if they are few.
    case unknownKey(
      String, noun: String = "key", meant: Spelling.Suggestion, known: [String] = [])
    /// A word that is not known, as the sentence says; the advice follows the suggestion.
    case unknownWord(String, meant: Spelling.Suggestion, advice: String = "")
    /// An element of a list that is the same as one before it, as the sentence says.
    case repetition(String)
    /// Any other defect, as the sentence says.
    case invalid(String)

    /// The words that were probably meant; empty for most defects.
    package var meant: [String] {
      switch self {
      case .unknownKey(_, _, let meant, _), .unknownWord(_, let meant, _): meant.words
      case .missingKey, .repetition, .invalid: []
      }
    }

    /// The defect in words.
    package var text: String {
      switch self {
      case .missingKey(let key): "the key ‘\(key)’ is missing"
      case .unknownKey(let key, let noun, let meant, let known):
        "unknown \(noun) ‘\(key)’"
          + (meant.words.isEmpty && !known.isEmpty
            ? "; the \(noun)s here are \(known.joined(separator: ", "))" : meant.text)
      case .unknownWord(let sentence, let meant, let advice): sentence + meant.text + advice
      case .repetition(let sentence), .invalid(let sentence): sentence
      }
    }
  }
}

/// A position in a file.
package struct YAMLLocation: Hashable, Sendable {
  /// The file's name as the caller gave it.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The column, in Unicode scalars from 1.
  package var column: Int

  /// Makes a location.
  package init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// An error at this location.
  package func error(_ reason: String) -> YAMLError { error(.invalid(reason)) }

  /// An error at this location.
  package func error(_ fault: YAMLError.Fault) -> YAMLError {
    YAMLError(file: file, line: line, column: column, fault: fault)
  }

  /// An error at this location: a word is not known, as `sentence` says.
  package func error(_ sentence: String, meant: Spelling.Suggestion) -> YAMLError {
    error(.unknownWord(sentence, meant: meant))
  }
}
