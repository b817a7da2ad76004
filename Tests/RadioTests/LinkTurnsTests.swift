import TestSupport
import Testing

@testable import Radio

@Suite struct LinkTurnsTests {
  /// Ends every attempt, starting with that of `first`, and returns the order of the others.
  static func order(_ turns: inout LinkTurns<Int>, after first: Int) -> [Int] {
    var order: [Int] = []
    var current = first
    while let next = turns.end(current) {
      order.append(next)
      current = next
    }
    return order
  }

  @Test func `begins one attempt at a time`() {
    var turns = LinkTurns<Int>()
    let admissions = [turns.request(1, isKnown: false), turns.request(2, isKnown: true)]
    #expect(admissions == [.begins, .waits(displaced: nil)])
    #expect(turns.isBusy && turns.isContested)
    #expect(Self.order(&turns, after: 1) == [2])
    #expect(!turns.isBusy && !turns.isContested)
  }

  @Test func `continues without a withdrawn device`() {
    var turns = LinkTurns<Int>()
    for device in 1...3 { _ = turns.request(device, isKnown: true) }
    #expect(turns.end(2) == nil)
    #expect(Self.order(&turns, after: 1) == [3])
    #expect(turns.end(2) == nil)
  }

  @Test func `refuses a known device only when full`() {
    var turns = LinkTurns<Int>()
    for device in 0...LinkTurns<Int>.mostKnown {
      let admission = turns.request(device, isKnown: true)
      #expect(admission == (device == 0 ? .begins : .waits(displaced: nil)))
    }
    #expect(turns.request(-1, isKnown: true) == .waits(displaced: -1))
    #expect(turns.removeAll() == Array(1...LinkTurns<Int>.mostKnown))
    #expect(!turns.isBusy)
  }

  /// A device that changes its address with every request displaces only its own requests: the
  /// unknown device that has waited longest stays in the queue, and a known one waits for one
  /// attempt.
  @Test func `is fair despite changing addresses`() {
    var turns = LinkTurns<Int>()
    _ = turns.request(1000, isKnown: false)
    var address = 1001
    let honest = turns.request(1, isKnown: false)
    #expect(honest == .waits(displaced: nil))
    for _ in 0..<100 {
      #expect(turns.request(address, isKnown: false) != .waits(displaced: 1))
      address += 1
    }
    _ = turns.request(2, isKnown: true)
    #expect(turns.end(1000) == 2)
    var attempts = 0
    var current = 2
    while current != 1, let next = turns.end(current) {
      attempts += 1
      current = next
      _ = turns.request(address, isKnown: false)
      address += 1
    }
    #expect(current == 1)
    #expect(attempts == 2)
  }

  /// For any requests and ends, each device waits at most once, the limits hold, and the turns end.
  @Test(arguments: 0..<50)
  func `holds its bounds`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var turns = LinkTurns<Int>()
    var waiting: Set<Int> = []
    var current: Int?
    for device in 0..<500 {
      if Bool.random(using: &generator), let ended = current {
        current = turns.end(ended)
        if let current { #expect(waiting.remove(current) != nil) }
        continue
      }
      switch turns.request(device, isKnown: Int.random(in: 0..<3, using: &generator) == 0) {
      case .begins:
        #expect(current == nil)
        current = device
      case .waits(let displaced):
        waiting.insert(device)
        if let displaced { #expect(waiting.remove(displaced) != nil) }
      }
      #expect(waiting.count <= LinkTurns<Int>.mostKnown + LinkTurns<Int>.mostUnknown)
      #expect(turns.isContested == !waiting.isEmpty)
    }
    if let current { #expect(Set(Self.order(&turns, after: current)) == waiting) }
    #expect(!turns.isBusy)
  }
}
