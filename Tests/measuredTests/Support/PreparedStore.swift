import Foundation
import Testing

/// A store that the tests of a suite begin with, which is made once and then copied.
///
/// A copy that is written to takes a name of its own among its peers, as every copy does.
struct PreparedStore {
  private let content: Task<Data, any Error>

  /// Prepares a store; `make` makes it at the path that it is given, by commands.
  init(_ make: @escaping @Sendable (_ folder: TemporaryFolder, _ path: String) async throws -> Void)
  {
    content = Task {
      let folder = try TemporaryFolder()
      let (path, copy) = (folder.path("s.sqlite"), folder.path("copy.sqlite"))
      try await make(folder, path)
      let backup = await InProcess.run(["store", "backup", copy, "--store", path])
      try #require(backup.status == 0, "\(backup.error)")
      return try Data(contentsOf: URL(fileURLWithPath: copy))
    }
  }

  /// Prepares a store with the plan of a text.
  init(plan text: String) {
    self.init { folder, path in
      let plan = try folder.write(text, to: "plan.yaml")
      let imported = await InProcess.run(["plan", "import", plan, "--store", path])
      try #require(imported.status == 0, "\(imported.error)")
    }
  }

  /// Makes a copy at `path`, where no file is.
  func copy(to path: String) async throws {
    try await content.value.write(to: URL(fileURLWithPath: path))
  }
}
