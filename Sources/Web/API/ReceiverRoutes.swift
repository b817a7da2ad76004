import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import Logging
import NIOCore
import Synchronization

/// Receives what phones send by themselves: pushes of NOOP's protocol, openScale-sync's webhook, Health
/// Auto Export.
///
/// A token for one person gives everything to this person; one for all leaves it to the evidence. What is
/// acknowledged is on the disk. No value and no token stands in the log.
struct ReceiverRoutes {
  let environment: WebEnvironment
  let logger: Logger

  /// The most bytes of Health Auto Export, which may send years at once.
  static let largestExport = 64 << 20

  func add(to group: RouterGroup<WebContext>) {
    group.get("phones/noop", use: capabilities)
    group.post("phones/noop", use: push)
    group.post("phones/openscale", use: scale)
    group.post("phones/health-auto-export", use: export)
  }

  /// Whose the values of a request are; `nil` to leave it to the evidence.
  ///
  /// - Throws: ``Fault`` for a token of several people, which would leave it open whose they are.
  private func patient(_ context: WebContext) throws(Fault) -> String? {
    guard case .only(let patients) = context.grant.patients else { return nil }
    guard let patient = patients.first, patients.count == 1 else {
      throw Fault(.refused, "The token is for several people. Make one for each phone’s person.")
    }
    return patient
  }

  private func note(_ result: ImportHistory.Result, of program: String) {
    guard result.new > 0 || !result.skips.isEmpty else { return }
    let skipped = result.skips.reduce(0) { $0 + $1.count }
    logger.info("\(program): \(result.new) new values, \(skipped) left out.")
  }

  // MARK: NOOP

  @Sendable private func capabilities(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let offered = HTTPField.Name("NOOP-Push-Accept-Version").flatMap { request.headers[$0] }
    // The name that a copy of a store takes is part of it.
    let state = try await environment.store.write { try $0.receiverState() }
    do throws(PushRefusal) {
      return JSONBody.response(
        text: try PushBatch.capabilities(offered: offered ?? "", state: state))
    } catch {
      return Self.answer(error)
    }
  }

  @Sendable private func push(_ request: Request, _ context: WebContext) async throws -> Response {
    let patient = try patient(context)
    var request = request
    let part = try await BodyReading.collect(
      &request, upTo: PushBatch.largestEncoded, in: environment.memory, for: context.sender)
    defer { withExtendedLifetime(part) {} }
    do {
      let bytes = try await Self.decoded(request)
      guard bytes.count <= PushBatch.largest else { throw PushRefusal(.tooLarge) }
      // The bytes, and the rows that are read of them.
      try part.resize(to: 3 * bytes.count)
      let receive = try ReceivePush(bytes, patient: patient)
      let result = try await environment.perform(receive, context)
      note(result.imported, of: HistoryKind.noop.title)
      return JSONBody.response(text: receive.batch.acknowledgement)
    } catch let refusal as PushRefusal {
      context.note.fail()
      return Self.answer(refusal)
    }
  }

  /// The body as it was before it was packed.
  private static func decoded(_ request: Request) async throws -> [UInt8] {
    let buffer = try await request.body.collect(upTo: PushBatch.largestEncoded)
    let bytes = Array(buffer.readableBytesView)
    guard request.mediaType == "application/x-ndjson" else {
      throw HTTPError(.unsupportedMediaType, message: "Send application/x-ndjson.")
    }
    switch request.headers[.contentEncoding]?.lowercased() {
    case nil, "identity": return bytes
    case "gzip":
      do throws(GzipText.Fault) {
        return try GzipText.bytes(of: bytes, most: PushBatch.largest)
      } catch {
        throw PushRefusal(error == .damaged ? .malformed : .tooLarge)
      }
    default:
      throw HTTPError(.unsupportedMediaType, message: "Send it as it is, or as gzip.")
    }
  }

  private static func answer(_ refusal: PushRefusal) -> Response {
    let status: HTTPResponse.Status =
      switch refusal.problem {
      case .malformed: .badRequest
      case .tooLarge: .contentTooLarge
      case .noCommonVersion: .notAcceptable
      case .unsupportedVersion, .unknownStream, .wrongDelivery, .invalidRecord, .duplicateKey,
        .outsideWindow:
        .unprocessableContent
      case .batchConflict, .windowConflict, .superseded: .conflict
      }
    return JSONBody.response(text: refusal.answer, status: status)
  }

  // MARK: openScale

  @Sendable private func scale(_ request: Request, _ context: WebContext) async throws -> Response {
    let patient = try patient(context)
    guard request.mediaType == "application/json" else {
      throw HTTPError(.unsupportedMediaType, message: "Send application/json.")
    }
    let buffer = try await request.body.collect(upTo: ScaleMessage.largest)
    let receive: ReceiveScale
    do throws(ScaleRefusal) {
      receive = try ReceiveScale(Array(buffer.readableBytesView), patient: patient)
    } catch {
      throw HTTPError(.unprocessableContent, message: error.reason)
    }
    let result = try await environment.perform(receive, context)
    note(result.imported, of: HistoryKind.openScale.title)
    return try JSONBody.response(
      Received(result.imported, read: result.read, removed: result.removed))
  }

