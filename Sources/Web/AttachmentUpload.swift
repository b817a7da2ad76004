import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// How many pictures and videos may arrive, or copies of the store leave, at a time.
///
/// Each has a file of its own beside the store, of at most 50 MB or as long as the store, and some
/// hundred kilobytes of memory.
final class UploadPlaces: Sendable {
  private let taken = Mutex<[MemoryBudget.Sender: Int]>([:])
  /// The most at a time.
  let most: Int
  /// The most of one sender, so that none takes them all.
  let ofOne: Int

  init(most: Int, ofOne: Int) {
    self.most = most
    self.ofOne = ofOne
  }

  /// How many places are taken.
  var count: Int { taken.withLock { $0.values.reduce(0, +) } }

  /// Runs `body` in a free place.
  ///
  /// - Throws: ``UploadsBusy`` if there is none; what `body` throws.
  func using<Result>(
    for sender: MemoryBudget.Sender, _ body: () async throws -> Result
  ) async throws -> Result {
    let place = try take(for: sender)
    defer { withExtendedLifetime(place) {} }
    return try await body()
  }

  /// Takes a free place until the last reference to it ends.
  func take(for sender: MemoryBudget.Sender) throws(UploadsBusy) -> Place {
    let isFree = taken.withLock { taken in
      guard taken.values.reduce(0, +) < most, taken[sender] ?? 0 < ofOne else { return false }
      taken[sender, default: 0] += 1
      return true
    }
    guard isFree else { throw UploadsBusy() }
    return Place(of: self, sender)
  }

  /// A place that is taken.
  final class Place: Sendable {
    private let places: UploadPlaces
    private let sender: MemoryBudget.Sender

    fileprivate init(of places: UploadPlaces, _ sender: MemoryBudget.Sender) {
      self.places = places
      self.sender = sender
    }

    deinit {
      places.taken.withLock { $0[sender] = $0[sender].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }
  }
}

/// There are as many uploads already as there may be at a time.
struct UploadsBusy: Error, Hashable {
  /// After how many seconds to try again.
  static let patience = 10
}

/// Receives pictures and videos.
struct AttachmentUpload {
  let environment: WebEnvironment
  let context: WebContext

  /// The memory of an upload at a time, in bytes: pieces of its body, and parts of a file.
  private static let memory = 1 << 20

  /// How long an upload may take: 50 MB at 85 kB/s.
  static let patience = Duration.seconds(600)

  /// A form that a person sent with its files.
  struct SentForm {
    var fields: FormBody
    /// The files by the kinds of the questions that they answer.
    var files: [String: AttachmentFile]
  }

  /// Receives a form whose fields `file.KIND` are files.
  ///
  /// - Parameters:
  ///   - request: The request, of `multipart/form-data`.
  ///   - task: The task that the form answers.
  ///   - checksToken: Whether the session's token is a field, before any file.
  /// - Returns: The fields and the files.
  /// - Throws: ``AccessDenied`` for a form of another session; ``RefusedFile`` for a file that is
  ///   not what its question asks for; ``Fault`` for a malformed form.
  func form(
    _ request: Request, for task: PlannedTask, checksToken: Bool
  ) async throws -> SentForm {
    try await form(request, checksToken: checksToken) { kind in
      try draft(for: try task.mediaQuestion(kind))
    }
  }

