import Access
import Foundation
import HTTPTypes
import Localization
import Synchronization
import Testing
import WebTestSupport

@testable import Web

/// The view of a person on others, forms, sessions, and the audit log.
@Suite struct AccessGateTests {
  /// The texts that a page or list about Kim would have.
  private static let ofKim = ["kim", "Kim", "81.25"]
  private static let ofTray = ["77.75"]

  private static let lists = [
    "/today", "/measurements", "/measurements/bodyMass", "/insights", "/report", "/connect",
    "/devices", "/api/v1/events", "/api/v1/samples", "/api/v1/patients", "/api/v1/contacts",
    "/api/v1/messages", "/api/v1/devices", "/api/v1/adherence", "/api/v1/samples/1",
    "/api/v1/samples?owner=unassigned",
  ]

  @Test(
    arguments: ["anna", "doctor", "carer"])
  func `lists and pages show only the people that the reader may see`(account: String) async throws
  {
    let access = try await TestAccess()
    // The pages of others are rendered before, so that a shared answer would show.
    let admin = try await access.signIn("admin")
    let reader = try await access.signIn(account)
    for path in Self.lists + (account == "carer" ? ["/setup"] : []) {
      #expect(try await access.get(path, as: admin).status == 200, "\(path)")
      let answer = try await access.get(path, as: reader)
      #expect(answer.status == 200, "\(path): \(answer.text)")
      for word in Self.ofKim { #expect(!answer.text.contains(word), "\(path): \(word)") }
      guard account != "carer" else { continue }
      for word in Self.ofTray { #expect(!answer.text.contains(word), "\(path): \(word)") }
    }
    let samples = try await access.get("/api/v1/samples?last=1", as: reader).list("samples")
    #expect(samples.count == 1)
  }

  @Test(arguments: ["nurse", "clinic", "admin"])
  func `those who may see everyone see everyone`(account: String) async throws {
    let access = try await TestAccess()
    let reader = try await access.signIn(account)
    let patients = try await access.get("/api/v1/patients", as: reader).list("patients")
    #expect(patients.count == 2)
    let samples = try await access.get("/api/v1/samples", as: reader).list("samples")
    #expect(samples.count == (account == "clinic" ? 2 : 3))
  }

  @Test
  func `a person who may not be seen is refused, whether there is one or not`() async throws {
    let access = try await TestAccess()
    let anna = try await access.signIn("anna")
    for path in ["/today", "/api/v1/events", "/api/v1/samples", "/api/v1/adherence"] {
      let kim = try await access.get(path + "?patient=kim", as: anna)
      let eve = try await access.get(path + "?patient=eve", as: anna)
      #expect(kim.status == 403)
      #expect(eve.status == 403)
      #expect(kim.text == eve.text)
      for name in ["%6bim", "k%69m", "kim&patient=anna"] {
        #expect(try await access.get(path + "?patient=" + name, as: anna).status == 403)
      }
      #expect(try await access.get(path + "?patient=anna", as: anna).status == 200)
    }
    let event = try await access.event("weigh-kim")
    for path in [
      "/events/\(event)", "/api/v1/events/\(event)", "/api/v1/samples/2", "/api/v1/samples/3",
    ] {
      #expect(try await access.get(path, as: anna).status == 404, "\(path)")
    }
    let missing = try await access.get("/api/v1/samples/99", as: anna)
    let others = try await access.get("/api/v1/samples/2", as: anna)
    #expect(missing.status == 404)
    #expect(missing.text == others.text)
    #expect(
      try await access.get("/api/v1/samples/2/changes", as: anna).text.contains("kim") == false)
  }

  @Test
  func `a changed account sees what it may see now`() async throws {
    let access = try await TestAccess()
    let clinic = try await access.signIn("clinic")
    #expect(try await access.get("/api/v1/patients", as: clinic).text.contains("Kim"))
    try await access.control.change(
      to: Account.Draft(
        id: "clinic", name: "Clinic", role: .provider, patients: .only(["anna"])),
      by: TestAccess.local)
    #expect(try await !access.get("/api/v1/patients", as: clinic).text.contains("Kim"))
    try await access.control.remove(account: "clinic", by: TestAccess.local)
    #expect(try await access.get("/api/v1/patients", as: clinic).status == 401)
  }

  @Test
  func `a stream ends with its session`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    var headers: HTTPFields = [:]
    headers[.cookie] = admin.fields["Cookie"]
    let parts = Mutex<[String]>([])
    let event = try await access.event("weigh-kim", "2026-11-18")
    try await access.site.stream("/api/v1/samples", headers) { part in
      parts.withLock { $0.append(part) }
      guard part.hasPrefix("id: ") else { return true }
      Task {
        try await access.control.signOut(
          cookie: String((admin.fields["Cookie"] ?? "").dropFirst("measured=".count)))
        _ = try await access.localSite.json(
          .put, "/api/v1/events/\(event)/outcome", #"{"values":[{"value":91.5}]}"#)
      }
      return true
    }
    let text = parts.withLock { $0.joined() }
    #expect(text.contains("81.25"))
    #expect(!text.contains("91.5"))
  }

  // MARK: Browsers

  @Test
  func `a browser is led to the sign-in page and back`() async throws {
    let access = try await TestAccess()
    let page = ["Accept": "text/html"]
    let answer = try await access.send(.get, "/today?date=2026-11-19", as: .none, page)
    #expect(answer.status == 303)
    #expect(answer.headers[.location] == "/signin?return=%2Ftoday%3Fdate%3D2026-11-19")
    let form = try await access.send(
      .get, "/signin?return=%2Ftoday%3Fdate%3D2026-11-19", as: .none, page)
    #expect(form.status == 200)
    #expect(form.text.contains(#"name="return" value="/today?date=2026-11-19""#))
    #expect(form.headers[.cacheControl] == "no-store")
    let entry = try await access.form(
      "/signin", "account=Anna&passcode=correct+horse+battery&return=/today?date=2026-11-19",
      as: .none)
    #expect(entry.status == 303)
    #expect(entry.headers[.location] == "/today?date=2026-11-19")
    let cookie = try #require(entry.headers[.setCookie])
    #expect(cookie.hasPrefix("measured=ms_"))
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] { #expect(cookie.contains(part)) }
    #expect(!cookie.contains("Secure"))
    let pair = String(cookie.prefix { $0 != ";" })
    let today = try await access.send(.get, "/today", as: .none, ["Cookie": pair])
    #expect(today.status == 200)
    #expect(today.text.contains(#"name="token""#) == today.text.contains(#"<form method="post""#))
    #expect(today.headers[.cacheControl] == "no-store")
  }

  @Test(
    arguments: ["//evil.example", "https://evil.example", "/\\evil"])
  func `no other site is returned to`(page: String) async throws {
    let access = try await TestAccess()
    let answer = try await access.form(
      "/signin", "account=anna&passcode=correct+horse+battery&return=\(page)", as: .none)
    #expect(answer.headers[.location] == "/today")
  }

  @Test
  func `behind a proxy the cookie is secure`() async throws {
    let access = try await TestAccess(isBehindProxy: true)
    let answer = try await access.form(
      "/signin", "account=anna&passcode=correct+horse+battery", as: .none,
      ["X-Forwarded-For": "203.0.113.9, 198.51.100.4"])
    let cookie = try #require(answer.headers[.setCookie])
    #expect(cookie.hasPrefix("__Host-measured=ms_"))
    #expect(cookie.contains("Secure"))
    #expect(try await access.log.lastChanges(1).first?.client == "198.51.100.4")
  }

  @Test
  func `without a proxy nobody chooses their own address`() async throws {
    let access = try await TestAccess()
    _ = try await access.form(
      "/signin", "account=anna&passcode=correct+horse+battery", as: .none,
      ["X-Forwarded-For": "203.0.113.9"])
    #expect(try await access.log.lastChanges(1).first?.client == "192.0.2.7")
  }

  @Test
  func `an unknown name and a wrong passcode get one answer, and then have to wait`() async throws {
    let access = try await TestAccess()
    var last: SiteAnswer?
    for _ in 0..<12 {
      let wrong = try await access.form("/signin", "account=anna&passcode=wrong+wrong", as: .none)
      #expect(wrong.headers[.setCookie] == nil)
      last = wrong
      if wrong.status == 429 { break }
      #expect(wrong.status == 422)
    }
    let answer = try #require(last)
    #expect(answer.status == 429)
    let name = try #require(HTTPField.Name("Retry-After"))
    #expect(Int(answer.headers[name] ?? "").map { $0 > 0 } == true)
    #expect(answer.text.contains("Too many attempts"))
    let right = try await access.form(
      "/signin", "account=anna&passcode=correct+horse+battery", as: .none)
    #expect(right.status == 429)
  }

  @Test
  func `the first person claims the machine with its code, once`() async throws {
    let access = try await TestAccess(isClaimed: false)
    #expect(try await access.get("/signin", as: .none).headers[.location] == "/claim")
    let fields = "account=mary&name=Mary&new=correct+horse+battery&again=correct+horse+battery"
    #expect(try await access.form("/claim", "code=AAAA-AAAA&" + fields, as: .none).status == 409)
    let code = try #require(await access.control.renewClaimCode()).text
    #expect(try await access.form("/claim", "code=AAAA-AAAA&" + fields, as: .none).status == 422)
    let weak = "account=mary&name=Mary&new=12345678&again=12345678&code=\(code)"
    #expect(try await access.form("/claim", weak, as: .none).status == 422)
    let different = "account=mary&name=Mary&new=correct+horse&again=correct+house&code=\(code)"
    #expect(try await access.form("/claim", different, as: .none).status == 422)
    #expect(await !access.control.isClaimed)
    let answer = try await access.form("/claim", "code=\(code)&" + fields, as: .none)
    #expect(answer.status == 303)
    #expect(answer.headers[.setCookie]?.hasPrefix("measured=ms_") == true)
    #expect(try await access.form("/claim", "code=\(code)&" + fields, as: .none).status == 409)
    #expect(await access.control.accounts.map(\.id) == ["mary"])
  }

  @Test
  func `a person changes their passcode; their other sessions end`() async throws {
    let access = try await TestAccess()
    let other = try await access.signIn("anna")
    let anna = try await access.signIn("anna")
    let fields = "passcode=correct+horse+battery&new=staple+and+horse&again=staple+and+horse"
    let page = try await access.get("/account", as: anna)
    #expect(page.text.contains(try #require(anna.token)))
    let answer = try await access.form("/account/passcode", fields, as: anna)
    #expect(answer.status == 303)
    #expect(answer.headers[.setCookie]?.hasPrefix("measured=ms_") == true)
    #expect(try await access.get("/today", as: other).status == 401)
    #expect(try await access.form("/account/passcode", fields, as: anna).status == 401)
  }

  @Test(arguments: ["en", "zh-Hant"])
  func `every page of signing in has its words in both languages`(language: String) async throws {
    let access = try await TestAccess()
    let unclaimed = try await TestAccess(isClaimed: false)
    let anna = try await access.signIn("anna")
    let pages = [
      try await access.get("/signin?lang=\(language)", as: .none),
      try await unclaimed.get("/claim?lang=\(language)", as: .none),
      try await access.get("/account?lang=\(language)", as: anna),
    ]
    for page in pages {
      #expect(page.status == 200)
      #expect(page.text.contains("<html lang=\"\(language)\""))
      #expect(!page.text.contains("⟦"))
      #expect(page.text.contains("type=\"password\""))
    }
    #expect(!pages[0].text.contains("href=\"/today"))
    #expect(pages[2].text.contains("href=\"/today"))
  }

  // MARK: Forms

  @Test
  func `a change without the session's own token is refused`() async throws {
    let access = try await TestAccess()
    let anna = try await access.signIn("anna")
    let another = try await access.signIn("admin")
    let event = try await access.event("weigh-anna")
    let token = try #require(anna.token)
    for body in ["", "token=", "token=x", "token=\(try #require(another.token))"] {
      let answer = try await access.form(
        "/events/\(event)/undo", body, as: anna, hasToken: false)
      #expect(answer.status == 403)
    }
    for (method, path) in [
      (HTTPRequest.Method.delete, "/api/v1/events/\(event)/outcome"),
      (.post, "/signout"), (.post, "/language"), (.put, "/api/v1/events/\(event)/outcome"),
    ] {
      #expect(try await access.send(method, path, as: anna, hasToken: false).status == 403)
    }
    let own = try await access.form(
      "/events/\(event)/undo", "token=\(token)", as: anna, hasToken: false)
    #expect(own.status == 303)
    let program = try await access.token([.answer], .only(["anna"]))
    let answer = try await access.send(
      .put, "/api/v1/events/\(event)/outcome", as: program, type: "application/json", body: "{}")
    #expect(answer.status != 403)
  }

  @Test
  func `a plan's upload carries the token, too`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    func send(_ token: String) async throws -> Int {
      let parts = [("token", token), ("plan", "tasks: []")].map {
        "--x\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n"
      }
      return try await access.send(
        .post, "/setup/plan", as: admin, type: "multipart/form-data; boundary=x",
        body: parts.joined() + "--x--\r\n", hasToken: false
      ).status
    }
    #expect(try await send("wrong") == 403)
    // The test's plans are refused by their reader.
    #expect(try await send(try #require(admin.token)) == 409)
  }

