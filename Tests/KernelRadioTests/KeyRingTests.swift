import GATT
import Radio
import RadioTestSupport
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct KeyRingTests {
  var ring = KeyRing()
  let controller = SampleKeys.controller

  /// A macro cannot contain a mutating call.
  func check(_ isRight: Bool, _ location: SourceLocation = #_sourceLocation) {
    #expect(isRight, sourceLocation: location)
  }

  @Test mutating func `replaces a key of the same direction only`() throws {
    let old = try SampleKeys.longTermKey(of: 1, type: 0, isCentral: true, value: 1)
    let back = try SampleKeys.longTermKey(of: 1, type: 0, isCentral: false, value: 2)
    let new = try SampleKeys.longTermKey(of: 1, type: 1, isCentral: true, value: 3)
    for key in [old, back, new] { check(ring.store(key, of: controller)) }
    #expect(ring.longTermKeys(of: controller) == [back, new])
  }

  @Test mutating func `replaces both directions by a key of secure connections`() throws {
    for isCentral in [true, false] {
      let key = try SampleKeys.longTermKey(of: 1, type: 0, isCentral: isCentral)
      check(ring.store(key, of: controller))
    }
    let key = try SampleKeys.longTermKey(of: 1, type: 3)
    check(ring.store(key, of: controller))
    #expect(ring.longTermKeys(of: controller) == [key])
  }

  @Test func `separates the keys of controllers`() throws {
    let ring = try SampleKeys.ring()
    #expect(ring.longTermKeys(of: controller).count == 3)
    #expect(
      ring.longTermKeys(of: SampleKeys.stick)
        == [try SampleKeys.longTermKey(of: 2, value: 8)])
    #expect(ring.identityKeys(of: SampleKeys.stick).isEmpty)
    let peer = PeerAddress(DeviceAddress(rawValue: 2), .random)
    #expect(
      ring.bonds(with: peer.address) == [
        KeyRing.Bond(controller: controller, peer: peer),
        KeyRing.Bond(controller: SampleKeys.stick, peer: peer),
      ])
  }

  @Test func `lists bonds by address with their names`() throws {
    #expect(
      try SampleKeys.ring().bonds == [
        BondedDevice(address: DeviceAddress(rawValue: 1)),
        BondedDevice(address: DeviceAddress(rawValue: 2), name: "Küchenwaage"),
      ])
  }

  @Test mutating func `removes a device from all its controllers`() throws {
    ring = try SampleKeys.ring()
    check(ring.forget(DeviceAddress(rawValue: 2)))
    #expect(ring.bonds.map(\.address.rawValue) == [1])
    #expect(ring.names.isEmpty)
    #expect(ring.longTermKeys(of: SampleKeys.stick).isEmpty)
    check(!ring.forget(DeviceAddress(rawValue: 2)))
  }

  @Test mutating func `stores names of known devices in one line`() throws {
    let device = DeviceAddress(rawValue: 1)
    ring.name(device, "Waage")
    #expect(ring.names.isEmpty)
    _ = ring.store(try SampleKeys.longTermKey(of: 1), of: controller)
    ring.name(device, "a\nb\u{0}c")
    #expect(ring.names == [device: "a b c"])
    ring.name(device, String(repeating: "x", count: 500))
    #expect(ring.names[device]?.count == 248)
  }

  @Test mutating func `is bounded`() throws {
    for device in 1...UInt64(KeyRing.capacity) {
      check(ring.store(try SampleKeys.longTermKey(of: device), of: controller))
    }
    check(!ring.store(try SampleKeys.longTermKey(of: 1000), of: controller))
    check(!ring.store(try SampleKeys.identityKey(of: 1000), of: controller))
    // A known device may renew its keys.
    check(ring.store(try SampleKeys.longTermKey(of: 5, value: 99), of: controller))
    check(ring.store(try SampleKeys.identityKey(of: 5), of: controller))
    #expect(ring.bonds.count == KeyRing.capacity)
    #expect(ring.text.utf8.count <= KeyRing.maximumFileLength)
  }
}

