import ArgumentParser
import CareStore
import Foundation
import Traces

/// Has a command run by the daemon that holds its store.
struct CommandClient {
  let hosting: Hosting
  /// The arguments, without the program's name.
  let arguments: [String]

  /// Runs the command in the daemon, if there is one.
  ///
  /// - Returns: The exit code; `nil` without a daemon: then the command works with the file.
  /// - Throws: ``CommandFailure``.
  func run() async throws -> Int32? {
    // Without a store's name the command itself says why.
    guard
      let store = try? hosting.store
        ?? StoreLocation(environment: Console.variables).path,
      let daemon = try DaemonSocket.holding(store)
    else { return nil }
    try daemon.checkVersion()
    let socket: ClientSocket
    do {
      socket = try ClientSocket(path: daemon.path)
      try socket.begin("POST", "/api/v1/commands")
    } catch {
      return nil
    }
    let life = socket.showsLife()
    defer { withExtendedLifetime(life) {} }
    let (inputs, streams) = try self.inputs()
    let request = CommandRequest(
      arguments: arguments, store: store,
      terminals: Console.surroundings.terminals,
      inputs: inputs, output: output)
    do {
      try socket.send(FrameCoding.line(ClientFrame(command: request)))
      for stream in streams { try send(stream, over: socket) }
    } catch is ClientSocket.Failure {
      // A daemon that refuses the command reads no further, and has said why.
    }
    return try await follow(socket)
  }

  // MARK: Sending

  /// The files and folders that the command reads, and the streams of those that can be read.
  private func inputs() throws -> ([CommandRequest.InputFile], [any ByteStream]) {
    var inputs: [CommandRequest.InputFile] = []
    var streams: [any ByteStream] = []
    for path in hosting.inputs where !inputs.contains(where: { $0.path == path }) {
      var input = CommandRequest.InputFile(path: path)
      do {
        streams.append(try CommandFiles.stream(path))
        input.isExposed = path != "-" && TextFile.isReadableByOthers(path)
      } catch {
        guard let problem = CommandRequest.Problem(error) else { throw error }
        input.problem = problem
      }
      inputs.append(input)
    }
    guard let folder = hosting.folder else { return (inputs, streams) }
    var input = CommandRequest.InputFile(path: folder)
    if let names = try? FileManager.default.contentsOfDirectory(atPath: folder) {
      let members = names.filter { !$0.hasPrefix(".") && $0.hasSuffix(".yaml") }.sorted()
      streams += try members.map { try FileStream(path: folder + "/" + $0) }
      input.members = members
    } else {
      input.problem = .missingFile
    }
    return (inputs + [input], streams)
  }

  /// The file that the command writes.
  private var output: CommandRequest.OutputFile? {
    hosting.output.map { path in
      CommandRequest.OutputFile(
        path: path, exists: FileManager.default.fileExists(atPath: path),
        identity: FileIdentity.of(path))
    }
  }

  /// Sends a file; one that cannot be read to its end is not sent as complete.
  private func send(_ stream: any ByteStream, over socket: ClientSocket) throws {
    var stream = stream
    while case let piece = try stream.read(upTo: DaemonFrame.piece), !piece.isEmpty {
      try socket.send(FrameCoding.line(ClientFrame(data: piece)))
    }
    try socket.send(FrameCoding.line(ClientFrame(isEnd: true)))
  }

  // MARK: Receiving

  /// Shows what the command prints, until it ends.
  private func follow(_ socket: ClientSocket) async throws -> Int32 {
    let lost = CommandFailure(
      .failed,
      "The daemon ended before the command did. What the command had done until then is in the"
        + " store.")
    var response: ClientResponse
    do throws(ClientSocket.Failure) { response = try ClientResponse(socket) } catch { throw lost }
    guard response.status == 200 else {
      throw CommandFailure(.failed, "The daemon does not run the command: \(response.refusal())")
    }
    var file: OutputFile.Replacement?
    while let line = try? response.line() {
      guard let frame = FrameCoding.frame(DaemonFrame.self, line) else { throw lost }
      if let text = frame.out { Console.write(text, to: .standardOutput) }
      if let text = frame.error { Console.write(text, to: .standardError) }
      if let question = frame.question {
        let isYes = await Console.confirm(question)
        try? socket.send(FrameCoding.line(ClientFrame(answer: isYes)))
      }
      if frame.data != nil || frame.isEnd == true, let path = hosting.output {
        let open = try file ?? OutputFile.Replacement(of: path, id: UUID())
        file = open
        if let data = frame.data { try open.write(data) }
        if frame.isEnd == true {
          try open.finish()
          file = nil
        }
      }
      guard let code = frame.exit else { continue }
      try? socket.end()
      return code
    }
    throw lost
  }
}
