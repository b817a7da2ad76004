import Care
import Foundation
import PrivateFiles
import Testing
import TestSupport

@testable import CareStore

/// Keys and consent codes of devices, which are in a file of their own.
struct DeviceSecretsTests {
  private static let scale = DeviceID("5C:CA:D3:70:D4:A2")
  /// Bytes that nothing else of a store has.
  private static let key = Secret<[UInt8]>(Array(0xD0...0xDF))
  private static let otherKey = Secret<[UInt8]>(Array(0xE0...0xEF))

  private func binding(
    _ userIndex: Int? = nil, key: Secret<[UInt8]>? = nil, code: UInt16? = nil
  ) -> DeviceBinding {
    DeviceBinding(
      address: Self.scale, patient: "john", userIndex: userIndex, key: key,
      consentCode: code.map { Secret($0) })
  }

  private func bindings(_ store: SQLStore) async throws -> [DeviceBinding] {
    try await store.read { try $0.deviceBindings() }
  }

  private func imports(_ bindings: [DeviceBinding], into store: SQLStore) async throws {
    _ = try await store.write {
      try $0.importPlan(.example(devices: bindings), now: midnight)
    }
  }

  @Test
  func `they are in no file of the store but their own, and in no copy and export`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let store = try SQLStore.example(at: path)
    let bound = binding(1, key: Self.key, code: 2520)
    try await imports([bound], into: store)
    // A binding that an import replaced can be taken back.
    try await imports([binding(1, key: Self.otherKey)], into: store)
    try await imports([binding(1, key: Self.key)], into: store)
    try await store.backup(to: scratch.file("backup.db"))
    try await store.export(to: scratch.file("export.jsonl"))
    for name in try scratch.names where name != "care.db.secrets" {
      let bytes = try contents(of: scratch.file(name))
      for key in [Self.key, Self.otherKey] {
        #expect(bytes.range(of: Data(key.revealed)) == nil, "\(name)")
        #expect(bytes.range(of: Data(key.revealed.hexString.utf8)) == nil, "\(name)")
      }
      #expect(try mode(of: scratch.file(name)) == 0o600, "\(name)")
    }
    #expect(try mode(of: path + ".secrets") == 0o600)
    let text = String(decoding: try contents(of: path + ".secrets"), as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"{"devices":[{"address":"5C:CA:D3:70:D4:A2","key":"d0d1d2d3d4d5d6d7d8d9dadbdcdddedf"},"#
          + #"{"address":"5C:CA:D3:70:D4:A2","consentCode":2520,"userIndex":1}],"#
          + #""measured-secrets":1,"replaced":["#))
    // Another program reads them, and sees at once what this one keeps.
    let other = try SQLStore.example(at: path)
    #expect(try await bindings(other) == [bound])
    try await store.write { try $0.bind(binding(1, key: Self.otherKey), now: midnight) }
    #expect(try await bindings(other) == [binding(1, key: Self.otherKey, code: 2520)])
  }

  @Test
  func `a device has one key, whichever slot names it, and keeps it in other slots`() async throws {
    let store = try SQLStore.example()
    try await imports([binding(1), binding(2, key: Self.key, code: 7)], into: store)
    #expect(try await bindings(store) == [binding(1, key: Self.key), binding(2, code: 7)])
    let revision = try await store.read { try $0.planRevision() }
    for _ in 0..<2 {
      try await imports([binding(1), binding(2, key: Self.key, code: 7)], into: store)
      try await store.write { try $0.bind(binding(2, key: Self.key), now: midnight) }
    }
    #expect(try await store.read { try $0.planRevision() } == revision)
    try await imports([binding(3)], into: store)
    #expect(try await bindings(store) == [binding(3, key: Self.key)])
    try await store.write { try $0.bind(binding(3, key: Self.otherKey), now: midnight) }
    #expect(try await bindings(store) == [binding(3, key: Self.otherKey)])
  }

