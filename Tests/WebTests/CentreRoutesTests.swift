import Access
import Care
import CareStore
import Exchange
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// The boxes of a centre, and the centre of a box, on the page.
@Suite struct CentreRoutesTests {
  @Test func `codes are shown once, each on a sheet in both languages`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let page = try await access.get("/setup/boxes", as: admin)
    #expect(page.status == 200 && page.text.contains("No box has joined yet"))
    let sheets = try await access.form(
      "/setup/boxes/invite", "cohort=north&boxes=3&people=1&days=14&person=anna", as: admin)
    #expect(sheets.status == 200)
    let codes = Set(
      sheets.text.matches(of: /<code>([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})<\/code>/)
        .map { String($0.output.1) })
    #expect(codes.count == 3)
    #expect(sheets.text.components(separatedBy: "class=\"card space sheet\"").count == 4)
    #expect(sheets.text.contains("lang=\"zh-Hant\"") && sheets.text.contains("連接機器"))
    #expect(sheets.text.contains("Connect the box") && sheets.text.contains("north-3"))
    let people = try await access.site.store.read { try $0.patients().map(\.id) }
    #expect(Set(people).isSuperset(of: ["north-1", "north-2", "north-3"]))
    // A box that joins by one of them is listed.
    let code = try #require(codes.first)
    let name = try await access.site.store.exchanging {
      try Enrolment(Centre()).join(
        code: code, publicKey: Array(1...32), board: nil, now: access.site.environment.now(),
        in: $0)
    }
    let listed = try await access.get("/setup/boxes", as: admin).text
    #expect(listed.contains(name.prefix(8)) && !listed.contains(code))
  }

  @Test(
    arguments: [
      ("cohort=A+b&boxes=1&people=1&days=1", 422, "small letters"),
      ("cohort=north&boxes=1&people=0&days=1", 422, "people of the box"),
      ("cohort=north&boxes=101&people=1&days=1", 422, "at most 100"),
      ("cohort=north&boxes=0&people=1&days=1", 422, "at most 100"),
      ("cohort=north&boxes=9999999999999999999&people=1&days=1", 400, ""),
      ("boxes=1&people=1&days=1", 400, ""),
    ])
  func `what is no invitation says why`(body: String, status: Int, text: String) async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let answer = try await access.form("/setup/boxes/invite", body, as: admin)
    #expect(answer.status == status, "\(answer.status)")
    #expect(text.isEmpty || answer.text.contains(text))
  }

  @Test(
    arguments: [
      ("address=https://centre.example&code=GOOD", 200, "has joined https://centre.example"),
      ("address=https://centre.example+GOOD", 200, "has joined https://centre.example"),
      ("address=https://centre.example&code=BAD", 200, "does not know this code"),
      ("address=https://centre.example", 400, ""), ("code=GOOD", 400, ""),
      ("address=a&code=b+c", 400, ""),
    ])
  func `a box joins a centre by address and code`(
    body: String, status: Int, text: String
  ) async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let answer = try await access.form("/setup/centre/join", body, as: admin)
    #expect(answer.status == status, "\(answer.status)")
    #expect(text.isEmpty || answer.text.contains(text))
  }

  @Test func `a joined centre is shown with its state, and left`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    #expect(try await access.get("/setup", as: admin).text.contains("/setup/centre/join"))
    let centre = JoinedCentre(
      address: "https://centre.example", box: "ab", joined: access.site.environment.now())
    try await access.site.store.exchanging { exchange in
      try centre.keep(in: exchange)
      var status = SyncStatus()
      status.isUnknown = true
      try status.keep(centre.address, in: exchange)
    }
    let page = try await access.get("/setup", as: admin).text
    #expect(page.contains("/setup/centre/leave") && !page.contains("/setup/centre/join"))
    #expect(page.contains("Nothing was exchanged yet") && page.contains("does not know this box"))
    #expect(
      try await access.form("/setup/centre/leave", "centre=https://other", as: admin).status == 404)
    #expect(
      try await access.form("/setup/centre/leave", "centre=\(centre.address)", as: admin).status
        == 303)
    // Who may not administer sees none of it.
    let nurse = try await access.signIn("nurse")
    #expect(!(try await access.get("/setup", as: nurse).text.contains("/setup/centre")))
  }

  @Test func `alerts are put off for a reason`() async throws {
    let access = try await TestAccess()
    let now = access.site.environment.now()
    let event = EventKey(patient: "anna", task: "weigh-anna", start: now - 3_600)
    let threshold = Threshold(condition: .above(70), says: "high", alerts: true)
    _ = try await access.site.store.write {
      try $0.record(
        Firing(Firing.Key(.alert, event, threshold: threshold), due: now - 60, date: now - 60),
        making: nil, now: now)
    }
    let nurse = try await access.signIn("nurse")
    #expect(try await access.get("/morning", as: nurse).text.contains("1 alert, "))
    // Who only reads has no button.
    let doctor = try await access.signIn("doctor")
    #expect(!(try await access.get("/morning", as: doctor).text.contains("/morning/seen")))
    for fields in ["days=1", "days=1&reason=+", "days=4&reason=why", "days=x&reason=why"] {
      let refused = try await access.form("/morning/seen", "patient=anna&\(fields)", as: nurse)
      #expect(refused.headers[.location]?.contains("noReason") == true, "\(fields)")
    }
    let later = try await access.form(
      "/morning/seen", "patient=anna&days=1&reason=The+nurse+comes.", as: nurse)
    #expect(later.headers[.location]?.contains("alertsPutOff") == true)
    let putOff = try await access.get("/morning", as: nurse).text
    #expect(putOff.contains("put 1 alert off until") && putOff.contains(": The nurse comes."))
  }

  @Test func `whoever looks after alerts is named`() async throws {
    let access = try await TestAccess()
    let now = access.site.environment.now()
    let event = EventKey(patient: "anna", task: "weigh-anna", start: now - 3_600)
    let threshold = Threshold(condition: .above(70), says: "high", alerts: true)
    _ = try await access.site.store.write {
      try $0.record(
        Firing(Firing.Key(.alert, event, threshold: threshold), due: now - 60, date: now - 60),
        making: nil, now: now)
    }
    let nurse = try await access.signIn("nurse")
    let seen = try await access.form("/morning/seen", "patient=anna", as: nurse)
    #expect(seen.status == 303 && seen.headers[.location]?.contains("alertsSeen") == true)
    let page = try await access.get("/morning", as: nurse).text
    #expect(page.contains("looks after 1 alert since") && !page.contains("1 alert, "))
    let csv = try await access.get("/morning.csv", as: nurse).text
    #expect(csv.contains("patient,alerts,alertsSince,seenBy,contact,program,faults,clock,measured"))
    let again = try await access.form("/morning/seen", "patient=anna", as: nurse)
    #expect(again.headers[.location]?.contains("refused") == true)
  }
}
