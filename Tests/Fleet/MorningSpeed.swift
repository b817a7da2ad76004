import Agenda
import Care
import CareStore
import Foundation

/// How long a morning of many people takes, with what was measured and answered of each.
///
///     fleet morning PEOPLE DAYS
enum MorningSpeed {
  static func run(_ count: Int, days: Int) async throws {
    let folder = NSTemporaryDirectory() + "fleet-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let place =
      ProcessInfo.processInfo.environment["MEASURED_POSTGRESQL"] ?? folder + "/centre.sqlite"
    let store = try SQLStore.open(path: place, makeUUID: { UUID() })
    try await store.write { try $0.setPlanTimeZone(.gmt, now: Box.begin) }
    var dice = Dice(state: 46)
    for number in 0..<count { try await fill(store, "p\(number)", days: days, &dice) }
    // A tenth has been silent for a week; it is morning.
    let now = Box.begin + Double(days) * 86_400 + 30_000
    let boxes = Dictionary(
      uniqueKeysWithValues: (0..<count).map { ("p\($0)", [BoxNews(contact: now)]) })
    let clock = ContinuousClock()
    for _ in 0..<3 {
      let begin = clock.now
      let morning = try await store.read { reader in
        try Morning(reader, boxes: boxes, longestPause: 5_400, now: now)
      }
      let silent = morning.people.count { $0.silence != nil }
      let done = morning.people.reduce(0) { $0 + $1.month.performed }
      print("\(clock.now - begin)\t\(morning.people.count) people, \(silent) silent, \(done) done")
    }
  }

  private static func fill(
    _ store: SQLStore, _ person: String, days: Int, _ dice: inout Dice
  ) async throws {
    let number = Int(person.dropFirst()) ?? 0
    func device(_ kind: Int) -> DeviceIdentity {
      let text = String(format: "%02X:%02X:00:00:00:%02X", number >> 8, number & 255, kind)
      return DeviceIdentity(address: DeviceID(text), definition: "simulated")
    }
    var samples: [Sample] = []
    let last = number % 10 == 0 ? days - 7 : days
    for day in 0..<last {
      let midnight = Box.begin + Double(day) * 86_400
      func add(
        _ quantity: Quantity, _ value: Double, at time: Double, _ kind: Int,
        isStreamed: Bool = false
      ) {
        let (start, length) = (midnight + time, isStreamed ? 60.0 : 0)
        let reading = Reading(
          quantity: quantity, value: value, arrival: start + length,
          interval: isStreamed ? DateInterval(start: start, duration: 60) : nil,
          device: device(kind), isStreamed: isStreamed, raw: isStreamed ? [] : dice.bytes(8))
        samples.append(
          Sample(reading: reading, patient: person, start: start, end: start + length))
      }
      for hour in [7.0, 19] {
        let time = hour * 3_600 + Double(dice.next() % 1_800)
        add(.bodyMass, 80, at: time, 1)
        add(.bloodPressureSystolic, 130, at: time + 300, 2)
        add(.bloodPressureDiastolic, 80, at: time + 300, 2)
      }
      add(.batteryLevel, Double(100 - day), at: 25_200, 1)
      for quarter in 32..<64 { add(.stepCount, 90, at: Double(quarter) * 900, 3, isStreamed: true) }
    }
    let (stored, today) = (samples, Box.begin + Double(days) * 86_400)
    try await store.write { writer in
      _ = try writer.put(Patient(id: person, name: PersonName(given: person)), now: Box.begin)
      func task(_ id: String, _ linkages: [Linkage]) throws -> CareTask {
        var task = PlannedTask(
          id: id, patient: person, title: id,
          schedule: try Schedule([
            try ScheduleElement(
              start: Box.begin, interval: Interval(days: 1), duration: .allDay, timeZone: .gmt)
          ]))
        task.linkages = linkages
        return try writer.put(task, now: Box.begin)
      }
      let pills = try task("pills", [])
      _ = try task("weigh", [Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)])
      _ = try task(
        "pressure",
        [.bloodPressureSystolic, .bloodPressureDiastolic].map {
          Linkage(quantity: $0, type: .discrete, unit: .millimetreOfMercury)
        })
      _ = try task("steps", [Linkage(quantity: .stepCount, type: .cumulative, unit: .one)])
      for sample in stored { _ = try writer.insert(sample) }
      for day in 0..<last {
        _ = try writer.setOutcome(
          [], of: EventReference(taskUUID: pills.uuid, occurrence: day), now: today)
      }
    }
  }
}