  @Test
  func `those of a device go with its last binding`() async throws {
    let scratch = try ScratchDirectory()
    let store = try SQLStore.example(at: scratch.file("care.db"))
    try await imports([binding(key: Self.key)], into: store)
    let edit = try await store.write { writer in
      try writer.editPlan(now: midnight) { try $0.unbind(Self.scale, now: midnight) }
    }
    // An edit that can be taken back still needs it.
    _ = try await store.write { try $0.undoEdit(try #require(edit), now: midnight) }
    #expect(try await bindings(store) == [binding(key: Self.key)])
    try await store.erase(patient: "john", now: day(1))
    let text = String(decoding: try contents(of: scratch.file("care.db.secrets")), as: UTF8.self)
    #expect(text == #"{"devices":[],"measured-secrets":1}"#)
  }

  @Test
  func `what is taken back gives a device the key that it had`() async throws {
    let scratch = try ScratchDirectory()
    let store = try SQLStore.example(at: scratch.file("care.db"))
    let first = [binding(1, key: Self.key, code: 2520)]
    try await imports(first, into: store)
    try await imports([binding(1, key: Self.otherKey, code: 7), binding(2, code: 8)], into: store)
    _ = try await store.write { try $0.undoImport(now: midnight) }
    #expect(try await bindings(store) == first)
    // So does an edit, also of another program.
    let other = try SQLStore.example(at: scratch.file("care.db"))
    let edit = try await other.write { writer in
      try writer.editPlan(now: midnight) {
        try $0.bind(binding(1, key: Self.otherKey), now: midnight)
      }
    }
    #expect(try await bindings(store) == [binding(1, key: Self.otherKey, code: 2520)])
    _ = try await store.write { try $0.undoEdit(try #require(edit), now: midnight) }
    #expect(try await bindings(other) == first)
    _ = try await store.write { try $0.undoImport(now: midnight) }
    let text = String(decoding: try contents(of: scratch.file("care.db.secrets")), as: UTF8.self)
    #expect(text == #"{"devices":[],"measured-secrets":1}"#)
  }

  @Test
  func `a transaction that fails keeps none`() async throws {
    struct Refused: Error {}
    let scratch = try ScratchDirectory()
    let store = try SQLStore.example(at: scratch.file("care.db"))
    try await imports([binding()], into: store)
    await #expect(throws: Refused.self) {
      try await store.write { writer in
        try writer.bind(binding(key: Self.key), now: midnight)
        #expect(try writer.deviceBindings() == [binding(key: Self.key)])
        throw Refused()
      }
    }
    // Nor does a part of one, whose caller goes on.
    _ = try await store.write { writer in
      #expect(throws: StoreError.self) {
        _ = try writer.editPlan(now: midnight) { edit in
          try edit.bind(binding(key: Self.key), now: midnight)
          throw Refused()
        }
      }
    }
    #expect(try await bindings(store) == [binding()])
    #expect(try scratch.names.contains("care.db.secrets") == false)
  }

  @Test(
    arguments: [
      (#"{"measured-secrets":1,"devices":["#, 0o600), ("", 0o600), ("{}", 0o600),
      (#"{"measured-secrets":1,"devices":[{"address":"A","key":"00"}]}"#, 0o600),
      (#"{"measured-secrets":1,"devices":[{"address":"A","consentCode":10000}]}"#, 0o600),
      (#"{"measured-secrets":1,"devices":[]}"#, 0o640),
    ])
  func `a file that cannot be trusted is not read, not written over, and reported`(
    text: String, permissions: Int
  ) async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let store = try SQLStore.example(at: path)
    try await imports([binding(key: Self.key)], into: store)
    #expect(store.secretsFault == nil)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path + ".secrets"))
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: path + ".secrets")
    #expect(try await bindings(store) == [binding()])
    guard case .failed(let failure, store: path + ".secrets") = store.secretsFault else {
      Issue.record("\(String(describing: store.secretsFault))")
      return
    }
    #expect((failure == .secretsUnsafe) == (permissions == 0o640))
    await #expect(throws: StoreError.self) {
      try await store.write { try $0.bind(binding(key: Self.otherKey), now: midnight) }
    }
    #expect(try contents(of: path + ".secrets") == Data(text.utf8))
    // A binding that needs none goes on.
    try await store.write { try $0.bind(binding(4), now: midnight) }
    #expect(try await bindings(store).count == 2)
  }

  @Test
  func `those that an earlier program kept in the store move into the file`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let old = try SQLStore.example(at: path)
    try await imports([binding(1)], into: old)
    try await old.write { writer in
      let rows = try #require(writer as? SQLTransaction)
      for table in ["device_binding", "replaced_binding"] {
        try rows.execute("ALTER TABLE \(table) ADD COLUMN key BLOB CHECK (length(key) = 16)")
        try rows.execute("ALTER TABLE \(table) ADD COLUMN consent_code INTEGER")
      }
      try rows.execute(
        "UPDATE device_binding SET key = ?, consent_code = 2520", [Data(Self.key.revealed)])
      try rows.execute(
        """
        INSERT INTO replaced_binding (import, address, key)
          SELECT max(number), 'A', ? FROM plan_import
        """, [Data(Self.otherKey.revealed)])
    }
    try old.close()
    #expect(try contents(of: path).range(of: Data(Self.key.revealed)) != nil)
    let store = try SQLStore.example(at: path)
    #expect(try await bindings(store) == [binding(1, key: Self.key, code: 2520)])
    #expect(try await store.check() == [])
    try await imports([binding(2)], into: store)
    try store.close()
    for key in [Self.key, Self.otherKey] {
      #expect(try contents(of: path).range(of: Data(key.revealed)) == nil)
    }
  }
}