  /// On a tablet that several people use, the way back shows nothing of the one who left.
  @Test
  func `nothing of a person is kept by the browser, and signing out clears its cache`() async throws
  {
    let access = try await TestAccess()
    let anna = try await access.signIn("anna")
    for path in Self.lists + ["/account", "/events/\(try await access.event("weigh-anna"))"] {
      let answer = try await access.get(path, as: anna)
      #expect(answer.headers[.cacheControl] == "no-store", "\(path)")
    }
    let name = try #require(HTTPField.Name("Clear-Site-Data"))
    #expect(try await access.form("/signout", "", as: anna).headers[name] == "\"cache\"")
  }

  @Test
  func `another site's form is refused even with the token`() async throws {
    let access = try await TestAccess()
    let anna = try await access.signIn("anna")
    let answer = try await access.form(
      "/signout", "", as: anna, ["Origin": "http://evil.example"])
    #expect(answer.status == 403)
  }

  @Test
  func `every form of every page carries the token`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let event = try await access.event("weigh-anna")
    let token = try #require(admin.token)
    for path in Self.lists.filter({ !$0.hasPrefix("/api/") })
      + ["/setup", "/account", "/events/\(event)", "/today?notice=answered&event=\(event)"]
    {
      let text = try await access.get(path, as: admin).text
      let forms = text.split(separator: "<form method=\"post\"").dropFirst()
      for form in forms {
        let start = form.drop { $0 != ">" }.dropFirst()
        #expect(
          start.hasPrefix(#"<input type="hidden" name="token" value="\#(token)">"#), "\(path)")
      }
    }
  }

