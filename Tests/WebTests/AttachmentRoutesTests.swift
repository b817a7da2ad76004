import Access
import Care
import CareStore
import Digests
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestSupport
import Testing
import WebTestSupport

@testable import Web

@Suite struct AttachmentRoutesTests {
  /// A wound that Anna and Kim take a picture of each day, and a video if they like.
  private func importWounds(_ store: SQLStore) async throws {
    let zone = TestSite.zone
    let start = try #require(Date("2026-11-01", in: zone))
    let daily = try Schedule([
      try ScheduleElement(
        start: start, interval: Interval(days: 1), duration: .allDay, timeZone: zone)
    ])
    let survey = [
      try SurveyQuestion(kind: "wound", type: .photo, title: "The wound"),
      try SurveyQuestion(kind: "walk", type: .video, isOptional: true),
      try SurveyQuestion(kind: "pain", type: .scale, minimum: 0, maximum: 10, isOptional: true),
    ]
    let now = TestSite.noon - 15 * 86_400
    try await store.write { writer in
      for person in ["anna", "kim"] {
        _ = try writer.put(
          Patient(id: person, name: PersonName(given: person == "kim" ? "Kimberley" : "Anna")),
          now: now)
        _ = try writer.put(
          PlannedTask(
            id: "wound-\(person)", patient: person, title: "Wound", schedule: daily,
            survey: survey), now: now)
      }
    }
  }

  private func site() async throws -> (site: TestSite, event: String) {
    let site = try TestSite()
    try await importWounds(site.store)
    return (site, try await event("anna", site))
  }

