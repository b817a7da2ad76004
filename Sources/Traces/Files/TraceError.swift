/// Why recorded input cannot be read: the file, the line where there is one, and the reason.
public struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file as it was named.
  public var file: String
  /// The line, counted from 1, in a text; `nil` where the file as a whole is meant.
  public var line: Int?
  /// The byte offset, in a binary capture.
  public var offset: Int?
  /// What is wrong, for people.
  public var reason: String

  /// Makes an error.
  public init(file: String, line: Int? = nil, offset: Int? = nil, reason: String) {
    self.file = file
    self.line = line
    self.offset = offset
    self.reason = reason
  }

  /// `walk.csv:7: there is no number in column ‘x’`.
  public var description: String {
    var place = file
    if let line { place += ":\(line)" }
    if let offset { place += ": byte \(offset)" }
    return "\(place): \(reason)"
  }
}
