import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Outlets
import Testing
import WebTestSupport

@testable import Web

/// The page of where measurements go, and its forms.
struct OutletRoutesTests {
  private static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
  private static let hook =
    "kind=webhook&name=hook&address=https%3A%2F%2Fexample.org%2Fin&people=anna&secret="

  @Test(arguments: OutletKind.allCases)
  func `the form of a kind asks for each key that somebody types`(kind: OutletKind) async throws {
    let access = try await TestAccess()
    let html = try await access.localSite.get("/setup/outlets?kind=\(kind.rawValue)").text
    for key in kind.typedKeys {
      let name = key.form == .records ? "record.anna" : key.typedName
      #expect(html.contains("name=\"\(name)\""), "\(key.name)")
    }
    for key in kind.keys where key.isOfSettings {
      #expect(!html.contains("name=\"\(key.name)\""), "\(key.name)")
    }
    #expect(!html.contains("⟦"))
    let chinese = try await access.localSite.get(
      "/setup/outlets?kind=\(kind.rawValue)&lang=zh-Hant"
    ).text
    #expect(chinese.contains("量測資料的去處") && !chinese.contains("⟦"))
  }

  @Test
  func `an outlet is set up, tried, stopped and taken away, and its secret is never said`()
    async throws
  {
    let access = try await TestAccess()
    let site = access.localSite
    let answer = try await site.form("/setup/outlets", Self.hook + Self.secret)
    #expect(answer.status == 303 && answer.headers[.location] == "/setup/outlets")
    var html = try await site.get("/setup/outlets").text
    #expect(html.contains("https://example.org/in") && html.contains("Anna"))
    #expect(!html.contains("whsec"))
    let tried = try await site.form("/setup/outlets/test", "name=hook").text
    #expect(tried.contains("example.org does not answer: check the address"))
    _ = try await site.form("/setup/outlets/pause", "name=hook&return=/setup/outlets")
    html = try await site.get("/setup/outlets").text
    #expect(html.contains("/setup/outlets/resume"))
    let listed = try await site.get("/api/v1/outlets").text
    #expect(listed.contains(#""name":"hook""#) && listed.contains(#""state":"paused""#))
    #expect(!listed.contains("whsec"))
    _ = try await site.form("/setup/outlets/remove", "name=hook&return=/setup/outlets")
    html = try await site.get("/setup/outlets").text
    #expect(!html.contains("https://example.org/in"))
  }

  @Test func `those of the settings are shown and not changed here`() async throws {
    let access = try await TestAccess()
    let html = try await access.localSite.get("/setup/outlets").text
    #expect(html.contains("https://clinic.example/fhir") && html.contains("measured.yaml"))
    let taken = try await access.localSite.form(
      "/setup/outlets", Self.hook.replacing("name=hook", with: "name=clinic") + Self.secret)
    #expect(taken.status == 422 && taken.text.contains("‘clinic’ is taken"))
    let gone = try await access.localSite.form("/setup/outlets/remove", "name=clinic")
    #expect(gone.status == 404)
  }

  @Test(arguments: [
    ("kind=webhook&name=hook&people=anna&secret=\(secret)", "‘address’ is needed."),
    (hook + "short", "It is no secret of a webhook"),
    ("kind=webhook&name=hook&address=ftp://x&people=anna&secret=\(secret)", "it is no address"),
    ("kind=mqtt&name=home&address=mqtt://192.168.1.5&secret=x", "‘people’ is needed."),
    ("kind=file&name=days&people=eve", "The plan has nobody of the id ‘eve’."),
    ("kind=file&name=Days&people=all", "‘Days’ is no name of an outlet"),
    ("kind=influxDB&name=g&people=all&address=http://127.0.0.1:8086", "‘database’ is needed."),
  ])
  func `what is wrong is said beside what was typed, and no secret comes back`(
    form: String, reason: String
  ) async throws {
    let access = try await TestAccess()
    let answer = try await access.localSite.form("/setup/outlets", form)
    #expect(answer.status == 422)
    #expect(answer.text.contains(reason), "\(answer.text)")
    #expect(!answer.text.contains(Self.secret) && !answer.text.contains("value=\"short\""))
  }

  @Test func `a form of no kind, and a page of none, are refused`() async throws {
    let access = try await TestAccess()
    #expect(try await access.localSite.form("/setup/outlets", "kind=fax").status == 400)
    #expect(try await access.localSite.get("/setup/outlets?kind=fax").status == 400)
    #expect(try await access.localSite.form("/setup/outlets/test", "name=nobody").status == 404)
  }

