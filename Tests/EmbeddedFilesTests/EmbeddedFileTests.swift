import EmbeddedFiles
import Foundation
import Testing

struct EmbeddedFileTests {
  @Test func `holds every file of the folders byte for byte`() throws {
    let sources = FileManager.default.currentDirectoryPath + "/Sources/"
    var onDisk: [String: [UInt8]] = [:]
    for folder in ["Localization", "Pages", "Web"].map({ sources + $0 + "/Resources/" }) {
      for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: folder + path, isDirectory: &isFolder),
          !isFolder.boolValue
        else { continue }
        onDisk[path] = Array(try Data(contentsOf: URL(filePath: folder + path)))
      }
    }
    #expect(EmbeddedFile.all.map(\.path) == onDisk.keys.sorted())
    for file in EmbeddedFile.all { #expect(file.bytes == onDisk[file.path], "\(file.path)") }
  }

  @Test func `finds files by path and folder`() {
    #expect(EmbeddedFile.at("languages/en.json")?.bytes.first == UInt8(ascii: "{"))
    #expect(EmbeddedFile.at("languages") == nil)
    #expect(EmbeddedFile.all(in: "languages").map(\.name) == ["en", "zh-Hant"])
    #expect(EmbeddedFile.all(in: "lang").isEmpty)
  }
}
