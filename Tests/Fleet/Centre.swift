import Agenda
import Care
import CareStore
import Exchange
import Foundation
import Synchronization

/// A message between the boxes and the centre's process: what HTTP would carry.
struct Call: Codable {
  /// The work that the centre is asked for.
  enum Work: String, Codable {
    /// Answers a box.
    case answer
    /// Counts the people of whom something was weighed since a date, and says how long a morning takes.
    case count, morning
  }

  var number: Int
  var work: Work
  var digest = ""
  var input = ""
  var signature = ""
  var body = Data()
  var date = Date(timeIntervalSince1970: 0)
}

/// The answer to a ``Call``.
struct Outcome: Codable {
  var number: Int
  var status = 0
  var body = Data()
  /// After how many seconds the box is to come again.
  var retryAfter: Int?
  /// People, or milliseconds.
  var figure = 0
}

/// Whole messages, each after its length, from a stream of bytes.
struct Messages: Sequence, IteratorProtocol {
  let file: FileHandle

  mutating func next() -> Data? {
    guard let head = bytes(4) else { return nil }
    return bytes(head.reduce(0) { $0 << 8 | Int($1) })
  }

  private func bytes(_ count: Int) -> Data? {
    var data = Data()
    while data.count < count {
      guard let more = try? file.read(upToCount: count - data.count), !more.isEmpty else {
        return nil
      }
      data.append(more)
    }
    return data
  }

  static func framed(_ message: some Encodable) throws -> Data {
    let data = try JSONEncoder().encode(message)
    let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: data.count >> $0) }
    return Data(head) + data
  }
}

/// The standard output, to which one message at a time is written.
private final class Output: Sendable {
  private let file = Mutex(FileHandle.standardOutput)

  func write(_ data: Data) throws { try file.withLock { try $0.write(contentsOf: data) } }
}

/// The centre's process: answers what comes on its standard input.
enum CentreProcess {
  static func run(_ path: String) async throws {
    let store = try SQLStore.open(path: path, makeUUID: { UUID() })
    let door = CentreDoor(
      Centre(),
      random: { count in
        (0..<count).map { _ in UInt8.random(in: .min ... .max) }
      })
    let output = Output()
    let calls = AsyncStream<Data> { continuation in
      Thread.detachNewThread {
        for message in Messages(file: .standardInput) { continuation.yield(message) }
        continuation.finish()
      }
    }
    await withDiscardingTaskGroup { group in
      for await message in calls {
        group.addTask {
          do {
            let call = try JSONDecoder().decode(Call.self, from: message)
            let outcome: Outcome
            do {
              outcome = try await Self.outcome(of: call, store, door)
            } catch {
              FileHandle.standardError.write(Data("centre: \(error)\n".utf8))
              outcome = Outcome(number: call.number, status: 503)
            }
            try output.write(try Messages.framed(outcome))
          } catch {
            FileHandle.standardError.write(Data("centre: \(error)\n".utf8))
          }
        }
      }
    }
  }

  private static func outcome(
    of call: Call, _ store: SQLStore, _ door: CentreDoor
  ) async throws -> Outcome {
    switch call.work {
    case .answer:
      let request = SignedRequest(
        method: "POST", path: CentreDoor.path, body: Array(call.body))
      let fields = SignedRequest.Fields(
        contentDigest: call.digest, signatureInput: call.input, signature: call.signature)
      guard let believed = try await door.believe(request, fields, in: store) else {
        return Outcome(number: call.number, status: 401)
      }
      let answer = try await door.inTurn(believed) { waiting in
        try await door.answer(believed, in: store, now: call.date, waiting: waiting)
      }
      return Outcome(
        number: call.number, status: answer.status, body: Data(answer.body),
        retryAfter: answer.retryAfter)
    case .count:
      let people = try await store.read { reader in
        try reader.patients().count { patient in
          try reader.latestSample(patient: patient.id, quantity: .bodyMass)
            .map { $0.end >= call.date } ?? false
        }
      }
      return Outcome(number: call.number, figure: people)
    case .morning:
      let clock = ContinuousClock()
      let begin = clock.now
      let rows = try await store.readingExchange { exchange in
        try Morning(
          exchange, boxes: try Enrolment(Centre()).boxes(in: exchange), now: call.date
        ).people.count
      }
      let took = clock.now - begin
      let milliseconds =
        Int(took.components.seconds) * 1_000
        + Int(took.components.attoseconds / 1_000_000_000_000_000)
      return Outcome(number: call.number, status: rows, figure: milliseconds)
    }
  }
}

