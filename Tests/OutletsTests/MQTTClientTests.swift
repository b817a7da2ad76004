import Care
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Outlets

/// Debian's broker on a free port of this machine, for one test.
final class Mosquitto: Sendable {
  static let path = "/usr/sbin/mosquitto"
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  let folder: URL
  let port: Int
  private let process = Mutex<Process?>(nil)

  /// Writes the settings; `lines` follow the listener's.
  init(_ lines: [String] = ["allow_anonymous true"], files: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "mqtt-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = try Self.freePort()
    for (name, text) in files {
      try Data(text.utf8).write(to: folder.appending(path: name))
    }
    let head = ["listener \(port) 127.0.0.1", "user root", "log_type none"]
    let text = (head + lines).joined(separator: "\n").replacing("FOLDER", with: folder.path) + "\n"
    try Data(text.utf8).write(to: folder.appending(path: "conf"))
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts the broker, and returns once it listens.
  func start() async throws {
    let process = Process()
    process.executableURL = URL(filePath: Self.path)
    process.arguments = ["-c", folder.appending(path: "conf").path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process.withLock { $0 = process }
    while !isListening {
      try #require(process.isRunning, "the broker does not start")
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Kills the broker, and returns once it is gone: its port may be open longer than its connections.
  func stop() async throws {
    let process = kill()
    while process?.isRunning == true { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// A signal that the broker could catch is blocked in what a thread of a pool starts.
  @discardableResult
  private func kill() -> Process? {
    process.withLock { process in
      if let process { Glibc.kill(process.processIdentifier, SIGKILL) }
      defer { process = nil }
      return process
    }
  }

  private var isListening: Bool {
    Self.withSocket { socket in
      unsafe Self.withAddress(port) { unsafe connect(socket, $0, $1) } == 0
    }
  }

  private static func freePort() throws -> Int {
    let port = withSocket { socket in
      guard unsafe withAddress(0, { unsafe bind(socket, $0, $1) }) == 0 else { return 0 }
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = unsafe getsockname(socket, $0, &length)
        }
      }
      return Int(UInt16(bigEndian: address.sin_port))
    }
    return try #require(port == 0 ? nil : port)
  }

  private static func withSocket<T>(_ body: (Int32) -> T) -> T {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    return body(socket)
  }

  private static func withAddress(
    _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  func broker(
    _ client: String = "measured_home", _ version: MQTTBroker.Version = .v5,
    host: String = "127.0.0.1", isEncrypted: Bool = false
  ) -> MQTTBroker {
    MQTTBroker(host: host, port: port, isEncrypted: isEncrypted, client: client, version: version)
  }
}

/// A client of a test, with what it was sent.
final class Listener: Sendable {
  let arrived: AsyncStream<MQTTMessage>
  let ended: AsyncStream<Void>
  let session: MQTTClient

  init(
    _ broker: MQTTBroker, subscriptions: [String] = [],
    will: MQTTMessage = MQTTMessage("will/none", Data())
  ) async throws {
    let (arrived, arrive) = AsyncStream.makeStream(of: MQTTMessage.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    (self.arrived, self.ended) = (arrived, ended)
    let result = await MQTTClient.open(
      broker,
      MQTTOpening(
        will: will, subscriptions: subscriptions, take: { arrive.yield($0) },
        ended: { end.yield() }), isBlocked: { _ in false })
    session = try result.get()
  }

  func next() async -> MQTTMessage? {
    for await message in arrived { return message }
    return nil
  }
}

@Suite(.enabled(if: Mosquitto.isInstalled, "mosquitto is not installed"))
struct MQTTClientTests {
  private static func message(_ topic: String, _ text: String, isRetained: Bool = false)
    -> MQTTMessage
  {
    MQTTMessage(topic, Data(text.utf8), isRetained: isRetained)
  }

  private static func failure(
    _ broker: MQTTBroker, patience: Duration = .seconds(15), isBlocked: Bool = false
  ) async -> DeliveryFault? {
    let opening = MQTTOpening(
      will: message("measured/home/status", "offline", isRetained: true), subscriptions: [],
      take: { _ in }, ended: {})
    switch await MQTTClient.open(
      broker, opening, patience: patience, isBlocked: { _ in isBlocked })
    {
    case .failure(let fault): return fault
    case .success(let session):
      await session.close(opening.will)
      return nil
    }
  }

  /// Rules that drop packets look like a broker that says nothing.
  @Test(arguments: [(true, DeliveryFault.blocked), (false, .timeout)])
  func `a broker that is not heard`(isBlocked: Bool, expected: DeliveryFault) async throws {
    let server = try ScriptedServer { $0.wait() }
    let fault = await server.serve {
      await Self.failure(
        MQTTBroker(
          host: "127.0.0.1", port: server.port, isEncrypted: false, client: "measured_home",
          version: .v5), patience: .milliseconds(200), isBlocked: isBlocked)
    }
    #expect(fault == expected)
  }

  @Test(arguments: MQTTBroker.Version.allCases)
  func `what is retained comes later, what is passed on comes once`(
    version: MQTTBroker.Version
  ) async throws {
    let mosquitto = try Mosquitto()
    try await mosquitto.start()
    let sender = try await Listener(mosquitto.broker("one", version))
    let messages = (0..<60).map { Self.message("a/\($0)", "value \($0)", isRetained: true) }
    #expect(await sender.session.publish(messages) == OutletAnswer(.delivered))
    let reader = try await Listener(mosquitto.broker("two", version), subscriptions: ["a/#"])
    var seen: Set<String> = []
    for await message in reader.arrived {
      #expect(message.isRetained)
      seen.insert("\(message.topic) \(String(decoding: message.payload, as: UTF8.self))")
      if seen.count == 60 { break }
    }
    #expect(seen.contains("a/59 value 59"))
    #expect(await sender.session.publish([Self.message("a/x", "now")]) == OutletAnswer(.delivered))
    #expect(await reader.next() == Self.message("a/x", "now"))
    // An empty one removes what is retained.
    _ = await sender.session.publish([MQTTMessage("a/1", Data(), isRetained: true)])
    let later = try await Listener(
      mosquitto.broker("three", version), subscriptions: ["a/1", "a/2"])
    #expect(await later.next()?.topic == "a/2")
    await sender.session.close(Self.message("a/status", "offline", isRetained: true))
    #expect(sender.session.fault != nil)
  }

  @Test(arguments: MQTTBroker.Version.allCases)
  func `a clean end says a last word, and a lost one leaves the will`(
    version: MQTTBroker.Version
  ) async throws {
    let mosquitto = try Mosquitto()
    try await mosquitto.start()
    let watcher = try await Listener(mosquitto.broker("watcher"), subscriptions: ["s"])
    let box = try await Listener(
      mosquitto.broker("box", version), will: Self.message("s", "lost", isRetained: true))
    await box.session.close(Self.message("s", "offline", isRetained: true))
    #expect(await watcher.next() == Self.message("s", "offline"))
    #expect(
      await box.session.publish([Self.message("s", "x")]).result.fault != nil)
    let second = try await Listener(
      mosquitto.broker("box", version), will: Self.message("s", "lost", isRetained: true))
    shutdown(try #require(second.session.descriptor), Int32(SHUT_RDWR))
    #expect(await watcher.next() == Self.message("s", "lost"))
    for await _ in second.ended { break }
    #expect(second.session.fault != nil)
    // Another client takes its name.
    let third = try await Listener(mosquitto.broker("box", version))
    let fourth = try await Listener(mosquitto.broker("box", version))
    for await _ in third.ended { break }
    #expect(third.session.fault != nil)
    #expect(fourth.session.fault == nil)
  }

  @Test(arguments: MQTTBroker.Version.allCases)
  func `it is known whether the broker has lost its memory`(version: MQTTBroker.Version)
    async throws
  {
    for keeps in [true, false] {
      let mosquitto = try Mosquitto([
        "allow_anonymous true", "persistence \(keeps)", "persistence_location FOLDER/",
        "autosave_interval 1", "autosave_on_changes true",
      ])
      try await mosquitto.start()
      let first = try await Listener(mosquitto.broker("box", version))
      #expect(!first.session.isResumed)
      _ = await first.session.publish([Self.message("a", "1", isRetained: true)])
      if keeps {
        // It writes what it keeps after the change.
        let file = mosquitto.folder.appending(path: "mosquitto.db").path
        while !FileManager.default.fileExists(atPath: file) {
          try await Task.sleep(for: .milliseconds(20))
          _ = await first.session.publish([Self.message("a", "2", isRetained: true)])
        }
      }
      try await mosquitto.stop()
      for await _ in first.ended { break }
      #expect(first.session.fault != nil)
      try await mosquitto.start()
      let second = try await Listener(mosquitto.broker("box", version))
      #expect(second.session.isResumed == keeps)
    }
  }

  @Test(arguments: MQTTBroker.Version.allCases)
  func `a wrong password, an unknown host and a closed port each say so`(
    version: MQTTBroker.Version
  ) async throws {
    let mosquitto = try Mosquitto(
      ["allow_anonymous false", "password_file FOLDER/passwords"],
      files: ["passwords": "ada:secret\n"])
    let hashing = Process()
    hashing.executableURL = URL(filePath: "/usr/bin/mosquitto_passwd")
    hashing.arguments = ["-U", mosquitto.folder.appending(path: "passwords").path]
    try hashing.run()
    hashing.waitUntilExit()
    try await mosquitto.start()
    var broker = mosquitto.broker("box", version)
    (broker.user, broker.password) = ("ada", Secret("secret"))
    #expect(await Self.failure(broker) == nil)
    broker.password = Secret("wrong")
    guard case .credentials = await Self.failure(broker) else {
      Issue.record("It let a wrong password in")
      return
    }
    broker.host = "no-such-host.invalid"
    #expect(await Self.failure(broker) == .unknownHost("no-such-host.invalid"))
    try await mosquitto.stop()
    broker.host = "127.0.0.1"
    // Until it is gone it lets a connection in, or loses it.
    while await Self.failure(broker) != .unreachable("127.0.0.1") {}
  }

  /// Else the broker would hand on whatever another client says, which is read whole.
  @Test func `a broker is asked for no packet that is longer than any answer`() async throws {
    let (greetings, greet) = AsyncStream.makeStream(of: String.self)
    let server = try ScriptedServer { connection in
      greet.yield(connection.read(until: "measured_home") ?? "")
    }
    await server.serve {
      let broker = MQTTBroker(
        host: "127.0.0.1", port: server.port, isEncrypted: false, client: "measured_home")
      #expect(await Self.failure(broker) != nil)
      // The property 0x27 of version 5, of 64 KiB.
      for await greeting in greetings {
        #expect(greeting.contains("\u{27}\u{0}\u{1}\u{0}\u{0}"))
        break
      }
    }
  }

  @Test func `a refused topic is told, and what stands beside it goes`() async throws {
    let mosquitto = try Mosquitto(
      ["allow_anonymous true", "acl_file FOLDER/acl"],
      files: ["acl": "topic readwrite measured/home/#\n"])
    try await mosquitto.start()
    let box = try await Listener(mosquitto.broker(), subscriptions: ["measured/home/x"])
    let answer = await box.session.publish([
      Self.message("homeassistant/device/x/config", "{}", isRetained: true),
      Self.message("measured/home/x", "1"),
    ])
    #expect(answer.result == .delivered)
    #expect(answer.refused == [0: .message(detail: "Not authorized")])
    #expect(await box.next() == Self.message("measured/home/x", "1"))
  }

  @Test func `a certificate is checked, and one's own is shown`() async throws {
    let mosquitto = try Mosquitto([
      "allow_anonymous true", "cafile FOLDER/ca.pem", "certfile FOLDER/server.pem",
      "keyfile FOLDER/server.key", "require_certificate true",
    ])
    let folder = mosquitto.folder.path
    let script = """
      cd '\(folder)'
      openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=house -keyout ca.key -out ca.pem
      for name in server client; do
        openssl req -newkey rsa:2048 -nodes -subj /CN=$name -keyout $name.key -out $name.csr
        printf 'subjectAltName=IP:127.0.0.1' > $name.ext
        openssl x509 -req -days 2 -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
          -extfile $name.ext -out $name.pem
      done
      """
    let making = Process()
    making.executableURL = URL(filePath: "/bin/sh")
    making.arguments = ["-e", "-c", script]
    making.standardError = FileHandle.nullDevice
    making.standardOutput = FileHandle.nullDevice
    try making.run()
    making.waitUntilExit()
    try #require(making.terminationStatus == 0)
    try await mosquitto.start()
    var broker = mosquitto.broker("box", isEncrypted: true)
    broker.authorities = folder + "/ca.pem"
    (broker.certificate, broker.key) = (folder + "/client.pem", folder + "/client.key")
    #expect(await Self.failure(broker) == nil)
    var stranger = broker
    stranger.authorities = nil
    guard case .certificate(host: "127.0.0.1", _) = await Self.failure(stranger) else {
      Issue.record("It trusts anybody")
      return
    }
    var other = broker
    other.host = "localhost"
    guard case .certificate(host: "localhost", _) = await Self.failure(other) else {
      Issue.record("It takes another's certificate")
      return
    }
    var missing = broker
    missing.certificate = folder + "/none.pem"
    guard case .certificate = await Self.failure(missing) else {
      Issue.record("It reads what is not there")
      return
    }
    var bare = broker
    (bare.certificate, bare.key) = (nil, nil)
    #expect(await Self.failure(bare) != nil)
  }
}
