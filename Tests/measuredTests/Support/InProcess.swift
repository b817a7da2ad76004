import Foundation
import Synchronization
import Traces

@testable import Terminal
@testable import measured

/// A command that runs in the test's own process: by the program's way from the arguments to the exit
/// code, without the start of a process.
///
/// It has its own streams and variables; the working folder and the signals are the tests'.
/// ``SameInProcessTests`` proves that it prints and ends as a process does.
enum InProcess {
  /// Runs a command line to its end.
  ///
  /// - Parameters:
  ///   - arguments: The arguments, without the program's name.
  ///   - input: What standard input contains.
  ///   - environment: The variables that differ from the tests' own.
  ///   - terminals: Which streams are terminals.
  ///   - now: The time that its clock shows; `nil` for that of the machine.
  /// - Returns: What it printed, and its exit code.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    terminals: Terminals = Terminals(), now: Date? = nil
  ) async -> MeasuredProcess.Result {
    let surroundings = GivenSurroundings(
      input: input, variables: own.merging(environment) { $1 }, terminals: terminals,
      now: now)
    let code = await Console.$surroundings.withValue(surroundings) {
      await Program(Measured.self).run(arguments)
    }
    return surroundings.result(code)
  }

  private static let own = ProcessInfo.processInfo.environment
}

/// Surroundings that keep what a command prints, and give it what the test has prepared.
private final class GivenSurroundings: Surroundings {
  let terminals: Terminals
  let variables: [String: String]
  let isProcess = false
  private let given: Date?
  private let state: Mutex<State>

  private struct State {
    var input: Data
    var output = ""
    var error = ""

    /// Takes bytes from the beginning of what is left of the input.
    mutating func take(_ count: Int) -> Data {
      let taken = Data(input.prefix(count))
      input = Data(input.dropFirst(taken.count))
      return taken
    }

    /// Takes a line with its end; `nil` at the end of the input.
    mutating func line() -> String? {
      guard !input.isEmpty else { return nil }
      let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
      let line = String(decoding: take(end - input.startIndex), as: UTF8.self)
      _ = take(1)
      return line
    }
  }

  init(input: String, variables: [String: String], terminals: Terminals, now: Date?) {
    given = now
    self.variables = variables
    self.terminals = terminals
    state = Mutex(State(input: Data(input.utf8)))
  }

  var now: Date { given ?? Date() }

  /// The output of the command until now.
  func result(_ code: Int32) -> MeasuredProcess.Result {
    state.withLock { MeasuredProcess.Result(status: code, output: $0.output, error: $0.error) }
  }

  func write(_ text: String, to stream: Console.Stream) {
    state.withLock { state in
      switch stream {
      case .standardOutput: state.output += text
      case .standardError: state.error += text
      }
    }
  }

  func nextLine() -> String? {
    let line = nextDataLine()
    return (line?.utf8.count ?? 0) <= Console.longestLine ? line : nil
  }

  func nextDataLine() -> String? { state.withLock { $0.line() } }

  func input() throws(TraceError) -> any ByteStream { Input(surroundings: self) }

  /// The input as the stream that a pipe is: its size is unknown, and nothing can be read twice.
  private struct Input: ByteStream {
    let surroundings: GivenSurroundings
    var name: String { "-" }
    var size: Int? { nil }

    func read(upTo limit: Int) throws(TraceError) -> Data {
      surroundings.state.withLock { $0.take(limit) }
    }
  }
}
