import Foundation
import GATT
import Radio
import RadioTestSupport
import Testing

@testable import KernelRadio

@Suite final class AttributeFileTests {
  let path = FileManager.default.temporaryDirectory.appending(path: "attributes-\(UUID())").path

  deinit { try? FileManager.default.removeItem(atPath: path) }

  private func learnt(hash: [UInt8]? = nil) throws -> CachedAttributes {
    // A bonded device tells changes itself; of another, the hash does.
    var link = Conversation(.scale(hash: hash), isBonded: hash == nil)
    try link.start()
    try link.perform(Conversation.subscribe)
    return try #require(link.learnt)
  }

  private func devices(_ count: Int, _ attributes: CachedAttributes) -> KnownDevices<
    CachedAttributes
  > {
    var devices = KnownDevices<CachedAttributes>()
    for number in 0..<count {
      devices.remember(DeviceAddress(rawValue: UInt64(number)), attributes)
    }
    return devices
  }

  /// As without a restart: a link needs as few requests.
  @Test(arguments: [nil, Array(repeating: 7, count: 16)])
  func `spares the requests of a later link`(hash: [UInt8]?) throws {
    let attributes = try learnt(hash: hash)
    var known = KnownDevices<CachedAttributes>()
    known.remember(Peer.address, attributes)
    AttributeFile(path: path).write(known)
    let kept = try #require(AttributeFile(path: path).read()[Peer.address])
    #expect(kept == attributes)
    var later = Conversation(.scale(hash: hash), isBonded: hash == nil, cached: kept)
    try later.start()
    try later.perform(Conversation.subscribe)
    #expect(later.peer.requests.count == (hash == nil ? 2 : 3))
  }

  @Test func `keeps the devices that were used last`() throws {
    let attributes = try learnt()
    var known = devices(AttributeFile.mostDevices + 10, attributes)
    known.remember(DeviceAddress(rawValue: 0), attributes)
    AttributeFile(path: path).write(known)
    let kept = AttributeFile(path: path).read()
    #expect(kept.count == AttributeFile.mostDevices)
    #expect(kept[DeviceAddress(rawValue: 0)] != nil)
    #expect(kept[DeviceAddress(rawValue: 1)] == nil)
    #expect(kept.byUse.last?.address == DeviceAddress(rawValue: 0))
  }

  @Test func `is for its owner only`() throws {
    AttributeFile(path: path).write(devices(1, try learnt()))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  /// A file that was cut, or written by something else, is as none.
  ///
  /// A damaged device leaves the others.
  @Test func `reads nothing damaged`() throws {
    #expect(AttributeFile(path: path).read().count == 0)
    AttributeFile(path: path).write(devices(3, try learnt()))
    let text = try String(contentsOfFile: path, encoding: .utf8)
    func count(_ text: String) throws -> Int {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      return AttributeFile(path: path).read().count
    }
    #expect(try count(text) == 3)
    for length in stride(from: 0, to: text.count - 1, by: 97) {
      #expect(try count(String(text.prefix(length))) == 0)
    }
    #expect(try count(text.replacing("\"version\":1", with: "\"version\":2")) == 0)
    let first = try #require(text.firstRange(of: "\"first\":1,"))
    #expect(try count(text.replacingCharacters(in: first, with: "\"first\":65535,")) == 2)
    let value = try #require(text.firstRange(of: "\"value\":3}"))
    #expect(try count(text.replacingCharacters(in: value, with: "\"value\":1}")) == 2)
    #expect(try count(text.replacingCharacters(in: first, with: "\"first\":70000,")) == 0)
  }

  @Test func `is read at the start and forgets with the bond`() async throws {
    let bench = try KernelBench(bonded: [KernelBench.scale])
    let file = AttributeFile(path: bench.keyFile.path + ".attributes")
    var known = KnownDevices<CachedAttributes>()
    for device in [KernelBench.scale, KernelBench.strap] { known.remember(device, try learnt()) }
    file.write(known)
    try await bench.start()
    #expect(await bench.radio.attributes[KernelBench.scale] == known[KernelBench.scale])
    #expect(try await bench.radio.forget(KernelBench.scale))
    #expect(file.read()[KernelBench.scale] == nil)
    #expect(file.read()[KernelBench.strap] != nil)
    await bench.end()
  }
}
