import Dispatch
import Synchronization

/// Some lines of an export that follow each other, of which another thread makes rows.
///
/// Rows take as long to make as to store: a merge has the next ones made while it stores these.
final class RowReading: Sendable {
  typealias Rows = [(line: String, row: any ExportedRow)]

  /// The most lines, and the bytes that are enough.
  private static let most = (lines: 256, bytes: 1 << 18)

  private let work = DispatchGroup()
  /// The rows, up to a line that none can be made of.
  private let made = Mutex<(rows: Rows, failure: (any Error)?)>(([], nil))

  /// Takes the next lines; `nil` if there are none.
  init?(_ next: () throws -> String?) {
    var lines: [String] = []
    var size = 0
    var failure: (any Error)?
    do {
      while lines.count < Self.most.lines, size < Self.most.bytes, let line = try next() {
        lines.append(line)
        size += line.utf8.count
      }
    } catch {
      failure = error
    }
    guard !lines.isEmpty || failure != nil else { return nil }
    DispatchQueue.global().async(group: work) { [self, lines, failure] in
      var rows: Rows = []
      rows.reserveCapacity(lines.count)
      do {
        for line in lines { rows.append((line, try ExportLine.read(line))) }
        made.withLock { $0 = (rows, failure) }
      } catch {
        made.withLock { $0 = (rows, error) }
      }
    }
  }

  /// The rows, and why there is none of the line after them; `nil` if that was not looked at.
  func wait() -> (rows: Rows, failure: (any Error)?) {
    work.wait()
    return made.withLock { $0 }
  }
}
