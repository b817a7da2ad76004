package import Care
package import Foundation

/// A file that only this process reaches, and that ends with it.
///
/// It is beside a store, on whose disk there is room, so that nothing is left of it, not even if the
/// program is killed.
package final class UnnamedFile: Sendable {
  private let file: Int32
  private let target: String

  /// Makes an empty file.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - id: A new id.
  /// - Throws: `StoreError.notWritten(_:file:)` if no file can be made beside the store.
  package init(beside store: SQLStore, id: UUID) throws(StoreError) {
    target = store.draftTarget
    do {
      file = try FileSystem.makeUnnamedFile(store.draftPath(id))
    } catch {
      throw StoreError(error, writing: target)
    }
  }

  deinit { FileSystem.close(file) }

  /// Writes bytes at its end.
  ///
  /// - Throws: `StoreError.notWritten(_:file:)` if the disk is full.
  package func append(_ bytes: [UInt8]) throws(StoreError) {
    do {
      try FileSystem.write(bytes, to: file)
    } catch {
      throw StoreError(error, writing: target)
    }
  }

  /// Reads bytes from a place on, fewer than `count` at its end.
  ///
  /// - Throws: `StoreError.notWritten(_:file:)` if the disk fails.
  package func read(at place: Int, count: Int) throws(StoreError) -> [UInt8] {
    do {
      return try FileSystem.bytes(of: file, at: place, count: count)
    } catch {
      throw StoreError(error, writing: target)
    }
  }
}

extension SQLStore {
  /// The path beside which drafts are made: of a store on a server, beside its secrets.
  var draftTarget: String {
    let target = isOnServer ? secrets.store : file.map { _ in place }
    return target ?? FileManager.default.temporaryDirectory.appending(path: "measured").path
  }

  /// A path beside the store for a file that is there for a moment.
  ///
  /// If the program ends before the name is removed, the next one removes the abandoned draft.
  fileprivate func draftPath(_ id: UUID) -> String { "\(draftTarget).\(id.uuidString).new" }

  /// A new path beside the store for a file that is there for a moment.
  package func makeDraftPath() -> String { draftPath(makeUUID()) }

  /// Makes a file without a name beside the store.
  ///
  /// - Throws: `StoreError.notWritten(_:file:)` if none can be made there.
  package func makeUnnamedFile() throws(StoreError) -> UnnamedFile {
    try UnnamedFile(beside: self, id: makeUUID())
  }
}