  // MARK: Health Auto Export

  @Sendable private func export(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let patient = try patient(context)
    guard request.mediaType == "application/json" else {
      throw HTTPError(.unsupportedMediaType, message: "Send application/json.")
    }
    let aggregation = HTTPField.Name("automation-aggregation").flatMap { request.headers[$0] }
    if let aggregation, Self.isMean(aggregation) {
      // A mean of an hour is no measurement, and the hour comes again with another one.
      throw HTTPError(
        .unprocessableContent,
        message: "Means of \(aggregation.prefix(20)) are no measurements:"
          + " switch Aggregate Data off in the app.")
    }
    let file = try await environment.uploads.using(for: context.sender) {
      try await UploadedHistory(
        request, name: "Health Auto Export", most: Self.largestExport, environment, context)
    }
    let history: HistoryFile
    do throws(HistoryError) {
      history = try HistoryFile(file, copy: nil)
    } catch {
      throw HTTPError(.unprocessableContent, message: "The body is not Health Auto Export’s JSON.")
    }
    guard history.kinds == [.healthAutoExport] else {
      throw HTTPError(.unprocessableContent, message: "The body is not Health Auto Export’s JSON.")
    }
    let report: HistoryTransfer.Report?
    do {
      report = try await HistoryTransfer(patient: patient).run(
        history, in: environment.store, by: context.performer, now: environment.now)
    } catch HistoryTransfer.Refusal.needsZone {
      throw Fault(.refused, "The times have no zone, and there is no plan that has one.")
    }
    guard let report else { return try JSONBody.response(Received(ImportHistory.Result())) }
    note(report.result, of: HistoryKind.healthAutoExport.title)
    guard report.failure == nil else {
      // The rows before the damaged place are stored; the whole comes again.
      throw HTTPError(.badRequest, message: "The body is cut off or damaged.")
    }
    return try JSONBody.response(Received(report.result, read: report.read))
  }

  /// Whether the app says that it sends means of hours or more.
  private static func isMean(_ aggregation: String) -> Bool {
    ["hour", "day", "week", "month", "year"].contains { aggregation.lowercased().hasPrefix($0) }
  }
}

/// The outcome of values that a phone sent, for programs.
private struct Received: Encodable {
  var read: Int
  var new: Int
  var known: Int
  var unassigned: Int
  var skipped: Int
  var removed: Int

  init(_ result: ImportHistory.Result, read: Int = 0, removed: Int = 0) {
    (self.read, self.removed) = (read, removed)
    (new, known, unassigned) = (result.new, result.known, result.unassigned)
    skipped = result.skips.reduce(0) { $0 + $1.count }
  }
}

extension ScaleRefusal {
  /// Why, for the person who set the app up.
  fileprivate var reason: String {
    switch self {
    case .notJSON: "The body is no JSON object."
    case .member(let name): "‘\(name)’ is missing, or is of another type."
    case .event(let name): "There is no event ‘\(name)’."
    case .tooMany(let limit): "It has more than \(limit) values. Send it in parts."
    }
  }
}

/// A file that arrives, in a file without a name beside the store.
final class UploadedHistory: HistoryBytes, Sendable {
  let name: String
  private let file: UnnamedFile
  private let length = Mutex(0)

  var size: Int { length.withLock { $0 } }

  /// Begins a file.
  init(name: String, for store: SQLStore) throws(StoreError) {
    self.name = name
    file = try store.makeUnnamedFile()
  }

  /// Receives the body of a request.
  ///
  /// - Throws: `NIOTooManyBytesError`; `HTTPError` for a body that comes too slowly.
  convenience init(
    _ request: Request, name: String, most: Int, _ environment: WebEnvironment,
    _ context: WebContext
  ) async throws {
    try self.init(name: name, for: environment.store)
    let part = try environment.memory.take(1 << 20, for: context.sender)
    defer { withExtendedLifetime(part) {} }
    let clock = ContinuousClock()
    let end = clock.now + AttachmentUpload.patience
    try await BodyReading.forEachPiece(of: request.body) { piece in
      guard clock.now < end else { throw BodyReading.timeout }
      guard size + piece.readableBytes <= most else { throw NIOTooManyBytesError(maxBytes: most) }
      try append(Array(piece.readableBytesView))
    }
  }

  /// Adds the next bytes.
  func append(_ bytes: [UInt8]) throws(StoreError) {
    try file.append(bytes)
    length.withLock { $0 += bytes.count }
  }

  func read(at offset: Int, upTo count: Int) throws(HistoryError) -> [UInt8] {
    let size = size
    guard offset >= 0, count > 0, offset < size else { return [] }
    do {
      return try file.read(at: offset, count: min(count, size - offset))
    } catch {
      throw HistoryError(file: name, .readFailure(reason: "\(error)"))
    }
  }
}