  @Test func `the audit log says that somebody set one up, and not its secret`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let answer = try await access.form("/setup/outlets", Self.hook + Self.secret, as: admin)
    #expect(answer.status == 303)
    let nurse = try await access.signIn("nurse")
    let refused = try await access.form("/setup/outlets", Self.hook + Self.secret, as: nurse)
    #expect(refused.status == 403)
    let log = try String(contentsOfFile: access.directory + "/audit.jsonl", encoding: .utf8)
    #expect(log.contains("\"create\"") && log.contains("\"setting\""))
    #expect(!log.contains("whsec") && !log.contains("AAECAwQ"))
  }

  // MARK: The interface

  private static let json =
    #""kind":"webhook","address":"https://example.org/in","people":["anna"],"secret":""#

  @Test func `a program sets one up, tries it and takes it away`() async throws {
    let access = try await TestAccess()
    let site = access.localSite
    let fields = Self.json + Self.secret + "\""
    let added = try await site.json(.post, "/api/v1/outlets", #"{"name":"hook","# + fields + "}")
    #expect(added.status == 200 && added.text.contains(#""name":"hook""#), "\(added.text)")
    #expect(!added.text.contains("whsec"))
    let stored = try await access.site.store.readOutlets {
      try OutletDefinition.all(in: $0)["hook"]
    }
    #expect(stored?.people == ["anna"] && stored?["secretFile"] == OutletDefinition.kept)
    let tried = try await site.json(.post, "/api/v1/outlets/test", #"{"name":"hook"}"#)
    #expect(tried.status == 200 && tried.text.contains("example.org does not answer"))
    let again = try await site.json(.post, "/api/v1/outlets", #"{"name":"hook","# + fields + "}")
    #expect(again.status == 409 && again.text.contains("‘hook’ is taken"), "\(again.text)")
    let removed = try await site.json(.post, "/api/v1/outlets/remove", #"{"name":"hook"}"#)
    #expect(removed.status == 200 && !removed.text.contains(#""name":"hook""#))
    let gone = try await site.json(.post, "/api/v1/outlets/remove", #"{"name":"hook"}"#)
    #expect(gone.status == 404)
    #expect(try await site.json(.post, "/api/v1/outlets/test", #"{"name":"x"}"#).status == 404)
  }

  /// Each kind takes each key that somebody types, and none that the settings alone have.
  @Test(arguments: OutletKind.allCases)
  func `a program says each key that a person types`(kind: OutletKind) async throws {
    let values = [
      "people": #""all""#, "quantities": #"["bodyMass"]"#, "since": #""2026-01-01""#,
      "format": #""fit""#, "mail": #""nora@example.org""#, "database": #""d""#,
      "policy": #""p""#, "organisation": #""o""#, "bucket": #""b""#,
      "records": #"{"4711":"anna"}"#, "plan": #""daily""#, "user": #""u""#,
      "language": #""en""#, "answers": "true", "account": #""nurse""#,
      "server": #""http://127.0.0.1:8123""#, "id": #""box""#, "discovery": #""ha""#,
      "protocol": #""5""#, "secret": "\"\(Self.secret)\"", "token": #""t""#,
      "address": kind == .mqtt ? #""mqtt://127.0.0.1""# : #""http://127.0.0.1:9""#,
    ]
    let access = try await TestAccess()
    var body: [String] = []
    for key in kind.typedKeys {
      let value = try #require(values[key.typedName], "\(key.name)")
      body.append("\"\(key.typedName)\":\(value)")
    }
    let start = #"{"name":"a","kind":""# + kind.rawValue + "\","
    let whole = start + body.joined(separator: ",")
    for key in kind.keys where !kind.typedKeys.contains(key) {
      let refused = try await access.localSite.json(
        .post, "/api/v1/outlets", whole + ",\"\(key.name)\":\"/etc/passwd\"}")
      #expect(refused.status == 400, "\(key.name)")
    }
    let added = try await access.localSite.json(.post, "/api/v1/outlets", whole + "}")
    #expect(added.status == 200, "\(added.text)")
    let stored = try await access.site.store.readOutlets { try OutletDefinition.all(in: $0)["a"] }
    #expect(Set(kind.typedKeys.map(\.name)) == Set(stored?.values.keys.sorted() ?? []))
    #expect(stored?.values["records"] == (kind == .fhir ? ["4711 anna"] : nil))
  }

  // MARK: The plans that servers have

  /// A site whose store has a plan of the clinic that waits.
  private func waiting() async throws -> (TestAccess, digest: String) {
    let access = try await TestAccess()
    let digest = try await access.site.store.writeOutlets { writer in
      var proposal = PlanProposal()
      proposal.note("timeZone: Europe/Berlin", at: TestSite.noon)
      try proposal.keep("clinic", in: writer)
      return proposal.digest ?? ""
    }
    return (access, digest)
  }

  @Test func `a plan that waits is on the page, and can be declined once`() async throws {
    let (access, digest) = try await waiting()
    let setup = try await access.localSite.get("/setup").text
    #expect(
      setup.contains("clinic has another plan") && setup.contains("/setup/outlets/plan?name=clinic")
    )
    let fields = "name=clinic&digest=\(digest)"
    #expect(try await access.localSite.form("/setup/outlets/plan/decline", fields).status == 303)
    #expect(try await access.localSite.form("/setup/outlets/plan/decline", fields).status == 404)
    #expect(try await access.localSite.get("/setup/outlets/plan?name=clinic").status == 404)
    #expect(!(try await access.localSite.get("/setup").text).contains("has another plan"))
  }

  @Test func `what is not the plan that was seen is not taken`() async throws {
    let (access, digest) = try await waiting()
    let site = access.localSite
    let other = "name=clinic&digest=00&revision=1"
    #expect(try await site.form("/setup/outlets/plan/take", other).status == 404)
    // The plan of the tests' site is refused with its own text.
    let refused = try await site.form(
      "/setup/outlets/plan/take", "name=clinic&digest=\(digest)&revision=-1")
    #expect(refused.status == 409 && refused.text.contains("timeZone: Europe/Berlin"))
    #expect(try await site.form("/setup/outlets/plan/take", "name=clinic").status == 400)
    let left = try await access.site.store.readOutlets { try PlanProposal.all(in: $0)["clinic"] }
    #expect(left?.digest == digest)
  }
}
