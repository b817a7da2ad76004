/// Why something in a capture became no event.
///
/// What is skipped is counted, never guessed at.
public enum CaptureSkip: String, Hashable, Sendable, CaseIterable {
  /// A packet whose lengths contradict each other, or that the recorder cut short.
  case malformed
  /// The recorder itself reported that it dropped packets.
  case lostRecords
  /// Data of a link whose beginning is not in the capture.
  case unknownLink
  /// A value of an attribute that no discovery in the capture explains.
  case unknownAttribute
  /// A message or an advertisement that is longer than any sensor sends.
  case oversized
  /// A message of which fragments are missing.
  case lostFragments
  /// An advertisement that the controller could not hear to its end.
  case truncatedAdvertisement
  /// A long value of which the later parts were never read.
  case incompleteRead
  /// More links, services or characteristics than the reader keeps.
  case tableFull
}

extension CaptureSkip: CustomStringConvertible {
  /// The reason for people, with what to do where something can be done.
  public var description: String {
    switch self {
    case .malformed: "packets that are damaged or were cut short by the recorder; record in full"
    case .lostRecords: "gaps where the recorder dropped packets"
    case .unknownLink:
      "packets of links that were up before the recording began; start it before the device connects"
    case .unknownAttribute:
      "values of attributes that the capture does not explain; forget the device before recording,"
        + " so that its services are discovered again"
    case .oversized: "messages that are longer than any sensor sends"
    case .lostFragments: "messages of which fragments are missing"
    case .truncatedAdvertisement: "advertisements that the controller did not hear to their end"
    case .incompleteRead: "long values that were not read to their end"
    case .tableFull: "links, services or characteristics beyond the number that is kept"
    }
  }
}
