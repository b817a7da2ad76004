package import Care
import Digests
package import Foundation

/// A picture or video that arrives in pieces, until it is complete and may be stored.
///
/// The bytes are in a file without a name beside the store, so that nothing is left of a draft that
/// is given up, not even if the program is killed. It has at most one piece in memory. A JPEG file
/// loses what is not the picture, such as where it was taken; others are kept as they are.
package final class AttachmentDraft {
  /// The requested kind; `nil` for either.
  private let kind: MediaType.Kind?
  private let isForPlan: Bool
  /// `nil` if the bytes are only looked at.
  private let file: UnnamedFile?
  /// The first bytes, until they tell what the rest is.
  private var beginning: [UInt8] = []
  private var type: MediaType?
  private var filter: JPEGFilter?
  private var received = 0
  private var count = 0
  private var digest: SHA256.Running? = SHA256.Running()

  /// Begins a draft.
  ///
  /// - Parameters:
  ///   - kind: The requested kind; `nil` for a picture or a video.
  ///   - isForPlan: Whether a plan shows it to whoever looks, so that every browser has to play it.
  ///   - store: The store that is to have it.
  ///   - id: A new id.
  /// - Throws: `StoreError.notWritten(_:file:)` if no file can be made beside the store.
  package init(
    _ kind: MediaType.Kind?, isForPlan: Bool = false, for store: SQLStore, id: UUID
  ) throws(StoreError) {
    self.kind = kind
    self.isForPlan = isForPlan
    file = try UnnamedFile(beside: store, id: id)
  }

  /// Begins to look at a video that a plan names, which is kept nowhere.
  package init() {
    (kind, isForPlan, file) = (.video, true, nil)
  }

  /// Takes the next bytes.
  ///
  /// - Throws: ``AttachmentError`` as soon as the bytes cannot be what is asked for; the draft is
  ///   then of no further use. `StoreError.notWritten(_:file:)` if the disk is full.
  package func append(_ bytes: [UInt8]) throws {
    received += bytes.count
    guard type == nil else { return try write(bytes) }
    beginning += bytes
    if beginning.count >= FileContent.significantLength { try recognise() }
  }

  /// Ends the draft.
  ///
  /// - Returns: The attachment with its bytes.
  /// - Throws: As ``append(_:)`` does.
  package func finish() throws -> AttachmentFile {
    let attachment = try finished()
    guard let file else { throw AttachmentError.empty }
    return AttachmentFile(attachment: attachment, file: file)
  }

  /// Ends the draft, and says what it was.
  ///
  /// - Throws: As ``append(_:)`` does.
  package func finished() throws -> Attachment {
    if type == nil { try recognise() }
    guard let type, filter?.isPicture ?? true else {
      throw AttachmentError.damaged(type ?? .jpeg)
    }
    guard let running = digest.take() else { throw AttachmentError.empty }
    let sha256 = running.finish().hexString
    guard let attachment = Attachment(type: type, byteCount: count, sha256: sha256) else {
      throw AttachmentError.empty
    }
    return attachment
  }

  private func recognise() throws {
    guard received > 0 else { throw AttachmentError.empty }
    switch FileContent(beginning: beginning) {
    case .other(let content): throw AttachmentError.otherContent(content)
    case .media(let found):
      if let kind, found.kind != kind { throw AttachmentError.otherKind(found, expected: kind) }
      guard !isForPlan || found.isPlayedEverywhere else { throw AttachmentError.notPlayed(found) }
      type = found
      if found == .jpeg { filter = JPEGFilter() }
    }
    try write(beginning)
    beginning = []
  }

  private func write(_ bytes: [UInt8]) throws {
    guard let kind = type?.kind else { return }
    // Count the bytes that are left out, too: a client cannot send without end.
    guard received <= kind.longest else { throw AttachmentError.tooLong(kind) }
    let kept = filter?.filter(bytes) ?? bytes
    try file?.append(kept)
    digest?.update(kept)
    count += kept.count
  }
}

/// A complete picture or video that is not stored yet.
package final class AttachmentFile: Sendable {
  /// The reference to the bytes.
  package let attachment: Attachment
  private let file: UnnamedFile

  fileprivate init(attachment: Attachment, file: UnnamedFile) {
    self.attachment = attachment
    self.file = file
  }

  /// Stores the bytes, for an outcome or task of the same transaction that refers to them.
  package func store(in writer: any StoreWriter) throws {
    try writer.store(attachment) { number throws(StoreError) in
      let place = number * Attachment.partLength
      return try file.read(
        at: place, count: min(Attachment.partLength, attachment.byteCount - place))
    }
  }
}
