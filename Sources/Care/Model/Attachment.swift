/// A picture or video that answers a question, or a task's own video, by reference: what it is, and
/// which bytes.
///
/// A store has the bytes apart from its outcomes, once for each digest, so that a query of a day
/// reads none of them. An outcome and the bytes that it refers to are stored in one transaction.
public struct Attachment: Hashable, Sendable {
  /// The media type of the bytes.
  public let type: MediaType
  /// The number of bytes, from 1 to the limit of the type's kind.
  public let byteCount: Int
  /// The SHA-256 digest of the bytes: 64 lower-case hex digits.
  public let sha256: String

  /// The number of bytes of a stored part; the last one may be shorter.
  ///
  /// Whatever reads or writes an attachment has one part in memory.
  public static let partLength = 1 << 18

  /// The most bytes of the pictures and videos that stand among a patient's answers, together: 2 GB,
  /// a picture of a phone each day for two years.
  public static let mostOfPatient = 2_000_000_000

  /// The most bytes of the videos of a patient's tasks, together, those of earlier versions with
  /// them: 1 GB, twenty of the longest.
  public static let mostOfPlan = 1_000_000_000

  /// Makes a reference; `nil` for a number of bytes or a digest that no attachment has.
  public init?(type: MediaType, byteCount: Int, sha256: String) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
    guard (1...type.kind.longest).contains(byteCount), sha256.utf8.count == 64,
      sha256.utf8.allSatisfy({ digits.contains($0) || letters.contains($0) })
    else { return nil }
    self.type = type
    self.byteCount = byteCount
    self.sha256 = sha256
  }

  /// The number of parts.
  public var partCount: Int { (byteCount + Self.partLength - 1) / Self.partLength }
}

/// An attachment that a store has, and whose answers or tasks refer to it.
public struct StoredAttachment: Hashable, Sendable {
  /// The attachment.
  public var attachment: Attachment
  /// The patients, by id.
  public var patients: Set<String>

  /// Makes a stored attachment.
  public init(attachment: Attachment, patients: Set<String>) {
    self.attachment = attachment
    self.patients = patients
  }
}

/// The formats of pictures and videos that can be stored: those that phones make and browsers show.
///
/// The raw value is the media type.
public enum MediaType: String, Hashable, Sendable, Codable, CaseIterable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case webp = "image/webp"
  case heic = "image/heic"
  case heif = "image/heif"
  case mp4 = "video/mp4"
  case quickTime = "video/quicktime"
  case webm = "video/webm"

  /// Pictures and videos.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case picture, video

    /// The most bytes.
    ///
    /// A picture: 12 MB. A phone's picture of 12 to 48 megapixels has 2 to 12 MB. A video: 50 MB,
    /// half a minute of a phone at 1080 lines (about 12 Mbit/s).
    public var longest: Int {
      switch self {
      case .picture: 12_000_000
      case .video: 50_000_000
      }
    }
  }

  /// Whether it is a picture or a video.
  public var kind: Kind {
    switch self {
    case .jpeg, .png, .webp, .heic, .heif: .picture
    case .mp4, .quickTime, .webm: .video
    }
  }

  /// Whether every browser that shows the page shows it, too: what a plan may show to others.
  package var isPlayedEverywhere: Bool {
    switch self {
    case .jpeg, .png, .webp, .mp4, .webm: true
    case .heic, .heif, .quickTime: false
    }
  }
}

/// The type of a file by its bytes, whatever a name or a client claims.
public enum FileContent: Hashable, Sendable {
  /// A picture or video that can be stored.
  case media(MediaType)
  /// Something else.
  case other(Other)

  /// Contents that cannot be stored.
  public enum Other: String, Hashable, Sendable, CaseIterable {
    case gif, avif, matroska, sound, pdf, zip, gzip, program, markup, text, unknown
  }

  /// How many first bytes tell what the rest is.
  public static let significantLength = 512

