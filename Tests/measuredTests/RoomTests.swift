import Foundation
import Testing

/// The rooms of ARCHITECTURE.md, beside what the files of `Sources` import.
@Suite struct RoomTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// One room that uses another one.
  struct Arrow: Hashable {
    var room: String
    var used: String

    init(_ room: String, _ used: String) { (self.room, self.used) = (room, used) }
  }

  /// The arrows that stay on one floor.
  private static let level: Set<Arrow> = [
    Arrow("Care", "Motion"), Arrow("Controllers", "Radio"), Arrow("Controllers", "SystemBus"),
    Arrow("Interchange", "Assessments"),
  ]

  /// The floors of the table: ``| 3 | `Traces` | … |``, with several rooms in a row or one.
  private static func floors() throws -> [String: Int] {
    let text = try String(
      contentsOf: repository.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
    var floors: [String: Int] = [:]
    for row in text.matches(of: /\|\ (?<floor>\d+)\ \|(?<rooms>[^|]+)\|.*/) {
      for room in row.output.rooms.matches(of: /`(\w+)`/) {
        floors[String(room.output.1)] = Int(row.output.floor)
      }
    }
    return floors
  }

  /// The folders of `Sources`.
  private static func folders() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(
      at: repository.appending(path: "Sources"), includingPropertiesForKeys: nil)
  }

  /// The imports of each room's Swift files, itself excepted.
  private static func arrows() throws -> Set<Arrow> {
    var arrows: Set<Arrow> = []
    for folder in try folders() {
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.matches(of: /(?:^|\n)(?:[@\w()]+\ )*?import\ (\w+)/) {
          arrows.insert(Arrow(folder.lastPathComponent, String(line.output.1)))
        }
      }
    }
    return arrows
  }

  @Test func `every room has its floor`() throws {
    let rooms = Set(try Self.folders().map(\.lastPathComponent))
    #expect(rooms.count > 40)
    #expect(Set(try Self.floors().keys) == rooms)
  }

  @Test func `arrows point down`() throws {
    let floors = try Self.floors()
    let arrows = try Self.arrows()
    #expect(arrows.count > 200)
    let wrong = arrows.filter { arrow in
      guard let floor = floors[arrow.room], let used = floors[arrow.used] else { return false }
      return used >= floor
    }
    #expect(wrong == Self.level)
  }

  @Test func `the rooms of commands know nothing of each other`() throws {
    let rooms: Set = ["Commands", "Daemon", "Lab"]
    let arrows = try Self.arrows()
    #expect(arrows.filter { rooms.contains($0.room) && rooms.contains($0.used) } == [])
    #expect(Set(arrows.filter { rooms.contains($0.used) }.map(\.room)) == ["measured"])
    #expect(arrows.filter { $0.used == "Terminal" }.count == rooms.count + 1)
  }
}
