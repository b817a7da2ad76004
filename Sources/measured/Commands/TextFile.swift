import Assessments
import Care
import Foundation
import Plans

/// A text file that a person wrote.
enum TextFile {
  /// Its text; `-` is standard input.
  ///
  /// - Throws: ``CommandFailure`` if it cannot be read, is too large for a plan, or is not UTF-8.
  static func read(_ path: String) throws -> String {
    let data: Data
    if path == "-" {
      data = try FileHandle.standardInput.read(upToCount: limit + 1) ?? Data()
    } else {
      guard let handle = FileHandle(forReadingAtPath: path) else {
        throw CommandFailure(.failed, "\(path): there is no such file, or it cannot be read")
      }
      do {
        data = try handle.read(upToCount: limit + 1) ?? Data()
      } catch {
        throw CommandFailure(.failed, "\(path): \(Message.of(error))")
      }
    }
    guard data.count <= limit else {
      throw CommandFailure(.failed, "\(path): the file is larger than 1 MiB, so it is no plan")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw CommandFailure(.failed, "\(path): the file is not UTF-8 text")
    }
    return text
  }

  private static let limit = 1 << 20
}

extension PlanFile {
  /// The plan in a file.
  static func load(_ path: String) throws -> PlanDocument {
    let text = try TextFile.read(path)
    do {
      return try parse(text, file: path, activeTasks: AssessmentList.forms)
    } catch {
      throw CommandFailure(.failed, String(describing: error))
    }
  }
}

extension ScheduleFile {
  /// The schedule in a file.
  static func load(_ path: String) throws -> Document {
    let text = try TextFile.read(path)
    do {
      return try parse(text, file: path)
    } catch {
      throw CommandFailure(.failed, String(describing: error))
    }
  }
}