@Suite struct KeyTextTests {
  static let longTermKey =
    "9A78563412C402020010000000000000000000002BA55272A3F3BA74AAE3F7FA998C4814"
  static let controller = "00:1B:DC:00:00:01"

  @Test func `reads what it writes`() throws {
    let ring = try SampleKeys.ring()
    #expect(try KeyRing(text: ring.text) == ring)
    #expect(try KeyRing(text: KeyRing().text) == KeyRing())
  }

  @Test func `is written as documented`() throws {
    let text = "measured keys 1\nltk \(Self.controller) \(Self.longTermKey)\nend 1\n"
    let ring = try KeyRing(text: text)
    #expect(ring.bonds.map(\.address.description) == ["C4:12:34:56:78:9A"])
    #expect(ring.text == text)
  }

  @Test(arguments: [
    ("", 1, "it does not begin with 'measured keys 1'"),
    ("measured keys 2\nend 0\n", 1, "it does not begin with 'measured keys 1'"),
    (
      "measured keys 1\n", 2, "it does not end with the count of its lines, so it was cut"
    ),
    (
      "measured keys 1\nend 0", 2, "it does not end with the count of its lines, so it was cut"
    ),
    (
      "measured keys 1\nend 1\n", 3, "it does not end with the count of its lines, so it was cut"
    ),
    ("measured keys 1\n\nend 1\n", 2, "it is no key and no name"),
    ("measured keys 1\ncsrk \(controller) 00\nend 1\n", 2, "it is no key and no name"),
    ("measured keys 1\nltk 00:1B:DC:00:00 00\nend 1\n", 2, "it is no key and no name"),
    ("measured keys 1\nltk \(controller) 0G\nend 1\n", 2, "the key is not written in hex"),
    ("measured keys 1\nltk \(controller) 012\nend 1\n", 2, "the key is not written in hex"),
    (
      "measured keys 1\nltk \(controller) \(longTermKey)00\nend 1\n", 2,
      "the key has not the bytes that a key has"
    ),
    (
      "measured keys 1\nirk \(controller) \(longTermKey)\nend 1\n", 2,
      "the key has not the bytes that a key has"
    ),
    (
      "measured keys 1\nltk \(controller) \(longTermKey)\nltk \(controller) \(longTermKey)\nend 2\n",
      3, "the device has another of the kind"
    ),
    (
      "measured keys 1\nname C4:12:34:56:78:9A Scale\nend 1\n", 2,
      "the name cannot be a device's"
    ),
    (
      "measured keys 1\r\nend 0\r\n", 1, "it does not begin with 'measured keys 1'"
    ),
  ])
  func `refuses other text`(text: String, line: Int, reason: String) {
    #expect(throws: KeyTextError(line: line, reason: reason)) { try KeyRing(text: text) }
  }

  /// A file truncated at any byte is refused: no bond is lost silently.
  @Test func `detects a truncated file`() throws {
    let text = try SampleKeys.ring().text
    for length in 0..<text.unicodeScalars.count {
      let cut = String(String.UnicodeScalarView(text.unicodeScalars.prefix(length)))
      #expect(throws: KeyTextError.self) { try KeyRing(text: cut) }
    }
  }

  @Test func `survives a damaged file`() throws {
    var generator = SeededGenerator(seed: 11)
    let good = Array(try SampleKeys.ring().text.utf8)
    for _ in 0..<2000 {
      var damaged = good
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        guard let place = damaged.indices.randomElement(using: &generator) else { continue }
        damaged[place] = UInt8.random(in: 0...255, using: &generator)
      }
      // Either the result can be written again, or the reason contains no key.
      do throws(KeyTextError) {
        let ring = try KeyRing(text: String(decoding: damaged, as: UTF8.self))
        #expect(try KeyRing(text: ring.text) == ring)
      } catch {
        #expect(error.reason.count < 80)
      }
    }
  }
}
