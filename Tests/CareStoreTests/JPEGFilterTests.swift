import TestSupport
import Testing

@testable import CareStore

@Suite struct JPEGFilterTests {
  private func filtered(_ file: [UInt8], pieces: Int = .max) -> (kept: [UInt8], isPicture: Bool) {
    var filter = JPEGFilter()
    var kept: [UInt8] = []
    var rest = file[...]
    while !rest.isEmpty {
      kept += filter.filter(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    return (kept, filter.isPicture)
  }

  private static let jfif = MediaFiles.segment(
    0xE0, Array("JFIF\0".utf8) + [1, 2, 0, 0, 1, 0, 1, 0, 0])
  private static let profile = MediaFiles.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1, 9, 9])
  private static let adobe = MediaFiles.segment(
    0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1])

  @Test(arguments: [1, 2, 3, 7, 64, .max])
  func `what is not the picture goes, whatever the pieces`(pieces: Int) {
    let private_ = [
      MediaFiles.exif(orientation: 1),
      MediaFiles.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>52.51N".utf8)),
      MediaFiles.segment(0xE2, Array("MPF\0".utf8) + [1, 2, 3]),
      MediaFiles.segment(0xED, Array("Photoshop 3.0\0".utf8)),
      MediaFiles.segment(0xFE, Array("taken at home".utf8)),
      MediaFiles.segment(0xE0, Array("JFXX\0".utf8) + [0x10]),
    ]
    let kept = [Self.jfif, Self.profile, Self.adobe]
    let file = MediaFiles.jpeg(
      [kept[0], private_[0], kept[1], private_[1], private_[2], kept[2]] + private_[3...],
      length: 500, behind: MediaFiles.jpeg([MediaFiles.exif(orientation: 6)]))
    let (result, isPicture) = filtered(file, pieces: pieces)
    #expect(isPicture)
    #expect(result == MediaFiles.jpeg(kept, length: 500))
  }

  @Test(arguments: [UInt8](2...8), [true, false])
  func `the orientation stays`(_ orientation: UInt8, isLittleEndian: Bool) {
    let file = MediaFiles.jpeg([
      MediaFiles.exif(orientation: orientation, isLittleEndian: isLittleEndian)
    ])
    let (result, isPicture) = filtered(file)
    #expect(isPicture)
    let kept = MediaFiles.segment(
      0xE1,
      Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]
        + [0, 0, 0, 0, 0, 0])
    #expect(result == MediaFiles.jpeg([kept]))
    #expect(filtered(result).kept == result)
  }

  @Test
  func `a file that ends within its scan is a picture; without a scan it is none`() {
    #expect(filtered(MediaFiles.jpeg(isEnded: false)).isPicture)
    for file in [
      [0xFF, 0xD8, 0xFF], [0xFF, 0xD8, 0xFF, 0xD9], Array(MediaFiles.jpeg().prefix(80)),
      [0xFF, 0xD8, 0xFF, 0xE0, 0, 1], [0xFF, 0xD8, 0x00], [0xFF, 0xD8, 0xFF, 0xD8], [0xFF, 0xE0],
    ] as [[UInt8]] { #expect(!filtered(file).isPicture, "\(file)") }
  }

  @Test
  func `no bytes trap, nothing is added but an orientation`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<Rounds.count(3_000) {
      let exif = MediaFiles.exif(orientation: UInt8.random(in: 0...9, using: &generator))
      var file = MediaFiles.jpeg([exif, Self.jfif])
      // A damage may also name the segment otherwise, which is then no Exif data.
      let start = Bool.random(using: &generator) ? 2 : 2 + exif.count
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        file[Int.random(in: start..<file.count, using: &generator)] =
          [0, 0xFF, 0xD9, 0xDA, UInt8.random(in: .min ... .max, using: &generator)]
          .randomElement(using: &generator) ?? 0
      }
      let whole = filtered(file)
      #expect(whole.kept.count <= file.count)
      let pieces = filtered(file, pieces: Int.random(in: 1...9, using: &generator))
      #expect(pieces.kept == whole.kept)
      #expect(pieces.isPicture == whole.isPicture)
      if start > 2 { #expect(!whole.kept.contains(Array("52.51N".utf8))) }
    }
  }
}

extension [UInt8] {
  fileprivate func contains(_ other: [UInt8]) -> Bool {
    guard count >= other.count else { return false }
    return (0...count - other.count).contains { self[$0..<$0 + other.count].elementsEqual(other) }
  }
}
