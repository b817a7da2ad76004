package import Care
public import Foundation
import PrivateFiles

extension SQLStore {
  /// Writes a copy of the store to a file, which it replaces in one step once the copy is complete
  /// and on the disk.
  ///
  /// Other programs may write meanwhile: the copy is the store as it was when it began. It is
  /// readable by its owner only, and has no keys and consent codes of devices.
  ///
  /// - Throws: `StoreError.refused(_:)` if that is the store's own file;
  ///   `StoreError.notWritten(_:file:)` with the path that cannot be written, and
  ///   `StoreError.failed(_:store:)` if the store cannot be read. The present file then stays.
  public func backup(to path: String) async throws {
    try refuseOwnFile(path)
    try await copy(to: path, for: .owner)
  }

  /// Keeps the store's content beside it, for whoever has the store.
  private func save(to path: String) async throws {
    try await copy(
      to: path, for: FileAudience(ofFilesIn: FileSystem.directory(of: path)))
  }

  private func copy(to path: String, for audience: FileAudience) async throws {
    try await FileDraft.replace(path, id: makeUUID(), for: audience) {
      try await copy(to: $0.path)
    }
  }

  /// Refuses to write over the store's own file.
  func refuseOwnFile(_ path: String) throws(StoreError) {
    if let file, file == FileSystem.identity(of: path) {
      throw StoreError.refused(.ownFile(path))
    }
  }

  /// Copies the store as it is now into a file without a name, beside the store.
  ///
  /// - Throws: As ``backup(to:)`` does.
  package func backup() async throws(StoreError) -> StoreCopy {
    let target = draftTarget
    do {
      let draft = try FileDraft(replacing: target, id: makeUUID())
      defer { draft.discard() }
      try await copy(to: draft.path)
      return try StoreCopy(path: draft.path)
    } catch {
      throw StoreError(error, writing: target)
    }
  }

  private func copy(to path: String) async throws {
    let copy = try Engine.openAlone(path)
    defer { try? copy.close() }
    do {
      try engine.copy(to: copy)
    } catch let error as any EngineError where error.isOfSource {
      throw StoreError(error, in: place)
    }
    try await copy.makeSingleFile()
    // No file's mark: also one that is copied over the store's own file is found to be a copy.
    try await copy.write { try $0.execute("UPDATE store SET file = 'copy'") }
    try copy.close()
  }

  /// The suffix of a store's path for the copy that a restoration leaves of it.
  public static let restorationSuffix = ".before-restore"

  /// Makes the content of a backup the content of a store.
  ///
  /// The backup is checked first and stays unchanged. The previous content of the store stays beside it, with ``restorationSuffix`` and, from
  /// the second restoration on, a number. Other programs that have the store open go on with the
  /// restored content. The store takes another name for the rows that it writes from now on.
  ///
  /// - Parameters:
  ///   - backup: The path of the backup.
  ///   - path: The path of the store; it is created if there is none.
  ///   - makeUUID: Generates ids.
  /// - Returns: The path of the previous content; `nil` if there was none.
  /// - Throws: `StoreError.newerSchema(store:version:supported:)` and `StoreError.failed(_:store:)`
  ///   with the path of the backup if it is none, or of the store if that cannot be written; the
  ///   store is then as it was.
  @discardableResult
  public static func restore(
    from backup: String, to path: String, makeUUID: @escaping @Sendable () -> UUID
  ) async throws -> String? {
    let source = try openBackup(backup)
    defer { try? source.close() }
    let (store, saved) = try await openToRestore(path, makeUUID: makeUUID)
    defer { try? store.close() }
    try await store.take(contentOf: source, errorsNaming: path)
    return saved
  }

  private func take(contentOf source: Engine, errorsNaming path: String) async throws {
    do {
      let (revision, stored) = try await reading { transaction in
        (try transaction.planRevision(), try transaction.lastStored())
      }
      try source.copy(to: engine)
      try await writing { transaction in
        try transaction.reading {
          try transaction.takeNewWriter(isCopy: true)
          // Readers that have seen numbers must not miss what gets them again.
          transaction.state.stored = max(stored, try transaction.lastStored())
          // Readers that have cached a plan must not take the restored one for it.
          let restored = try transaction.planRevision()
          try transaction.execute(
            "UPDATE store SET plan_revision = ?", [max(revision, restored) + 1])
        }
      }
    } catch {
      throw StoreError(error, in: path)
    }
  }

  /// Opens a backup for reading, after checking that it is a store and undamaged.
  private static func openBackup(_ path: String) throws(StoreError) -> Engine {
    do {
      let file = StoreFile(path: path.hasPrefix("/") ? path : "./" + path)
      guard try file.isPresent() else { throw SystemFailure(code: ENOENT) }
      let source = try Engine.openForReading(file.path)
      let damage = try source.readNow { try $0.damage(most: 1) }
      guard damage.isEmpty else { throw StoreError.failed(.damaged(damage.first), store: path) }
      return source
    } catch {
      throw StoreError(error, in: path)
    }
  }

  /// Opens the store that a backup replaces, after a copy was made of it.
  ///
  /// A file that cannot be opened is moved out of the way, with its companions.
  private static func openToRestore(
    _ path: String, makeUUID: @escaping @Sendable () -> UUID
  ) async throws -> (store: SQLStore, saved: String?) {
    let saved = try freeName(path + restorationSuffix)
    do {
      let isPresent = try FileSystem.status(of: path) != nil
      let store = try open(path: path, makeUUID: makeUUID)
      if isPresent { try await store.save(to: saved) }
      return (store, isPresent ? saved : nil)
    } catch StoreError.failed(let failure, let place) {
      guard failure.isOfContent, place == path else {
        throw StoreError.failed(failure, store: place)
      }
      do {
        for companion in [""] + Engine.companions
        where try FileSystem.status(of: path + companion) != nil {
          try FileSystem.rename(path + companion, to: saved + companion)
        }
      } catch {
        throw StoreError(error, in: path)
      }
      return (try open(path: path, makeUUID: makeUUID), saved)
    }
  }

  /// The contents that restorations left beside a store, oldest first.
  static func savedContents(beside path: String) -> [String] {
    let names = [path + restorationSuffix] + (2...1000).map { "\(path)\(restorationSuffix).\($0)" }
    return names.filter { !FileSystem.isMissing($0) }
  }

  /// The name, with a number if it is taken.
  private static func freeName(_ name: String) throws(StoreError) -> String {
    do {
      var (free, number) = (name, 1)
      while try FileSystem.status(of: free) != nil {
        number += 1
        free = "\(name).\(number)"
      }
      return free
    } catch {
      throw StoreError(error, in: name)
    }
  }
}

/// A copy of a store that only this process reaches, and that ends with it.
package final class StoreCopy: Sendable {
  /// Its length.
  package let byteCount: Int
  private let file: Int32
  private let path: String

  fileprivate init(path: String) throws(SystemFailure) {
    (file, byteCount) = try FileSystem.openForReading(path)
    self.path = path
  }

  deinit { FileSystem.close(file) }

  /// Its bytes from a place on, at most `count` of them.
  package func bytes(at place: Int, count: Int) throws(StoreError) -> [UInt8] {
    do {
      return try FileSystem.bytes(of: file, at: place, count: min(count, byteCount - place))
    } catch {
      throw StoreError(error, writing: path)
    }
  }
}

extension StoreError.Failure {
  /// Whether the file's content is the reason, so that another file in its place would do.
  fileprivate var isOfContent: Bool {
    switch self {
    case .emptyFile, .notADatabase, .truncated, .damaged, .unreadable, .damagedBlock: true
    default: false
    }
  }
}