  /// Receives a form whose fields `file.KIND` are files, each of which `draft` takes.
  func form(
    _ request: Request, checksToken: Bool, draft: (String) throws -> AttachmentDraft
  ) async throws -> SentForm {
    var isTrusted = try !checksToken || AccessGate.acceptsHead(of: request, context.identity)
    guard isTrusted || request.mediaType == "multipart/form-data" else { throw AccessDenied() }
    var parser = try MultipartParser(type: request.headers[.contentType] ?? "")
    var form = SentForm(fields: FormBody(), files: [:])
    var part: Part?
    // After a refused file the rest is only read, so that the browser shows the answer.
    var refusal: RefusedFile?
    var (length, textLength) = (0, 0)
    try await read(request) { bytes in
      length += bytes.count
      guard length <= Self.longestForm else {
        throw NIOTooManyBytesError(maxBytes: Self.longestForm)
      }
      try parser.parse(bytes) { element in
        switch element {
        case .head(let head):
          guard head.file != nil else {
            part = .field(head.name, [])
            return
          }
          guard isTrusted else { throw AccessDenied() }
          part = try file(head, draft)
        case .content(let bytes):
          switch part {
          case .field(let name, let text):
            textLength += bytes.count
            guard textLength <= WebContext.longestForm else {
              throw NIOTooManyBytesError(maxBytes: WebContext.longestForm)
            }
            part = .field(name, text + bytes)
          case .file(let kind, let draft, _):
            part = .file(kind, draft, isEmpty: false)
            guard refusal == nil else { return }
            do {
              try draft.append(bytes)
            } catch let error as AttachmentError {
              refusal = RefusedFile(error, kind: kind)
            }
          case .ignored, nil: break
          }
        case .end:
          switch part {
          case .field(let name, let bytes):
            guard let text = String(validating: bytes, as: UTF8.self), !text.contains("\0") else {
              throw Fault(.malformed, "A field of the form is no text.")
            }
            try form.fields.add(name, text)
            if name == AccessGate.field, let identity = context.identity {
              guard identity.acceptsForm(text) else { throw AccessDenied() }
              isTrusted = true
            }
          case .file(let kind, let draft, let isEmpty):
            // Without a chosen file a browser sends an empty one.
            guard !isEmpty, refusal == nil else { return }
            do {
              form.files[kind] = try draft.finish()
            } catch let error as AttachmentError {
              refusal = RefusedFile(error, kind: kind)
            }
          case .ignored, nil: break
          }
          part = nil
        }
      }
    }
    try parser.finish()
    guard isTrusted else { throw AccessDenied() }
    if var refusal {
      refusal.back = form.fields.back
      throw refusal
    }
    return form
  }

  /// Receives a picture or video that is the whole body.
  ///
  /// - Parameters:
  ///   - request: The request. Its media type is that of the bytes, or `application/octet-stream`.
  ///   - question: The question that it answers.
  /// - Returns: The picture or video.
  /// - Throws: ``AttachmentError``.
  func body(_ request: Request, for question: SurveyQuestion) async throws -> AttachmentFile {
    try await body(request, try draft(for: question))
  }

  /// Receives a picture or video that is the whole body, as `draft` takes it.
  func body(_ request: Request, _ draft: AttachmentDraft) async throws -> AttachmentFile {
    try await read(request) { try draft.append($0) }
    let file = try draft.finish()
    let type = request.mediaType
    guard [file.attachment.type.rawValue, "application/octet-stream"].contains(type) else {
      throw AttachmentError.wronglyLabelled(file.attachment.type, as: type)
    }
    return file
  }

  // MARK: Working

  /// The largest form: a video, a picture, and its fields.
  private static let longestForm =
    MediaType.Kind.video.longest + MediaType.Kind.picture.longest + 2 * WebContext.longestForm

  /// A part of a form that is being read.
  private enum Part {
    case field(String, [UInt8])
    case file(String, AttachmentDraft, isEmpty: Bool)
    case ignored
  }

  private func file(
    _ head: MultipartParser.Head, _ draft: (String) throws -> AttachmentDraft
  ) throws -> Part {
    guard head.name.hasPrefix("file.") else { return .ignored }
    let kind = String(head.name.dropFirst("file.".count))
    return .file(kind, try draft(kind), isEmpty: true)
  }

  /// A draft of a video that a task shows.
  func videoDraft() throws -> AttachmentDraft {
    try AttachmentDraft(.video, isForPlan: true, for: environment.store, id: .random())
  }

  private func draft(for question: SurveyQuestion) throws -> AttachmentDraft {
    try AttachmentDraft(question.type.mediaKind, for: environment.store, id: .random())
  }

  /// Reads the body piece by piece.
  private func read(_ request: Request, _ take: ([UInt8]) throws -> Void) async throws {
    let clock = ContinuousClock()
    let end = clock.now + Self.patience
    let part = try environment.memory.take(Self.memory, for: context.sender)
    defer { withExtendedLifetime(part) {} }
    try await BodyReading.forEachPiece(of: request.body) { buffer in
      guard clock.now < end else { throw BodyReading.timeout }
      try take(Array(buffer.readableBytesView))
    }
  }
}

/// A file of a form that is not what its question asks for.
struct RefusedFile: Error, Hashable {
  var error: AttachmentError
  /// The question's kind.
  var kind: String
  /// The page of the form.
  var back = "/today"

  init(_ error: AttachmentError, kind: String) {
    self.error = error
    self.kind = kind
  }
}

extension PlannedTask {
  /// The question of a kind that a picture or video answers.
  ///
  /// - Throws: `StoreError.refused(_:)` if there is none.
  func mediaQuestion(_ kind: String) throws(StoreError) -> SurveyQuestion {
    let questions = survey.filter { $0.type.mediaKind != nil }
    guard let question = questions.first(where: { $0.kind == kind }) else {
      throw .refused(.unknownQuestion(kind, known: questions.map(\.kind), task: id))
    }
    return question
  }
}
