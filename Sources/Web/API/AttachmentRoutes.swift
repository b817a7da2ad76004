import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore

/// Pictures and videos that answer questions, and the own videos of tasks, up and down.
struct AttachmentRoutes {
  let environment: WebEnvironment

  func add(to group: RouterGroup<WebContext>) {
    group.post("events/:event/attachments", use: post)
    group.get("attachments/:sha256", use: get)
    group.put("tasks/:task/video", use: putVideo)
    group.delete("tasks/:task/video", use: deleteVideo)
  }

  // MARK: Up

  /// Makes a picture or video the answer to a question; other answers may come with it.
  @Sendable private func post(_ request: Request, _ context: WebContext) async throws -> Response {
    let id = try context.parameters.require("event")
    let items = try QueryItems(request, known: ["kind"])
    let task = try await EventChanges(environment, context).task(ofEvent: id)
    let upload = AttachmentUpload(environment: environment, context: context)
    let (files, answers) = try await environment.uploads.using(for: context.sender) {
      () -> ([String: AttachmentFile], [EnteredValue]) in
      guard request.mediaType != "multipart/form-data" else {
        let form = try await upload.form(request, for: task, checksToken: false)
        return (form.files, try form.fields.answers(to: task))
      }
      guard let kind = items["kind"] else {
        throw Fault(.malformed, "Give the question’s ‘kind’.")
      }
      let file = try await upload.body(request, for: try task.mediaQuestion(kind))
      return ([kind: file], [])
    }
    guard !files.isEmpty else { throw Fault(.malformed, "There is no file.") }
    return try await EventChanges(environment, context).answer(id, { EventOutput($0.event) }) {
      AnswerEvent(
        $1, answers, files: files,
        answer: Answer(state: .done, reason: nil, at: $1.outcome?.answer.at))
    }
  }

  // MARK: Videos of tasks

  /// Shows a video with a task in place of the one that it has.
  @Sendable private func putVideo(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let task = try await task(request, context)
    let upload = AttachmentUpload(environment: environment, context: context)
    let file = try await environment.uploads.using(for: context.sender) {
      try await upload.body(request, try upload.videoDraft())
    }
    return try await change(task, file, context)
  }

  @Sendable private func deleteVideo(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    try await change(try await task(request, context), nil, context)
  }

  /// The task that a request names, of somebody whose plan the sender may change.
  private func task(_ request: Request, _ context: WebContext) async throws -> TaskReference {
    let id = try context.parameters.require("task")
    let patient = try QueryItems(request, known: ["patient"])["patient"]
    let scope = context.scope(.plan)
    let found = try await environment.store.read { reader in
      try scope.reader(reader).histories(patient: patient).compactMap(\.versions.first)
        .filter { $0.id == id }.map { TaskReference(patient: $0.patient, task: $0.id) }
    }
    guard let task = found.first else { throw Fault(.unknown, "There is no task ‘\(id)’.") }
    guard found.count == 1 else {
      throw Fault(.malformed, "Several people have a task ‘\(id)’. Give the ‘patient’.")
    }
    return task
  }

  private func change(
    _ task: TaskReference, _ file: AttachmentFile?, _ context: WebContext
  ) async throws -> Response {
    _ = try await environment.perform(ChangeTaskVideo(task, file), context)
    return try JSONBody.response(
      TaskVideo(patient: task.patient, task: task.task, video: file?.attachment))
  }

  /// A task and its own video.
  private struct TaskVideo: Encodable {
    var patient: String
    var task: String
    var video: Attachment?
  }

  // MARK: Down

