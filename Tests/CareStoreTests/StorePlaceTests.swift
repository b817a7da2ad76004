import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

/// The store's file is deleted or replaced while it is open.
@Suite struct StorePlaceTests {
  private enum Deed: CaseIterable { case delete, replace, move, touch }

  @Test(arguments: Deed.allCases)
  private func `notices another file in its place`(_ deed: Deed) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/measured.sqlite"
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    _ = try await store.write { try $0.planRevision() }
    switch deed {
    case .delete: try FileManager.default.removeItem(atPath: path)
    case .replace:
      try FileManager.default.removeItem(atPath: path)
      try Data([1]).write(to: URL(filePath: path))
    case .move: try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    case .touch:
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)
    }
    if deed == .touch {
      _ = try await store.write { try $0.planRevision() }
    } else {
      let failure: StoreError.Failure = deed == .replace ? .replaced : .deleted
      await #expect(throws: StoreError.failed(failure, store: path)) {
        _ = try await store.write { try $0.planRevision() }
      }
    }
  }
}
