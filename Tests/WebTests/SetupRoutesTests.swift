import Care
import CareStore
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// The forms of the set-up and of the devices, and what each role may do with them.
struct SetupRoutesTests {
  private let when = "every=daily&start=2026-11-21&time=08%3A00&answer=check"

  private func titles(_ access: TestAccess) async throws -> [String] {
    try await access.localSite.store.read {
      try $0.histories(patient: nil).compactMap(\.versions.last)
        .map { "\($0.patient) \($0.id) \($0.title)\($0.isEnded ? " ended" : "")" }
    }
  }

  private func edit(in location: String?) -> String? {
    location.flatMap { URLComponents(string: $0) }?.queryItems?.first { $0.name == "edit" }?.value
  }

  @Test
  func `a task is asked for screen by screen, and saved at the end`() async throws {
    let access = try await TestAccess()
    let nurse = try await access.signIn("nurse")
    let first = try await access.get("/setup/task", as: nurse)
    #expect(first.status == 200 && first.text.contains("Who is it for?"))
    var answer = try await access.form("/setup/task", "screen=who&go=next", as: nurse)
    #expect(answer.status == 422 && answer.text.contains("Please choose one."))
    answer = try await access.form("/setup/task", "screen=who&patient=anna&go=next", as: nurse)
    #expect(answer.status == 200 && answer.text.contains("name=\"title\""))
    #expect(answer.text.contains("name=\"patient\" value=\"anna\""))
    answer = try await access.form(
      "/setup/task", "screen=when&patient=anna&title=Walk&go=preview&\(when)", as: nurse)
    #expect(answer.status == 200 && answer.text.contains("class=\"due\""))
    answer = try await access.form(
      "/setup/task", "screen=answer&patient=anna&title=Walk&go=next&\(when)", as: nurse)
    #expect(answer.text.contains("Is there a reminder?"))
    answer = try await access.form(
      "/setup/task", "screen=remind&patient=anna&title=Walk&reminder=none&go=next&\(when)",
      as: nurse)
    #expect(answer.text.contains("How does it look?"))
    answer = try await access.form(
      "/setup/task", "screen=look&patient=anna&title=Walk&go=next&\(when)", as: nurse)
    #expect(answer.text.contains("Check the answers"))
    #expect(try await titles(access).count == 2)
    answer = try await access.form(
      "/setup/task", "screen=review&patient=anna&title=Walk&go=save&\(when)", as: nurse)
    #expect(answer.status == 303)
    #expect(try await titles(access).contains("anna walk Walk"))
    let number = try #require(edit(in: answer.headers[.location]))
    let page = try await access.get(answer.headers[.location] ?? "", as: nurse)
    #expect(page.text.contains("“Walk” was added.") && page.text.contains("/setup/undo"))
    answer = try await access.form("/setup/undo", "edit=\(number)&return=/setup", as: nurse)
    #expect(answer.status == 303)
    #expect(try await titles(access).count == 2)
  }