  @Sendable private func get(_ request: Request, _ context: WebContext) async throws -> Response {
    let sha256 = try context.parameters.require("sha256")
    _ = try QueryItems(request, known: [])
    let (store, scope) = (environment.store, context.scope(.read))
    let stored = try await store.read { try scope.reader($0).attachment(sha256: sha256) }
    guard let stored, let patient = stored.patients.min() else {
      throw Fault(.unknown, "There is no picture or video ‘\(sha256)’.")
    }
    context.note.name(patient)
    let attachment = stored.attachment
    let tag = "\"\(attachment.sha256)\""
    var headers: HTTPFields = [
      .contentType: attachment.type.rawValue, .eTag: tag, .cacheControl: "no-store",
      .contentDisposition: "inline",
      // Were it shown as a page, nothing in it could run.
      .contentSecurityPolicy: "default-src 'none'; sandbox",
    ]
    guard request.headers[.ifNoneMatch] != tag else {
      return Response(status: .notModified, headers: headers)
    }
    // A browser looks for a moment of a video by its bytes, and plays none without.
    headers[.acceptRanges] = "bytes"
    var span = 0..<attachment.byteCount
    var status = HTTPResponse.Status.ok
    if let range = request.headers[.range].flatMap(ByteRange.init),
      request.headers[.ifRange].map({ $0 == tag }) ?? true
    {
      guard let asked = range.within(attachment.byteCount) else {
        headers[.contentRange] = "bytes */\(attachment.byteCount)"
        headers[.contentType] = nil
        return Response(status: .rangeNotSatisfiable, headers: headers)
      }
      (span, status) = (asked, .partialContent)
      headers[.contentRange] =
        "bytes \(span.lowerBound)-\(span.upperBound - 1)/\(attachment.byteCount)"
    }
    headers[.contentLength] = String(span.count)
    // A part, and what waits in the channel of a slow reader.
    let taken = try environment.memory.take(512 << 10, for: context.sender)
    let body = ResponseBody(contentLength: span.count) { [span] writer in
      defer { withExtendedLifetime(taken) {} }
      let length = Attachment.partLength
      for number in span.lowerBound / length...(span.upperBound - 1) / length {
        // A transaction for each part: a slow client keeps no state of the store alive.
        let bytes = try await store.read { try scope.reader($0).part(number, of: attachment) }
        let wanted = span.clamped(to: number * length..<number * length + bytes.count)
        try await writer.write(ByteBuffer(bytes: bytes[wanted.shifted(by: -number * length)]))
      }
      try await writer.finish(nil)
    }
    return Response(status: status, headers: headers, body: body)
  }
}

extension Range<Int> {
  fileprivate func shifted(by distance: Int) -> Range<Int> {
    lowerBound + distance..<upperBound + distance
  }
}

/// The bytes that a request asks for, of one range (RFC 9110, 14.1.2).
struct ByteRange: Hashable {
  /// The first byte; `nil` for the last ones.
  private let first: Int?
  /// The last byte, or how many of the last ones; `nil` for all that follow.
  private let last: Int?

  /// Reads the value of `Range`; `nil` for several ranges and for what is none, which count as not
  /// said.
  init?(_ text: String) {
    guard text.hasPrefix("bytes=") else { return nil }
    let parts = text.dropFirst("bytes=".count).split(
      separator: "-", omittingEmptySubsequences: false)
    func number(_ text: Substring) -> Int?? {
      guard !text.isEmpty else { return .some(nil) }
      guard text.utf8.count <= 15, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      return Int(text)
    }
    guard parts.count == 2, let first = number(parts[0]), let last = number(parts[1]),
      first != nil || last != nil
    else { return nil }
    if let first, let last, last < first { return nil }
    (self.first, self.last) = (first, last)
  }

  /// The range within so many bytes; `nil` if none of them is in it.
  func within(_ count: Int) -> Range<Int>? {
    guard let first else {
      let length = min(last ?? 0, count)
      return length > 0 ? count - length..<count : nil
    }
    guard first < count else { return nil }
    return first..<min(last.map { $0 + 1 } ?? count, count)
  }
}

extension EventChanges {
  /// The task of an event that the sender may answer.
  ///
  /// - Throws: ``Fault`` if there is no such event for this client.
  func task(ofEvent id: String) async throws -> PlannedTask {
    let now = environment.now()
    return try await environment.store.read { reader in
      try context.event(id, in: reader, now: now).task.planned
    }
  }
}
