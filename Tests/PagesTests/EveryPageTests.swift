import Actions
import Agenda
import Care
import CareStore
import Foundation
import Localization
import Motion
import Outlets
import Pages
import Testing
import TestSupport

@Suite struct EveryPageTests {
  /// The pages of a household on one day, in one language.
  private func pages(_ household: Household, _ code: String) async throws -> [String] {
    let site = try Site()
    let viewer = household.viewer(try #require(site.language(code)))
    var pages = [
      try await household.today(site, code), try await household.today(site, code, patient: nil),
      try await household.today(site, code, patient: "nobody", date: "2026-11-07"),
      MessagePage(viewer: viewer, title: "<b>", text: "a & b", advice: "\"c\"").html(site),
    ]
    pages += MessagePage.Problem.allCases.map {
      MessagePage(viewer: viewer, problem: $0).html(site)
    }
    let (from, to) = (household.now - 86_400, household.now + 86_400)
    pages.append(
      try await household.store.read { try TracksPage($0, viewer: viewer).html(site) })
    pages.append(
      try await household.store.read {
        let morning = try Morning($0, boxes: [:], longestPause: 5_400, now: household.now)
        return try MorningPage(morning, $0, viewer: viewer).html(site)
      })
    let people = try await household.store.read { try $0.patients() }
    let box = BoxesPage.Box(
      name: "0123456789", cohort: "north", people: ["alex", "<i>"], joined: from, contact: from,
      state: "twin")
    pages += [
      BoxesPage(boxes: [], people: [], viewer: viewer).html(site),
      BoxesPage(
        boxes: [box], people: people, refusal: LocalizedText("boxes.refused.nobody"),
        viewer: viewer
      ).html(site),
      KitPage(
        [InviteBoxes.Invited(code: "AAAA-BBBB-CCCC", people: ["<b>", "alex"], expires: to)],
        address: "https://centre.example", people: people, languages: site.languages,
        viewer: viewer
      ).html(site),
    ]
    let centres = [
      SetupPage.Centre(
        address: "https://centre.example", level: from, fault: .timeout, isUnknown: false)
    ]
    for centres in [centres, []] {
      pages.append(
        try await household.store.read {
          try SetupPage($0, viewer: viewer, centres: centres).html(site)
        })
    }
    let events = try await household.store.read {
      try $0.events(patient: nil, task: nil, from: from, to: to)
    }
    for event in events.prefix(24) {
      pages.append(
        try await household.page(
          of: event, site, code, notice: .refused("implausible", field: "value")))
    }
    return pages
  }

  private func check(_ html: String) {
    let markup = Markup(html: html)
    #expect(markup.fault == nil)
    #expect(markup.blocked.isEmpty)
    #expect(!html.contains("⟦"))
    #expect(html.components(separatedBy: "<h1>").count == 2)
    let linked = Set(markup.attribute("for")).subtracting(markup.attribute("id"))
    #expect(linked.isEmpty, "labels without a control: \(linked)")
    let symbols = markup.attribute("href").filter { $0.hasPrefix("#g-") }.map { $0.dropFirst() }
    #expect(Set(symbols.map(String.init)).subtracting(markup.attribute("id")).isEmpty)
  }

  @Test(arguments: ["en", "zh-Hant"]) func `every page is well formed and has all its words`(
    _ code: String
  ) async throws {
    let household = try await Household()
    try await household.live()
    for page in try await pages(household, code) {
      await Task.yield()
      check(page)
      #expect(page.firstMatch(of: /<h[1-3][^<]*>[^<]*\{[a-z]+\}/) == nil, "a text lacks a value")
    }
    let empty = try await Household(tasks: { _ in [] }, people: [])
    for page in try await pages(empty, code) { check(page) }
  }

  @Test(arguments: ["en", "zh-Hant"]) func `a consent is well formed`(_ code: String) async throws {
    let household = try await Household()
    let site = try Site()
    let words = try #require(site.language(code))
    let carePlan = CarePlan(
      id: "heart", patient: "alex", title: "Heart",
      consent: ConsentDocument(
        version: "1", sections: [.init(title: "Data", text: "We keep it **here**.")],
        digest: "bf1936034bc4365698a9855c172b8377647d4a19aa22f0fda651615fc52ff68e"))
    func answer(_ state: ConsentAnswer.State, _ id: String, digest: String) -> ConsentAnswer {
      ConsentAnswer(
        id: id, patient: "alex", carePlan: "heart", version: "1", digest: digest, state: state,
        name: "<b>Alex", signature: ConsentSignature("M0 0L10 20"),
        date: household.now + (Double(id) ?? 0))
    }
    _ = try await household.store.write { try $0.put(carePlan, now: household.now) }
    let digest = carePlan.consent?.digest ?? ""
    let answers = [
      nil, answer(.agreed, "1", digest: "old"), answer(.agreed, "2", digest: digest),
      answer(.withdrawn, "3", digest: digest),
    ]
    let buttons = [true, true, false, true]
    for (answer, agrees) in zip(answers, buttons) {
      if let answer {
        _ = try await household.store.write { try $0.put(answer, now: household.now) }
      }
      let html = try await household.store.read { reader in
        try ConsentPage(
          reader, viewer: household.viewer(words), carePlan: "heart",
          notice: .refused("noName", field: "name"))?.html(site)
      }
      check(try #require(html))
      check(try await household.today(site, code))
      #expect(html?.contains("<strong>here</strong>") == true)
      #expect(html?.contains(words.text("consent.agree") + "</button>") == agrees)
      #expect(html?.contains(#"<path d="M0 0L10 20"/>"#) == (answer != nil))
    }
  }

  @Test(arguments: ["en", "zh-Hant"]) func `every test on the screen is well formed`(
    _ code: String
  ) async throws {
    let hostile = #"</h1><script>"'&amp;{{t}}"#
    let household = try await Household(tasks: { builder in
      let tests: [(String, ActiveTask)] = [
        ("tapping", ActiveTask(type: "tapping")),
        ("left", ActiveTask(type: "tapping", side: .left, duration: 5)),
        ("reaction", ActiveTask(type: "reactionTime", attempts: 3)),
      ]
      return try tests.map { id, test in
        PlannedTask(
          id: id, patient: "alex", title: hostile,
          schedule: try builder.schedule("2026-10-20", lasting: .allDay), activeTask: test)
      }
    })
    let site = try Site()
    let viewer = household.viewer(try #require(site.language(code)))
    let script = try #require(site.asset(named: "perform.js")).address
    for (id, data) in [
      ("tapping", #"data-hands="right left" data-seconds="20""#),
      ("left", #"data-hands="left" data-seconds="5""#), ("reaction", #"data-attempts="3""#),
    ] {
      let event = try await household.event(id, at: "2026-11-05")
      let page = try await household.store.read { reader in
        try PerformPage(
          reader, viewer: viewer, event: event.id, notice: .refused("tooFewTaps"))?.html(site)
      }
      let html = try #require(page)
      check(html)
      #expect(html.contains(data))
      #expect(html.contains("<noscript>"))
      #expect(html.contains("action=\"/events/\(event.id)/perform\""))
      #expect(html.contains("<script src=\"\(script)\" defer></script>"))
    }
    let later = try await household.event("tapping", at: "2026-11-06")
    let closed = try await household.store.read { reader in
      try PerformPage(reader, viewer: viewer, event: later.id, notice: nil)?.html(site)
    }
    check(try #require(closed))
    #expect(closed?.contains("id=\"perform\"") == false)
  }

  @Test func `hostile words stay words`() async throws {
    let hostile = #"</h3><script>alert("1")</script>{{t}}{{{frame}}}'&amp;"#
    let household = try await Household(
      tasks: { builder in
        try builder.everyKind().map { task in
          var task = task
          task.title = hostile
          task.text = hostile
          task.instructions = hostile
          task.group = hostile
          task.image = "data:image/png;base64,\"><script>"
          task.userInfo = ["<a>": "javascript:alert(1)", hostile: "https://\"><script>"]
          return task
        }
      },
      people: Household.people.map { person in
        var person = person
        person.name = PersonName(given: hostile)
        return person
      })
    try await household.live()
    for page in try await pages(household, "en") {
      check(page)
      #expect(!page.contains("<script>"))
      #expect(!page.contains("javascript:"))
    }
  }

  @Test func `random plans make well formed pages`() async throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<4 {
      let seed = UInt64.random(in: .min ... .max, using: &generator)
      let household = try await Household(tasks: { builder in
        var generator = SeededGenerator(seed: seed)
        return try builder.everyKind().map { task in
          var task = task
          task.style = (CardStyle.allCases + [nil]).randomElement(using: &generator) ?? nil
          task.isOptional = Bool.random(using: &generator)
          task.group = [nil, nil, "A", "甲", "<&>"].randomElement(using: &generator) ?? nil
          task.glyph = Glyph.Standard.allCases.randomElement(using: &generator).map(Glyph.standard)
          task.instructions =
            [nil, "", "\n\n", String(repeating: "x", count: 400)]
            .randomElement(using: &generator) ?? nil
          task.image =
            ["/a.png", "//b", "http://c", "data:image/png;base64,AA==", nil]
            .randomElement(using: &generator) ?? nil
          let strategies = ProgressStrategy.allCases + [nil]
          task.progressStrategy = strategies.randomElement(using: &generator) ?? nil
          return task
        }
      })
      if Bool.random(using: &generator) { try await household.live() }
      for page in try await pages(household, Bool.random(using: &generator) ? "en" : "zh-Hant") {
        await Task.yield()
        check(page)
      }
    }
  }
}