/// The centre's processes, which share a store: each request comes to the next of them, as behind a proxy.
final class CentreLines: Sendable {
  private let lines: [CentreLine]
  private let turn = Atomic(0)

  init(_ path: String, count: Int) { lines = (0..<count).map { _ in CentreLine(path) } }

  func start() throws { for line in lines { try line.start() } }

  func ask(_ call: Call) async -> Outcome? {
    let turn = turn.add(1, ordering: .relaxed).newValue
    return await lines[turn % lines.count].ask(call)
  }

  /// Ends one of the processes at once, and starts another one.
  func killOne() throws { try lines.randomElement()?.kill() }

  /// Bytes of bodies both ways, and requests.
  var traffic: (bytes: Int, requests: Int) {
    lines.map(\.traffic).reduce((0, 0)) { ($0.0 + $1.bytes, $0.1 + $1.requests) }
  }

  /// How long the processes have had a processor, in hundredths of a second.
  func processorTime() -> Int { lines.reduce(0) { $0 + $1.processorTime() } }

  /// The most memory that one of them had, in kB.
  func peak() -> Int { lines.map { $0.peak() }.max() ?? 0 }
}

/// The boxes' way to one process of the centre, which may be killed and started again.
final class CentreLine: Sendable {
  private struct State {
    var process: Process?
    var input: FileHandle?
    var number = 0
    var waiting: [Int: CheckedContinuation<Outcome?, Never>] = [:]
    var peak = 0
    /// The time of the processes that were killed.
    var ended = 0
    var bytes = 0
    var requests = 0
  }

  private let path: String
  private let state = Mutex(State())

  init(_ path: String) { self.path = path }

  /// Bytes of bodies both ways, and requests.
  var traffic: (bytes: Int, requests: Int) { state.withLock { ($0.bytes, $0.requests) } }

  /// How long the process has had a processor, in hundredths of a second.
  func processorTime() -> Int {
    state.withLock { state in state.ended + (state.process.map(Self.processorTime) ?? 0) }
  }

  /// The same of a process; of this one, in which the boxes are, without one.
  static func processorTime(of process: Process?) -> Int {
    let name = process.map { "\($0.processIdentifier)" } ?? "self"
    let text = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)
    // The name, which is the second field, has no space.
    let fields = text?.split(separator: " ") ?? []
    return fields.count > 15 ? (Int(fields[13]) ?? 0) + (Int(fields[14]) ?? 0) : 0
  }

  /// The most memory that the process had, in kB.
  func peak() -> Int {
    state.withLock { state in
      if let process = state.process { state.peak = max(state.peak, Self.peak(of: process)) }
      return state.peak
    }
  }

  private static func peak(of process: Process) -> Int {
    let text = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  func start() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["centre", path]
    // As the unit sets it.
    process.environment = ProcessInfo.processInfo.environment
      .merging(["MALLOC_ARENA_MAX": "1"]) { $1 }
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    state.withLock { state in
      (state.process, state.input) = (process, input.fileHandleForWriting)
    }
    let reading = output.fileHandleForReading
    Thread.detachNewThread { [self] in
      for message in Messages(file: reading) {
        guard let outcome = try? JSONDecoder().decode(Outcome.self, from: message) else { continue }
        state.withLock { state in
          state.bytes += outcome.body.count
          return state.waiting.removeValue(forKey: outcome.number)
        }?.resume(returning: outcome)
      }
      // All that was on its way is lost, as of a line that broke.
      let lost = state.withLock { state in
        defer { state.waiting = [:] }
        return state.waiting.values.map(\.self)
      }
      for continuation in lost { continuation.resume(returning: nil) }
    }
  }

  /// Ends the process at once, amid whatever it does, and starts another one.
  func kill() throws {
    _ = peak()
    let process = state.withLock { state in
      defer { state.input = nil }
      state.ended += state.process.map(Self.processorTime) ?? 0
      return state.process
    }
    guard let process else { return }
    _ = Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try start()
  }

  func ask(_ call: Call) async -> Outcome? {
    await withCheckedContinuation { continuation in
      let isSent = state.withLock { state in
        guard let input = state.input else { return false }
        state.number += 1
        state.requests += 1
        state.bytes += call.body.count
        var call = call
        call.number = state.number
        state.waiting[state.number] = continuation
        guard let framed = try? Messages.framed(call), (try? input.write(contentsOf: framed)) != nil
        else {
          state.waiting[state.number] = nil
          return false
        }
        return true
      }
      if !isSent { continuation.resume(returning: nil) }
    }
  }
}
