import Care
import CareStore
import Foundation
import TestSupport
import Testing

@testable import Agenda

/// A hundred homes over ninety days in which something breaks, and the reasons that a centre names.
///
/// A home has power, a network, a radio, a battery, a device in reach or not, and a person who uses it or
/// not. These alone make what is received and what the box says of itself; which of them is broken is known
/// to the table only.
@Suite struct NineCausesTests {
  private static let day: TimeInterval = 86_400
  private static let begin = time("2026-11-01T00:00:00Z")
  private static let plan = "timeZone: UTC\npatients:\n"

  @Test func `a reason that is named alone is right`() async throws {
    var random = SeededGenerator(seed: 46)
    var homes = (0..<100).map { Home($0, &random) }
    let people = homes.map { home in
      let away = home.isAwaySaid ? ", away: [{from: \(home.firstDay), to: 2027-03-01}]" : ""
      return "  - {id: \(home.id), name: {given: \(home.id)}\(away)}"
    }
    let store = try await SQLStore.planned(
      Self.plan + people.joined(separator: "\n") + "\ntasks: []\n", at: Self.begin - Self.day)
    var table = Table()
    for day in 0..<90 {
      let samples = homes.indices.flatMap { homes[$0].live(day, from: Self.begin, &random) }
      try await store.write { writer in for sample in samples { _ = try writer.insert(sample) } }
      guard day >= 50 else { continue }
      let now = Self.begin + (Double(day) + 0.9) * Self.day
      let boxes = Dictionary(uniqueKeysWithValues: homes.map { ($0.id, [$0.news]) })
      let morning = try await store.read {
        try Morning($0, boxes: boxes, longestPause: 5_400, now: now)
      }
      let found = Dictionary(uniqueKeysWithValues: morning.people.map { ($0.patient.id, $0) })
      for home in homes {
        guard let person = found[home.id] else { continue }
        table.add(home, person, day: day, now: now)
      }
    }
    print(table.text)
    #expect(table.alone > 300)
    #expect(Double(table.right) >= 0.95 * Double(table.alone), "\(table.right) of \(table.alone)")
    // All were shown, at latest on the day after twice the longest pause.
    #expect(table.shown.count == homes.count { !$0.causes.isEmpty } && table.late == 0)
    #expect(table.falseCalls == 0, "a home that is well was called silent")
  }

  /// The reasons that were named for each truth, a morning each.
  private struct Table {
    var counts: [String: [String: Int]] = [:]
    var (alone, right, late, falseCalls) = (0, 0, 0, 0)
    var shown: Set<String> = []

    mutating func add(_ home: Home, _ person: PersonMorning, day: Int, now: Date) {
      let isBroken = !home.causes.isEmpty && day >= home.from
      guard let silence = person.silence else {
        if isBroken, let device = person.devices.first, let pause = device.longestPause,
          now.timeIntervalSince(device.last) > 2 * pause
        {
          late += 1
        }
        return
      }
      guard isBroken else {
        falseCalls += 1
        return
      }
      shown.insert(home.id)
      let name: String
      switch silence {
      case .box: name = "box"
      case .device(let reasons):
        name = reasons.map(\.rawValue).joined(separator: " or ")
        if reasons.count == 1, let reason = reasons.first {
          alone += 1
          // Somebody who left does not measure, either: nothing but the plan tells them apart.
          let isTrue =
            home.causes.contains(reason)
            || reason == .notMeasured && home.causes.contains(.left)
            || reason == .notMeasured && home.causes.contains(.away)
          if isTrue { right += 1 }
        }
      }
      counts[home.truth, default: [:]][name, default: 0] += 1
    }

    var text: String {
      let lines = counts.sorted { $0.key < $1.key }.map { truth, named in
        let parts = named.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
          .map { "\($0.key) \($0.value)" }
        return truth.padding(toLength: 34, withPad: " ", startingAt: 0)
          + parts.joined(separator: ", ")
      }
      return lines.joined(separator: "\n")
        + "\nnamed alone: \(alone), right: \(right); well and called silent: \(falseCalls)"
    }
  }

  /// A home with a person, a device and a box.
  private struct Home {
    let id: String
    let causes: Set<SilenceReason>
    /// The day from which they last.
    let from: Int
    /// Evidence that the centre does not get.
    let isBatteryUnsaid: Bool
    let areOffsLost: Bool
    let isAwaySaid: Bool
    /// Whether the device says its battery by itself, or speaks only while it is used.
    let saysBattery: Bool
    private let diligence: Double
    private let fall: Double
    private let number: Int
    private(set) var news = BoxNews(contact: nil)
    private var kept: [Sample] = []
    private var offs: [Range<Date>] = []

