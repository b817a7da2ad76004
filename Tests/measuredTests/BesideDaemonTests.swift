import ArgumentParser
import Care
import CareStore
import Foundation
import Logging
import Radio
import Synchronization
import Testing
import TestSupport
import Web

@testable import Daemon
@testable import Terminal

/// The commands beside a running daemon, which share its store.
@Suite(.serialized) struct BesideDaemonTests {
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

  /// Runs a command beside a daemon in another process, or none.
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

  /// The output and status of the commands, with `/F` for the folder and without times of now.
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

  @Test(arguments: [SIGKILL, SIGILL, SIGSEGV])
  func `a command that ends amid its writes loses nothing of them, and ends no daemon`(
    signal: Int32
  ) async throws {
    let folder = try await Self.household()
    let daemon = try await DaemonProcess(store: folder.path("s.sqlite"))
    let client = try Self.slowReplay(folder)
    try await until("two beats") { try await Self.beats(folder) >= 2 }
    kill(client.processIdentifier, signal)
    client.waitUntilExit()
    #expect(client.terminationReason == .uncaughtSignal)
    #expect((2..<60).contains(try await Self.beats(folder)))
    #expect(daemon.isRunning)
    #expect(try await Self.measured(["store", "check", "--store", daemon.store]).status == 0)
  }

  @Test
  func `a command goes on when the daemon is killed, and the next daemon takes over`() async throws
  {
    let folder = try await Self.household()
    let store = folder.path("s.sqlite")
    var daemon = try await DaemonProcess(store: store)
    let client = try Self.slowReplay(folder)
    try await until("two beats") { try await Self.beats(folder) >= 2 }
    daemon.crash()
    let before = try await Self.beats(folder)
    try await until("two more beats") { try await Self.beats(folder) >= before + 2 }
    // The socket is still there, and nobody listens.
    #expect(FileManager.default.fileExists(atPath: daemon.socket))
    #expect(DaemonSocket.holding(store) == nil)
    daemon = try await DaemonProcess(store: store)
    let after = try await Self.beats(folder)
    try await until("two beats beside the next") { try await Self.beats(folder) >= after + 2 }
    kill(client.processIdentifier, SIGKILL)
    client.waitUntilExit()
    daemon.stop()
    #expect(!FileManager.default.fileExists(atPath: daemon.socket))
    #expect(try await Self.measured(["store", "check", "--store", store]).status == 0)
  }

  // MARK: Several users

  /// The ids of a service's user and of its group.
  private static let (service, group) = (64_001, 64_000)

