/// Small files of the formats in which pictures and videos come.
package enum MediaFiles {
  /// A JPEG file with these segments before its scan.
  ///
  /// It has a frame of 8 × 8 pixels and a scan of `length` bytes, some of them stuffed.
  package static func jpeg(
    _ segments: [[UInt8]] = [], length: Int = 64, isEnded: Bool = true, behind: [UInt8] = []
  ) -> [UInt8] {
    var file: [UInt8] = [0xFF, 0xD8]
    for segment in segments { file += segment }
    file += segment(0xDB, [0] + [UInt8](repeating: 16, count: 64))
    file += segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
    file += segment(0xDA, [1, 1, 0, 0, 63, 0])
    for place in 0..<length {
      file += place % 31 == 7 ? [0xFF, 0x00] : [UInt8(truncatingIfNeeded: place % 251)]
    }
    file += [0xFF, 0xD0, 0x12, 0x34]
    return file + (isEnded ? [0xFF, 0xD9] : []) + behind
  }

  /// A segment of a JPEG file.
  package static func segment(_ code: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, code, UInt8(length >> 8), UInt8(length & 0xFF)] + content
  }

  /// An Exif segment with an orientation, and a place that has to go.
  package static func exif(orientation: UInt8, isLittleEndian: Bool = true) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
      return isLittleEndian ? bytes : bytes.reversed()
    }
    var tiff: [UInt8] = isLittleEndian ? Array("II".utf8) : Array("MM".utf8)
    tiff += number(42, 2) + number(8, 4) + number(2, 2)
    // Make: 5 bytes behind the directory.
    tiff += number(0x010F, 2) + number(2, 2) + number(5, 4) + number(38, 4)
    tiff += number(0x0112, 2) + number(3, 2) + number(1, 4) + number(Int(orientation), 2)
    tiff += number(0, 2) + number(0, 4) + Array("52.51N".utf8)
    return segment(0xE1, Array("Exif\0\0".utf8) + tiff)
  }

  /// A PNG file that begins like one, of that many bytes.
  package static func png(length: Int = 100) -> [UInt8] {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file.reserveCapacity(length)
    // The period is a prime, so that no part of a file equals the next one.
    let period = (0..<251 as Range<UInt8>).map { $0 &* 31 }
    while file.count < length { file += period.prefix(length - file.count) }
    return file
  }

  /// An ISO base media file with these brands, the major one first.
  package static func boxes(_ brands: String..., length: Int = 100) -> [UInt8] {
    let header = 8 + 4 * (brands.count + 1)
    var file: [UInt8] = [0, 0, 0, UInt8(header)] + Array("ftyp".utf8)
    file += Array((brands.first ?? "").utf8) + [0, 0, 2, 0]
    for brand in brands.dropFirst() { file += Array(brand.utf8) }
    return file + [UInt8](repeating: 7, count: max(0, length - file.count))
  }

  /// The beginning of a Matroska file of a document type.
  package static func matroska(_ type: String) -> [UInt8] {
    [
      0x1A, 0x45, 0xDF, 0xA3, 0x9F, 0x42, 0x86, 0x81, 0x01, 0x42, 0x82,
      0x80 | UInt8(type.utf8.count),
    ]
      + Array(type.utf8) + [0x42, 0x87, 0x81, 0x02, 0x18, 0x53, 0x80, 0x67]
  }
}