    /// The first day of the causes, as a plan has it.
    var firstDay: String {
      let date = NineCausesTests.begin + Double(from) * NineCausesTests.day
      return String(date.rfc3339(in: .gmt).prefix(10))
    }

    var truth: String {
      let names = causes.map(\.rawValue).sorted().joined(separator: " + ")
      let isLost = isBatteryUnsaid || areOffsLost || causes.contains(.away) && !isAwaySaid
      return names + (isLost ? " (lost)" : "")
    }

    init(_ number: Int, _ random: inout SeededGenerator) {
      func chance(_ share: Double) -> Bool {
        Double(random.next() >> 11) / Double(1 << 53) < share
      }
      self.number = number
      id = "h\(number)"
      let all = SilenceReason.allCases
      var causes: Set<SilenceReason> = number < 90 ? [all[number % 9]] : []
      // A third has two at once, or lacks evidence.
      let (isDouble, isLost) = (number % 6 == 1, number % 6 == 4)
      if isDouble, !causes.isEmpty { causes.insert(all[Int(random.next() % 9)]) }
      self.causes = causes
      isBatteryUnsaid = isLost && causes.contains(.batteryLow)
      areOffsLost = isLost && causes.contains(.boxOff)
      isAwaySaid = causes.contains(.away) && !isLost
      from = 55 + Int(random.next() % 15)
      saysBattery = number % 2 == 0
      diligence = chance(0.5) ? 1 : 0.95
      fall = 0.1 + Double(random.next() % 30) / 100
    }

    /// The measurements that reach the centre on a day.
    mutating func live(
      _ day: Int, from begin: Date, _ random: inout SeededGenerator
    ) -> [Sample] {
      func chance(_ share: Double) -> Bool {
        Double(random.next() >> 11) / Double(1 << 53) < share
      }
      let midnight = begin + Double(day) * 86_400
      func has(_ cause: SilenceReason) -> Bool { day >= from && causes.contains(cause) }
      // A timer socket takes the power for twenty hours of the day, or somebody pulled the plug.
      let isUnplugged = has(.boxOff) && number % 4 < 2
      let hours: ClosedRange<Double> = has(.boxOff) ? (isUnplugged ? 25...26 : 20...24) : 0...24
      if has(.boxOff) {
        offs.append(midnight..<midnight + (isUnplugged ? 24 : 20) * 3_600)
      }
      // An empty battery: low for five days before.
      let low = 15 - Double(day - from + 5) * 2
      let level =
        causes.contains(.batteryLow) && day >= from - 5 ? low : 100 - Double(day) * fall
      let isEmpty = has(.batteryLow) && day >= from
      let isReached = !has(.notReceived) && !has(.radioFailed) && !isEmpty
      func hears(_ hour: Double) -> Bool { isReached && hours.contains(hour) }
      let device = DeviceIdentity(address: DeviceID(String(format: "5C:CA:D3:00:00:%02X", number)))
      func add(
        _ quantity: Quantity, _ value: Double, at hour: Double, _ state: Sample.State = .live
      ) {
        let date = midnight + hour * 3_600
        let reading = Reading(
          quantity: quantity, value: value, arrival: date, device: device, raw: [UInt8(day)])
        kept.append(
          Sample(reading: reading, patient: id, start: date, end: date, state: state))
      }
      let isUsed = !has(.notMeasured) && !has(.away) && !has(.left) && chance(diligence)
      let hour = 7 + Double(random.next() % 120) / 60
      if isUsed, hears(hour) {
        add(.bodyMass, 80, at: hour, has(.notBelieved) ? .notTaken : .live)
        if !isBatteryUnsaid, !saysBattery { add(.batteryLevel, max(1, level), at: hour + 0.01) }
      }
      if saysBattery, !isBatteryUnsaid {
        for hour in [4.0, 16, 21] where hears(hour) { add(.batteryLevel, max(1, level), at: hour) }
      }
      guard !has(.noNetwork), !isUnplugged else { return [] }
      news.contact = midnight + 0.9 * 86_400
      news.offs = areOffsLost ? [] : offs
      news.radioFailedSince =
        has(.radioFailed) ? begin + Double(from) * 86_400 : nil
      defer { kept = [] }
      return kept
    }
  }
}
