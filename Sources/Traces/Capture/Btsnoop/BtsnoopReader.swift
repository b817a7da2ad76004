import Care
import Foundation
public import Radio

/// Reads a btsnoop capture (Android's HCI log, `btmon -w`) as the radio events it recorded.
///
/// The capture is streamed: memory is bounded whatever the file's length, and whatever its
/// contents. Advertisements, links, services and values are told from this host's side, the
/// central's. A characteristic is known by what discovery the capture itself holds, for each peer
/// address, so a device that reconnects without a discovery is still understood; what the
/// capture does not explain is counted in ``skipped`` and never guessed.
public struct BtsnoopReader: TraceReader {
  private var records: BtsnoopRecords
  private var conversation = CaptureConversation()
  private var yield = CaptureYield()
  private var drops: UInt32?
  /// The time of the events, in microseconds since 1970; it never runs backwards.
  private var clock: Int64 = 0

  public var bytesRead: Int { records.bytesRead }

  /// What became no event so far, with how often each reason occurred.
  public var skipped: [CaptureSkip: Int] { yield.skipped }

  /// Reads the capture's header.
  ///
  /// - Throws: ``TraceError`` where this is no capture, or one of another version or kind.
  public init(_ stream: any ByteStream) throws(TraceError) {
    records = try BtsnoopRecords(stream)
  }

  /// Whether a file that begins with `prefix`, at least 8 bytes, is a btsnoop capture.
  public static func isCapture(prefix: [UInt8]) -> Bool {
    prefix.starts(with: BtsnoopRecords.magic)
  }

  /// The next event, `nil` after the last.
  ///
  /// A record that is earlier than the one before takes that one's time.
  ///
  /// - Throws: ``TraceError`` with the byte offset of a record that is damaged or cut off.
  public mutating func next() throws(TraceError) -> TimedEvent? {
    while true {
      if let event = yield.next() {
        return TimedEvent(time: Date(microseconds: clock), event: event)
      }
      guard let record = try records.next() else { return nil }
      clock = max(clock, record.time)
      take(record)
    }
  }

  private mutating func take(_ record: BtsnoopRecord) {
    // The count may begin anywhere: it is kept by the recorder, not by the file.
    if let drops, drops != record.drops {
      yield.skip(.lostRecords)
      conversation.loseTrack(into: &yield)
    }
    drops = record.drops
    do {
      guard let packet = try CapturedPacket(record, of: records.datalink) else { return }
      conversation.take(packet, into: &yield)
    } catch {
      yield.skip(.malformed)
    }
  }
}