  @Test
  func `ready-made tasks are added together in two screens`() async throws {
    let access = try await TestAccess()
    let nurse = try await access.signIn("nurse")
    let chosen = "patient=anna&ready=weigh&ready=pressure&ready=knee"
    var answer = try await access.form(
      "/setup/tasks", "screen=ready&patient=anna&go=next", as: nurse)
    #expect(answer.status == 422 && answer.text.contains("Please choose one."))
    answer = try await access.form("/setup/tasks", "screen=ready&\(chosen)&go=next", as: nurse)
    #expect(answer.status == 200 && answer.text.contains("name=\"pressure.times\""))
    answer = try await access.form(
      "/setup/tasks", "screen=details&\(chosen)&knee.side=left&knee.goal=9000&go=save", as: nurse)
    #expect(answer.status == 422 && answer.text.contains("Please enter a number from 10 to 170."))
    #expect(try await titles(access).count == 2)
    answer = try await access.form(
      "/setup/tasks",
      "screen=details&\(chosen)&knee.side=left&knee.goal=90&pressure.times=8am+19.30&go=save",
      as: nurse)
    #expect(answer.status == 303)
    #expect(
      Set(try await titles(access)).isSuperset(of: [
        "anna weigh-in Weigh yourself", "anna blood-pressure Measure the blood pressure",
        "anna left-knee Bend the left knee",
      ]))
    // All of them are one change.
    let number = try #require(edit(in: answer.headers[.location]))
    _ = try await access.form("/setup/undo", "edit=\(number)&return=/setup", as: nurse)
    #expect(try await titles(access).count == 2)
  }

  @Test
  func `a task is changed, ended, goes on, is deleted and brought back`() async throws {
    let access = try await TestAccess()
    let carer = try await access.signIn("carer")
    let shown = try await access.get("/setup/task?patient=anna&task=weigh-anna", as: carer)
    #expect(shown.text.contains("Check the answers") && shown.text.contains("Weight of anna"))
    let fields = "patient=anna&task=weigh-anna&every=keep&answer=keep&targets=keep"
    var answer = try await access.form(
      "/setup/task", "\(fields)&screen=review&go=save&title=Step+on", as: carer)
    #expect(answer.status == 303, "\(answer.text.suffix(600))")
    #expect(try await titles(access).contains("anna weigh-anna Step on"))
    let task = "kind=task&patient=anna&id=weigh-anna&return=/setup"
    for (verb, expected) in [
      ("end", "anna weigh-anna Step on ended"), ("revive", "anna weigh-anna Step on"),
    ] {
      answer = try await access.form("/setup/\(verb)", task, as: carer)
      #expect(answer.status == 303)
      #expect(try await titles(access).contains(expected))
    }
    _ = try await access.form("/setup/delete", task, as: carer)
    #expect(try await titles(access).count == 1)
    #expect(try await access.get("/setup", as: carer).text.contains("Bring back"))
    _ = try await access.form("/setup/revive", task, as: carer)
    #expect(try await titles(access).count == 2)
  }

  @Test
  func `what is another person's is unknown or refused, and nothing changes`() async throws {
    let access = try await TestAccess()
    let before = try await titles(access)
    let carer = try await access.signIn("carer")
    let fields = "task=weigh-kim&every=keep&answer=keep&screen=review&go=save&title=Mine"
    for (path, body) in [
      ("/setup/task", "\(fields)&patient=kim"), ("/setup/task", "\(fields)&patient=anna"),
      ("/setup/task", "patient=kim&title=New&screen=review&go=save&\(when)"),
      ("/setup/end", "kind=task&patient=kim&id=weigh-kim"),
      ("/setup/delete", "kind=patient&patient=kim&id=kim"),
      ("/setup/delete", "kind=patient&patient=anna&id=anna"),
      ("/setup/person", "person=kim&screen=review&go=save&given=Mine"),
      ("/setup/person", "screen=review&go=save&given=New"), ("/setup/undo", "edit=1"),
      ("/devices/bind", "device=A0:9E:1A:00:00:09&patient=kim&place="),
    ] {
      let answer = try await access.form(path, body, as: carer)
      #expect([403, 404, 409].contains(answer.status), "\(path) \(body): \(answer.status)")
    }
    #expect(try await titles(access) == before)
    let page = try await access.get("/setup", as: carer).text
    #expect(!page.contains("Kimberley") && !page.contains("weigh-kim"))
  }

  @Test
  func `a person is added and changed; the first one begins the plan`() async throws {
    let site = try TestSite()
    // The machine's zone is proposed, and the plan needs one.
    var answer = try await site.form("/setup/person", "screen=place&go=next&given=Anna&zone=")
    #expect(answer.status == 422 && answer.text.contains("Please enter a time zone"))
    answer = try await site.get("/setup/person")
    #expect(answer.text.contains(#"name="zone" value="Europe/Berlin""#))
    answer = try await site.form(
      "/setup/person",
      "screen=review&go=save&given=Anna&units=metric&weight=63%2C5&zone=Asia%2FTaipei")
    #expect(answer.status == 303, "\(answer.text.suffix(600))")
    #expect(try await !site.get("/setup").text.contains("A plan file was taken over"))
    #expect(
      try await site.store.read { try $0.planTimeZone()?.identifier } == "Asia/Taipei")
    answer = try await site.form(
      "/setup/person",
      "person=anna&screen=review&go=save&given=Anna&family=Lin&weight=64"
        + "&birthday=1948-05-02&sex=female&allergies=penicillin%0D%0Anuts")
    #expect(answer.status == 303)
    let people = try await site.store.read { try $0.patients() }
    #expect(people.map(\.name) == [PersonName(given: "Anna", family: "Lin")])
    #expect(people.first?.expects["bodyMass"]?.value == 64)
    #expect(people.first?.birthday?.description == "1948-05-02" && people.first?.sex == .female)
    #expect(people.first?.allergies == ["penicillin", "nuts"])
    #expect(people.first?.timeZone == nil)
    answer = try await site.get("/setup/person")
    #expect(!answer.text.contains("Europe/Berlin\""))
    answer = try await site.form("/setup/person", "screen=place&go=next&given=B&zone=Nowhere")
    #expect(answer.status == 422 && answer.text.contains("There is no time zone"))
  }

  /// Rules of who is told, as the plan's file has them.
  @Test func `who is told is chosen with the person`() async throws {
    let access = try await TestAccess()
    let carer = try await access.signIn("carer")
    func rules() async throws -> [NotifyRule]? {
      try await access.site.store.read { try $0.patients() }.first { $0.id == "anna" }?.notify
    }
    let review = try await access.get("/setup/person?patient=anna", as: carer)
    #expect(review.text.contains("value=\"told\""))
    // The carer knows Anna alone.
    let form = "person=anna&given=Anna&reviewed=1"
    let asked = try await access.form("/setup/person", form + "&screen=review&go=told", as: carer)
    #expect(asked.text.contains("value=\"anna\"") && !asked.text.contains("value=\"kim\""))
    let first = "&told1=alert&told1.to=anna&told1.after=&told1.value=1"
    let later = "&told2=missed&told2.to=anna&told2.after=90&told2.urgent=1"
    var answer = try await access.form(
      "/setup/person", form + first + later + "&screen=review&go=save", as: carer)
    #expect(answer.status == 303, "\(answer.text.suffix(600))")
    let expected = [
      NotifyRule(.alert, to: ["anna"], showsValue: true),
      NotifyRule(.missed, to: ["anna"], after: 5_400, isUrgent: true),
    ]
    #expect(try await rules() == expected)
    // A form that does not ask leaves them.
    answer = try await access.form("/setup/person", form + "&screen=review&go=save", as: carer)
    #expect(answer.status == 303)
    #expect(try await rules() == expected)
    for (fields, field) in [
      ("&told1=alert", "told1.to"), ("&told1=alert&told1.to=kim", "told1.to"),
      ("&told1=alert&told1.to=anna&told1.after=10081", "told1.after"),
      ("&told1=luck&told1.to=anna", "told1"),
    ] {
      answer = try await access.form(
        "/setup/person", form + fields + "&screen=told&go=next", as: carer)
      #expect(answer.status == 422, "\(field)")
    }
    #expect(try await rules() == expected)
    answer = try await access.form(
      "/setup/person", form + "&told1=&told2=&screen=review&go=save", as: carer)
    #expect(answer.status == 303)
    #expect(try await rules() == [])
  }

  @Test func `a contact is added, changed, given to another person and deleted`() async throws {
    let access = try await TestAccess()
    let nurse = try await access.signIn("nurse")
    func contacts() async throws -> [String] {
      try await access.site.store.read { try $0.things(Contact.self) }.map {
        [$0.patient ?? "everyone", $0.id, $0.name.full ?? "", $0.phoneNumbers.first?.value ?? ""]
          .joined(separator: " ")
      }.filter { $0.contains("Rosa") }
    }
    let name = "given=Rosa&family=Roth&category=careTeam&screen=review&go=save"
    var answer = try await access.form(
      "/setup/contact", "\(name)&patient=anna&phone=%2B49+30+1234", as: nurse)
    #expect(answer.status == 303, "\(answer.text.suffix(600))")
    #expect(try await contacts() == ["anna rosa Rosa Roth +49 30 1234"])
    #expect(try await access.get("/connect", as: nurse).text.contains("tel:+49301234"))
    answer = try await access.form(
      "/setup/contact", "\(name)&contact=rosa&owner=anna&patient=everyone&phone=112", as: nurse)
    #expect(answer.status == 303, "\(answer.text.suffix(600))")
    #expect(try await contacts() == ["everyone rosa Rosa Roth 112"])
    answer = try await access.form(
      "/setup/contact", "\(name)&contact=rosa&owner=&patient=everyone&phone=none", as: nurse)
    #expect(answer.status == 422 && answer.text.contains("no telephone number"))
    answer = try await access.form(
      "/setup/delete", "kind=contact&patient=&id=rosa&return=/connect", as: nurse)
    #expect(answer.status == 303)
    #expect(try await contacts() == [])
    // Who plans for one person adds nobody for everyone.
    let carer = try await access.signIn("carer")
    answer = try await access.form("/setup/contact", "\(name)&patient=everyone", as: carer)
    #expect([403, 404].contains(answer.status))
    #expect(try await contacts() == [])
  }

  @Test func `the plan's zone is changed by who plans for everyone`() async throws {
    let access = try await TestAccess()
    let nurse = try await access.signIn("nurse")
    func zone() async throws -> String? {
      try await access.site.store.read { try $0.planTimeZone()?.identifier }
    }
    let before = try await zone()
    var answer = try await access.form("/setup/zone", "zone=Mars&return=/setup", as: nurse)
    #expect(answer.status == 303)
    #expect(try await zone() == before)
    answer = try await access.form(
      "/setup/zone", "zone=Asia%2FTaipei", as: try await access.signIn("carer"))
    #expect(answer.status == 403)
    answer = try await access.form("/setup/zone", "zone=Asia%2FTaipei&return=/setup", as: nurse)
    #expect(answer.status == 303)
    #expect(try await zone() == "Asia/Taipei")
  }

  @Test
  func `a device is added in three taps, moved, removed, and all of it taken back`() async throws {
    let access = try await TestAccess()
    let nurse = try await access.signIn("nurse")
    let device = "C8%3A47%3A8C%3A00%3A00%3A01"
    func bindings() async throws -> [String] {
      try await access.localSite.get("/api/v1/devices").list("devices").map { device in
        let placement = device["placement"] as? [String: String]
        return "\(device["patient"] as? String ?? "-") \(placement?["segment"] ?? "-")"
      }
    }
    let who = try await access.get("/devices/add?device=\(device)", as: nurse)
    #expect(who.status == 200 && who.text.contains("owner=kim"))
    let place = try await access.get("/devices/add?device=\(device)&owner=kim", as: nurse)
    #expect(place.text.contains("value=\"knee-left-shank\""))
    var answer = try await access.form(
      "/devices/bind", "device=\(device)&patient=kim&place=knee-left-shank", as: nurse)
    #expect(answer.status == 303)
    #expect(try await bindings() == ["kim shank"])
    answer = try await access.form(
      "/devices/bind", "device=\(device)&patient=anna&place=", as: nurse)
    #expect(try await bindings() == ["anna -"])
    let moved = try #require(edit(in: answer.headers[.location]))
    answer = try await access.form("/devices/unbind", "device=\(device)", as: nurse)
    #expect(try await bindings().isEmpty)
    let removed = try #require(edit(in: answer.headers[.location]))
    for number in [removed, moved] {
      _ = try await access.form("/setup/undo", "edit=\(number)", as: nurse)
    }
    #expect(try await bindings() == ["kim shank"])
  }

  @Test
  func `only an address, or a device that the store knows, is bound`() async throws {
    let site = try TestSite()
    try await site.store.importHousehold()
    let before = try await site.store.read { try $0.deviceBindings() }
    for device in ["monthly", "2026-01-01", "+1", "A0:9E:1A"] {
      let answer = try await site.form("/devices/bind", "device=\(device)&patient=anna&place=")
      #expect(answer.status == 400, "\(device)")
    }
    #expect(try await site.store.read { try $0.deviceBindings() } == before)
    let answer = try await site.form(
      "/devices/bind", "device=a0:9e:1a:00:00:77&patient=anna&place=")
    #expect(answer.status == 303)
    let after = try await site.store.read { try $0.deviceBindings() }
    #expect(after.contains { $0.address == "A0:9E:1A:00:00:77" })
  }

  @Test
  func `hostile fields are refused, and never fail`() async throws {
    let access = try await TestAccess()
    let nurse = try await access.signIn("nurse")
    let bodies = [
      "", "screen=review&go=save", "screen=nowhere&go=nowhere", "go=save",
      "screen=when&go=preview&every=phases&start=9999-12-31&time=00%3A00&phase1.step=1",
      "screen=review&go=save&patient=anna&title=%00&\(when)",
      "screen=review&go=save&patient=anna&title=A&every=hours&start=1900-01-01&time=00%3A00"
        + "&step=1&answer=check&until=count&count=10000",
      "screen=review&go=save&patient=anna&title=\(String(repeating: "x", count: 300))&\(when)",
      "screen=when&go=preview&every=monthly&start=2026-02-30&time=1&day=99",
    ]
    for path in ["/setup/task", "/setup/person"] {
      for body in bodies {
        let answer = try await access.form(path, body, as: nurse)
        #expect(answer.status < 500, "\(path) \(body): \(answer.status) \(answer.text.prefix(200))")
      }
    }
    for path in ["/setup/end", "/setup/undo", "/devices/bind", "/devices/unbind"] {
      for body in ["", "kind=note&patient=anna&id=x", "edit=99999", "device=", "device=x&place=y"] {
        let answer = try await access.form(path, body, as: nurse)
        #expect(answer.status < 500, "\(path) \(body): \(answer.status)")
      }
    }
  }
}