  /// Runs the program as another user, who is in the service's group.
  private static func member(
    _ user: Int, _ arguments: [String]
  ) async throws -> MeasuredProcess.Result {
    try await onThread {
      try MeasuredProcess.run(arguments, as: MeasuredProcess.User(id: user, group: group))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `members of the service's group work with its store, beside it and without it`()
    async throws
  {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    // Nobody but root may write beside the service's folder.
    let state = folder.path("state")
    #expect(unsafe chmod(folder.url.path, 0o755) == 0)
    #expect(unsafe mkdir(state, 0o700) == 0)
    #expect(unsafe chown(state, uid_t(Self.service), gid_t(Self.group)) == 0)
    #expect(unsafe chmod(state, 0o2770) == 0)
    let store = state + "/s.sqlite"
    let service = MeasuredProcess.User(id: Self.service, group: Self.group)
    func expectShared(_ comment: Comment) throws {
      for end in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store + end) {
        let attributes = try FileManager.default.attributesOfItem(atPath: store + end)
        #expect(attributes[.posixPermissions] as? Int == 0o660, comment)
        #expect(attributes[.groupOwnerAccountID] as? Int == Self.group, comment)
      }
    }
    let made = try await Self.member(64_002, ["plan", "import", plan, "--store", store])
    #expect(made.status == 0, "\(made.error)")
    try expectShared("made by a member")
    var daemon = try await DaemonProcess(store: store, as: service)
    try expectShared("beside the daemon")
    for (user, occurrence) in [(64_002, 0), (64_003, 1), (64_002, 2), (64_003, 3)] {
      let done = try await Self.member(
        user,
        [
          "outcome", "set", "--task", "check-in", "--occurrence", "\(occurrence)", "--store", store,
        ])
      #expect(done.status == 0, "\(done.error)")
      try expectShared("after \(user)")
      if occurrence == 1 {
        daemon.crash()
      } else if occurrence == 2 {
        daemon = try await DaemonProcess(store: store, as: service)
      }
    }
    #expect(daemon.isRunning)
    let events = try await Self.member(
      64_003,
      [
        "events", "--task", "check-in", "--from", "2019-10-01", "--to", "2019-11-01", "--json",
        "--store", store,
      ])
    #expect(events.objects.count { $0["completed"] as? Bool == true } == 4, "\(events.error)")
    let stranger = try await onThread {
      try MeasuredProcess.run(
        ["today", "--store", store], as: MeasuredProcess.User(id: 64_004, group: 64_004))
    }
    #expect(stranger.status == 1)
    #expect(stranger.error.contains("usermod -aG measured"), "\(stranger.error)")
    daemon.stop()
    #expect(try await Self.member(64_002, ["store", "check", "--store", store]).status == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func `the keys in a member's plan are the daemon's to keep`() async throws {
    let folder = try TemporaryFolder()
    let keyed =
      Recordings.plan + """

        devices:
          - {address: "A4:C1:38:00:00:01", patient: john, key: 00112233445566778899aabbccddeeff}

        """
    let plan = try folder.write(keyed, to: "plan.yaml")
    let state = folder.path("state")
    #expect(unsafe chmod(folder.url.path, 0o755) == 0)
    #expect(unsafe mkdir(state, 0o700) == 0)
    #expect(unsafe chown(state, uid_t(Self.service), gid_t(Self.group)) == 0)
    #expect(unsafe chmod(state, 0o2770) == 0)
    let store = state + "/s.sqlite"
    let importing = ["plan", "import", plan, "--store", store]
    let refused = try await Self.member(64_002, importing)
    #expect(refused.status == 3)
    #expect(refused.error.contains("s.sqlite.secrets"), "\(refused.error)")
    #expect(!FileManager.default.fileExists(atPath: store))

    let kept = Mutex<[StoreSecret]>([])
    let desk = RadioDesk(
      backend: SilentRadio(), tap: RadioTap(), mode: "kernel",
      keep: { secrets in kept.withLock { $0 += secrets } },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    // The store is there before its daemon.
    _ = try await Self.member(
      64_002,
      ["plan", "import", try folder.write(Recordings.plan, to: "bare.yaml"), "--store", store])
    let real = DaemonSocket.realPath(of: store)
    let server = try LocalServer(path: store + ".sock") {
      LocalDoor(
        facts: {
          LocalDoor.Facts(
            version: Program.version, conversation: ConversationVersion.current, store: real,
            file: FileIdentity.of(real), radio: "kernel")
        }, radio: desk.converse)
    }
    try await server.run {
      #expect(unsafe chmod(store + ".sock", 0o666) == 0)
      let imported = try await Self.member(64_003, importing)
      #expect(imported.status == 0, "\(imported.error)")
    }
    let devices = kept.withLock { secrets in
      secrets.compactMap { secret in
        if case .device(let device) = secret { device } else { nil }
      }
    }
    #expect(
      devices.map { "\($0.address.text) \($0.key?.revealed.count ?? 0)" }
        == ["A4:C1:38:00:00:01 16"])
    // Only its owner makes the file: whoever else did would keep the service from it.
    #expect(!FileManager.default.fileExists(atPath: store + ".secrets"))
    withExtendedLifetime(folder) {}
  }

  /// A radio that nobody hears.
  private actor SilentRadio: RadioBackend {
    func start() async throws(RadioError) {}
    func send(_ command: RadioCommand) async throws(RadioError) {}
    func controllers() async -> [Controller] { [] }
    func bonds() async throws(RadioError) -> [BondedDevice] { [] }
    func pair(_ address: DeviceAddress, prompt: any PairingPrompt) async throws(RadioError) {}
    func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool { false }
    func stop() async {}
  }

  @Test
  func `eight commands at once are all served`() async throws {
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
    // A lock file that a crash leaves behind is no lock.
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
      found = try await onThread { DaemonSocket.holding(store)?.facts.page }
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

  /// The socket of a daemon that tells facts.
  private static func daemonSocket(
    of store: String, version: String = Program.version, radio: String?,
    radioTrouble: String? = nil, page: String? = nil
  ) throws -> LocalServer {
    try LocalServer(path: store + ".sock") {
      LocalDoor(
        facts: {
          LocalDoor.Facts(
            version: version, conversation: ConversationVersion.current, store: store,
            file: FileIdentity.of(store), radio: radio, radioTrouble: radioTrouble, page: page)
        })
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
    #expect(DaemonSocket.holding(copy) == nil)
    #expect(DaemonSocket.holding(folder.path("s.sqlite"))?.path == daemon.socket)
    #expect(
      try await Self.measured(["store", "check", "--store", copy]).output.contains("copy.sqlite"))
    // A link to the store leads to its daemon.
    let link = folder.path("link.sqlite")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder.path("s.sqlite"))
    #expect(DaemonSocket.holding(link)?.path == daemon.socket)
  }

  @Test
  func `a daemon of another version is named, and its radio not used`() async throws {
    let folder = try await Self.household()
    let store = DaemonSocket.realPath(of: folder.path("s.sqlite"))
    let server = try Self.daemonSocket(of: store, version: "9.9.9", radio: "kernel")
    try await server.run {
      let result = try await onThread {
        try MeasuredProcess.run(
          ["scan", "--seconds", "1"], environment: ["MEASURED_STORE": store])
      }
      #expect(result.status == 1)
      #expect(result.error.contains("measured 9.9.9") && result.error.contains(Program.version))
      // The store has one schema, whatever the program's version is.
      #expect(try await Self.process(["tasks", "--store", store]).status == 0)
    }
  }
}
