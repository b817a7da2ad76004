import Care
import CareStore
import Digests
import Exchange
import Foundation
import Synchronization

/// A thousand boxes in one process, and their centre in another, which is killed amid it all.
///
///     fleet BOXES DAYS [STRAPS [FOLDER]]
///
/// A folder that holds the boxes of an earlier run, without what they noted of its centre, spares their days.
///
/// Beside `Tests/PostgreSQL/with-server` the centre has two processes on one store, of which one is killed;
/// with a standby, the standby takes the server's place as well.
@main
enum Fleet {
  static func main() async throws {
    // Messages to a process that was killed are lost, no more.
    signal(SIGPIPE, SIG_IGN)
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == "centre", words.count == 2 { return try await CentreProcess.run(words[1]) }
    if words.first == "morning", words.count == 3, let count = Int(words[1]),
      let days = Int(words[2])
    {
      return try await MorningSpeed.run(count, days: days)
    }
    guard words.count >= 2, let count = Int(words[0]), let days = Int(words[1]) else {
      throw Failure(said: "fleet BOXES DAYS [STRAPS [FOLDER]]")
    }
    let straps = words.count > 2 ? Int(words[2]) ?? 0 : count / 25
    let folder = words.count > 3 ? words[3] : NSTemporaryDirectory() + "fleet-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { if words.count < 4 { try? FileManager.default.removeItem(atPath: folder) } }
    let clock = ContinuousClock()
    let beginning = clock.now
    @Sendable func say(_ text: String) {
      let seconds = (clock.now - beginning).components.seconds
      FileHandle.standardOutput.write(Data("\(seconds) s\t\(text)\n".utf8))
    }

    let environment = ProcessInfo.processInfo.environment
    let server = environment["MEASURED_POSTGRESQL"]
    let place = server ?? folder + "/centre.sqlite"
    let centre = try SQLStore.open(path: place, makeUUID: { UUID() })
    // Boxes of an earlier run that never met this centre come back at once.
    let areNew = !FileManager.default.fileExists(atPath: folder + "/box-0.sqlite")
    var boxes: [Box] = []
    for number in 0..<count {
      let box = try Box(number, hasStrap: number < straps, folder: folder)
      if areNew { try await box.plan() }
      guard let key = Ed25519.publicKey(of: box.key) else { throw Failure(said: "no key") }
      let person = box.person
      try await centre.exchanging { exchange in
        let enrolment = Enrolment(Centre())
        try enrolment.invite(
          Invitation(people: [person], cohort: "study", expires: Box.begin + 1), code: person,
          in: exchange)
        _ = try enrolment.join(
          code: person, publicKey: key, board: nil, now: Box.begin, in: exchange)
      }
      boxes.append(box)
    }
    try await centre.write { try $0.setPlanTimeZone(.gmt, now: Box.begin) }
    try centre.close()
    let shared = boxes.map(Held.init)
    let line = CentreLines(place, count: server == nil ? 1 : 2)
    try line.start()
    if areNew {
      for box in boxes { try await box.session(line, now: Box.begin) }
      say("\(count) boxes have joined, \(line.traffic.requests) requests")

      // Two at a time, as each has a store of its own.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for first in 0..<2 {
          group.addTask {
            for number in stride(from: first, to: count, by: 2) {
              try await shared[number].box.live(0..<days)
            }
          }
        }
        try await group.waitForAll()
      }
      let stored = boxes.reduce(0) { $0 + $1.samples }
      say("\(days) days without a network: \(stored) samples, \(count * days * 4) answers")
    }

    // The network returns: each box waits a random time of at most twenty seconds.
    let now = Box.begin + Double(days) * 86_400
    let today = now - 86_400
    let (before, processor) = (line.traffic, line.processorTime())
    let own = CentreLine.processorTime(of: nil)
    let returned = clock.now
    let (singles, isOver) = (Latest(), Latest())
    async let killed: Void = {
      try await Task.sleep(for: .seconds(server == nil ? 25 : Int.random(in: 3...20)))
      guard isOver.value == nil else { return say("all was over before a kill") }
      try line.killOne()
      say("a process of the centre was killed")
      guard let promotion = environment["MEASURED_POSTGRESQL_PROMOTE"] else { return }
      try await Task.sleep(for: .seconds(3))
      let command = try Process.run(URL(filePath: promotion), arguments: [])
      command.waitUntilExit()
      let late = isOver.value == nil ? "" : ", when all was over"
      say("the standby has taken the server's place\(late)")
    }()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for held in shared {
        group.addTask {
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...20_000)))
          try await held.box.session(line, now: now) {
            singles.value = clock.now - returned
          }
        }
      }
      group.addTask {
        var isShown = false
        while !isShown {
          try await Task.sleep(for: .seconds(2))
          var call = Call(number: 0, work: .count)
          call.date = today
          let shown = await line.ask(call)?.figure ?? 0
          if shown == count {
            say(
              "today's weights of all are at the centre after \((clock.now - returned).components.seconds) s; processor time of the centre \((line.processorTime() - processor) / 100) s, of the boxes \((CentreLine.processorTime(of: nil) - own) / 100) s"
            )
            isShown = true
          }
        }
      }
      try await group.waitForAll()
    }
    isOver.value = .zero
    let took = (clock.now - returned).components.seconds
    let after = line.traffic
    say(
      "all is level after \(took) s: \(after.requests - before.requests) requests, \((after.bytes - before.bytes) / 1_000) kB; the centre's processor time \((line.processorTime() - processor) / 100) s, of the boxes \((CentreLine.processorTime(of: nil) - own) / 100) s; all singles after \(singles.value?.components.seconds ?? 0) s"
    )
    try await killed
    let pauses = boxes.reduce(0) { $0 + $1.pauses }
    say(
      "boxes were asked to come again \(pauses) times; a process of the centre had at most \(line.peak() / 1_024) MB"
    )

    let again = clock.now
    for held in shared { try await held.box.session(line, now: now) }
    say("a quiet session of all, one after the other: \((clock.now - again).components.seconds) s")
    var call = Call(number: 0, work: .morning)
    call.date = now
    let morning = await line.ask(call)
    say("a morning of \(morning?.status ?? 0) people: \(morning?.figure ?? 0) ms")
    say("a process of the centre had at most \(line.peak() / 1_024) MB with it")
    let differing = try await differences(shared, place)
    say(differing == 0 ? "both sides have the same" : "\(differing) boxes differ")
    guard differing == 0 else { throw Failure(said: "they differ") }
    guard try await SQLStore.open(path: place, makeUUID: { UUID() }).check().isEmpty else {
      throw Failure(said: "it is not sound")
    }
    say("the centre's store is sound")
  }

  /// How many boxes have rows that the centre has not, or has otherwise.
  private static func differences(_ boxes: [Held], _ place: String) async throws -> Int {
    let centre = try SQLStore.open(path: place, makeUUID: { UUID() })
    var differing = 0
    for held in boxes {
      let box = held.box
      let (own, theirs) = (
        try await digests(box.store, of: box.person), try await digests(centre, of: box.person)
      )
      if own != theirs { differing += 1 }
    }
    return differing
  }

  private static func digests(_ store: SQLStore, of person: String) async throws -> [String: String]
  {
    try await store.readingExchange { exchange in
      var rows: [String: String] = [:]
      for stream in RowStream.allCases where stream != .marks {
        _ = try exchange.travelling(stream, after: 0, for: .person(person)) { row in
          rows[row.name.text] = row.digest
          return true
        }
      }
      return rows
    }
  }
}

/// When something happened last, which several tasks say.
final class Latest: Sendable {
  private let state = Mutex<Duration?>(nil)
  var value: Duration? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// A box that one task at a time uses.
struct Held: @unchecked Sendable {
  let box: Box
}
