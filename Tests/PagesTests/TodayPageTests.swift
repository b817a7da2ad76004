import Actions
import Care
import CareStore
import Foundation
import Localization
import Pages
import Testing

@Suite struct TodayPageTests {
  private func card(
    _ title: String, _ household: Household, date: String? = nil, language: String = "en"
  ) async throws -> String {
    let html = try await household.today(Site(), language, date: date)
    return try #require(Markup(html: html).card(titled: title))
  }

  @Test func `a sensors reading has a soft check and says when and from what`() async throws {
    let household = try await Household()
    try await household.add(.bodyMass, 82.15, at: "2026-11-05T07:05", of: "alex")
    let card = try await card("Weigh yourself", household)
    #expect(card.contains(#"<p class="value">82.15<small> kg</small></p>"#))
    #expect(card.contains("07:05 by itself, Mi Scale 2"))
    #expect(card.contains(#"<span class="check auto" role="img""#))
    #expect(!card.contains("<form"))
    #expect(card.contains(#"data-says="Weigh yourself: 82.15 kg, 07:05 by itself, Mi Scale 2.""#))
  }

  @Test func `a persons value has a solid check`() async throws {
    let household = try await Household()
    try await household.answer(
      "weigh-in", at: "2026-11-05T07:00",
      [
        OutcomeValue(
          value: .double(82.4), unit: .kilogram, time: household.date("2026-11-05T08:30"),
          provenance: .manual)
      ])
    let card = try await card("Weigh yourself", household)
    #expect(card.contains("82.4<small> kg</small>"))
    #expect(card.contains("by hand"))
    #expect(card.contains(#"class="check on""#))
  }

  @Test func `an open task of a sensor shows up by itself`() async throws {
    let household = try await Household()
    let card = try await card("Bend the left knee", household)
    #expect(card.contains("Goal: 90°"))
    #expect(card.contains("How to measure"))
    #expect(!card.contains("class=\"check"))
  }

  @Test func `the doses of a day are one grid`() async throws {
    let household = try await Household()
    try await household.answer(
      "metformin", at: "2026-11-05T08:00",
      answer: Answer(state: .done, at: household.date("2026-11-05T08:12")))
    try await household.answer(
      "metformin", at: "2026-11-05T10:00", answer: Answer(state: .notDone, reason: "felt sick"))
    let card = try await card("Metformin", household)
    #expect(card.contains(#"<button class="slot on">08:00<small>done at 08:12</small>"#))
    #expect(card.contains(#"10:00<small>not done</small>"#))
    #expect(card.contains(#"<button class="slot ">20:00<small>later</small>"#))
    let morning = try await household.event("metformin", at: "2026-11-05T08:00")
    let evening = try await household.event("metformin", at: "2026-11-05T20:00")
    #expect(card.contains("/events/\(morning.id)/undo"))
    #expect(card.contains("/events/\(evening.id)/done"))
  }

