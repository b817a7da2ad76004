import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import Localization
import NIOCore
import Pages
import Synchronization

/// The import of other programs' files on the page: a dry run first, then the import.
struct HistoryRoutes {
  let environment: WebEnvironment
  let site: Site

  private static let largest = HistoryPage.mostMebibytes << 20
  private static let mostFiles = 20

  func add(to router: Router<WebContext>) {
    router.get("setup/history", use: show)
    router.post("setup/history", use: preview)
    router.post("setup/history/take", use: take)
  }

  @Sendable private func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let query = try QueryItems(request, known: ["lang"], allowsEmpty: true)
    return try await page(.choice(problem: nil), request, context, query)
  }

  /// Receives files and says what would come of them.
  @Sendable private func preview(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let upload = try await environment.uploads.using(for: context.sender) {
      try await receive(request, context)
    }
    // Nothing is changed yet.
    context.note.skip()
    guard !upload.files.isEmpty else {
      return try await page(.choice(problem: "history.pageNoFile"), request, context)
    }
    guard upload.zoneName.isEmpty || upload.transfer.zone != nil else {
      return try await page(.choice(problem: "history.pageNoZone"), request, context)
    }
    var transfer = upload.transfer
    transfer.isDryRun = true
    let files = try await run(transfer, upload.files, context)
    let kept = environment.histories.keep(upload, of: context.sender, now: environment.now())
    return try await page(.preview(files, kept: kept), request, context)
  }

  /// Imports the files that a person has seen the effect of.
  @Sendable private func take(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    let upload = environment.histories.take(
      form["kept"] ?? "", of: context.sender, now: environment.now())
    guard let upload else {
      context.note.fail()
      return try await page(.choice(problem: "history.pageExpired"), request, context)
    }
    let files = try await run(upload.transfer, upload.files, context)
    return try await page(.done(files), request, context)
  }

  private func page(
    _ stage: HistoryPage.Stage, _ request: Request, _ context: WebContext,
    _ query: QueryItems? = nil
  ) async throws -> Response {
    let now = environment.now()
    return try await environment.store.read { reader in
      let viewer = Viewer(
        of: request, context, query, site: site, now: now, timeZone: try reader.zone())
      let page = try HistoryPage(reader, stage: stage, viewer: viewer)
      return .page(page.html(site), status: .ok)
    }
  }

  // MARK: Running

  private func run(
    _ transfer: HistoryTransfer, _ files: [UploadedHistory], _ context: WebContext
  ) async throws -> [HistoryPage.File] {
    var all: [HistoryPage.File] = []
    for upload in files {
      var file = HistoryPage.File(name: upload.name)
      do {
        let report = try await transfer.run(
          try HistoryFile(upload, copy: environment.store.makeDraftPath()), in: environment.store,
          by: context.performer, now: environment.now)
        if let report { file.take(report, isZoneGiven: transfer.zone != nil) }
      } catch let error as HistoryError {
        file.problem = error.problem.localized
      } catch HistoryTransfer.Refusal.needsZone {
        file.problem = "history.pageNeedsZone"
      }
      all.append(file)
    }
    return all
  }

  // MARK: Receiving

  /// Receives the form: the session's token first, then whose, the zone, and the files.
  private func receive(_ request: Request, _ context: WebContext) async throws -> HistoryUpload {
    var isTrusted = try AccessGate.acceptsHead(of: request, context.identity)
    guard isTrusted || request.mediaType == "multipart/form-data" else { throw AccessDenied() }
    var parser = try MultipartParser(type: request.headers[.contentType] ?? "")
    let memory = try environment.memory.take(1 << 20, for: context.sender)
    defer { withExtendedLifetime(memory) {} }
    let clock = ContinuousClock()
    let end = clock.now + AttachmentUpload.patience
    var fields: [String: String] = [:]
    var files: [UploadedHistory] = []
    var field: (name: String, text: [UInt8])?
    var size = 0
    try await BodyReading.forEachPiece(of: request.body) { piece in
      guard clock.now < end else { throw BodyReading.timeout }
      size += piece.readableBytes
      guard size <= Self.largest else { throw NIOTooManyBytesError(maxBytes: Self.largest) }
      try parser.parse(Array(piece.readableBytesView)) { element in
        switch element {
        case .head(let head):
          guard let name = head.file else {
            field = (head.name, [])
            return
          }
          guard isTrusted else { throw AccessDenied() }
          guard files.count < Self.mostFiles else {
            throw Fault(.malformed, "At most \(Self.mostFiles) files at a time.")
          }
          field = nil
          files.append(
            try UploadedHistory(name: String(name.prefix(120)), for: environment.store))
        case .content(let bytes):
          if field == nil {
            try files.last?.append(bytes)
          } else {
            field?.text += bytes
            guard field?.text.count ?? 0 <= 4096 else {
              throw Fault(.malformed, "A field of the form is too long.")
            }
          }
        case .end:
          guard let (name, bytes) = field else { return }
          let text = String(decoding: bytes, as: UTF8.self)
          fields[name] = text
          if name == AccessGate.field, let identity = context.identity {
            guard identity.acceptsForm(text) else { throw AccessDenied() }
            isTrusted = true
          }
        }
      }
    }
    try parser.finish()
    guard isTrusted else { throw AccessDenied() }
    let patient = fields["patient"].flatMap { $0.isEmpty ? nil : $0 }
    let zone = (fields["zone"] ?? "").trimmingCharacters(in: .whitespaces)
    let chosen = try await environment.store.read { reader in
      try patient.map { try context.scope(.add).reader(reader).patient(named: $0) }
    }
    return HistoryUpload(
      // Without a chosen file a browser sends an empty one.
      files: files.filter { $0.size > 0 },
      transfer: HistoryTransfer(patient: chosen, zone: TimeZone(iana: zone)), zoneName: zone)
  }
}

