import Access
import Care
import CareStore
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// The import of files on the page.
@Suite struct HistoryRoutesTests {
  private static let file = """
    DATE,TIME,BMI,BODY_FAT,WEIGHT
    2026-03-02,07:04:31,24.8,21.4,63.95
    2026-03-03,07:05:00,24.7,,63.6
    2026-03-29,02:30:00,24.7,,63.7

    """

  private let access: TestAccess
  private let nurse: TestAccess.Credentials

  init() async throws {
    access = try await TestAccess()
    nurse = try await access.signIn("nurse")
  }

  /// Sends the form, its fields in the order of the page's.
  private func upload(
    _ files: [(name: String, text: String)], patient: String = "anna", zone: String = "",
    token: String?, as credentials: TestAccess.Credentials
  ) async throws -> SiteAnswer {
    let boundary = "xXx"
    var body = ""
    func add(_ head: String, _ content: String) {
      body += "--\(boundary)\r\nContent-Disposition: form-data; \(head)\r\n\r\n\(content)\r\n"
    }
    if let token { add("name=\"token\"", token) }
    add("name=\"patient\"", patient)
    add("name=\"zone\"", zone)
    for file in files { add("name=\"file\"; filename=\"\(file.name)\"", file.text) }
    body += "--\(boundary)--\r\n"
    var plain = credentials
    plain.token = nil
    return try await access.send(
      .post, "/setup/history", as: plain, type: "multipart/form-data; boundary=\(boundary)",
      body: body)
  }

  private func weights() async throws -> [Double] {
    try await access.site.store.read { reader in
      try reader.samples(SampleQuery(quantity: .bodyMass)).filter {
        $0.device.definition == "openScale"
      }.map(\.value)
    }
  }

  /// The name under which a page says that the files are kept.
  private func kept(_ answer: SiteAnswer) throws -> String {
    let match = try #require(answer.text.firstMatch(of: #/name="kept" value="([^"]*)"/#))
    return String(match.1)
  }

  @Test func `a person sees what would come, then takes it, once`() async throws {
    let shown = try await upload(
      [("scale (1).csv", Self.file), ("<b>.txt", "nothing")], token: nurse.token, as: nurse)
    #expect(shown.status == 200)
    #expect(shown.text.contains("5 new, 0 known already, 0 would wait for a person"))
    #expect(shown.text.contains("openScale") && shown.text.contains("Anna: 5"))
    #expect(shown.text.contains("2026-03-29T02:30:00 is an hour that the clocks skipped"))
    #expect(shown.text.contains("&lt;b&gt;.txt") && !shown.text.contains("<b>.txt"))
    #expect(shown.text.contains("this is no history that is known"))
    #expect(shown.text.contains("Import 5 values"))
    #expect(try await weights().isEmpty)
    let name = try kept(shown)
    // Nobody else takes them.
    let admin = try await access.signIn("admin")
    let other = try await access.form("/setup/history/take", "kept=\(name)", as: admin)
    #expect(other.text.contains("Choose them again"))
    #expect(try await weights().isEmpty)
    let done = try await access.form("/setup/history/take", "kept=\(name)", as: nurse)
    #expect(done.text.contains("5 new, 0 known already, 0 wait for a person"))
    #expect(try await weights() == [63.95, 63.6])
    let again = try await access.form("/setup/history/take", "kept=\(name)", as: nurse)
    #expect(again.text.contains("Choose them again"))
    let second = try await upload([("scale.csv", Self.file)], token: nurse.token, as: nurse)
    #expect(second.text.contains("0 new, 5 known already"))
    #expect(!second.text.contains("name=\"kept\""))
  }

  @Test func `files are kept for half an hour`() async throws {
    let name = try kept(
      try await upload([("scale.csv", Self.file)], token: nurse.token, as: nurse))
    access.site.set(TestSite.noon + 1801)
    let late = try await access.form("/setup/history/take", "kept=\(name)", as: nurse)
    #expect(late.text.contains("Choose them again"))
    #expect(try await weights().isEmpty)
  }

  @Test func `without the session's token no file is taken`() async throws {
    for token in [nil, "wrong"] {
      let answer = try await upload([("scale.csv", Self.file)], token: token, as: nurse)
      #expect(answer.status == 403)
    }
  }

  @Test func `what is wrong with the form stands on it`() async throws {
    let zone = try await upload(
      [("scale.csv", Self.file)], zone: "Nowhere/City", token: nurse.token, as: nurse)
    #expect(zone.text.contains("There is no such time zone"))
    let none = try await upload([("", "")], token: nurse.token, as: nurse)
    #expect(none.text.contains("No file was chosen"))
    #expect(none.text.contains(#"href="/setup">Back to the set-up</a>"#))
  }
}
