import ArgumentParser
import CareStore
import Foundation
import Logging
import Web

/// Runs commands of the command line for clients of the socket.
///
/// Only what ``HostedCommand`` describes is run. A command has the daemon's store, and no files but
/// those that its client sends.
struct CommandDesk: Sendable {
  let store: SQLStore
  /// The store's path.
  let storePath: String
  /// Records what is due by the plan, so that a command finds it.
  let settle: @Sendable () async -> Void
  let logger: Logger
  private let places = CommandPlaces(4)

  /// The most arguments of a command.
  static let mostArguments = 1_000
  /// The most files that a command reads.
  static let mostInputs = 200
  /// How much a client may send for one command, in bytes.
  static let mostBytes = 512 << 20

  /// The failure for input that is no command.
  static let unreadable = CommandFailure(
    .failed,
    "The daemon, measured \(Measured.version), does not understand what it was sent. A program of"
      + " the same version sends a command, then its files (ARCHITECTURE.md, The two doors).")

  /// Why a command ends whose client is gone.
  static let left = CommandFailure(
    .failed, "The client ended the conversation before the command was done.")

  init(
    store: SQLStore, path: String, settle: @escaping @Sendable () async -> Void, logger: Logger
  ) {
    self.store = store
    self.settle = settle
    self.logger = logger
    storePath = path
  }

  /// One conversation with a client.
  @Sendable func converse(_ client: inout ClientLines, _ outbox: LineQueue) async {
    do {
      guard let host = try await receive(&client, outbox) else { return }
      await run(host, for: &client)
    } catch {
      let failure = error is ClientLines.TooLong ? Self.unreadable : CommandFailure(error)
      outbox.finish(
        with: FrameCoding.line(
          DaemonFrame(error: "measured: \(failure.message)\n", exit: failure.code.rawValue)))
    }
  }

  // MARK: Receiving

  /// Receives a command and its files; `nil` if the client leaves meanwhile.
  private func receive(
    _ client: inout ClientLines, _ outbox: LineQueue
  ) async throws -> CommandHost? {
    guard let line = try await client.next() else { return nil }
    guard let request = FrameCoding.frame(ClientFrame.self, line)?.command,
      request.arguments.count <= Self.mostArguments, request.inputs.count <= Self.mostInputs,
      !request.store.isEmpty
    else { throw Self.unreadable }
    let words = try Self.words(of: request.arguments)
    logger.info("A client runs measured \(words).")
    let folder = try CommandFolder(beside: storePath)
    let files = ReceivedFiles(folder: folder, inputs: request.inputs, output: request.output)
    var receiver = FileReceiver(folder: folder)
    for (index, input) in request.inputs.enumerated() where input.problem == nil {
      let path = files.path(of: index)
      guard let members = input.members else {
        guard try await receiver.receive(path, from: &client) else { return nil }
        continue
      }
      guard unsafe mkdir(path, 0o700) == 0 else { throw FileReceiver.noRoom }
      for member in members {
        guard !member.hasPrefix("."), !member.contains("/"), !member.contains("\0"),
          member.utf8.count <= 200
        else { throw Self.unreadable }
        guard try await receiver.receive(path + "/" + member, from: &client) else { return nil }
      }
    }
    let overflow = folder.path("overflow")
    if FileManager.default.createFile(
      atPath: overflow, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forUpdatingAtPath: overflow)
    {
      outbox.overflow(into: file)
    }
    return CommandHost(
      request: request, store: store, storePath: storePath, files: files, settle: settle,
      outbox: outbox)
  }

  /// The command's words, without values: `plan import`.
  ///
  /// - Throws: ``CommandFailure`` for a command that the daemon does not run.
  static func words(of arguments: [String]) throws(CommandFailure) -> String {
    guard let command = try? Measured.parseAsRoot(arguments),
      (command as? any HostedCommand)?.hosting != nil
    else { throw CommandFailure(.failed, "The daemon does not run this command.") }
    var words: [String] = []
    var known = Measured.configuration.subcommands
    for argument in arguments {
      guard let next = known.first(where: { $0._commandName == argument }) else { break }
      words.append(argument)
      known = next.configuration.subcommands
    }
    return words.joined(separator: " ")
  }

  // MARK: Running

  /// Runs the command, as long as its client is there.
  private func run(_ host: CommandHost, for client: inout ClientLines) async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        guard await places.take() else { return }
        let code = await Console.$surroundings.withValue(host) { await Self.run(host.request) }
        await places.release()
        host.exit(code)
      }
      while let line = try? await client.next() {
        if let answer = FrameCoding.frame(ClientFrame.self, line)?.answer { host.answer(answer) }
      }
      host.leave()
      tasks.cancelAll()
    }
  }

  /// Runs the command in this task.
  ///
  /// - Returns: Its exit code.
  private static func run(_ request: CommandRequest) async -> Int32 {
    do {
      try await Main.runHere(Measured.parseAsRoot(request.arguments))
      return ExitCode.done.rawValue
    } catch is CancellationError {
      return Exit.report(left, of: request.arguments)
    } catch {
      return Exit.report(error, of: request.arguments)
    }
  }
}

/// Writes the files that a client sends.
private struct FileReceiver {
  let folder: CommandFolder
  private var received = 0

  init(folder: CommandFolder) { self.folder = folder }

  static let noRoom = CommandFailure(.failed, "The daemon has no room for the command's files.")

  /// Receives one file; `false` if the client leaves meanwhile.
  mutating func receive(
    _ path: String, from client: inout ClientLines
  ) async throws -> Bool {
    guard
      FileManager.default.createFile(
        atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forWritingAtPath: path)
    else { throw Self.noRoom }
    defer { try? file.close() }
    while let line = try await client.next() {
      let frame = FrameCoding.frame(ClientFrame.self, line)
      if let data = frame?.data {
        received += data.count
        guard received <= CommandDesk.mostBytes else {
          throw CommandFailure(
            .failed,
            "The command's files are larger than \(CommandDesk.mostBytes >> 20) MB, which is too much"
              + " for the daemon. End it first: the command then reads them itself.")
        }
        guard data.count <= folder.room, (try? file.write(contentsOf: data)) != nil else {
          throw Self.noRoom
        }
      } else if frame?.isEnd == true {
        return true
      } else {
        throw CommandDesk.unreadable
      }
    }
    return false
  }
}

/// How many commands run at a time: further ones wait for a place, in order.
private actor CommandPlaces {
  private var free: Int
  private var waiting: [(id: Int, answer: CheckedContinuation<Bool, Never>)] = []
  private var lastID = 0

  init(_ count: Int) { free = count }

  /// Waits for a place; `false` if the task is cancelled meanwhile.
  func take() async -> Bool {
    guard free == 0 else {
      free -= 1
      return true
    }
    lastID += 1
    let id = lastID
    return await withTaskCancellationHandler {
      await withCheckedContinuation { answer in
        guard !Task.isCancelled else { return answer.resume(returning: false) }
        waiting.append((id, answer))
      }
    } onCancel: {
      Task { await self.cancel(id) }
    }
  }

  /// Gives a place back.
  func release() {
    guard waiting.isEmpty else { return waiting.removeFirst().answer.resume(returning: true) }
    free += 1
  }

  private func cancel(_ id: Int) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    waiting.remove(at: index).answer.resume(returning: false)
  }
}
