import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import NIOCore

/// Pictures and videos that answer questions, up and down.
struct AttachmentRoutes {
  let environment: WebEnvironment

  func add(to group: RouterGroup<WebContext>) {
    group.post("events/:event/attachments", use: post)
    group.get("attachments/:sha256", use: get)
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
    headers[.contentLength] = String(attachment.byteCount)
    // A part, and what waits in the channel of a slow reader.
    let taken = try environment.memory.take(512 << 10, for: context.sender)
    let body = ResponseBody(contentLength: attachment.byteCount) { writer in
      defer { withExtendedLifetime(taken) {} }
      for number in 0..<attachment.partCount {
        // A transaction for each part: a slow client keeps no state of the store alive.
        let bytes = try await store.read { try scope.reader($0).part(number, of: attachment) }
        try await writer.write(ByteBuffer(bytes: bytes))
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
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
