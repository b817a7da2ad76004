import Access
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// Accounts, tokens and the audit log on the page.
struct AccountRoutesTests {
  /// The secret that a page shows once.
  private func shownSecret(in html: String) -> String? {
    html.components(separatedBy: "<code>").dropFirst().first?.components(separatedBy: "</code>")
      .first
  }

  @Test
  func `an account is added with a passcode that is shown once, and signs in with it`() async throws
  {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let made = try await access.form(
      "/setup/accounts/add", "name=Mary&id=Mary&role=carer&patients=anna", as: admin)
    #expect(made.status == 200 && made.headers[.cacheControl] == "no-store")
    let passcode = try #require(shownSecret(in: made.text))
    #expect(passcode.count == 14)
    let account = try #require(await access.control.accounts.first { $0.id == "mary" })
    #expect(account.role == .carer && account.patients == .only(["anna"]))
    _ = try await access.control.signIn(
      account: "mary", passcode: passcode, client: "192.0.2.8")
    #expect(try await !access.get("/setup/accounts", as: admin).text.contains(passcode))
    let again = try await access.form(
      "/setup/accounts/add", "name=Mary&id=mary&role=carer&everyone=1", as: admin)
    #expect(again.status == 422 && again.text.contains("There is an account"))
    // Nobody chosen is nobody: everyone's data has to be said.
    let nobody = try await access.form(
      "/setup/accounts/add", "name=Max&id=max&role=carer", as: admin)
    #expect(nobody.status == 422 && nobody.text.contains("Choose whose data"))
    #expect(await access.control.accounts.contains { $0.id == "max" } == false)
    let whole = try await access.form(
      "/setup/accounts/add", "name=Max&id=max&role=carer&everyone=1", as: admin)
    #expect(whole.status == 200)
    #expect(await access.control.accounts.first { $0.id == "max" }?.patients == .all)
  }

  @Test
  func `an account is changed, gets another passcode, and is removed`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let nurse = try await access.signIn("nurse")
    var answer = try await access.form(
      "/setup/accounts/change", "id=nurse&name=Nora&role=provider&patients=kim", as: admin)
    #expect(answer.status == 303)
    #expect(
      await access.control.accounts.first { $0.id == "nurse" }?.patients == .only(["kim"]))
    answer = try await access.form("/setup/accounts/code", "id=nurse", as: admin)
    let passcode = try #require(shownSecret(in: answer.text))
    #expect(try await access.get("/api/v1/patients", as: nurse).status == 401)
    _ = try await access.control.signIn(
      account: "nurse", passcode: passcode, client: "192.0.2.9")
    answer = try await access.form("/setup/accounts/remove", "id=nurse", as: admin)
    #expect(answer.status == 303)
    #expect(await access.control.accounts.contains { $0.id == "nurse" } == false)
    for path in ["remove", "code"] {
      answer = try await access.form("/setup/accounts/\(path)", "id=admin", as: admin)
      #expect(answer.status == 422, "\(path)")
    }
    answer = try await access.form(
      "/setup/accounts/change", "id=admin&name=A&role=carer&everyone=1", as: admin)
    #expect(answer.status == 422 && answer.text.contains("last administrator"))
  }

  @Test
  func `a token is shown once, works, and is revoked`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let made = try await access.form(
      "/setup/tokens/add", "name=backup&scope=read&patients=anna&days=30", as: admin)
    let secret = try #require(shownSecret(in: made.text))
    let program = TestAccess.Credentials(fields: ["Authorization": "Bearer \(secret)"])
    let patients = try await access.get("/api/v1/patients", as: program).list("patients")
    #expect(patients.map { $0["id"] as? String } == ["anna"])
    let token = try #require(await access.control.tokens.first)
    #expect(token.expires == TestSite.noon + 30 * 86_400)
    #expect(try await !access.get("/setup/accounts", as: admin).text.contains(secret))
    let revoked = try await access.form("/setup/tokens/revoke", "id=\(token.id)", as: admin)
    #expect(revoked.status == 303)
    #expect(try await access.get("/api/v1/patients", as: program).status == 401)
    let whose = "&everyone=1"
    for body in [
      "name=x" + whose, "name=&scope=read" + whose, "name=x&scope=read&days=0" + whose,
      "name=x&scope=luck" + whose, "name=x&scope=read",
    ] {
      #expect(try await access.form("/setup/tokens/add", body, as: admin).status == 422, "\(body)")
    }
  }

  @Test
  func `an administrator downloads the whole store as a file that leaves nothing behind`()
    async throws
  {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    #expect(try await access.get("/setup", as: admin).text.contains("Download a backup"))
    let answer = try await access.form("/setup/backup", "", as: admin)
    #expect(answer.status == 200)
    #expect(
      answer.headers[.contentDisposition] == "attachment; filename=\"measured-2026-11-20.sqlite\"")
    #expect(answer.headers[.contentLength] == String(answer.bytes.count))
    #expect(answer.bytes.starts(with: Array("SQLite format 3\0".utf8)))
    #expect(access.site.environment.copies.count == 0)
    let nurse = try await access.signIn("nurse")
    #expect(try await access.form("/setup/backup", "", as: nurse).status == 403)
    #expect(try await access.form("/setup/backup", "", as: admin, hasToken: false).status == 403)
  }

  @Test
  func `the audit log is shown, without secrets, to administrators alone`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let made = try await access.form(
      "/setup/tokens/add", "name=backup&scope=read&everyone=1", as: admin)
    let secret = try #require(shownSecret(in: made.text))
    let nurse = try await access.signIn("nurse")
    _ = try await access.form("/samples/3/assign", "patient=anna", as: nurse)
    let page = try await access.get("/setup/audit", as: admin)
    #expect(page.text.contains("nurse-name") && page.text.contains("made: token"))
    #expect(!page.text.contains(secret))
    #expect(try await access.get("/setup/audit?kind=reads", as: admin).status == 200)
    for path in ["/setup/audit", "/setup/accounts"] {
      #expect(try await access.get(path, as: nurse).status == 403)
      // Nobody signs in on the machine itself.
      #expect(try await access.localSite.get(path).status == 404)
    }
  }
}
