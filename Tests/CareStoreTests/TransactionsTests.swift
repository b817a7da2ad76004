import Care
import CareStore
import Foundation
import TestSupport
import Testing

struct TransactionsTests {
  private struct Interruption: Error, Equatable {}

  @Test
  func `a body that throws changes nothing, and its error is rethrown`() async throws {
    let store = try SQLStore.example()
    await #expect(throws: Interruption()) {
      try await store.write { writer in
        _ = try writer.importPlan(.example(try .daily()), now: midnight)
        _ = try writer.insert(.weight(patient: nil))
        throw Interruption()
      }
    }
    #expect(try await store.read { try $0.patients() } == [])
    #expect(try await store.read { try $0.sample(Sample.weight(patient: nil).identity) } == nil)
    #expect(try await store.contents() == [])
  }

  @Test
  func `concurrent readers see whole transactions only`() async throws {
    let scratch = try ScratchDirectory()
    let store = try SQLStore.example(at: TestEngine.makePlace(scratch.file("care.db")))
    let pairs = 40
    let seen = try await withThrowingTaskGroup(of: [Int].self) { group in
      group.addTask {
        for number in 0..<pairs {
          try await store.write { writer in
            _ = try writer.insert(.weight(identity: "left \(number)", patient: nil))
            _ = try writer.insert(.weight(identity: "right \(number)", patient: nil))
          }
        }
        return []
      }
      for _ in 0..<4 {
        group.addTask {
          var counts: [Int] = []
          for _ in 0..<pairs {
            counts.append(
              try await store.read { reader in
                let first = try reader.samples(SampleQuery()).count
                // The same state, however long the reader takes.
                let second = try reader.samples(SampleQuery()).count
                return first == second ? first : -1
              })
          }
          return counts
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for counts in seen {
      #expect(counts.allSatisfy { $0 >= 0 && $0.isMultiple(of: 2) }, "\(counts)")
      #expect(counts == counts.sorted())
    }
    #expect(try await store.read { try $0.samples(SampleQuery()).count } == 2 * pairs)
  }

  @Test
  func `writers of two programs wait for each other and lose nothing`() async throws {
    let scratch = try ScratchDirectory()
    let path = try TestEngine.makePlace(scratch.file("care.db"))
    let stores = [try SQLStore.example(at: path), try SQLStore.example(at: path)]
    let each = 25
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (program, store) in stores.enumerated() {
        group.addTask {
          for number in 0..<each {
            _ = try await store.write {
              try $0.insert(.weight(identity: "\(program) \(number)", patient: nil))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await stores[0].read { try $0.samples(SampleQuery()).count } == 2 * each)
  }

  @Test(.ofSQLite)
  func `the committed changes of a killed program are there, and no others`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let running = try SQLStore.example(at: path)
    _ = try await running.write { try $0.insert(.weight(identity: "committed", patient: nil)) }
    let crashed = scratch.file("crashed.db")
    try await running.write { writer in
      _ = try writer.insert(.weight(identity: "open", patient: nil))
      // The files as a kill leaves them, in the middle of a transaction.
      for companion in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + companion, toPath: crashed + companion)
      }
    }
    let recovered = try SQLStore.example(at: crashed)
    #expect(
      try await recovered.read { try $0.samples(SampleQuery()) } == [
        .weight(identity: "committed", patient: nil)
      ]
    )
  }
}