  @Test func `a dose of which nobody said when it was taken shows no time`() async throws {
    let household = try await Household()
    // It is noon, and the dose was due from eight to nine.
    try await household.answer("metformin", at: "2026-11-05T08:00")
    let card = try await card("Metformin", household)
    #expect(card.contains(#"<button class="slot on">08:00<small>done</small>"#))
    let event = try await household.event("metformin", at: "2026-11-05T08:00")
    let page = try await household.page(of: event, Site(), "en", notice: nil)
    #expect(page.contains("by hand, time not said"))
    let today = try await Household(tasks: { [try $0.metformin()] }).today(Site())
    #expect(
      today.contains(
        #"<input type="time" name="at" aria-label="Metformin, 08:00: When, if you know">"#))
  }

  @Test func `each dose of a card has its own name, and the card none of them`() async throws {
    let household = try await Household(tasks: { builder in
      var dose = try builder.metformin()
      dose.text = nil
      dose.schedule = try Schedule(
        [("08:00", "Breakfast"), ("20:00", "Dinner")].map { time, name in
          try ScheduleElement(
            start: #require(Date("2026-10-20T" + time, in: builder.zone)),
            interval: Interval(days: 1), duration: .seconds(3600), text: name,
            timeZone: builder.zone)
        })
      return [dose]
    })
    let card = try await card("Metformin", household)
    #expect(card.contains("<small>Breakfast · not recorded</small>"))
    #expect(card.contains("<small>Dinner · later</small>"))
    #expect(card.components(separatedBy: "Breakfast").count == 2)
  }

  @Test func `what was taken back can be put back, and what was said stays to be read`()
    async throws
  {
    let household = try await Household()
    let event = try await household.event("metformin", at: "2026-11-05T08:00")
    try await household.answer(
      "metformin", at: "2026-11-05T08:00", now: household.date("2026-11-05T08:26"))
    let noon = household.now
    _ = try await household.store.write { try $0.deleteOutcome(of: event.reference, now: noon) }
    let page = try await household.page(of: event, Site(), "en", notice: .undone(event.id))
    #expect(page.contains("/events/\(event.id)/put-back"))
    #expect(page.contains("What was said before"))
    #expect(page.contains("08:26: 08:26 by hand"))
  }

  /// Two people with one task, a dose of last night beside tonight's, two tasks of one title, and
  /// two weighings that are alike.
  @Test(arguments: ["en", "zh-Hant"], [CardStyle.simple, .checklist, .buttonLog, .grid])
  func `no two buttons have one name`(language: String, style: CardStyle) async throws {
    let household = try await Household(tasks: { builder in
      try [("night", "alex"), ("night", "kim"), ("second", "alex")].map { id, patient in
        PlannedTask(
          id: id, patient: patient, title: "Night pill",
          schedule: try builder.schedule("2026-10-20T20:00", lasting: .seconds(72_000)),
          style: style)
      }
    })
    for patient in [nil, "alex"] as [String?] {
      let html = try await household.today(Site(), language, patient: patient)
      let names = Markup(html: html).buttonNames
      #expect(names.count > 3)
      #expect(names.count == Set(names).count, "\(names.sorted())")
    }
    let html = try await household.today(Site(), language, patient: "alex")
    #expect(html.contains(language == "en" ? "20:00, yesterday" : "昨天"))
  }

  @Test func `a checklist has a line for each dose`() async throws {
    let household = try await Household(tasks: { [try $0.metformin(style: .checklist)] })
    let card = try await card("Metformin", household)
    #expect(card.contains(#"<ul class="checklist">"#))
    #expect(card.components(separatedBy: "<li>").count == 4)
  }

  @Test func `a missed dose is to explain`() async throws {
    let household = try await Household(tasks: { [try $0.metformin()] })
    let html = try await household.today(Site())
    let missed = try await household.event("metformin", at: "2026-11-05T08:00")
    #expect(html.contains("2 tasks were not recorded"))
    #expect(html.contains("Metformin, 08:00"))
    #expect(html.contains("/events/\(missed.id)/not-done"))
    // Of everyone's, each says whose it is.
    let everyone = try await household.today(Site(), patient: nil)
    #expect(everyone.contains("Alex: Metformin, 08:00"))
    #expect(everyone.contains("Their time is over."))
    let past = try await household.today(Site(), date: "2026-11-04")
    #expect(!past.contains("To sort out"))
    #expect(past.contains("not recorded"))
  }

  @Test func `steps are a sum of their target`() async throws {
    let household = try await Household()
    try await household.add(
      .stepCount, 3214, at: "2026-11-05T11:40", until: "2026-11-05T11:41", of: "alex",
      device: "D2:4F:71:00:00:03", definition: "bangle-js", isStreamed: true)
    let card = try await card("Walk 6 000 steps", household)
    #expect(card.contains("3\u{202F}214"))
    #expect(card.contains("of 6\u{202F}000"))
    #expect(card.contains("2\u{202F}786 to go"))
    #expect(card.contains(#"<progress class="bar" max="100" value="53""#))
  }

  @Test(
    arguments: [
      (11.2, "11.2", true), (12, "12", true), (12.04, "12.04", false), (13, "13", false),
    ] as [(Double, String, Bool)])
  func `of an upper limit less is better`(seconds: Double, shown: String, isDone: Bool) async throws
  {
    let household = try await Household(tasks: { builder in
      [
        PlannedTask(
          id: "up", patient: "alex", title: "Stand up and walk",
          schedule: try builder.schedule(
            "2026-10-20T11:00", lasting: .seconds(6 * 3600),
            targets: [
              TargetValue(value: .integer(12), unit: .second, kind: "total", isAtMost: true)
            ]), activeTask: ActiveTask(type: "timedUpAndGo"))
      ]
    })
    #expect(try await card("Stand up and walk", household).contains("Goal: at most 12 s"))
    try await household.answer(
      "up", at: "2026-11-05T11:00",
      [
        OutcomeValue(
          value: .double(seconds), unit: .second, kind: "total",
          time: household.date("2026-11-05T11:30"), provenance: .active)
      ])
    let card = try await card("Stand up and walk", household)
    #expect(card.contains("\(shown)<small> s</small>"))
    #expect(card.contains("of at most 12 s ·"))
    #expect(card.contains(#"class="check auto""#) == isDone)
    let chinese = try await self.card("Stand up and walk", household, language: "zh-Hant")
    #expect(chinese.contains("目標不超過 12 s"))
  }

  @Test func `two pressures are one value with its word`() async throws {
    let household = try await Household()
    try await household.live()
    let card = try await card("Blood pressure", household)
    #expect(card.contains("142/86 mmHg"))
    let morning = try await household.event("pressure", at: "2026-11-05T07:00")
    let page = try await household.page(of: morning, Site())
    #expect(page.contains(#"<strong class="says">high</strong>"#))
  }

  @Test func `many values are their mean and span`() async throws {
    let household = try await Household()
    try await household.live()
    let card = try await card("Heart rate on the walk", household)
    #expect(card.contains("102<small> /min</small>"))
    #expect(card.contains("96–109"))
    #expect(card.contains("Polar H10"))
  }

  @Test func `a log adds one at a time`() async throws {
    let household = try await Household()
    try await household.live()
    let card = try await card("Water", household)
    let event = try await household.event("water", at: "2026-11-05")
    #expect(card.contains("3 so far: 08:20, 10:05, 11:40"))
    #expect(card.contains("/events/\(event.id)/add"))
  }

  @Test func `a card has its picture, its text to read on, and its links`() async throws {
    let household = try await Household(tasks: { builder in
      try [CardStyle.detail, .featuredContent, nil].enumerated().map { index, style in
        var task = try builder.walk()
        (task.id, task.title, task.style) = ("walk-\(index)", "Walk \(index)", style)
        task.image = "data:image/png;base64,AA=="
        task.video = "https://example.org/walk"
        task.details = "Go **slowly**."
        task.userInfo = ["Map": "https://example.org/map", "room": "5"]
        return task
      }
    })
    let html = try await household.today(Site())
    for (index, shown) in [[true, true], [true, false], [false, false]].enumerated() {
      let card = try #require(Markup(html: html).card(titled: "Walk \(index)"))
      #expect(card.contains(#"<img class="picture" src="data:image/png;base64,AA==""#) == shown[0])
      #expect(card.contains("Go <strong>slowly</strong>.") == shown[1])
      #expect(card.contains(#"href="https://example.org/walk""#))
      #expect(card.contains(#"href="https://example.org/map" rel="noopener noreferrer">Map</a>"#))
      #expect(!card.contains(">room<"))
    }
    let event = try await household.event("walk-2", at: "2026-11-05")
    let site = try Site()
    let viewer = household.viewer(try #require(site.language("en")))
    let page = try await household.store.read { reader in
      try EventPage(reader, viewer: viewer, event: event.id, notice: nil)?.html(site)
    }
    for part in ["data:image/png;base64,AA==", "<strong>slowly</strong>", ">Map</a>", "/walk"] {
      #expect(page?.contains(part) == true, "\(part)")
    }
  }

  @Test func `an own video plays where a card is read, and is one tap away elsewhere`() async throws
  {
    let digest = String(repeating: "0a", count: 32)
    let household = try await Household(tasks: { builder in
      try [CardStyle.detail, .featuredContent, .instructions, nil].enumerated().map {
        index, style in
        var task = try builder.walk()
        (task.id, task.title, task.style) = ("walk-\(index)", "Walk \(index)", style)
        task.video = "sha256=\(digest);bytes=9;type=video/webm"
        return task
      }
    })
    let html = try await household.today(Site())
    for (index, plays) in [true, true, true, false].enumerated() {
      let card = try #require(Markup(html: html).card(titled: "Walk \(index)"))
      let source = #"<source src="/api/v1/attachments/\#(digest)" type="video/webm">"#
      #expect(card.contains(source) == plays, "\(index)")
      #expect(card.contains(#"aria-label="Video: Walk \#(index)""#) == plays, "\(index)")
      #expect(card.contains(#"">Video</a>"#) == !plays, "\(index)")
      #expect(!card.contains("sha256="), "\(index)")
    }
  }

  @Test func `a fortnight is a line with its text`() async throws {
    let household = try await Household()
    try await household.live()
    let card = try await card("Weigh yourself", household)
    #expect(card.contains("<polyline"))
    #expect(card.contains("<title>The last fortnight: from 83.6 kg to 81.97 kg</title>"))
  }

  @Test func `the page of one person says whose it is`() async throws {
    let household = try await Household()
    #expect(try await household.today(Site()).contains(#"<p class="kicker">Alex · Thursday"#))
    let everyone = try await household.today(Site(), patient: nil)
    #expect(everyone.contains(#"<p class="kicker">Thursday"#))
  }

  @Test func `a day without a plan leads to where one is made, if the reader may`() async throws {
    let household = try await Household(tasks: { _ in [] })
    let link = #"<a class="btn main" href="/setup"#
    #expect(try await household.today(Site()).contains(link))
    var viewer = household.viewer(try #require(Site().language("en")))
    viewer.rights = []
    let reader = viewer
    let html = try await household.store.read {
      try TodayPage($0, viewer: reader, date: reader.now, notice: nil).html(Site())
    }
    #expect(!html.contains(link))
  }

  @Test func `an event over midnight is of the day on which it begins`() async throws {
    let household = try await Household(tasks: { builder in
      [
        PlannedTask(
          id: "drops", patient: "alex", title: "Night drops",
          schedule: try builder.schedule("2026-10-20T23:30"))
      ]
    })
    func starts(_ now: String) async throws -> [Date] {
      let date = try household.date(now)
      return try await household.store.read {
        try CareDay($0, patient: "alex", on: date, in: household.zone, now: date)
          .events.map(\.occurrence.start)
      }
    }
    let (last, next) = (
      try household.date("2026-11-04T23:30"), try household.date("2026-11-05T23:30")
    )
    #expect(try await starts("2026-11-05T00:10") == [last, next])
    #expect(try await starts("2026-11-05T00:30") == [next])
    #expect(try await starts("2026-11-05T09:00") == [next])
  }

  @Test func `the tray asks whose a reading is`() async throws {
    let household = try await Household()
    try await household.live()
    let html = try await household.today(Site())
    #expect(html.contains("Whose 71.3 kg is this?"))
    #expect(html.contains("07:10 on Mi Scale 2: 71.3 kg fits Kim and Alex alike."))
    #expect(html.contains("Kim <small>86 %</small>"))
    #expect(html.contains(#"name="nobody" value="1""#))
    let kim = try #require(html.range(of: ">Kim <small>"))
    let alex = try #require(html.range(of: ">Alex <small>"))
    #expect(kim.lowerBound < alex.lowerBound)
    let imperial = try await household.today(Site(), patient: "kim")
    #expect(imperial.contains("Whose 157.2 lb is this?"))
  }

  /// One patient, and two people on the scale.
  private func shared() async throws -> Household {
    let household = try await Household(
      tasks: { _ in [] }, people: [Patient(id: "ann", name: PersonName(given: "Ann"))])
    for (place, day) in Household.days.enumerated() {
      try await household.add(
        .bodyMass, 88.5 + Double(place % 3) / 5, at: day + "T07:00", of: nil)
      try await household.add(
        .bodyMass, 95.6 - Double(place % 4) / 5, at: day + "T08:00", of: nil)
    }
    return household
  }

  @Test func `the tray asks which of two on the scale is the patient, and nothing else`()
    async throws
  {
    let household = try await shared()
    let html = try await household.today(Site(), patient: "ann")
    #expect(html.contains("<h3>Which one is Ann?</h3>"))
    #expect(html.contains("2 people use this scale: about 88.6 kg and 95.3 kg."), "\(html)")
    #expect(html.components(separatedBy: #"action="/weighings/weigher""#).count == 4)
    #expect(html.components(separatedBy: #"name="patient" value="ann""#).count == 4)
    #expect(html.contains(#"aria-label="None of these: Which one is Ann?""#))
    #expect(!html.contains("Whose 9") && !html.contains("Whose 8"))
    #expect(html.contains(#"href="/weighings""#))
    let chinese = try await household.today(Site(), "zh-Hant", patient: "ann")
    #expect(chinese.contains("<h3>哪一位是 Ann？</h3>"))
  }

  @Test func `the page of tracks shows who uses the scale, and what waits`() async throws {
    let household = try await shared()
    let site = try Site()
    let viewer = household.viewer(try #require(site.language("en")), patient: "ann")
    func page(_ notice: Notice? = nil) async throws -> String {
      try await household.store.read {
        try TracksPage($0, viewer: viewer, notice: notice).html(site)
      }
    }
    let open = try await page()
    #expect(Markup(html: open).fault == nil)
    #expect(open.components(separatedBy: #"<circle class="open teal""#).count == 29)
    #expect(open.components(separatedBy: #"<circle class="open rose""#).count == 29)
    #expect(open.components(separatedBy: #"<polygon class="band"#).count == 5)
    #expect(open.components(separatedBy: "14 wait").count == 3)
    #expect(open.contains("<h3>Which one is Ann?</h3>"))
    let (now, last) = (household.now, try household.date("2026-11-05T08:00"))
    let samples = try await household.store.write { writer in
      let heavy = try #require(
        try writer.samples(SampleQuery(quantity: .bodyMass, from: last, to: last)).first)
      return try NameWeigher("ann", weighing: heavy.identity)
        .perform(in: writer, by: .owner, now: now).samples
    }
    #expect(samples.count == 2)
    let settled = try await page(.weigherNamed("ann", samples: [28, 27]))
    #expect(!settled.contains("Which one is Ann?"))
    #expect(settled.components(separatedBy: "nothing waits").count == 3)
    #expect(settled.contains("Ann is known now."))
    #expect(settled.contains(#"name="samples" value="28.27""#))
    #expect(settled.contains(#"<h3 dir="auto">Ann</h3>"#))
  }

  /// Once for the device, however much it sends.
  @Test func `the tray asks whose a device is`() async throws {
    let household = try await Household()
    _ = try await household.store.write { writer in
      try writer.bind(
        DeviceBinding(address: "C2:00:00:00:00:99", definition: "polar-h10"), now: household.now)
    }
    for minute in 1...4 {
      try await household.add(
        .heartRate, 150, at: "2026-11-05T07:0\(minute)", of: nil, device: "C2:00:00:00:00:01",
        definition: "sig-heart-rate", isStreamed: true)
    }
    let html = try await household.today(Site())
    #expect(html.components(separatedBy: "<h3>Whose device is this").count == 2)
    #expect(
      html.contains(#"action="/devices/bind""#) && html.contains(#"action="/devices/disown""#))
    #expect(html.contains(#"name="device" value="C2:00:00:00:00:01""#))
    #expect(!html.contains("Whose heart rate"))
  }

  @Test func `the week has a ring for each day`() async throws {
    let household = try await Household()
    try await household.live()
    let html = try await household.today(Site())
    #expect(html.contains(#"href="/today?patient=alex&amp;date=2026-11-02""#))
    #expect(html.contains("6 November, later"))
    #expect(!html.contains("date=2026-11-06"))
    #expect(html.contains(#"aria-current="date""#))
    let empty = try await Household(tasks: { _ in [] }).today(Site())
    #expect(empty.contains("4 November, nothing planned"))
  }

  @Test func `sections stand in their order`() async throws {
    let household = try await Household(tasks: { builder in
      var (walk, dose) = (try builder.walk(), try builder.metformin())
      (walk.group, dose.group) = ("Movement", "Medicine")
      return try [dose, walk]
        + builder.everyKind().filter { $0.id != "walk" && $0.id != "metformin" }
    })
    let html = try await household.today(Site())
    let headings = html.components(separatedBy: #"<h2 id="section-"#).dropFirst().compactMap {
      $0.components(separatedBy: "</h2>").first?.components(separatedBy: ">").last
    }
    #expect(
      headings == [
        "Medicine", "Movement", "Morning", "Through the day", "Evening", "Optional", "To read",
      ])
  }

  @Test func `a done task is undone by the same check`() async throws {
    let household = try await Household()
    let event = try await household.event("stretch", at: "2026-11-05T18:00")
    #expect(try await card("Stretch", household).contains("/events/\(event.id)/done"))
    try await household.answer("stretch", at: "2026-11-05T18:00")
    let card = try await card("Stretch", household)
    #expect(card.contains("/events/\(event.id)/undo"))
    #expect(card.contains(#"class="check on""#))
    #expect(card.contains(#"name="return" value="/today?patient=alex""#))
  }

  /// A weighing that is said to be somebody's may say whose others are.
  @Test(arguments: [
    ("en", 0, "The reading is now Kim’s."),
    ("en", 1, "The reading is now Kim’s. Another one that waited follows from it."),
    ("en", 2, "The reading is now Kim’s. 2 others that waited follow from it."),
    ("zh-Hant", 2, "另有 2 筆待確認的讀數因此一併歸位。"),
  ])
  func `a notice says what follows`(language: String, count: Int, text: String) async throws {
    let household = try await Household()
    let notice = Notice.assigned(7, patient: "kim", followers: count)
    let html = try await household.today(Site(), language, notice: notice)
    #expect(html.contains(text))
  }

  /// Its calendar is not that of the machine, and who signed in can leave.
  @Test func `the foot says that it is a demo, and leads out`() async throws {
    let household = try await Household()
    var site = try Site()
    var viewer = household.viewer(try #require(site.language("en")))
    func foot(_ viewer: Viewer, _ site: Site) async throws -> Substring {
      let html = try await household.store.read {
        try TodayPage($0, viewer: viewer, date: viewer.now, notice: nil).html(site)
      }
      return html[try #require(html.range(of: "<footer")).lowerBound...]
    }
    let plain = try await foot(viewer, site)
    #expect(!plain.contains("demo") && !plain.contains("/signout"))
    site.isDemo = true
    viewer.account = Viewer.Account(name: "Anna", formToken: "t0ken")
    let shown = try await foot(viewer, site)
    #expect(shown.contains("its calendar shows 5 November 2026."))
    #expect(shown.contains(#"action="/signout""#) && shown.contains(#"value="t0ken""#))
  }

  @Test func `a notice offers to undo`() async throws {
    let household = try await Household()
    try await household.answer("stretch", at: "2026-11-05T18:00")
    let event = try await household.event("stretch", at: "2026-11-05T18:00")
    let html = try await household.today(Site(), notice: .answered(event.id))
    #expect(html.contains("“Stretch” is recorded."))
    #expect(html.contains(#"action="/events/\#(event.id)/undo""#))
    let refused = try await household.today(Site(), notice: .refused("notResettable"))
    #expect(refused.contains("the plan does not allow a second one"))
  }

  @Test func `a future day has nothing to press`() async throws {
    let household = try await Household()
    let html = try await household.today(Site(), date: "2026-11-07")
    #expect(!html.contains("/done\""))
  }
}
