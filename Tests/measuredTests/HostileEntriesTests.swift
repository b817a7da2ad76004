import Assessments
import Care
import DeviceCatalog
import Foundation
import HTTPTypes
import Plans
import Synchronization
import TestSupport
import Testing
import Web
import WebTestSupport

@testable import CareStore
@testable import Daemon
@testable import Terminal

/// Every entry of the program, with input that was changed at random: plans, forms, calls of the
/// interface, lines of an export, device definitions, settings and traces.
///
/// Nothing ends the program, every answer is one of the contract, and whatever was accepted, the
/// store is sound, every query of it can be printed, and its export can be imported.
/// `MEASURED_HOSTILE=500000` sends so many inputs, `MEASURED_HOSTILE_SEED` begins with another one.
@Suite(.serialized) struct HostileEntriesTests {
  private static let variables = ProcessInfo.processInfo.environment
  private static let count = variables["MEASURED_HOSTILE"].flatMap { Int($0) } ?? 2_000
  private static let seed = variables["MEASURED_HOSTILE_SEED"].flatMap { UInt64($0) } ?? 1
  /// How many inputs one store takes before it is checked.
  private static let inputsOfAStore = 250

  private static let day = "2026-03-09"
  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: anna, name: {given: Anna}, expects: {bodyMass: 64 kg}, units: uk}
      - {id: karl, name: {given: Karl}, expects: {bodyMass: {value: 90 kg, tolerance: 2 kg}}}
    others: [{weight: 70 kg}]
    tasks:
      - {id: pills, patient: anna, title: Pills, schedule: [{start: 2026-03-01T08:00, interval: {days: 1}, duration: 1h}], reminder: {after: 15m}}
      - {id: water, patient: anna, title: Water, progress: sum, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 8}]}]}
      - {id: weigh-in, patient: anna, title: Weigh, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 62, unit: kg}]}], linkage: {quantity: bodyMass}, thresholds: [{above: 70, says: heavy}], fallback: {after: 10h}}
      - {id: pressure, patient: anna, title: Pressure, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}]}
      - {id: knee, patient: anna, title: Knee, schedule: [{start: 2026-03-01T09:00, interval: {weeks: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}], activeTask: {type: rangeOfMotion, joint: knee, side: left}, rules: [{after: 3, of: range, atLeast: 90, then: {by: 5, atMost: 120}}]}
      - {id: squats, patient: anna, title: Squats, schedule: [{start: 2026-03-01T09:00, interval: {days: 1}, duration: 1h}], activeTask: {type: exercise, joint: knee, side: left, sets: 3, repetitions: 10, rest: 60s}}
      - {id: check-in, patient: anna, title: How are you, schedule: [{start: 2026-03-02T09:00, interval: {days: 1}, duration: 1h}], survey: [{kind: pain, type: scale, minimum: 1, maximum: 10}, {kind: sleep, type: number, unit: h, minimum: 0, maximum: 24, optional: true}]}
    """

  private static let prepared = PreparedStore { folder, path in
    let plan = try folder.write(plan, to: "plan.yaml")
    let recording = try folder.write(Recordings.weighIn, to: "weigh-in.jsonl")
    for command in [["plan", "import", plan], ["replay", recording]] {
      let result = await InProcess.run(command + ["--store", path])
      try #require(result.status == 0, "\(result.error)")
    }
  }

  // MARK: Changing

  private static let numbers = [
    "1e300", "-1e300", "1e308", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "18446744073709551616", "0", "-0", "-1", "1e-300", "4.9e-324", "1e19",
    "0x7fffffff", "2147483648", "1e15", "1.0000000001e15", "400.0001", "nan", "inf", "-inf",
    "1e400",
    "99999999999999999999999999", "0.1", "3,5", "", "1_000", "١٢", "1e3",
  ]
  private static let texts = [
    "0001-01-01", "9999-12-31", "9999-12-31T23:59:60Z", "2026-02-30", "+00:00", "T25:00", "\u{0}",
    "\u{202E}", "&a [*a]", "*a", "'", "\"", "{", "}", "[", "]", ",", ":", "- ", "\n", "🙂", "ä",
    "allDay", "null", "~", "true", "%00", "%", "&", "=", "kg", "%25", "st", "\\u0000",
    String(repeating: "9", count: 400), String(repeating: "a,", count: 300),
  ]

  /// The text with one to four changes: another number or text in place of one, a part twice or gone.
  private static func changed(_ text: String, _ random: inout SeededGenerator) -> String {
    var text = text
    for _ in 0...(random.next() % 4) {
      let bytes = Array(text.utf8)
      guard !bytes.isEmpty else { return numbers[Int(random.next() % UInt64(numbers.count))] }
      let place = Int(random.next() % UInt64(bytes.count))
      let rest = String(decoding: bytes[place...], as: UTF8.self)
      let before = String(decoding: bytes[..<place], as: UTF8.self)
      switch random.next() % 8 {
      case 0...3:
        // The next number.
        guard let match = rest.firstMatch(of: /-?\d+(\.\d+)?/) else { continue }
        let number = numbers[Int(random.next() % UInt64(numbers.count))]
        text = before + rest.replaced(match.range, by: number)
      case 4:
        text = before + texts[Int(random.next() % UInt64(texts.count))] + rest
      case 5:
        let length = min(Int(random.next() % 40), rest.count)
        text = before + rest.dropFirst(length)
      case 6:
        let length = min(Int(random.next() % 80), rest.count)
        text = before + rest.prefix(length) + rest
      default:
        // The next word becomes another one of the text.
        let words = text.matches(of: /[A-Za-z]{3,}/)
        guard let match = rest.firstMatch(of: /[A-Za-z]{3,}/), !words.isEmpty else { continue }
        let other = String(words[Int(random.next() % UInt64(words.count))].output)
        text = before + rest.replaced(match.range, by: other)
      }
    }
    return text
  }

  // MARK: Entries

  private struct Site: RespondingSite {
    let responder: TestResponder

    init(_ store: SQLStore) throws {
      let catalog = try DeviceCatalog.readable(folder: nil).catalog
      responder = try TestResponder(
        WebEnvironment(store: store, path: nil, catalog: catalog, takesTaps: true),
        hosts: ["localhost"],
        access: nil)
    }
  }

  /// Where a store is, and what was sent to it.
  private struct Target {
    let path: String
    let folder: TemporaryFolder
    let store: SQLStore
    let site: Site
    let events: [String]
    let lines: [String]
  }

  private static let forms: [(path: String, fields: String)] = [
    ("/events/ID/done", "value=63.9&unit=kg&at=2026-03-09T08:30"),
    ("/events/ID/done", "value.systolic=120&value.diastolic=80"),
    ("/events/ID/done", "value.pain=3&value.sleep=7.5"),
    ("/events/ID/not-done", "reason=no+time"),
    ("/events/ID/undo", ""),
    ("/samples/1/assign", "patient=karl&reason=his"),
    ("/samples/1/correct", "value=63.9&unit=kg&reason=typo"),
    ("/samples/1/delete", "reason=toe"),
    ("/setup/person", "given=Nora&units=uk&weight=64&zone=Europe%2FBerlin"),
    (
      "/setup/task",
      "screen=review&go=save&patient=anna&title=Walk&answer=sensor&quantity=bodyMass&target=62&every=daily&start=2026-12-07&time1=07:30&length=60&reminder=before&reminder.amount=15&reminder.unit=minutes&fallback=after&fallback.amount=2&fallback.unit=hours"
    ),
    (
      "/setup/task",
      "screen=review&go=save&patient=anna&task=squats&title=Squats&answer=assessment&assessment=exercise&joint=knee&side=left&sets=3&repetitions=10&rest=60&every=keep"
    ),
    (
      "/setup/task",
      "screen=review&go=save&patient=anna&title=How&answer=survey&q1.title=Pain&q1.type=scale&q1.minimum=0&q1.maximum=10&every=daily&start=2026-12-07&time1=07:30&length=60"
    ),
    ("/setup/undo", "edit=1"), ("/setup/delete", "kind=task&patient=anna&id=pills"),
    ("/setup/contact", "patient=anna&given=Rosa&category=personal"),
    ("/setup/zone", "zone=Europe%2FVienna"), ("/setup/end", "kind=task&patient=anna&id=pills"),
    ("/weighings/weigher", "patient=anna&sample=1"),
    ("/weighings/unassign", "patient=anna&samples=1"),
    ("/connect/channels/add", "patient=anna&kind=email&address=anna%40example.org"),
    ("/connect/channels/move", "patient=anna&channel=email%3Aanna%40example.org&to=0"),
    ("/events/ID/snooze", "minutes=30"), ("/messages", "patient=anna&text=Hello"),
    ("/answer", "t=0123456789abcdef0123456789abcdef&step=answer&reason=no+time"),
  ]
  private static let calls: [(method: HTTPRequest.Method, path: String, body: String)] = [
    (
      .put, "/api/v1/events/ID/outcome",
      #"{"values":[{"value":63.9,"unit":"kg"}],"at":"2026-03-09T08:30"}"#
    ),
    (
      .put, "/api/v1/events/ID/outcome",
      #"{"values":[{"value":120,"kind":"systolic"},{"value":80,"kind":"diastolic"}]}"#
    ),
    (
      .put, "/api/v1/events/ID/outcome",
      #"{"values":[{"value":1,"unit":"1"},{"value":2,"unit":"1"}]}"#
    ),
    (
      .put, "/api/v1/events/ID/outcome",
      #"{"state":"notDone","reason":"no time","at":"2026-03-09"}"#
    ),
    (.delete, "/api/v1/events/ID/outcome", ""),
    (.put, "/api/v1/samples/1/assignment", #"{"patient":"karl","reason":"his"}"#),
    (.post, "/api/v1/samples/1/correction", #"{"value":63.9,"unit":"kg","reason":"typo"}"#),
    (.post, "/api/v1/events/ID/outcome/values", #"{"value":2,"unit":"1"}"#),
    (.post, "/api/v1/events/ID/snooze", #"{"minutes":30}"#),
    (
      .put, "/api/v1/patients/anna/presence",
      #"{"home":true,"from":"2026-03-01T10:00","to":"2026-03-02T10:00"}"#
    ),
    (.put, "/api/v1/patients/anna/weigher", #"{"sample":1}"#),
    (
      .put, "/api/v1/contacts/rosa",
      #"{"patient":"anna","name":{"given":"Rosa"},"phoneNumbers":[{"value":"0123"}]}"#
    ),
    (
      .put, "/api/v1/channels",
      #"{"patient":"anna","channels":[{"channel":"email:a@example.org"}]}"#
    ),
    (.post, "/api/v1/messages", #"{"patient":"anna","text":"Hello"}"#),
    (
      .post, "/api/v1/consents",
      #"{"patient":"anna","carePlan":"x","state":"agreed","name":"Anna","digest":"0"}"#
    ),
    (.put, "/api/v1/plan/zone", #"{"timeZone":"Europe/Vienna"}"#),
    (
      .post, "/api/v1/phones/openscale",
      #"{"id":17,"userId":1,"date":"2026-03-02T06:04:31.000Z","weight":63.9,"body_fat":21.4,"event":"insert"}"#
    ),
    (
      .post, "/api/v1/phones/openscale",
      #"{"userId":1,"date":"2026-03-02T06:04:31.000Z","event":"delete"}"#
    ),
    (
      .post, "/api/v1/phones/health-auto-export",
      #"{"data":{"metrics":[{"name":"weight_body_mass","units":"lb","data":[{"date":"2026-03-02 06:10:00 -0500","qty":203.4}]},{"name":"blood_pressure","units":"mmHg","data":[{"date":"2026-03-02 06:20:00 -0500","systolic":128,"diastolic":82}]}]}}"#
    ),
  ]
  private static let batches = [
    #"""
    {"type":"batch","protocolVersion":"1.0","batchId":"e835f32f-60e7-4c93-90a0-51eb6830119a","sourceId":"3a3486dd-5030-4e17-a00d-a781399890f9","deviceId":"strap","stream":"hrSample","delivery":"append","recordCount":1,"startCursor":null,"endCursor":{"rowId":48119,"keySha256":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}}
    {"type":"record","key":{"ts":1772524800},"data":{"bpm":61}}

    """#,
    #"""
    {"type":"batch","protocolVersion":"1.1","batchId":"1bb17fc0-5f2c-4c7a-9a63-0b4fdf8d2b11","sourceId":"3a3486dd-5030-4e17-a00d-a781399890f9","deviceId":"strap","stream":"dailyMetric","delivery":"replace_window","recordCount":1,"startCursor":null,"endCursor":null,"window":{"replacementId":"bf8b735e-f157-4a35-beb2-9b086d10d5bd","selector":"day","startInclusive":"2026-03-01","endExclusive":"2026-03-09","part":1,"parts":1}}
    {"type":"record","key":{"day":"2026-03-02"},"data":{"steps":4000}}

    """#,
  ]
  private static let settings = """
    radio: kernel
    page: {address: "192.0.2.1:8480", hosts: [box.local]}
    silence: {after: 2d}
    outlets:
      home: {kind: mqtt, people: all, address: "mqtt://192.0.2.5", user: box, protocol: 5}
      clinic: {kind: fhir, people: [anna], address: "https://fhir.example/r4"}
    centre: true
    logLevel: debug
    """
  private static let queries = [
    "/api/v1/events?date=2026-03-09", "/api/v1/events?from=2026-03-01&to=2026-03-20",
    "/api/v1/samples?last=5&quantity=bodyMass",
    "/api/v1/adherence?from=2026-03-01&to=2026-03-10&by=day",
    "/today?date=2026-03-09", "/measurements/bodyMass?days=30", "/insights?days=30",
    "/setup/task?patient=anna&task=squats", "/plan?date=2026-03-09",
  ]

  private static func send(_ random: inout SeededGenerator, to target: Target) async throws {
    func pick<T>(_ list: [T], _ random: inout SeededGenerator) -> T {
      list[Int(random.next() % UInt64(list.count))]
    }
    let event = pick(target.events, &random)
    // An input that starts a command or reads the catalogue costs a hundred times the others.
    switch random.next() % 64 {
    case 0...17:
      let form = pick(forms, &random)
      let path = form.path.replacing("ID", with: event)
      let answer = try await target.site.form(path, changed(form.fields, &random))
      #expect(answer.status < 500, "\(path): \(answer.text)")
    case 18...33:
      let call = pick(calls, &random)
      let path = call.path.replacing("ID", with: event)
      let body = changed(call.body, &random)
      let answer = try await target.site.json(call.method, path, body)
      #expect(answer.status < 500, "\(path) \(body): \(answer.text)")
    case 34:
      let answer = try await target.site.send(
        .post, "/api/v1/phones/noop", [.contentType: "application/x-ndjson"],
        body: changed(pick(batches, &random), &random))
      #expect(answer.status < 500, "\(answer.text)")
    case 35:
      _ = ServiceSettings.readable(changed(settings, &random), file: "measured.yaml")
    case 36...38:
      let query = changed(pick(queries, &random), &random)
      guard let path = query.addingPercentEncoding(withAllowedCharacters: .urlQueryAllowed),
        path.hasPrefix("/")
      else { return }
      let answer = try await target.site.get(path)
      #expect(answer.status < 500, "\(path): \(answer.text)")
    case 39...47:
      try await importPlan(changed(plan, &random), to: target)
    case 48...59:
      let line = changed(pick(target.lines, &random), &random)
      _ = try await target.store.merge(rows: [line])
    case 60:
      var lines = Array(target.lines.dropLast())
      let index = Int(random.next() % UInt64(lines.count - 1)) + 1
      lines[index] = changed(lines[index], &random)
      var seal = ExportSeal()
      for line in lines { seal.add(line) }
      do {
        _ = try await target.store.merge(lines: lines + [seal.end().line])
      } catch StoreError.unreadableExport {}
    case 61:
      let trace = try target.folder.write(changed(Recordings.weighIn, &random), to: "t.jsonl")
      try await run(["replay", trace, "--store", target.path])
    case 62:
      let text = changed(pick(definitions, &random), &random)
      // Compared with all that are shipped, one takes longer than a hundred other inputs.
      if random.next() % 64 == 0 {
        let file = try target.folder.write(text, to: "hostile-scale.yaml")
        try await run(["devices", "lint", file])
      } else {
        let file = DefinitionFile(name: "hostile-scale.yaml", text: text)
        _ = DeviceCatalog.lint([[file]])
        if let catalog = try? DeviceCatalog.load([[file]]) { _ = catalog.runVectors() }
      }
    default:
      let options = [
        ["done", "water", "--patient", "anna", "--date", day, "--value", "2"],
        [
          "done", "weigh-in", "--patient", "anna", "--date", day, "--value", "63.9", "--unit", "kg",
          "--at", "2026-03-09T08:30",
        ],
        ["samples", "correct", "1", "--value", "63.9", "--unit", "kg"],
        ["task", "end", "pills", "--patient", "anna", "--at", "2026-03-10"],
      ]
      var arguments = pick(options, &random)
      let place = Int(random.next() % UInt64(arguments.count - 1)) + 1
      arguments[place] = changed(arguments[place], &random)
      try await run(arguments + ["--store", target.path])
    }
  }

  /// Imports a plan if it is one: it is refused by its reader, by the store, or by neither.
  private static func importPlan(_ text: String, to target: Target) async throws {
    let forms = AssessmentList.forms
    _ = PlanFile.mistakes(in: text, file: "p", activeTasks: forms, definitions: nil)
    guard let plan = try? PlanFile.parse(text, file: "p", activeTasks: forms) else { return }
    let now = Date()
    _ = plan.doubts(in: PlanSurroundings(activeTasks: forms, now: now))
    do {
      _ = try await target.store.write { try $0.importPlan(plan, now: now) }
    } catch StoreError.refused {
    } catch StoreError.unknown {}
  }

  private static let definitions: [String] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Devices").standardized
    let files =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil))
      ?? []
    return files.filter { $0.pathExtension == "yaml" }.sorted { $0.path < $1.path }
      .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
  }()

  /// Runs a command: it ends with a code of the contract, and says why.
  private static func run(_ arguments: [String]) async throws {
    let result = await InProcess.run(arguments)
    #expect([0, 1, 2, 3, 4].contains(result.status), "\(arguments): \(result.error)")
    #expect(
      result.status == 0 || !(result.error + result.output).isEmpty, "\(arguments) says nothing")
  }

  // MARK: After it

  /// Every query of the store can be printed, it is sound, and another store takes its export.
  private static func expectSound(_ target: Target, _ store: SQLStore, _ round: UInt64) async throws
  {
    for command in [
      ["today"], ["today", "--json"], ["week", "--date", day], ["week", "--date", day, "--json"],
      ["events", "--from", "2026-03-01", "--to", "2026-03-20", "--json"],
      ["adherence", "--from", "2026-03-01", "--to", "2026-03-20", "--json"],
      ["samples", "--json"], ["samples", "--summary", "--json"], ["samples", "--csv"],
      ["tasks", "--json"], ["patient", "list"], ["plan", "export"],
    ] {
      let result = await InProcess.run(command + ["--store", target.path])
      #expect(result.status == 0, "round \(round), \(command): \(result.error)")
    }
    for path in ["/today?date=\(day)", "/api/v1/events?date=\(day)", "/setup", "/insights"] {
      let answer = try await target.site.get(path)
      #expect(answer.status < 400, "round \(round), \(path): \(answer.text)")
    }
    // A repeated stamp tells that a file was copied: lines that came of it are kept.
    let found = try await store.check().filter {
      ![.outcomeConflict, .conflict, .orphanedOutcome, .repeatedStamp].contains($0.kind)
    }
    #expect(found.isEmpty, "round \(round)")
    let lines = try await exported(store)
    let other = try SQLStore.inMemory(makeUUID: { UUID() })
    do {
      _ = try await other.merge(lines: lines)
    } catch {
      Issue.record("round \(round): \(error)")
    }
    let again = try await exported(other)
    #expect(again == lines, "round \(round)")
  }

  /// The lines of a store's export.
  private static func exported(_ store: SQLStore) async throws -> [String] {
    let lines = Mutex<[String]>([])
    try await store.export { line in lines.withLock { $0.append(line) } }
    return lines.withLock(\.self)
  }

  @Test func `nothing that anybody sends ends it or breaks a query`() async throws {
    let rounds = (Self.count + Self.inputsOfAStore - 1) / Self.inputsOfAStore
    for round in Self.seed..<Self.seed + UInt64(rounds) {
      let folder = try TemporaryFolder()
      let path = folder.path("s.sqlite")
      try await Self.prepared.copy(to: path)
      let store = try SQLStore.open(path: path, makeUUID: { UUID() })
      let site = try Site(store)
      let events = try await site.get("/api/v1/events?date=\(Self.day)").list("events")
      let target = Target(
        path: path, folder: folder, store: store, site: site,
        events: events.compactMap { $0["id"] as? String },
        lines: try await Self.exported(store))
      var random = SeededGenerator(seed: round)
      for _ in 0..<Self.inputsOfAStore { try await Self.send(&random, to: target) }
      try await Self.expectSound(target, store, round)
      try store.close()
      if Self.count > 10_000, round % 50 == 0 { print("hostile entries: round \(round)") }
    }
  }
}

extension String {
  fileprivate func replaced(_ range: Range<Index>, by text: String) -> String {
    var result = self
    result.replaceSubrange(range, with: text)
    return result
  }
}
