import Care
import CareStore
import Foundation
import Localization
import Pages
import Testing

/// Reminders and fallbacks on Today; what rules and alerts did on Connect.
@Suite struct PromptPageTests {
  private func household() async throws -> Household {
    try await Household(tasks: { builder in
      var weighIn = try builder.weighIn("alex")
      weighIn.fallback = Fallback(after: 3 * 3_600)
      var metformin = try builder.metformin()
      metformin.reminder = Reminder(offset: -900)
      return [weighIn, metformin]
    })
  }

  @Test
  func `a fallback stands first until the value is there`() async throws {
    let household = try await household()
    let open = try await household.today(Site(), "en", date: nil)
    #expect(open.contains("No weight came by 10:00. Enter it, or step on the scale."))
    #expect(open.contains("To sort out"))
    let chinese = try await household.today(Site(), "zh-Hant", date: nil)
    #expect(chinese.contains("到 10:00 還沒有體重。"))
    try await household.add(.bodyMass, 82.15, at: "2026-11-05T10:30", of: "alex")
    let done = try await household.today(Site(), "en", date: nil)
    #expect(!done.contains("No weight came"))
  }

  @Test func `a question names whose it is, and can be put off`() async throws {
    let household = try await Household(tasks: { builder in
      try ["alex", "kim"].map { person in
        var weighIn = try builder.weighIn(person)
        weighIn.fallback = Fallback(after: 3 * 3_600)
        return weighIn
      }
    })
    let (site, now) = (try Site(), household.now)
    func page(_ patient: String?) async throws -> String {
      let viewer = household.viewer(try #require(site.language("en")), patient: patient)
      return try await household.store.read {
        try TodayPage($0, viewer: viewer, date: now, notice: nil).html(site)
      }
    }
    let both = try await page(nil)
    for name in ["Alex", "Kim"] { #expect(both.contains("<h3>\(name): Weigh yourself</h3>")) }
    let own = try await page("alex")
    #expect(own.contains("<h3>Weigh yourself</h3>"))
    #expect(own.contains("aria-label=\"Remind me of Weigh yourself later: In an hour\""))
    let start = try household.date("2026-11-05T07:00")
    _ = try await household.store.write { writer in
      try writer.record(
        Firing(
          Firing.Key(.snooze, EventKey(patient: "alex", task: "weigh-in", start: start)),
          due: now + 3600, date: now), making: nil, now: now)
    }
    let later = try await page(nil)
    #expect(!later.contains("Alex: Weigh yourself</h3>"))
    #expect(later.contains("Kim: Weigh yourself</h3>"))
  }

  @Test
  func `several missed fallbacks of a task are one card, which counts them`() async throws {
    let household = try await Household(tasks: { builder in
      let pulse = Linkage(quantity: .pulseRate, type: .discrete, unit: .perMinute)
      let often = PlannedTask(
        id: "pulse", patient: "alex", title: "Take the pulse",
        schedule: try Schedule(
          ["05:00", "07:00", "09:00", "11:00"].map { try builder.element("2026-10-20T" + $0) }),
        linkage: pulse, fallback: Fallback(after: 1_800))
      let long = PlannedTask(
        id: "rest", patient: "alex", title: "Resting pulse",
        schedule: try builder.schedule("2026-10-20T08:00", lasting: .seconds(3 * 86_400)),
        linkage: pulse, fallback: Fallback(after: 3_600))
      return [often, long]
    })
    let page = try await household.today(Site(), "en", date: nil)
    let cards = page.components(separatedBy: "No reading came by ").dropFirst()
    #expect(cards.count == 2)
    #expect(
      cards.contains { $0.hasPrefix("09:00. Enter it, or measure now. It is open on 3 days.") })
    #expect(
      cards.contains { $0.hasPrefix("11:30. Enter it, or measure now. It is open 4 times today.") })
    let chinese = try await household.today(Site(), "zh-Hant", date: nil)
    #expect(chinese.contains("今天有 4 次未記錄。"))
  }

  @Test
  func `a reminder is there from its lead to the end of its event`() async throws {
    let household = try await household()
    func page(at text: String) async throws -> String {
      let (site, now) = (try Site(), try household.date(text))
      let viewer = household.viewer(try #require(site.language("en")), now: now)
      return try await household.store.read {
        try TodayPage($0, viewer: viewer, date: now, notice: nil).html(site)
      }
    }
    #expect(!(try await page(at: "2026-11-05T19:44")).contains("At 20:00."))
    #expect(try await page(at: "2026-11-05T19:45").contains("At 20:00."))
    #expect(!(try await page(at: "2026-11-05T21:00")).contains("At 20:00."))
  }

  @Test
  func `a rule's firing has its reason and Undo; what was undone says so`() async throws {
    let household = try await household()
    let start = try household.date("2026-11-04T07:00")
    let rule = Rule(
      unit: .kilogram, trigger: .change(by: 2, within: .days(1)), message: "Call the practice.")
    let firing = Firing(
      Firing.Key(.rule, EventKey(patient: "alex", task: "weigh-in", start: start), rule: rule),
      due: start, date: start,
      results: [
        RuleResult(start: start - 86_400, time: start - 86_400, value: 82.15, unit: .kilogram),
        RuleResult(start: start, time: start, value: 84.55, unit: .kilogram),
      ],
      target: Firing.TargetChange(
        from: 90, to: 80.25, unit: .kilogram, effectiveDate: try household.date("2026-11-06")))
    let stored = try #require(
      try await household.store.write { try $0.record(firing, making: nil, now: start) })
    func page() async throws -> String {
      let site = try Site()
      let viewer = household.viewer(try #require(site.language("en")))
      return try await household.store.read { try ConnectPage($0, viewer: viewer).html(site) }
    }
    let text = try await page()
    #expect(
      text.contains(
        "Call the practice. Weight: 82.15 kg and 84.55 kg. The target is 80.25 kg from 6 November.")
    )
    #expect(text.contains("/firings/\(stored.id.uuidString)/undo"))
    _ = try await household.store.write { try $0.undoFiring(stored.id, now: start + 3_600) }
    let undone = try await page()
    #expect(undone.contains("Taken back yesterday."))
    #expect(!undone.contains("/firings/"))
  }

  @Test
  func `an alert says whose value it was, and when the value is no more`() async throws {
    let household = try await household()
    let start = try household.date("2026-11-05T07:00")
    let threshold = Threshold(condition: .above(110), says: "too high", alerts: true)
    let firing = Firing(
      Firing.Key(
        .alert, EventKey(patient: "alex", task: "weigh-in", start: start), threshold: threshold),
      due: start, date: start + 4 * 3600,
      results: [RuleResult(start: start, time: start, value: 115, unit: .kilogram)])
    _ = try await household.store.write { try $0.record(firing, making: nil, now: start) }
    let site = try Site()
    let english = try #require(site.language("en"))
    let page = try await household.store.read { reader in
      try ConnectPage(reader, viewer: household.viewer(english, patient: nil)).html(site)
    }
    #expect(
      page.contains("Alex. Weight: 115 kg, too high. The value was taken back or corrected since."))
    // It is of the time of its value, not of the look that found it.
    #expect(page.contains("An alert of “Weigh yourself”, 07:00"))
    #expect(!page.contains("An alert of “Weigh yourself”, 11:00"))
    // The log, which others may read, has neither the value nor the plan's words.
    let log = try await household.store.read {
      try FiringWords($0, in: english, now: household.now).logText(of: firing)
    }
    #expect(log.contains("Weigh yourself"))
    #expect(!log.contains("115") && !log.contains("too high"))
  }
}