  /// Recognises a file by its first bytes.
  ///
  /// - Parameter bytes: The first ``significantLength`` bytes, or all of a shorter file.
  ///
  /// Sources: JPEG: ITU-T T.81, annex B (SOI, then a marker). PNG: RFC 2083, 3.1. WebP: RFC 9649,
  /// 2.3. ISO base media files: ISO/IEC 14496-12, 4.3 (`ftyp`); the brands of HEIF are those of
  /// ISO/IEC 23008-12, annex B and 10. WebM and Matroska: RFC 8794, 11.2 (the header with its
  /// DocType). The others: the magic numbers of their formats.
  public init(beginning bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(Self.significantLength))
    func has(_ text: String, at place: Int = 0) -> Bool {
      bytes.dropFirst(place).starts(with: text.utf8)
    }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .media(.jpeg)
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .media(.png)
    } else if has("RIFF"), has("WEBP", at: 8) {
      self = .media(.webp)
    } else if has("ftyp", at: 4) {
      self = Self.boxes(bytes)
    } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
      self = Self.matroska(bytes)
    } else {
      self = .other(Self.other(bytes))
    }
  }

  // MARK: ISO base media files

  private static let brands: [String: FileContent] = {
    var brands: [String: FileContent] = [:]
    for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx"] { brands[brand] = .media(.heic) }
    for brand in ["mif1", "msf1"] { brands[brand] = .media(.heif) }
    for brand in ["avif", "avis"] { brands[brand] = .other(.avif) }
    for brand in [
      "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42",
      "avc1", "dash", "MSNV", "M4V ", "M4VH", "M4VP", "mmp4", "3gp4", "3gp5", "3gp6", "3gp7",
      "3g2a",
    ] { brands[brand] = .media(.mp4) }
    for brand in ["M4A ", "M4B ", "M4P "] { brands[brand] = .other(.sound) }
    brands["qt  "] = .media(.quickTime)
    return brands
  }()

  /// The first known brand: the major one, then the compatible ones in their order.
  private static func boxes(_ bytes: [UInt8]) -> FileContent {
    let length = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard length >= 16, bytes.count >= 16 else { return .other(.unknown) }
    var places = [8]
    places += stride(from: 16, to: min(length, bytes.count) - 3, by: 4)
    let names = places.map { String(decoding: bytes[$0..<$0 + 4], as: UTF8.self) }
    let known = names.compactMap { Self.brands[$0] }
    // An AVIF or HEIC picture may have the brand of all HEIF pictures first.
    if known.first == .media(.heif), let special = known.first(where: { $0 != .media(.heif) }),
      [.media(.heic), .other(.avif)].contains(special)
    {
      return special
    }
    return known.first ?? .other(.unknown)
  }

  // MARK: Matroska

  /// WebM if the header's DocType (element 0x4282) says so.
  private static func matroska(_ bytes: [UInt8]) -> FileContent {
    for place in bytes.indices.dropLast(2) where bytes[place] == 0x42 && bytes[place + 1] == 0x82 {
      // A length of one byte; longer names are neither.
      let length = Int(bytes[place + 2] & 0x7F)
      guard bytes[place + 2] & 0x80 != 0 else { break }
      let name = bytes.dropFirst(place + 3).prefix(length)
      return name.elementsEqual("webm".utf8) ? .media(.webm) : .other(.matroska)
    }
    return .other(.matroska)
  }

  // MARK: Others

  private static let magic: [(bytes: [UInt8], content: Other)] = [
    (Array("GIF8".utf8), .gif), (Array("%PDF-".utf8), .pdf), (Array("PK\u{3}\u{4}".utf8), .zip),
    (Array("PK\u{5}\u{6}".utf8), .zip), ([0x1F, 0x8B], .gzip),
    ([0x7F, 0x45, 0x4C, 0x46], .program),
    (Array("MZ".utf8), .program), (Array("#!".utf8), .program), (Array("ID3".utf8), .sound),
    ([0xFF, 0xFB], .sound), (Array("OggS".utf8), .sound), (Array("fLaC".utf8), .sound),
  ]

  private static func other(_ bytes: [UInt8]) -> Other {
    if let known = magic.first(where: { bytes.starts(with: $0.bytes) }) { return known.content }
    if bytes.starts(with: "RIFF".utf8) { return .sound }
    // Ignore a character that the cut splits.
    let isText =
      !bytes.isEmpty
      && (0..<min(4, bytes.count)).contains {
        String(validating: bytes.dropLast($0), as: UTF8.self) != nil
      }
      && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0C, 0x0D].contains($0) }
    guard isText else { return .unknown }
    let blank: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]
    return bytes.first { !blank.contains($0) } == UInt8(ascii: "<") ? .markup : .text
  }
}

/// Why bytes cannot be an attachment.
public enum AttachmentError: Error, Hashable, Sendable {
  /// There are none.
  case empty
  /// They are neither a picture nor a video that can be stored.
  case otherContent(FileContent.Other)
  /// They are a video where a picture is asked for, or the other way round.
  case otherKind(MediaType, expected: MediaType.Kind)
  /// They were said to be of another type than they are.
  case wronglyLabelled(MediaType, as: String)
  /// They are more than ``MediaType/Kind/longest``.
  case tooLong(MediaType.Kind)
  /// They begin like a file of this type, and are none.
  case damaged(MediaType)
  /// They are of a type that not every browser plays.
  case notPlayed(MediaType)
}

// MARK: - Coding

extension Attachment: Codable {
  private enum CodingKeys: String, CodingKey {
    case type, sha256
    case byteCount = "bytes"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let attachment = Attachment(
      type: try container.decode(MediaType.self, forKey: .type),
      byteCount: try container.decode(Int.self, forKey: .byteCount),
      sha256: try container.decode(String.self, forKey: .sha256))
    guard let attachment else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "no attachment is like that"))
    }
    self = attachment
  }
}