/// Files that arrived, and how they are to be imported.
struct HistoryUpload: Sendable {
  var files: [UploadedHistory]
  var transfer: HistoryTransfer
  /// The zone as a person typed it.
  var zoneName: String
}

/// Keeps files between a dry run and the import, of each sender the last ones.
final class HistoryDesk: Sendable {
  private static let most = 4
  private static let lifetime: TimeInterval = 1800

  private struct Kept {
    var name: String
    var sender: MemoryBudget.Sender
    var upload: HistoryUpload
    var until: Date
  }

  private let kept = Mutex<[Kept]>([])

  /// Keeps files in place of the sender's earlier ones; the oldest of all go where there are many.
  ///
  /// - Returns: The name under which they are taken.
  func keep(_ upload: HistoryUpload, of sender: MemoryBudget.Sender, now: Date) -> String {
    let name = UUID.random().uuidString
    kept.withLock { kept in
      kept.removeAll { $0.sender == sender || $0.until <= now }
      kept.append(Kept(name: name, sender: sender, upload: upload, until: now + Self.lifetime))
      kept = kept.suffix(Self.most)
    }
    return name
  }

  /// Gives the files back once; `nil` if they are gone, or another sender's.
  func take(_ name: String, of sender: MemoryBudget.Sender, now: Date) -> HistoryUpload? {
    kept.withLock { kept in
      kept.removeAll { $0.until <= now }
      guard let place = kept.firstIndex(where: { $0.name == name && $0.sender == sender }) else {
        return nil
      }
      return kept.remove(at: place).upload
    }
  }
}

extension HistoryPage.File {
  fileprivate mutating func take(_ report: HistoryTransfer.Report, isZoneGiven: Bool) {
    program = report.kind.title
    (new, known) = (report.result.new, report.result.known)
    (unassigned, owners) = (report.result.unassigned, report.result.owners)
    problem = report.failure?.problem.localized
    if let zone = report.usedZone, !isZoneGiven {
      notes.append(LocalizedText("history.pageUsedZone", ["zone": .verbatim(zone.identifier)]))
    }
    for (count, key) in [
      (report.result.skipsBeyond, "history.skippedBeyond"),
      (report.result.ambiguous, "history.ambiguous"), (report.result.shifted, "history.shifted"),
    ] where count > 0 {
      notes.append(LocalizedText(key, ["count": .init(count)], count: count))
    }
    notes += report.result.skips.summary
  }
}
