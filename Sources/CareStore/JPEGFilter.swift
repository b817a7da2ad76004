/// Leaves out of a JPEG file, piece by piece, what is not the picture: where and when it was taken,
/// with what, its preview, and further pictures behind it.
///
/// Of the Exif data only the orientation stays, without which a phone's pictures lie on their side.
/// Kept are JFIF and Adobe segments, colour profiles, tables, frames and scans up to the end of the
/// image. At most one segment, 64 KiB, is in memory.
///
/// Sources: ITU-T T.81, annex B (markers and segments); Exif 2.32, 4.5.4 and 4.6.4 (orientation);
/// ICC.1:2010, B.4 (profiles).
struct JPEGFilter {
  private enum State: Equatable {
    /// The next byte is the first of a marker; of the file's first one if not `isBegun`.
    case marker
    /// After 0xFF.
    case code
    /// In the length of a segment.
    case length
    /// In the content of a segment, of which so many bytes are missing.
    case segment(missing: Int)
    /// In compressed data, and there after 0xFF.
    case scan
    case scanCode
    /// After the end of the image.
    case end
    /// No JPEG file is like that.
    case damaged
  }

  private var state = State.marker
  private var isBegun = false
  private var hasScan = false
  private var hasOrientation = false
  private var code: UInt8 = 0
  private var segment: [UInt8] = []

  /// Whether what was filtered is a picture.
  ///
  /// A file that ends within a scan is one, as every viewer shows it.
  var isPicture: Bool { hasScan && state != .damaged }

  /// Takes the next bytes.
  ///
  /// - Returns: The bytes to keep that follow those returned before.
  mutating func filter(_ bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      switch state {
      case .scan:
        let end = bytes[place...].firstIndex(of: 0xFF) ?? bytes.count
        kept += bytes[place..<end]
        place = end
        if place < bytes.count {
          state = .scanCode
          place += 1
        }
        continue
      case .segment(let missing):
        let count = min(missing, bytes.count - place)
        segment += bytes[place..<place + count]
        place += count
        state = .segment(missing: missing - count)
        if count == missing { endSegment(&kept) }
        continue
      case .end, .damaged: return kept
      case .marker: state = bytes[place] == 0xFF ? .code : .damaged
      case .code: take(code: bytes[place], &kept)
      case .scanCode:
        switch bytes[place] {
        case 0x00, 0xD0...0xD7:
          kept += [0xFF, bytes[place]]
          state = .scan
        case 0xFF: break
        default: take(code: bytes[place], &kept)
        }
      case .length:
        segment.append(bytes[place])
        if segment.count == 2 {
          let length = Int(segment[0]) << 8 | Int(segment[1])
          segment = []
          state = length < 2 ? .damaged : .segment(missing: length - 2)
          if length == 2 { endSegment(&kept) }
        }
      }
      place += 1
    }
    return kept
  }

  private mutating func take(code: UInt8, _ kept: inout [UInt8]) {
    switch code {
    case 0xFF: state = .code
    case 0xD8 where !isBegun:
      isBegun = true
      kept += [0xFF, code]
      state = .marker
    case 0xD9 where isBegun:
      kept += [0xFF, code]
      state = .end
    case 0x01 where isBegun, 0xD0...0xD7 where isBegun:
      kept += [0xFF, code]
      state = .marker
    case 0x00, 0xD8,
      _ where !isBegun:
      state = .damaged
    default:
      self.code = code
      segment = []
      state = .length
    }
  }

  private mutating func endSegment(_ kept: inout [UInt8]) {
    switch code {
    case 0xE0 where segment.starts(with: "JFIF\0".utf8), 0xEE: keepSegment(&kept)
    case 0xE1:
      guard !hasOrientation, let orientation = Self.orientation(ofExif: segment) else { break }
      hasOrientation = true
      kept += Self.exif(orientation: orientation)
    case 0xE2 where segment.starts(with: "ICC_PROFILE\0".utf8): keepSegment(&kept)
    case 0xE0...0xEF, 0xFE: break
    default: keepSegment(&kept)
    }
    segment = []
    state = .marker
    if code == 0xDA {
      hasScan = true
      state = .scan
    }
  }

  private func keepSegment(_ kept: inout [UInt8]) {
    let length = segment.count + 2
    kept += [0xFF, code, UInt8(length >> 8), UInt8(length & 0xFF)]
    kept += segment
  }

  // MARK: Orientation

  /// The orientation that an Exif segment says, 2 to 8; `nil` for an upright picture, for none and
  /// for a segment that cannot be read.
  private static func orientation(ofExif segment: [UInt8]) -> UInt8? {
    guard segment.starts(with: "Exif\0\0".utf8) else { return nil }
    let tiff = Array(segment.dropFirst(6))
    let isLittle = tiff.starts(with: "II*\0".utf8)
    guard isLittle || tiff.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) else { return nil }
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place <= tiff.count - count else { return nil }
      let bytes = tiff[place..<place + count]
      return (isLittle ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
    for entry in 0..<count {
      let place = directory + 2 + 12 * entry
      guard let tag = number(place, 2) else { return nil }
      guard tag == 0x0112 else { continue }
      // One SHORT, at the beginning of the value.
      guard number(place + 2, 2) == 3, number(place + 4, 4) == 1,
        let value = number(place + 8, 2), (2...8).contains(value)
      else { return nil }
      return UInt8(value)
    }
    return nil
  }

  /// The Exif segment that says an orientation and nothing else.
  private static func exif(orientation: UInt8) -> [UInt8] {
    [0xFF, 0xE1, 0x00, 0x22] + Array("Exif\0\0".utf8)
      + [0x4D, 0x4D, 0x00, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]
      + [0, 0, 0, 0, 0, 0]
  }
}
