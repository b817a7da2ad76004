import Care
import CareStore
import Digests
import Exchange
import Foundation

/// Numbers that a seed determines.
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
  }
}

/// A home with one person: a scale, a cuff, steps, four tasks, and in some a strap.
final class Box {
  static let begin = Date(
    timeIntervalSince1970: 1_796_000_000 - 1_796_000_000.0.truncatingRemainder(dividingBy: 86_400))
  let number: Int
  let person: String
  let store: SQLStore
  let key: [UInt8]
  private let hasStrap: Bool
  private var link: BoxLink
  private var dice: Dice
  private(set) var samples = 0
  private(set) var requests = 0
  /// How often the centre asked it to come again.
  private(set) var pauses = 0

  init(_ number: Int, hasStrap: Bool, folder: String) throws {
    self.number = number
    self.hasStrap = hasStrap
    person = "p\(number)"
    dice = Dice(state: UInt64(number) &* 7_919 &+ 46)
    key = dice.bytes(32)
    store = try SQLStore.open(path: folder + "/box-\(number).sqlite", makeUUID: { UUID() })
    link = BoxLink(address: "https://centre.example", key: Secret(key))
  }

  private func device(_ kind: Int) -> DeviceIdentity {
    let text = String(
      format: "%02X:%02X:%02X:00:00:%02X", number >> 16, number >> 8 & 255, number & 255, kind)
    return DeviceIdentity(address: DeviceID(text), definition: "simulated")
  }

  /// The plan: one person and four tasks.
  func plan() async throws {
    let person = person
    try await store.write { writer in
      try writer.setPlanTimeZone(.gmt, now: Self.begin)
      _ = try writer.put(Patient(id: person, name: PersonName(given: person)), now: Self.begin)
      for task in 0..<4 {
        _ = try writer.put(
          PlannedTask(
            id: "task-\(task)", patient: person, title: "Task \(task)",
            schedule: try Schedule([
              try ScheduleElement(
                start: Self.begin, interval: Interval(days: 1), duration: .allDay, timeZone: .gmt)
            ])), now: Self.begin)
      }
    }
  }

  /// Lives through some days without a network.
  func live(_ days: Range<Int>) async throws {
    for day in days {
      let midnight = Self.begin + Double(day) * 86_400
      var batch: [Sample] = []
      func add(
        _ quantity: Quantity, _ value: Double, at time: TimeInterval, _ kind: Int,
        length: TimeInterval = 0, isStreamed: Bool = false, raw: [UInt8] = []
      ) {
        let date = midnight + time
        let reading = Reading(
          quantity: quantity, value: value, arrival: date + length,
          interval: length > 0 ? DateInterval(start: date, duration: length) : nil,
          device: device(kind),
          isStreamed: isStreamed, raw: raw)
        batch.append(
          Sample(reading: reading, patient: self.person, start: date, end: date + length))
      }
      for hour in [7.0, 19] {
        let time = hour * 3_600 + Double(dice.next() % 1_800)
        add(.bodyMass, 80 + Double(dice.next() % 40) / 20, at: time, 1, raw: dice.bytes(13))
        let frame = dice.bytes(18)
        add(.bloodPressureSystolic, Double(120 + dice.next() % 30), at: time + 300, 2, raw: frame)
        add(.bloodPressureDiastolic, Double(70 + dice.next() % 20), at: time + 300, 2, raw: frame)
        add(.pulseRate, Double(60 + dice.next() % 20), at: time + 300, 2, raw: frame)
      }
      for minute in 480..<960 {
        add(
          .stepCount, Double(dice.next() % 90), at: Double(minute) * 60, 3, length: 60,
          isStreamed: true)
      }
      if hasStrap {
        for second in 28_800..<57_600 {
          let rate = Double(62 + dice.next() % 12)
          add(.heartRate, rate, at: Double(second), 4, isStreamed: true)
          for beat in 0..<(second % 2 + 1) {
            add(
              .rrInterval, 0.8 + Double(dice.next() % 100) / 1_000,
              at: Double(second) + Double(beat) * 0.5, 4, isStreamed: true)
          }
        }
        // In the order of time, as a strap sends.
        batch.sort { $0.start < $1.start }
      }
      let (stored, person) = (batch, self.person)
      samples += stored.count
      try await store.write { writer in
        for sample in stored { _ = try writer.insert(sample) }
        let events = try writer.events(
          patient: person, task: nil, from: midnight, to: midnight + 86_400)
        for event in events where event.occurrence.start == midnight {
          _ = try writer.setOutcome(
            [OutcomeValue(value: .boolean(true), time: midnight + 40_000, provenance: .manual)],
            of: event.reference, now: midnight + 40_000)
        }
      }
    }
  }

  /// Exchanges until both sides are level; begins again when the line breaks.
  func session(_ line: CentreLines, now: Date, singlesDone: @Sendable () -> Void = {}) async throws
  {
    var isSaid = false
    var makeDice = dice
    func channel() -> ChannelID { ChannelID(bytes: makeDice.bytes(16)) }
    var tries = 0
    while tries < 50 {
      link.begin()
      var isBroken = false
      while true {
        let (next, outbound) = try await store.exchanging { [link, makeDice] exchange in
          var (link, dice) = (link, makeDice)
          let outbound = try link.next(in: exchange) { ChannelID(bytes: dice.bytes(16)) }
          return (link, outbound)
        }
        _ = makeDice.next()
        link = next
        guard let outbound else { break }
        requests += 1
        if !isSaid, outbound.request.isAfterSingles {
          isSaid = true
          singlesDone()
        }
        var call = Call(number: 0, work: .answer)
        call.digest = outbound.fields.contentDigest
        call.input = outbound.fields.signatureInput
        call.signature = outbound.fields.signature
        call.body = Data(outbound.body)
        call.date = now
        // A centre that cannot reach its server says so.
        guard let answer = await line.ask(call), answer.status != 503 || answer.retryAfter != nil
        else {
          link.lose()
          isBroken = true
          try await Task.sleep(for: .milliseconds(500))
          break
        }
        let (after, step) = try await store.exchanging { [link, makeDice] exchange in
          var (link, dice) = (link, makeDice)
          let step = try link.take(
            status: answer.status, body: Array(answer.body), to: outbound, in: exchange
          ) { ChannelID(bytes: dice.bytes(16)) }
          return (link, step)
        }
        link = after
        guard step == .next else {
          isBroken = true
          if let asked = answer.retryAfter { try await pause(asked) }
          break
        }
      }
      if let asked = link.pause {
        if !isSaid {
          isSaid = true
          singlesDone()
        }
        try await pause(asked)
        continue
      }
      tries += 1
      if !isBroken {
        if !isSaid { singlesDone() }
        dice = makeDice
        return
      }
    }
    throw Failure(said: "box \(number) never came to rest")
  }

  /// Waits as long as a box waits that the centre asked to come again.
  private func pause(_ asked: Int) async throws {
    pauses += 1
    var random = SystemRandomNumberGenerator()
    try await Task.sleep(for: .seconds(SyncPace.afterPause(of: asked, using: &random)))
  }
}

struct Failure: Error {
  var said: String
}

extension Request {
  /// Whether measurements that stand alone have been brought when this is sent.
  fileprivate var isAfterSingles: Bool {
    switch self {
    case .still, .hello, .latest: false
    case .put(let put): put.key.stream == .hours || put.key.stream == .attachments
    case .get(let get): [.singles, .hours, .attachments].contains(get.key.stream)
    }
  }
}
