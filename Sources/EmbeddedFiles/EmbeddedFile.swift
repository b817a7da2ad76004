import CAssets

/// A file that the compiler has put into the program: a template, a language, a style sheet.
package struct EmbeddedFile: Sendable {
  /// The path below its room's `Resources`: `templates/today.mustache`.
  package let path: String
  private let index: Int

  /// Every file, ordered by path.
  package static let all: [EmbeddedFile] = (0..<embedded_file_count()).compactMap { index in
    unsafe embedded_file(index).map { file in
      unsafe EmbeddedFile(path: String(cString: file.pointee.path), index: index)
    }
  }

  /// The content: a copy, so a caller that needs it often keeps it.
  package var bytes: [UInt8] {
    guard let file = unsafe embedded_file(index)?.pointee else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }

  /// The file at a path; `nil` if there is none.
  package static func at(_ path: String) -> EmbeddedFile? { all.first { $0.path == path } }

  /// The files in a folder by their names without the last extension.
  package static func all(in folder: String) -> [(name: String, file: EmbeddedFile)] {
    all.filter { $0.path.hasPrefix(folder + "/") }.map { file in
      let name = file.path.dropFirst(folder.count + 1)
      return (String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]), file)
    }
  }
}
