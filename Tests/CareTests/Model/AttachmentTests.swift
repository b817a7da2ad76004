import Care
import Foundation
import TestSupport
import Testing

// Swift Testing has another one.
private typealias Attachment = Care.Attachment

@Suite struct AttachmentTests {
  static let digest = String(repeating: "0123456789abcdef", count: 4)

  @Test(
    arguments: [
      (MediaFiles.jpeg(), .media(.jpeg)), ([0xFF, 0xD8, 0xFF, 0xE1], .media(.jpeg)),
      ([0xFF, 0xD8], .other(.unknown)), (MediaFiles.png(), .media(.png)),
      (Array(MediaFiles.png().dropFirst()), .other(.unknown)),
      (Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), .media(.webp)),
      (Array("RIFF\u{1}\u{2}\u{3}\u{4}WAVEfmt ".utf8), .other(.sound)),
      (MediaFiles.boxes("heic", "mif1"), .media(.heic)),
      (MediaFiles.boxes("mif1", "heic"), .media(.heic)), (MediaFiles.boxes("mif1"), .media(.heif)),
      (MediaFiles.boxes("mif1", "avif"), .other(.avif)), (MediaFiles.boxes("avif"), .other(.avif)),
      (MediaFiles.boxes("isom", "avc1"), .media(.mp4)), (MediaFiles.boxes("mp42"), .media(.mp4)),
      (MediaFiles.boxes("qt  "), .media(.quickTime)),
      (MediaFiles.boxes("XYZ1", "isom"), .media(.mp4)),
      (MediaFiles.boxes("M4A ", "isom"), .other(.sound)),
      (MediaFiles.boxes("XYZ1"), .other(.unknown)),
      (Array("\0\0\0\u{8}ftyp".utf8), .other(.unknown)),
      (MediaFiles.matroska("webm"), .media(.webm)),
      (MediaFiles.matroska("matroska"), .other(.matroska)), (Array("GIF89a".utf8), .other(.gif)),
      (Array("%PDF-1.7\n".utf8), .other(.pdf)), (Array("PK\u{3}\u{4}\u{14}".utf8), .other(.zip)),
      ([0x1F, 0x8B, 0x08], .other(.gzip)), ([0x7F, 0x45, 0x4C, 0x46, 2], .other(.program)),
      (Array("#!/bin/sh\n".utf8), .other(.program)), (Array("MZ\u{90}".utf8), .other(.program)),
      (Array("<!doctype html><script>".utf8), .other(.markup)),
      (Array("\u{FEFF}  <svg xmlns=".utf8), .other(.markup)),
      (Array("Dear Dr Grün".utf8), .other(.text)), ([0x47, 0x72, 0xC3], .other(.text)),
      ([0, 1, 2, 3], .other(.unknown)), ([], .other(.unknown)),
    ] as [([UInt8], FileContent)])
  func `a file is what its first bytes say`(bytes: [UInt8], content: FileContent) {
    #expect(FileContent(beginning: bytes) == content)
  }

  @Test
  func `no beginning traps`() {
    var generator = SeededGenerator(seed: 11)
    let known = [
      MediaFiles.jpeg(), MediaFiles.png(), MediaFiles.boxes("heic", "mif1"),
      MediaFiles.matroska("webm"), Array("RIFF....WEBP".utf8),
    ]
    for _ in 0..<20_000 {
      var bytes =
        Bool.random(using: &generator)
        ? generator.bytes(Int.random(in: 0...40, using: &generator))
        : known.randomElement(using: &generator) ?? []
      bytes = Array(bytes.prefix(Int.random(in: 0...60, using: &generator)))
      if !bytes.isEmpty, Bool.random(using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: .min ... .max, using: &generator)
      }
      _ = FileContent(beginning: bytes)
    }
  }

  @Test
  func `a reference has a size within its limit and a digest`() throws {
    #expect(Attachment(type: .jpeg, byteCount: 12_000_000, sha256: Self.digest) != nil)
    #expect(Attachment(type: .jpeg, byteCount: 12_000_001, sha256: Self.digest) == nil)
    #expect(Attachment(type: .mp4, byteCount: 50_000_000, sha256: Self.digest)?.partCount == 191)
    #expect(Attachment(type: .mp4, byteCount: 50_000_001, sha256: Self.digest) == nil)
    #expect(Attachment(type: .png, byteCount: 0, sha256: Self.digest) == nil)
    for digest in [
      "", String(Self.digest.dropLast()), Self.digest.uppercased(), Self.digest + "0",
      String(repeating: "/", count: 64), String(repeating: "g", count: 64),
    ] { #expect(Attachment(type: .png, byteCount: 1, sha256: digest) == nil) }
    #expect(Attachment(type: .png, byteCount: 262_144, sha256: Self.digest)?.partCount == 1)
    #expect(Attachment(type: .png, byteCount: 262_145, sha256: Self.digest)?.partCount == 2)
    let odd = #"{"type":"image/png","bytes":0,"sha256":"\#(Self.digest)"}"#
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Attachment.self, from: Data(odd.utf8))
    }
  }

  @Test func `a video is named by its digest, length and type, and by nothing else`() throws {
    let video = try #require(Attachment(type: .webm, byteCount: 1_048_576, sha256: Self.digest))
    #expect(video.reference == "sha256=\(Self.digest);bytes=1048576;type=video/webm")
    #expect(Attachment(reference: video.reference) == video)
    for (old, new) in [
      ("video/webm", "image/png"), ("video/webm", "video/ogg"), ("=1048576", "=0"),
      ("=1048576", "=01048576"), ("=1048576", "=50000001"), ("=1048576", "=-1"), ("=1048576", "="),
      ("bytes", "size"), (";type", ";;type"), ("sha256", "SHA256"), ("/webm", "/webm;"),
      ("sha256=", "sha256=0"), ("sha256=", "https://example.org/sha256="),
    ] {
      #expect(Attachment(reference: video.reference.replacing(old, with: new)) == nil, "\(new)")
    }
  }
}