  // MARK: Audit log

  @Test
  func `reads of a person's pages and changes are logged, without values`() async throws {
    let access = try await TestAccess()
    let anna = try await access.signIn("anna")
    let event = try await access.event("weigh-anna")
    _ = try await access.get("/measurements/bodyMass?span=week", as: anna)
    _ = try await access.get("/today?patient=kim", as: anna)
    _ = try await access.form("/events/\(event)/done", "value=64.125", as: anna)
    _ = try await access.form("/samples/1/delete", "", as: anna)
    let reads = try await access.log.lastReads(10)
    #expect(
      reads.contains {
        $0.subject == "account anna" && $0.action == .read && $0.id == "/measurements/bodyMass"
          && $0.patient == "anna" && $0.outcome == .done && $0.client == "192.0.2.7"
      })
    #expect(reads.contains { $0.id == "/today" && $0.patient == "kim" && $0.outcome == .refused })
    #expect(reads.contains { $0.action == .delete && $0.outcome == .refused })
    let changes = try await access.log.lastChanges(10)
    #expect(
      changes.contains {
        $0.action == .answer && $0.id == "/events/\(event)/done" && $0.patient == "anna"
      })
    let text = try ["audit.jsonl", "audit.jsonl.reads"].map {
      try String(contentsOfFile: access.directory + "/" + $0, encoding: .utf8)
    }.joined()
    #expect(!text.contains("64.125"))
    #expect(!text.contains("span"))
  }

  @Test
  func `the machine's own user needs no account`() async throws {
    let access = try await TestAccess()
    #expect(try await access.localSite.get("/today").status == 200)
    #expect(try await access.localSite.get("/signin").headers[.location] == "/today")
    #expect(try await access.localSite.form("/claim", "code=x").status == 404)
    #expect(try await access.localSite.get("/account").headers[.location] == "/today")
  }
}
