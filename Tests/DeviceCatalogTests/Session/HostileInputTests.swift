import Care
import GATT
import Radio
import TestSupport
import Testing

@testable import DeviceCatalog

/// Random bytes and damaged frames for every decoder.
struct HostileInputTests {
  static let rounds = Rounds.count(100_000)

  /// A random frame, or a valid one with a few bytes changed, removed or added.
  private func frame(
    like sound: [[UInt8]], using generator: inout SeededGenerator
  ) -> [UInt8] {
    guard var bytes = sound.randomElement(using: &generator), generator.next() % 8 != 0 else {
      return generator.bytes(Int.random(in: 0...64, using: &generator))
    }
    for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
      bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
        in: 0...255, using: &generator)
    }
    switch generator.next() % 4 {
    case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
    case 1: bytes += generator.bytes(Int.random(in: 0...8, using: &generator))
    default: break
    }
    return bytes
  }

  private func check(
    _ outputs: [SessionOutput], of bytes: [UInt8], by definition: DeviceDefinition
  ) {
    let readings = outputs.readings
    // A refused frame gives nothing else. A value of a stream may hold another one, and the rest of
    // one before it.
    #expect(
      !definition.assembly.isEmpty || outputs.rejections.isEmpty
        || readings.isEmpty && outputs.batches.isEmpty)
    #expect(readings.count <= bytes.count + (definition.assembly.isEmpty ? 8 : 512))
    #expect(readings.allSatisfy { $0.value.isFinite })
    // Weights are unsigned, or IEEE 11073 numbers.
    let isSigned = definition.records.contains { record in
      if case .fields(let fields, _) = record.content {
        fields.contains { $0.type == .float }
      } else {
        false
      }
    }
    #expect(readings.allSatisfy { $0.quantity != .bodyMass || isSigned || $0.value >= 0 })
    #expect(outputs.batches.allSatisfy { $0.samples.count <= 512 })
  }

  @Test func `definitions survive random bytes`() throws {
    let definitions = try Repository.catalog().definitions
    for (number, definition) in definitions.enumerated() {
      var generator = SeededGenerator(seed: UInt64(number))
      var bench = SessionBench(definition)
      let sources = definition.records.map(\.source)
      let sound = definition.vectors.flatMap(\.frames).compactMap { frame -> [UInt8]? in
        guard case .source(_, let bytes) = frame.content else { return nil }
        return bytes
      }
      for round in 0..<Self.rounds / definitions.count {
        let bytes = frame(like: sound, using: &generator)
        guard let source = sources.randomElement(using: &generator),
          let event = DefinitionVector.Frame(at: 0, content: .source(source, bytes))
            .event(of: SessionBench.address)
        else { continue }
        check(bench.handle(event, at: Double(round) / 10), of: bytes, by: definition)
        if generator.next() % 16 == 0 {
          check(
            bench.session.wake(at: SessionBench.time(Double(round) / 10 + 60)), of: bytes,
            by: definition)
        }
      }
    }
  }

  @Test func `codecs survive random bytes`() {
    let perCodec = Self.rounds / CodecName.allCases.count
    for (number, name) in CodecName.allCases.enumerated() {
      var generator = SeededGenerator(seed: 1000 + UInt64(number))
      var codec = name.codec(.none)
      for _ in 0..<perCodec {
        let bytes = generator.bytes(Int.random(in: 0...64, using: &generator))
        let content = try? codec.decode(bytes)
        #expect((content?.values.count ?? 0) <= bytes.count)
        #expect((content?.motion?.samples.count ?? 0) <= 512)
      }
    }
  }

  @Test(arguments: 77...80)
  func `advertisements survive random bytes`(seed: UInt64) async throws {
    let catalog = try Repository.catalog()
    var generator = SeededGenerator(seed: seed)
    let sound = catalog.definitions.flatMap(\.vectors).flatMap(\.frames).compactMap {
      frame -> [UInt8]? in
      guard case .advertisement(let advertisement) = frame.event else { return nil }
      return advertisement.data
    }
    var device = AdvertisedDevice(address: SessionBench.address)
    for round in 0..<Rounds.count(25_000, gate: 600) {
      // All rounds take long: other tests need the thread meanwhile.
      if round.isMultiple(of: 200) { await Task.yield() }
      let bytes = frame(like: sound, using: &generator)
      device.merge(
        Advertisement(
          address: SessionBench.address, addressType: .random, rssi: nil, data: bytes))
      #expect(catalog.matches(for: device).allSatisfy { $0.score > 0 })
      let values = try? catalog.decode(advertisement: bytes).values
      #expect((values ?? []).allSatisfy { $0.value.isFinite })
    }
    #expect(device.services.count <= 64)
  }
}