  private func event(_ person: String, _ site: TestSite) async throws -> String {
    let events = try await site.get("/api/v1/events").list("events")
    return try #require(
      events.first { $0["task"] as? String == "wound-" + person }?["id"] as? String)
  }

  private func headers(_ fields: [String: String]) throws -> HTTPFields {
    var headers: HTTPFields = [:]
    for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
    return headers
  }

  private func post(
    _ bytes: [UInt8], _ type: String, to site: TestSite, _ event: String, kind: String = "wound"
  ) async throws -> SiteAnswer {
    try await site.send(
      .post, "/api/v1/events/\(event)/attachments?kind=\(kind)", [.contentType: type], bytes: bytes)
  }

  /// A form: its fields, then its files.
  private func form(
    _ fields: [(String, String)], _ files: [(name: String, bytes: [UInt8])]
  ) -> [UInt8] {
    var body: [UInt8] = []
    for (name, value) in fields {
      body += Array(
        "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    for file in files {
      body += Array(
        ("--B\r\nContent-Disposition: form-data; name=\"\(file.name)\"; filename=\"a.jpg\"\r\n"
          + "Content-Type: image/jpeg\r\n\r\n").utf8)
      body += file.bytes + Array("\r\n".utf8)
    }
    return body + Array("--B--\r\n".utf8)
  }

  private func send(
    _ fields: [(String, String)], _ files: [(name: String, bytes: [UInt8])], to site: TestSite,
    _ event: String
  ) async throws -> SiteAnswer {
    try await site.send(
      .post, "/events/\(event)/answer", [.contentType: "multipart/form-data; boundary=B"],
      bytes: form(fields + [("return", "/events/\(event)")], files))
  }

  private func values(_ site: TestSite, _ event: String) async throws -> [[String: Any]] {
    try #require(
      try await site.get("/api/v1/events/\(event)").object["values"] as? [[String: Any]])
  }

  private func stored(_ site: TestSite) async throws -> Bool {
    try await site.store.exportedLines().contains { $0.contains(#""kind":"attachment""#) }
  }

  // MARK: The interface

  @Test
  func `a picture goes up, and comes down as it is`() async throws {
    let (site, event) = try await site()
    let picture = MediaFiles.png(length: 300_000)
    let answer = try await post(picture, "image/png", to: site, event)
    #expect(answer.status == 200, "\(answer.text)")
    let document = try OpenAPIDocument(try await site.get("/api/v1/openapi.json").text)
    #expect(
      document.faults(method: "post", path: "/api/v1/events/{event}/attachments", answer) == [])
    let value = try #require(try answer.list("values").first)
    let reference = try #require(value["value"] as? [String: Any])
    let digest = SHA256.digest(of: picture).hexString
    #expect(value["kind"] as? String == "wound")
    #expect(reference["type"] as? String == "image/png")
    #expect(reference["bytes"] as? Int == 300_000)
    #expect(reference["sha256"] as? String == digest)
    #expect(try answer.object["completed"] as? Bool == true)
    let path = "/api/v1/attachments/\(digest)"
    let down = try await site.get(path)
    #expect(down.status == 200)
    #expect(down.bytes == picture)
    #expect(document.faults(method: "get", path: "/api/v1/attachments/{sha256}", down) == [])
    #expect(down.headers[.contentType] == "image/png")
    #expect(down.headers[.xContentTypeOptions] == "nosniff")
    #expect(down.headers[.contentDisposition] == "inline")
    #expect(down.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
    #expect(down.headers[.cacheControl] == "no-store")
    #expect(down.headers[.contentLength] == "300000")
    let again = try await site.get(path, [.ifNoneMatch: "\"\(digest)\""])
    #expect(again.status == 304)
    #expect(again.bytes.isEmpty)
    #expect(try await site.get("/api/v1/attachments/" + digest.uppercased()).status == 404)
    #expect(try await site.get("/api/v1/attachments/..%2F..%2Fetc").status == 404)
    // Taken back, it is not served any longer.
    #expect(try await site.send(.delete, "/api/v1/events/\(event)/outcome").status == 200)
    #expect(try await site.get(path).status == 404)
  }

  @Test
  func `another answer leaves the picture, another picture the answer`() async throws {
    let (site, event) = try await site()
    #expect(try await post(MediaFiles.png(), "image/png", to: site, event).status == 200)
    let put = try await site.json(
      .put, "/api/v1/events/\(event)/outcome", #"{"values":[{"kind":"pain","value":3}]}"#)
    #expect(put.status == 200, "\(put.text)")
    #expect(try put.list("values").map { $0["kind"] as? String } == ["pain", "wound"])
    let video = try await post(
      MediaFiles.boxes("isom"), "application/octet-stream", to: site, event, kind: "walk")
    #expect(video.status == 200, "\(video.text)")
    #expect(try await post(MediaFiles.jpeg(), "image/jpeg", to: site, event).status == 200)
    let values = try await values(site, event)
    #expect(values.map { $0["kind"] as? String } == ["pain", "walk", "wound"])
    #expect((values.last?["value"] as? [String: Any])?["type"] as? String == "image/jpeg")
    let together = try await site.send(
      .post, "/api/v1/events/\(event)/attachments",
      [.contentType: "multipart/form-data; boundary=B"],
      bytes: form([("value.pain", "7")], [("file.wound", MediaFiles.png())]))
    #expect(together.status == 200, "\(together.text)")
    #expect(
      try together.list("values").first { $0["kind"] as? String == "pain" }?["value"] as? Int == 7)
  }

  @Test
  func `what lies about its type, or is too large, is refused as what it is`() async throws {
    let (site, event) = try await site()
    let cases: [([UInt8], String, String, Int)] = [
      (Array("PK\u{3}\u{4}".utf8), "image/png", "wound", 415),
      (Array("<script>alert(1)</script>".utf8), "image/jpeg", "wound", 415),
      (MediaFiles.png(), "image/jpeg", "wound", 415), (MediaFiles.png(), "text/html", "wound", 415),
      (MediaFiles.png(), "video/mp4", "walk", 415),
      (MediaFiles.boxes("isom"), "video/mp4", "wound", 415),
      ([0xFF, 0xD8, 0xFF, 0xE0, 0, 0], "image/jpeg", "wound", 415), ([], "image/png", "wound", 400),
      (MediaFiles.png(length: 12_000_001), "image/png", "wound", 413),
      (MediaFiles.png(), "image/png", "pain", 409), (MediaFiles.png(), "image/png", "x", 409),
    ]
    for (bytes, type, kind, status) in cases {
      let answer = try await post(bytes, type, to: site, event, kind: kind)
      #expect(answer.status == status, "\(type) \(kind): \(answer.text)")
    }
    #expect(try await post(MediaFiles.png(), "image/png", to: site, "0").status == 404)
    let nameless = try await site.send(
      .post, "/api/v1/events/\(event)/attachments", [.contentType: "image/png"],
      bytes: MediaFiles.png())
    #expect(nameless.status == 400)
    #expect(try await values(site, event).isEmpty)
    #expect(try await !stored(site))
  }

  @Test
  func `an interrupted upload leaves nothing`() async throws {
    let (site, event) = try await site()
    struct Gone: Error {}
    let (stream, source) = AsyncThrowingStream.makeStream(of: ByteBuffer.self)
    for _ in 0..<3 { source.yield(ByteBuffer(bytes: MediaFiles.png(length: 200_000))) }
    source.finish(throwing: Gone())
    let head = HTTPRequest(
      method: .post, scheme: "http", authority: "localhost",
      path: "/api/v1/events/\(event)/attachments?kind=wound",
      headerFields: [.contentType: "image/png"])
    let status = try await site.send(head, RequestBody(asyncSequence: stream)).status
    #expect(status == 400)
    #expect(try await values(site, event).isEmpty)
    #expect(try await !stored(site))
  }

  /// Uploads that do not come to their end take the places of their sender, no one else's.
  @Test
  func `of three uploads of one sender the third is asked to come again`() async throws {
    let (site, event) = try await site()
    let head = HTTPRequest(
      method: .post, scheme: "http", authority: "localhost",
      path: "/api/v1/events/\(event)/attachments?kind=wound",
      headerFields: [.contentType: "image/png"])
    let bodies = (0..<site.uploads.ofOne).map { _ in
      AsyncThrowingStream.makeStream(of: ByteBuffer.self)
    }
    try await withThrowingTaskGroup(of: Int.self) { tasks in
      for (stream, source) in bodies {
        source.yield(ByteBuffer(bytes: MediaFiles.png(length: 1_000)))
        tasks.addTask { try await site.send(head, RequestBody(asyncSequence: stream)).status }
      }
      // The uploads take their places when they get to it.
      for _ in 0..<2_000 where site.uploads.count < site.uploads.ofOne {
        try await Task.sleep(for: .milliseconds(10))
      }
      let refused = try await post(MediaFiles.png(), "image/png", to: site, event)
      #expect(refused.status == 503, "\(refused.text)")
      #expect(refused.headers[.retryAfter] == "10")
      // Another sender, and a backup, have places of their own.
      _ = try site.uploads.take(for: .known("another"))
      #expect(try await site.form("/setup/backup", "").status == 200)
      for (_, source) in bodies { source.finish() }
      for try await status in tasks { #expect(status == 200) }
    }
    #expect(site.uploads.count == 0)
    #expect(site.environment.copies.count == 0)
    #expect(try await post(MediaFiles.png(), "image/png", to: site, event).status == 200)
  }

  // MARK: The page

  @Test
  func `a form without JavaScript answers with a picture, and keeps it`() async throws {
    let (site, event) = try await site()
    let page = try await site.get("/events/\(event)").text
    #expect(page.contains(#"action="/events/\#(event)/answer" enctype="multipart/form-data""#))
    #expect(page.contains(#"name="file.wound" accept="image/*" aria-describedby"#))
    let sent = try await send(
      [("value.pain", "4")], [("file.wound", MediaFiles.jpeg()), ("file.walk", [])], to: site, event
    )
    #expect(sent.status == 303)
    #expect(sent.headers[.location]?.contains("notice=answered") == true)
    #expect(try await values(site, event).map { $0["kind"] as? String } == ["pain", "wound"])
    let answered = try await site.get("/events/\(event)").text
    #expect(answered.contains(#"<img class="thumb" src="/api/v1/attachments/"#))
    #expect(answered.contains(#"alt="The wound" loading="lazy""#))
    // The next form has no file: the picture stays.
    let next = try await send([("value.pain", "5")], [("file.wound", [])], to: site, event)
    #expect(next.headers[.location]?.contains("notice=answered") == true)
    #expect(try await values(site, event).map { $0["kind"] as? String } == ["pain", "wound"])
  }

  @Test(
    arguments: ["fileZip", "fileNoPicture", "fileDamaged", "fileGif", "fileLongPicture"])
  func `a refused file is named at its field`(code: String) async throws {
    // Not an argument: the testing library describes every byte of one.
    let files = [
      "fileZip": Array("PK\u{3}\u{4}abc".utf8), "fileNoPicture": MediaFiles.boxes("isom"),
      "fileDamaged": [0xFF, 0xD8, 0xFF, 0xE0, 0, 0], "fileGif": Array("GIF89a".utf8),
      "fileLongPicture": MediaFiles.png(length: 12_000_001),
    ]
    let bytes = try #require(files[code])
    let (site, event) = try await site()
    let sent = try await send([("value.pain", "4")], [("file.wound", bytes)], to: site, event)
    #expect(sent.status == 303)
    let location = try #require(sent.headers[.location])
    #expect(location.hasPrefix("/events/\(event)?"))
    #expect(location.contains("code=\(code)"))
    #expect(location.contains("field=wound"))
    let page = try await site.get(location).text
    #expect(page.contains(#"id="field-0-error""#))
    #expect(!page.contains("The store refused this"))
    #expect(try await values(site, event).isEmpty)
    #expect(try await !stored(site))
  }

  @Test
  func `a missing picture, and a form that is cut short`() async throws {
    let (site, event) = try await site()
    let sent = try await send([("value.pain", "4")], [("file.wound", [])], to: site, event)
    #expect(sent.headers[.location]?.contains("code=missing") == true)
    let cut = try await site.send(
      .post, "/events/\(event)/answer", [.contentType: "multipart/form-data; boundary=B"],
      bytes: Array(form([], [("file.wound", MediaFiles.jpeg())]).dropLast(20)))
    #expect(cut.status == 400)
    #expect(try await !stored(site))
  }

  // MARK: Videos of tasks

  private static let film = MediaFiles.boxes("isom", length: 600_001)

  private func put(
    _ bytes: [UInt8], _ type: String, to site: TestSite, _ path: String = "wound-anna/video"
  ) async throws -> SiteAnswer {
    try await site.send(.put, "/api/v1/tasks/" + path, [.contentType: type], bytes: bytes)
  }

  private func video(_ site: TestSite) async throws -> Care.Attachment? {
    try await site.store.read { reader in
      try reader.histories(patient: "anna").first?.versions.max { $0.createdDate < $1.createdDate }?
        .planned.ownVideo
    }
  }

  @Test
  func `a task's video goes up, comes down in parts, and is taken away`() async throws {
    let (site, event) = try await site()
    let sent = try await put(Self.film, "video/mp4", to: site)
    #expect(sent.status == 200, "\(sent.text)")
    let document = try OpenAPIDocument(try await site.get("/api/v1/openapi.json").text)
    #expect(document.faults(method: "put", path: "/api/v1/tasks/{task}/video", sent) == [])
    let digest = SHA256.digest(of: Self.film).hexString
    let path = "/api/v1/attachments/\(digest)"
    let whole = try await site.get(path)
    #expect(whole.status == 200)
    #expect(whole.bytes == Self.film)
    #expect(whole.headers[.acceptRanges] == "bytes")
    #expect(whole.headers[.contentType] == "video/mp4")
    let count = Self.film.count
    let ranges: [(String, Range<Int>?)] = [
      ("bytes=0-1", 0..<2), ("bytes=0-", 0..<count), ("bytes=262143-262144", 262_143..<262_145),
      ("bytes=262144-524287", 262_144..<524_288), ("bytes=600000-600000", 600_000..<count),
      ("bytes=599999-999999999", 599_999..<count), ("bytes=-3", count - 3..<count),
      ("bytes=-700000", 0..<count), ("bytes=600001-", nil), ("bytes=999999999999999-", nil),
      ("bytes=-0", nil),
    ]
    for (text, range) in ranges {
      let part = try await site.get(path, [.range: text])
      #expect(document.faults(method: "get", path: "/api/v1/attachments/{sha256}", part) == [])
      guard let range else {
        #expect(part.status == 416, "\(text)")
        #expect(part.headers[.contentRange] == "bytes */\(count)")
        continue
      }
      #expect(part.status == 206, "\(text)")
      #expect(part.bytes == Array(Self.film[range]), "\(text)")
      #expect(
        part.headers[.contentRange] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)")
      #expect(part.headers[.contentLength] == String(range.count))
    }
    // Anything but a single range counts as not said, and so does one of other bytes.
    for text in [
      "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,4-5", "items=0-1", "bytes=a-b", "bytes=+1-2",
      "bytes=1-99999999999999999999",
    ] {
      #expect(try await site.get(path, [.range: text]).status == 200, "\(text)")
    }
    #expect(try await site.get(path, [.range: "bytes=0-1", .ifRange: "\"x\""]).status == 200)
    #expect(
      try await site.get(path, [.range: "bytes=0-1", .ifRange: "\"\(digest)\""]).status == 206)
    let page = try await site.get("/events/\(event)")
    #expect(page.text.contains(#"<source src="\#(path)" type="video/mp4">"#))
    #expect(page.headers[.contentSecurityPolicy]?.contains("media-src 'self'") == true)
    let gone = try await site.send(.delete, "/api/v1/tasks/wound-anna/video?patient=anna")
    #expect(gone.status == 200, "\(gone.text)")
    #expect(document.faults(method: "delete", path: "/api/v1/tasks/{task}/video", gone) == [])
    #expect(try await video(site) == nil)
    #expect(try await !site.get("/events/\(event)").text.contains("<video"))
  }

  @Test
  func `what is no video that every browser plays is refused as what it is`() async throws {
    let (site, _) = try await site()
    for (bytes, type, status) in [
      (MediaFiles.boxes("qt  "), "video/quicktime", 415), (MediaFiles.png(), "video/mp4", 415),
      (Array("<html>".utf8), "video/mp4", 415), (MediaFiles.boxes("isom"), "video/webm", 415),
      ([], "video/mp4", 400), (MediaFiles.boxes("isom", length: 50_000_001), "video/mp4", 413),
    ] {
      let answer = try await put(bytes, type, to: site)
      #expect(answer.status == status, "\(type): \(answer.text)")
    }
    for path in ["wound-nobody/video", "wound-anna/video?patient=kim"] {
      #expect(try await put(Self.film, "video/mp4", to: site, path).status == 404)
    }
    #expect(
      try await put(Self.film, "video/mp4", to: site, "wound-anna/video?people=anna").status == 400)
    #expect(try await !stored(site))
  }

  @Test
  func `a video is given to a task on the page, and taken away there`() async throws {
    let (site, _) = try await site()
    let address = "/setup/task?patient=anna&task=wound-anna"
    let page = try await site.get(address).text
    #expect(page.contains(#"action="/setup/video" enctype="multipart/form-data""#))
    func send(
      _ fields: [(String, String)], _ files: [(name: String, bytes: [UInt8])]
    ) async throws -> String {
      let answer = try await site.send(
        .post, "/setup/video", [.contentType: "multipart/form-data; boundary=B"],
        bytes: form([("patient", "anna"), ("task", "wound-anna")] + fields, files))
      #expect(answer.status == 303)
      return answer.headers[.location] ?? ""
    }
    #expect(try await send([], [("file.video", [])]).contains("code=fileEmpty"))
    #expect(
      try await send([], [("file.video", MediaFiles.boxes("qt  "))])
        .contains("code=fileNotPlayed"))
    #expect(try await send([], [("file.video", Self.film)]).contains("notice=planEdited"))
    #expect(try await video(site)?.byteCount == Self.film.count)
    #expect(try await site.get(address).text.contains("<video class=\"film\""))
    #expect(try await send([("remove", "1")], []).contains("notice=planEdited"))
    #expect(try await video(site) == nil)
  }

  @Test(arguments: TestAccess.accounts)
  func `a task's video is given by who plans for its person, and seen by who reads of them`(
    id: String, role: Role, patients: PatientScope
  ) async throws {
    let access = try await TestAccess()
    try await importWounds(access.localSite.store)
    let credentials = try await access.signIn(id)
    let mayPlan = Grant(role.permissions, patients).permits(.plan, on: .patient("kim"))
    let headers = try headers(
      credentials.fields.merging([
        "Content-Type": "video/mp4", "X-Form-Token": credentials.token ?? "",
      ]) { $1 })
    let answer = try await access.site.send(
      .put, "/api/v1/tasks/wound-kim/video", headers, bytes: Self.film)
    #expect(mayPlan ? answer.status == 200 : [403, 404].contains(answer.status), "\(answer.text)")
    _ = try await put(Self.film, "video/mp4", to: access.localSite, "wound-kim/video")
    let path = "/api/v1/attachments/" + SHA256.digest(of: Self.film).hexString
    #expect(
      try await access.get(path, as: credentials).status == (patients == .all ? 200 : 404))
    #expect(try await access.get(path, as: .none).status == 401)
  }

  // MARK: Rights

  @Test(arguments: TestAccess.accounts)
  func `a picture is read by those who may read of its person`(
    id: String, role: Role, patients: PatientScope
  ) async throws {
    let access = try await TestAccess()
    try await importWounds(access.localSite.store)
    let event = try await event("kim", access.localSite)
    let picture = MediaFiles.png(length: 999)
    let posted = try await access.localSite.send(
      .post, "/api/v1/events/\(event)/attachments?kind=wound", [.contentType: "image/png"],
      bytes: picture)
    #expect(posted.status == 200, "\(posted.text)")
    let path = "/api/v1/attachments/" + SHA256.digest(of: picture).hexString
    let credentials = try await access.signIn(id)
    let isPermitted = patients == .all
    let answer = try await access.get(path, as: credentials)
    #expect(answer.status == (isPermitted ? 200 : 404))
    #expect((answer.bytes == picture) == isPermitted)
    #expect(try await access.get(path, as: .none).status == 401)
    let none = try await access.token([.answer], .all)
    #expect(try await access.get(path, as: none).status == 403)
    // Anna's own picture of the same bytes is hers.
    let own = try await self.event("anna", access.localSite)
    _ = try await access.localSite.send(
      .post, "/api/v1/events/\(own)/attachments?kind=wound", [.contentType: "image/png"],
      bytes: picture)
    #expect(try await access.get(path, as: credentials).status == 200)
  }

  @Test(arguments: [0, 1, 2, 3])
  func `a form of another session is refused before its file is read`(number: Int) async throws {
    let access = try await TestAccess()
    try await importWounds(access.localSite.store)
    let event = try await event("anna", access.localSite)
    let credentials = try await access.signIn("anna")
    let token = try #require(credentials.token)
    let fields: [(String, String)] = [
      [("token", token)], [], [("token", "wrong")], [("token", token), ("token", "wrong")],
    ][number]
    let headers = try headers(
      credentials.fields.merging(["Content-Type": "multipart/form-data; boundary=B"]) { $1 })
    let answer = try await access.site.send(
      .post, "/events/\(event)/answer", headers,
      bytes: form(fields, [("file.wound", MediaFiles.jpeg())]))
    #expect(answer.status == (number == 0 ? 303 : 403), "\(answer.text)")
    #expect(try await stored(access.localSite) == (number == 0))
    // The token behind the file comes too late.
    let late = try await access.site.send(
      .post, "/events/\(event)/answer", headers,
      bytes: form([], [("file.wound", MediaFiles.png()), ("token", Array(token.utf8))]))
    #expect(late.status == 403)
  }
}

extension SQLStore {
  /// The lines of the export.
  fileprivate func exportedLines() async throws -> [String] {
    let path = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await export(to: path)
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }
}
