import ArgumentParser
import CareStore
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing
import Web

@testable import measured

/// The commands beside a running daemon, which runs them.
@Suite(.serialized) struct SocketCommandTests {
  private static let changedPlan = Recordings.plan.replacing(
    "title: Weigh yourself", with: "title: Step on the scale")

  /// A folder with a store that has a plan, and files to work with.
  private static func household() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    _ = try folder.write(changedPlan, to: "changed.yaml")
    _ = try folder.write("timeZone: nowhere\n", to: "broken.yaml")
    _ = try folder.write(Recordings.weighIn, to: "weigh-in.jsonl")
    _ = try folder.write("{\"measured-trace\":2}", to: "broken.jsonl")
    let still = (0..<300).map { "\(Double($0) / 100),0.01,0.02,1.01" }
    _ = try folder.write((["t,x,y,z"] + still).joined(separator: "\n"), to: "still.csv")
    let result = try await measured(
      ["plan", "import", plan, "--store", folder.path("s.sqlite")])
    #expect(result.status == 0, "\(result.error)")
    return folder
  }

  /// Runs a command that uses the socket of a daemon in another process, or none.
  private static func measured(
    _ arguments: [String], input: String = ""
  ) async throws -> MeasuredProcess.Result {
    await InProcess.run(arguments, input: input)
  }

  /// Runs the program on a thread of its own: a daemon, or beside a daemon in this process.
  private static func process(_ arguments: [String]) async throws -> MeasuredProcess.Result {
    try await onThread { try MeasuredProcess.run(arguments) }
  }

  // MARK: The same output

  /// Commands in order; `STORE` and names with a dot are paths in the folder.
  private static let table: [[String]] = [
    ["plan", "import", "plan.yaml", "STORE"], ["plan", "diff", "changed.yaml", "STORE"],
    ["plan", "import", "changed.yaml", "STORE", "--dry-run"],
    ["plan", "import", "changed.yaml", "STORE", "--json"], ["plan", "undo", "STORE"],
    ["plan", "import", "none.yaml", "STORE"], ["plan", "import", ".", "STORE"],
    ["plan", "import", "broken.yaml", "STORE"], ["plan", "import", "-", "STORE"],
    ["plan", "export", "STORE"], ["plan", "export", "plan.yaml", "STORE"],
    ["plan", "export", "new.yaml", "STORE"], ["plan", "export", "/nowhere/new.yaml", "STORE"],
    ["tasks", "STORE"], ["tasks", "STORE", "--json"], ["patient", "list", "STORE"],
    ["contacts", "STORE"],
    ["replay", "weigh-in.jsonl", "STORE"], ["replay", "weigh-in.jsonl", "STORE", "--json"],
    ["replay", "broken.jsonl", "STORE"], ["replay", "none.jsonl", "STORE"],
    ["replay", "weigh-in.jsonl", "--devices", "none", "STORE"],
    ["samples", "STORE"], ["samples", "STORE", "--json"], ["samples", "STORE", "--csv"],
    ["samples", "--summary", "--from", "2019-10-01", "--to", "2019-11-01", "STORE"],
    ["samples", "assign", "999", "--patient", "john", "STORE"],
    ["samples", "correct", "1", "--value", "62.5", "--unit", "kg", "STORE"],
    ["samples", "delete", "1", "STORE", "--json"], ["samples", "restore", "1", "STORE"],
    ["today", "--date", "2019-10-30", "STORE"],
    ["today", "--date", "2019-10-30", "STORE", "--json"],
    ["week", "--date", "2019-10-30", "STORE"],
    ["done", "check-in", "--date", "2019-10-30", "STORE"],
    ["done", "check-in", "--date", "2019-10-30", "STORE"],
    ["done", "nothing", "--date", "2019-10-30", "STORE"],
    ["done", "leaflet", "--date", "2019-10-30", "STORE", "--json"],
    ["undo", "check-in", "--date", "2019-10-30", "STORE"],
    ["undo", "check-in", "--date", "2019-10-30", "STORE"],
    ["outcome", "set", "--task", "check-in", "--occurrence", "3", "STORE", "--json"],
    ["outcome", "delete", "--task", "check-in", "--occurrence", "3", "STORE"],
    ["outcome", "set", "--task", "nothing", "--occurrence", "3", "STORE"],
    ["events", "--from", "2019-10-29", "--to", "2019-11-01", "STORE", "--json"],
    ["events", "--from", "2019-10-29", "--to", "2019-11-01", "STORE"],
    ["events", "--from", "lately", "--to", "2019-11-01", "STORE"],
    ["adherence", "--from", "2019-10-29", "--to", "2019-11-01", "STORE"],
    ["calibrate", "still.csv", "--sensor", "left-thigh", "STORE", "--json"],
    ["calibrate", "delete", "left-thigh", "STORE"],
    ["task", "end", "pulse", "--at", "2019-12-01", "STORE"],
    ["store", "check", "STORE"], ["store", "backup", "backup.sqlite", "STORE"],
    ["store", "backup", "s.sqlite", "STORE"], ["store", "backup", "/nowhere/b.sqlite", "STORE"],
    ["store", "export", "export.jsonl", "STORE"], ["store", "import", "export.jsonl", "STORE"],
    ["store", "import", "none.jsonl", "STORE"], ["store", "import", "plan.yaml", "STORE"],
    ["store", "restore", "plan.yaml", "STORE"], ["store", "restore", "none.sqlite", "STORE"],
    ["patient", "rename", "john", "johnny", "STORE"],
    ["store", "restore", "backup.sqlite", "STORE"], ["patient", "list", "STORE", "--json"],
    ["store", "import", "export.jsonl", "--replace", "STORE"],
    ["store", "erase", "--patient", "john", "STORE"],
    ["store", "erase", "--patient", "john", "--yes", "STORE"],
    ["patient", "list", "STORE"], ["store", "check", "STORE"],
  ]

  /// What the commands print and end with, with `/F` for the folder and without times of now.
  private static func run(in folder: TemporaryFolder) async throws -> [String] {
    var outputs: [String] = []
    for words in table {
      let arguments = words.flatMap { word in
        if word == "STORE" { return ["--store", folder.path("s.sqlite")] }
        let isFile = word == "." || word == "none" || word.contains(".") && !word.contains("/")
        return [isFile && Double(word) == nil ? folder.path(word) : word]
      }
      let result = try await measured(arguments, input: Recordings.plan)
      let text = "\(words) \(result.status)\n--out\n\(result.output)--error\n\(result.error)"
      outputs.append(
        text.replacing(folder.url.path, with: "/F")
          .replacing(/"created":"[^"]*"/, with: "created")
          .replacing(/"begins":"20[2-9][^"]*"/, with: "begins").replacing(
            /"at":"[^"]*"/, with: "at"
          )
          // A correction arrives now; the recording is of 2019.
          .replacing(/"arrival":"20[2-9][^"]*"/, with: "arrival"))
    }
    return outputs
  }

  @Test
  func `a connection that fails closes its own descriptor, once`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("absent.sock")
    let isDone = Mutex(false)
    async let failing: Void = onThread {
      for _ in 0..<20_000 {
        #expect(throws: ClientSocket.Failure.absent) { try ClientSocket(path: path) }
      }
      isDone.withLock { $0 = true }
    }
    // A number that was closed twice is another file's at the second time.
    let lost = try await onThread {
      var lost = 0
      while !isDone.withLock({ $0 }) {
        let file = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        sched_yield()
        if close(file) != 0 { lost += 1 }
      }
      return lost
    }
    try await failing
    #expect(lost == 0)
  }

  @Test
  func `beside a daemon every command prints and ends as without one`() async throws {
    let (alone, beside) = (try await Self.household(), try await Self.household())
    let expected = try await Self.run(in: alone)
    let daemon = try await DaemonProcess(store: beside.path("s.sqlite"))
    let outputs = try await Self.run(in: beside)
    for (output, expected) in zip(outputs, expected) { #expect(output == expected) }
    #expect(daemon.isRunning)
    // The files are the client's, as without a daemon.
    for name in ["new.yaml", "backup.sqlite", "export.jsonl"] {
      let mode =
        try FileManager.default.attributesOfItem(atPath: beside.path(name))[.posixPermissions]
      #expect(mode as? Int == 0o600, "\(name)")
    }
    daemon.stop()
    // Nothing is left beside the store but its lock: to remove it would let two take it.
    func names(_ folder: TemporaryFolder) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        .filter { name in !["-wal", "-shm", ".lock"].contains { name.hasSuffix($0) } }
    }
    let (left, expectedNames) = (try names(beside), try names(alone))
    #expect(left == expectedNames)
  }

  @Test
  func `a daemon runs exactly the commands that open a store`() {
    let others = [
      "run", "serve", "doctor", "demo", "access list", "access add", "access passcode",
      "access remove", "access token", "access revoke", "setup",
    ]
    var unhosted: [String] = []
    func visit(_ command: any ParsableCommand.Type, _ path: String) {
      for next in command.configuration.subcommands {
        visit(next, path + (path.isEmpty ? "" : " ") + next._commandName)
      }
      guard command.configuration.subcommands.isEmpty,
        Measured.helpMessage(for: command).contains("--store "),
        !(command is any HostedCommand.Type)
      else { return }
      unhosted.append(path)
    }
    visit(Measured.self, "")
    #expect(Set(unhosted).isSubset(of: others), "\(unhosted)")
    #expect(throws: CommandFailure.self) { try CommandDesk.words(of: ["run"]) }
    #expect(throws: CommandFailure.self) {
      try CommandDesk.words(of: ["replay", "a", "--plan", "b"])
    }
    #expect(throws: CommandFailure.self) { try CommandDesk.words(of: ["access", "list"]) }
    #expect(throws: CommandFailure.self) { try CommandDesk.words(of: ["--help"]) }
    #expect(throws: CommandFailure.self) { try CommandDesk.words(of: []) }
  }

  // MARK: Deaths

  /// A replay that takes a minute.
  private static func slowReplay(_ folder: TemporaryFolder) throws -> Process {
    let process = Process()
    process.executableURL = MeasuredProcess.executable
    process.arguments = [
      "replay", try folder.write(Recordings.heartBeats(60), to: "beats.jsonl"), "--speed", "1",
      "--store", folder.path("s.sqlite"),
    ]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = Pipe()
    try process.run()
    return process
  }

  private static func beats(_ folder: TemporaryFolder) async throws -> Int {
    try await measured(
      ["samples", "--quantity", "heartRate", "--json", "--store", folder.path("s.sqlite")]
    ).lines.count
  }

  /// Waits until no command has a folder: a daemon removes it after its client has the last line.
  private static func untilNoCommandFolder(in folder: TemporaryFolder) async throws {
    try await until("the end of every command") {
      try !FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        .contains { $0.hasPrefix(".measured-command-") }
    }
  }

  @Test
  func `a killed client ends its command, and nothing else`() async throws {
    let folder = try await Self.household()
    let daemon = try await DaemonProcess(store: folder.path("s.sqlite"))
    let client = try Self.slowReplay(folder)
    try await until("two beats") { try await Self.beats(folder) >= 2 }
    kill(client.processIdentifier, SIGKILL)
    client.waitUntilExit()
    // The folder of a command is removed at its end, which is long before the recording's.
    try await Self.untilNoCommandFolder(in: folder)
    #expect(try await Self.beats(folder) < 60)
    #expect(daemon.isRunning)
  }

  @Test
  func `a killed daemon ends its commands with a reason; the next one takes over`() async throws {
    let folder = try await Self.household()
    let store = folder.path("s.sqlite")
    var daemon = try await DaemonProcess(store: store)
    let client = try Self.slowReplay(folder)
    try await until("two beats") { try await Self.beats(folder) >= 2 }
    daemon.crash()
    client.waitUntilExit()
    #expect(client.terminationStatus == 1)
    let error = (client.standardError as? Pipe)?.fileHandleForReading.readDataToEndOfFile()
    #expect(
      String(decoding: error ?? Data(), as: UTF8.self).contains(
        "The daemon ended before the command"))
    // The socket is still there, and nobody listens: the file is used.
    #expect(FileManager.default.fileExists(atPath: daemon.socket))
    #expect(try await Self.beats(folder) >= 2)
    daemon = try await DaemonProcess(store: store)
    #expect(try await Self.beats(folder) >= 2)
    try await Self.untilNoCommandFolder(in: folder)
    daemon.stop()
    #expect(!FileManager.default.fileExists(atPath: daemon.socket))
  }

  @Test
  func `eight clients at once, twice as many as have a place, are all served`() async throws {
    let folder = try await Self.household()
    let store = folder.path("s.sqlite")
    let daemon = try await DaemonProcess(store: store)
    let clients = try (0..<8).map { number in
      let client = Process()
      client.executableURL = MeasuredProcess.executable
      client.arguments = [
        "outcome", "set", "--task", "check-in", "--occurrence", "\(number)", "--store", store,
      ]
      client.standardOutput = FileHandle.nullDevice
      try client.run()
      return client
    }
    try await until("the end of the clients") { !clients.contains(where: \.isRunning) }
    #expect(clients.map(\.terminationStatus) == Array(repeating: 0, count: 8))
    let events = try await Self.measured([
      "events", "--task", "check-in", "--from", "2019-10-01", "--to", "2019-11-01", "--json",
      "--store", store,
    ])
    #expect(events.objects.count { $0["completed"] as? Bool == true } == 8)
    #expect(daemon.isRunning)
  }

  // MARK: Who listens

  @Test
  func `a second daemon on a store is refused`() async throws {
    let folder = try await Self.household()
    let store = folder.path("s.sqlite")
    var lock: StoreLock? = try StoreLock(store: store)
    #expect(throws: StoreLock.Failure.taken(store: store)) { try StoreLock(store: store) }
    for radio in ["bluetoothd", "kernel"] {
      let second = try await Self.process(
        ["run", "--store", store, "--radio", radio, "--page", "127.0.0.1:0"])
      #expect(second.status == 1)
      #expect(second.error.contains("Another daemon works with the store"))
    }
    // The page, too; without a socket nobody says who has the store.
    let page = try await Self.process(["serve", "--store", store, "--page", "127.0.0.1:0"])
    #expect(page.status == 1)
    #expect(page.error.contains("measured run or measured serve. End it first"))
    withExtendedLifetime(lock) {}
    lock = nil
    // What a crash leaves behind is no lock.
    _ = try StoreLock(store: store)
  }

  @Test(
    arguments: ["store: /data/care.sqlite\nradio: [kernel", "store: care.sqlite"])
  func `settings whose store cannot be read make no new store`(text: String) async throws {
    let folder = try TemporaryFolder()
    let settings = try folder.write(text, to: "measured.yaml")
    let state = folder.url.path
    let daemon = try await onThread {
      try MeasuredProcess.run(
        ["run", "--settings", settings], environment: ["STATE_DIRECTORY": state])
    }
    #expect(daemon.status == 1)
    #expect(daemon.error.contains("it is not known which store is meant"))
    #expect(daemon.error.contains(settings))
    #expect(!FileManager.default.fileExists(atPath: folder.path("measured.sqlite")))
  }

  @Test
  func `a second page of a store is refused, and says where the first one is`() async throws {
    let folder = try await Self.household()
    let store = folder.path("s.sqlite")
    let first = try await DaemonProcess(store: store)
    var found: String?
    try await until("the page") {
      found = try await onThread { try DaemonSocket.holding(store)?.facts.page }
      return found != nil
    }
    let address = try #require(found)
    #expect(address.hasPrefix("http://127.0.0.1:"))
    let second = try await Self.process(["serve", "--store", store, "--page", "127.0.0.1:0"])
    #expect(second.status == 1)
    #expect(second.error.contains("Another measured serve has the page of the store"))
    #expect(second.error.contains(address))
    let daemon = try await Self.process(
      ["run", "--store", store, "--radio", "bluetoothd", "--page", "127.0.0.1:0"])
    #expect(daemon.status == 1 && daemon.error.contains("measured run or measured serve"))
    first.stop()
    let third = try await DaemonProcess(store: store)
    #expect(third.isRunning)
  }

  /// The socket of a daemon that tells facts and accepts no command.
  private static func daemonSocket(
    of store: String, version: String = Measured.version, radio: String?,
    radioTrouble: String? = nil, page: String? = nil
  ) throws -> LocalServer {
    try LocalServer(path: store + ".sock") {
      LocalDoor(
        facts: {
          LocalDoor.Facts(
            version: version, conversation: ConversationVersion.current, store: store,
            file: FileIdentity.of(store), radio: radio, radioTrouble: radioTrouble, page: page)
        }, command: { _, _ in })
    }
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:8473/", "and serves its page: http://127.0.0.1:8473/"),
      (nil, "without a page. Set page: in its settings"),
    ] as [(String?, String)])
  func `beside a daemon with a radio, the page is the daemon's`(page: String?, words: String)
    async throws
  {
    let folder = try await Self.household()
    let store = DaemonSocket.realPath(of: folder.path("s.sqlite"))
    let lock = try StoreLock(store: store)
    defer { withExtendedLifetime(lock) {} }
    let server = try Self.daemonSocket(of: store, radio: "kernel", page: page)
    try await server.run {
      let result = try await Self.process(["serve", "--store", store, "--page", "127.0.0.1:0"])
      #expect(result.status == 1)
      #expect(result.error.contains(words), "\(result.error)")
    }
  }

  @Test(
    arguments: ["kernel", "bluetoothd"])
  func `doctor judges the radio that the daemon has`(mode: String) async throws {
    let folder = try await Self.household()
    let store = DaemonSocket.realPath(of: folder.path("s.sqlite"))
    let server = try Self.daemonSocket(
      of: store, radio: mode, radioTrouble: "hci0 cannot be used.")
    try await server.run {
      let result = try await Self.process(["doctor", "--json", "--store", store])
      #expect(result.status == 1)
      let bluetoothd = result.objects.first { $0["subject"] as? String == "bluetoothd" }
      let finding = bluetoothd?["finding"] as? String
      #expect(finding?.contains("kernel") == (mode == "kernel"), "\(result.output)")
      // Where doctor knows the cause, such as a machine without a controller, it says that.
      let isKnown = result.objects.contains { object in
        let subject = object["subject"] as? String ?? ""
        return object["verdict"] as? String == "problem"
          && ["kernel", "controller", "bluetoothd", "permissions"].contains(subject)
      }
      #expect(result.output.contains("hci0 cannot be used.") == !isKnown, "\(result.output)")
    }
    withExtendedLifetime(folder) {}
  }

  // MARK: Closed streams

  /// Runs the program in a shell, whose `$0` and `$@` are its command line.
  private static func shell(_ script: String, _ arguments: [String]) async throws -> (Int32, String)
  {
    try await onThread {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = ["-c", script, MeasuredProcess.executable.path] + arguments
      let error = Pipe()
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = error
      try process.run()
      let text = error.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }
  }

  @Test
  func `a reader that is gone, and a closed standard output`() async throws {
    let folder = try await Self.household()
    let store = folder.path("s.sqlite")
    let many = [
      "events", "--from", "2019-10-01", "--to", "2020-10-01", "--json", "--store", store,
    ]
    func results() async throws -> [(Int32, String)] {
      [
        try await Self.shell(#""$0" "$@" | head -n 1; exit ${PIPESTATUS[0]}"#, many),
        try await Self.shell(#"exec "$0" "$@" >&-"#, ["today", "--store", store]),
        try await Self.shell(#"exec "$0" "$@" <&- 2>&-"#, ["today", "--store", store]),
      ]
    }
    let alone = try await results()
    let daemon = try await DaemonProcess(store: store)
    let beside = try await results()
    for found in [alone, beside] {
      // 141 by SIGPIPE, 1 where whoever starts the program ignores it; in silence.
      #expect([141, 1].contains(found[0].0) && found[0].1.isEmpty, "\(found[0])")
      #expect(found[1].0 == 1)
      #expect(
        found[1].1 == "measured: Standard output cannot be written: Bad file descriptor.\n")
      #expect(found[2].0 == 0 && found[2].1.isEmpty)
    }
    #expect(alone.map(\.0) == beside.map(\.0))
    #expect(daemon.isRunning)
    #expect(try await Self.measured(["store", "check", "--store", store]).status == 0)
  }

  @Test
  func `the daemon of another store is not asked`() async throws {
    let folder = try await Self.household()
    let daemon = try await DaemonProcess(store: folder.path("s.sqlite"))
    let copy = folder.path("copy.sqlite")
    try FileManager.default.copyItem(
      atPath: folder.path("plan.yaml"), toPath: folder.path("p.yaml"))
    #expect(
      try await Self.measured(["plan", "import", folder.path("p.yaml"), "--store", copy]).status
        == 0)
    // A link to the socket of another store.
    try FileManager.default.createSymbolicLink(
      atPath: copy + ".sock", withDestinationPath: daemon.socket)
    #expect(try DaemonSocket.holding(copy) == nil)
    #expect(try DaemonSocket.holding(folder.path("s.sqlite"))?.path == daemon.socket)
    #expect(
      try await Self.measured(["store", "check", "--store", copy]).output.contains("copy.sqlite"))
    // A link to the store leads to its daemon.
    let link = folder.path("link.sqlite")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder.path("s.sqlite"))
    #expect(try DaemonSocket.holding(link)?.path == daemon.socket)
  }

  @Test
  func `a daemon of another version is named, and not used`() async throws {
    let folder = try await Self.household()
    let store = DaemonSocket.realPath(of: folder.path("s.sqlite"))
    let server = try Self.daemonSocket(of: store, version: "9.9.9", radio: nil)
    try await server.run {
      let result = try await Self.process(["today", "--store", store])
      #expect(result.status == 1)
      #expect(result.error.contains("measured 9.9.9") && result.error.contains(Measured.version))
    }
  }

  // MARK: Hostile clients

  @Test
  func `a malformed conversation ends with words for people`() async throws {
    let folder = try await Self.household()
    let daemon = try await DaemonProcess(store: folder.path("s.sqlite"))
    let path = daemon.socket
    let texts = [
      "nonsense", "{}",
      #"{"command":{"arguments":["today"],"store":"","terminals":{},"inputs":[]}}"#,
      String(repeating: "x", count: 200_000),
    ]
    let answers = try await onThread {
      try texts.map { text in
        let socket = try ClientSocket(path: path)
        socket.limitReading(to: 20)
        try socket.begin("POST", "/api/v1/commands")
        try socket.send(Data((text + "\n").utf8))
        var response = try ClientResponse(socket)
        let line = try response.line() ?? Data()
        return FrameCoding.frame(DaemonFrame.self, line)
      }
    }
    for answer in answers {
      #expect(answer?.exit == 1)
      #expect(
        answer?.error?.hasPrefix(
          "measured: The daemon, measured \(Measured.version), does not understand what it was sent."
        ) == true, "\(answer?.error ?? "nothing")")
    }
    // A client that ends its side is gone; what its command says then has words, too.
    #expect(Message.of(CancellationError()) == "It was ended before it was done.")
    #expect(!CommandDesk.left.message.contains("Cancellation"))
  }

  @Test
  func `what is no command ends with a reason, and the daemon goes on`() async throws {
    let folder = try await Self.household()
    let daemon = try await DaemonProcess(store: folder.path("s.sqlite"))
    var random = SeededGenerator(seed: 11)
    let request = CommandRequest(
      arguments: ["plan", "import", "/etc/hostname"], store: "x",
      terminals: CommandRequest.Terminals())
    func line(_ request: CommandRequest) -> Data {
      FrameCoding.line(ClientFrame(command: request))
    }
    var unsent = request
    unsent.arguments = ["plan", "import", "/etc/passwd", "--store", "/etc/passwd"]
    var climbing = request
    climbing.inputs = [.init(path: "d", members: ["../../x"])]
    var many = request
    many.inputs = (0..<500).map { .init(path: "\($0)") }
    var forbidden = request
    forbidden.arguments = ["run"]
    let texts = [
      "", "{}", "[]", "null", String(repeating: "x", count: 200_000),
      #"{"command":{"arguments":[],"store":"","terminals":{},"inputs":[]}}"#,
      String(repeating: "[", count: 100_000),
    ]
    let lines =
      texts.map { Data(($0 + "\n").utf8) } + [unsent, climbing, many, forbidden].map(line)
    let valid = line(request)
    let mutated = (0..<200).map { _ in
      var bytes = valid
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<(bytes.count - 1), using: &random)] = UInt8.random(
          in: 1...255, using: &random)
      }
      return bytes
    }
    let path = daemon.socket
    let faults = try await onThread {
      var faults: [String] = []
      for bytes in lines + mutated {
        let socket = try ClientSocket(path: path)
        socket.limitReading(to: 20)
        try socket.begin("POST", "/api/v1/commands")
        try? socket.send(bytes)
        try? socket.end()
        guard var response = try? ClientResponse(socket) else { continue }
        while let line = try? response.line() {
          let frame = FrameCoding.frame(DaemonFrame.self, line)
          if frame?.exit == 0 || frame?.error?.contains("root:") == true {
            faults.append(String(decoding: bytes.prefix(300), as: UTF8.self))
          }
        }
      }
      // A head without a body, what is no HTTP, and nothing at all.
      for text in ["POST /api/v1/commands", "\u{0}\u{1}", ""] {
        let socket = try ClientSocket(path: path)
        try? socket.begin(text, "")
      }
      return faults
    }
    #expect(faults.isEmpty, "\(faults)")
    #expect(daemon.isRunning)
    try await Self.untilNoCommandFolder(in: folder)
    #expect(try await Self.measured(["store", "check", "--store", daemon.store]).status == 0)
  }
}
