import Foundation
import TestSupport
import Testing

/// Several stores, which exchange their exports.
@Suite struct StoreExchangeTests {
  private static let plan = """
    timeZone: America/Los_Angeles
    patients: [{id: john, expects: {bodyMass: 82 kg}}, {id: jane}]
    tasks:
      - id: weigh-in
        patient: john
        title: Weigh yourself
        schedule: [{start: 2026-11-01, interval: {days: 1}, duration: allDay}]
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
      - id: walk
        patient: jane
        title: Walk
        schedule: [{start: 2026-11-01T12:00, interval: {days: 1}, duration: 1h}]
    """

  /// One weighing, received `delay` seconds later in this store, and a minute of a strap.
  private static func trace(delay: Double) -> String {
    // A weight that is not final, the final one, and the final one with the foot off.
    let frames = [
      "24ea070b1407093600000640", "26ea070b14070936f7010640", "a6ea070b14070936f7010640",
    ]
    let head = #"{"measured-trace":1,"start":"2026-11-20T07:09:50-08:00","adapter":"hci0"}"#
    let lines = frames.enumerated().map { number, frame in
      #"{"t":\#(4 + delay + Double(number) * 3),"type":"advertisement","#
        + #""address":"5C:CA:D3:70:D4:A2","addressType":"public","rssi":-61,"#
        + #""data":"02010603021b1810161b1802\#(frame)"}"#
    }
    return ([head] + lines).joined(separator: "\n") + "\n"
  }

  @Test(arguments: Rounds.seeds(10))
  func `three to five stores end alike`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    func path(_ name: String) -> String { folder.url.appending(path: name).path }
    @discardableResult
    func measured(_ arguments: String..., expecting status: Int32? = 0) async throws -> [String] {
      let result = await InProcess.run(arguments)
      if let status { #expect(result.status == status, "\(arguments): \(result.error)") }
      return result.lines
    }
    try Data(Self.plan.utf8).write(to: URL(filePath: path("plan.yaml")))
    let stores = (0..<Int.random(in: 3...5, using: &random)).map { "store\($0).sqlite" }
    for (number, store) in stores.enumerated() {
      try await measured("plan", "import", path("plan.yaml"), "--store", path(store))
      let trace = Self.trace(delay: number < 2 ? Double(number) * 0.3 : 90)
      try Data(trace.utf8).write(to: URL(filePath: path("trace.jsonl")))
      if number < 3 {
        try await measured(
          "replay", path("trace.jsonl"), "--plan", path("plan.yaml"), "--store", path(store))
      }
    }
    func send(from: String, to: String, isCut: Bool) async throws {
      try await measured("store", "export", path("export.jsonl"), "--store", path(from))
      var text = try String(contentsOfFile: path("export.jsonl"), encoding: .utf8)
      if isCut { text = String(text.dropLast(Int.random(in: 2...200, using: &random))) }
      try Data(text.utf8).write(to: URL(filePath: path("sent.jsonl")))
      try await measured(
        "store", "import", path("sent.jsonl"), "--store", path(to), expecting: isCut ? 1 : 0)
    }
    for _ in 0..<8 {
      let store = stores.randomElement(using: &random) ?? stores[0]
      let occurrence = String(Int.random(in: 0...18, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        try await measured(
          "outcome", "set", "--store", path(store), "--task", "walk", "--occurrence", occurrence)
      case 1:
        try await measured(
          "outcome", "delete", "--store", path(store), "--task", "walk", "--occurrence", occurrence,
          expecting: nil)
      case 2:
        try await measured(
          "samples", "assign", "1", "--patient", "jane", "--store", path(store), expecting: nil)
      default:
        let other = stores.randomElement(using: &random) ?? stores[0]
        try await send(from: store, to: other, isCut: Bool.random(using: &random))
      }
    }
    for _ in 0..<2 {
      for from in stores {
        for to in stores where to != from { try await send(from: from, to: to, isCut: false) }
      }
    }
    var exports: [[String]] = []
    for store in stores {
      exports.append(try await measured("store", "export", "-", "--store", path(store)))
    }
    #expect(exports[0].first == #"{"measured-store":1}"#)
    for export in exports { #expect(export == exports[0]) }
    // The weighing of the shared scale is one, whoever received it.
    let weights = try await measured(
      "samples", "--quantity", "bodyMass", "--json", "--store", path(stores[0]))
    #expect(weights.count == 1)
    for store in stores {
      try await measured("store", "check", "--store", path(store), expecting: nil)
    }
  }
}
