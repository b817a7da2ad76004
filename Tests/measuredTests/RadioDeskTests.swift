import DeviceCatalog
import Foundation
import GATT
import Localization
import Logging
import Radio
import Synchronization
import SystemBus
import Testing
import Web

@testable import Daemon
@testable import Terminal

/// The daemon's radio, shared with commands beside it over the socket.
@Suite(.serialized) struct RadioDeskTests {
  /// A radio with one bond, which pairs with whom it is asked to.
  private actor Backend: RadioBackend {
    nonisolated let commands = Mutex<[RadioCommand]>([])
    private let refusal: PairingError?
    nonisolated let pairings = Mutex<[String]>([])

    init(refusal: PairingError? = nil) { self.refusal = refusal }

    func start() async throws(RadioError) {}
    func send(_ command: RadioCommand) async throws(RadioError) {
      commands.withLock { $0.append(command) }
    }
    func controllers() async -> [Controller] { [] }
    func bonds() async throws(RadioError) -> [BondedDevice] {
      [BondedDevice(address: RadioDeskTests.scale, name: "Scale")]
    }
    func pair(_ address: DeviceAddress, prompt: any PairingPrompt) async throws(RadioError) {
      if let refusal { throw .pairing(address, refusal) }
      await prompt.display(passkey: 12, for: address)
      let digits = await prompt.passkey(for: address)
      let isConfirmed = await prompt.confirm(passkey: 345_678, for: address)
      pairings.withLock { $0.append("\(digits.map(String.init) ?? "none") \(isConfirmed)") }
      guard digits != nil else { throw .pairing(address, .cancelled(.bus("cancelled"))) }
    }
    func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool {
      address == RadioDeskTests.scale
    }
    func stop() async {}
  }

  /// A person who answers, and notes what was asked.
  private final class Person: PairingPrompt {
    let asked = Mutex<[String]>([])
    let digits: UInt32?

    init(digits: UInt32?) { self.digits = digits }

    func passkey(for device: DeviceAddress) async -> UInt32? {
      asked.withLock { $0.append("enter") }
      return digits
    }
    func display(passkey: UInt32, for device: DeviceAddress) async {
      asked.withLock { $0.append("show \(passkey)") }
    }
    func confirm(passkey: UInt32, for device: DeviceAddress) async -> Bool {
      asked.withLock { $0.append("compare \(passkey)") }
      return true
    }
  }

  private static let scale = DeviceAddress(rawValue: 0x5CCA_D370_D4A2)
  private static let strap = DeviceAddress(rawValue: 0xA09E_1A00_0002)
  private static let other = DeviceAddress(rawValue: 0xA09E_1A00_0003)

  /// Serves a radio, and runs `body` with its tap and the socket.
  private func share(
    _ backend: Backend, _ body: @escaping @Sendable (RadioTap, String) async throws -> Void
  ) async throws {
    let tap = RadioTap()
    let desk = RadioDesk(
      backend: backend, tap: tap, mode: "kernel",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await serve(desk.converse) { store in try await body(tap, store + ".sock") }
  }

  /// Serves conversations about a radio, and runs `body` with the path of the daemon's store.
  private func serve(
    _ conversation: @escaping Conversation,
    _ body: @escaping @Sendable (String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let store = DaemonSocket.realPath(of: folder.path("s"))
    let server = try LocalServer(path: store + ".sock") {
      LocalDoor(
        facts: {
          LocalDoor.Facts(
            version: Program.version, conversation: ConversationVersion.current, store: "x",
            file: nil, radio: "kernel")
        }, radio: conversation)
    }
    try await server.run { try await body(store) }
    withExtendedLifetime(folder) {}
  }

  private static func buffer() -> EventBuffer {
    EventBuffer(timer: { _, _ in {} }, now: { Date() })
  }

  private static func advertisement(_ address: DeviceAddress, _ data: [UInt8]) -> RadioEvent {
    .advertisement(Advertisement(address: address, addressType: .random, rssi: -60, data: data))
  }

  private static func add(_ events: [RadioEvent], to tap: RadioTap) {
    for event in events { tap.add(TimedEvent(time: Date(), event: event)) }
  }

  private static func next(_ buffer: EventBuffer) async -> RadioEvent? {
    if case .event(let event) = await buffer.next(until: nil) { event.event } else { nil }
  }

  private static let services = [
    GATTService(
      uuid: BluetoothUUID(0x180D),
      characteristics: [GATTCharacteristic(uuid: BluetoothUUID(0x2A37), properties: [.notify])])
  ]

  @Test(
    arguments: [
      ("nonsense", "does not understand what it was sent"), ("{}", "does not understand"),
      ("[]", "does not understand"),
      ("null", "does not understand"), ("\u{1}", "does not understand"),
      (#"{"pair":"x"}"#, "‘x’ is no Bluetooth address."),
      (#"{"forget":"12:34"}"#, "‘12:34’ is no Bluetooth address."),
      (String(repeating: "x", count: 200_000), "does not understand"),
    ])
  func `a malformed request has an answer in words`(text: String, words: String) async throws {
    try await share(Backend()) { _, path in
      let failure = try await onThread {
        let socket = try ClientSocket(path: path)
        socket.limitReading(to: 55)
        try socket.begin("POST", "/api/v1/radio")
        try socket.send(Data((text + "\n").utf8))
        var response = try ClientResponse(socket)
        return FrameCoding.frame(RadioFrame.self, try response.line() ?? Data())?.failure
      }
      #expect(failure?.contains(words) == true, "\(failure ?? "nothing")")
    }
  }

  @Test
  func `a command hears what the hub hears, and confirms nothing`() async throws {
    let backend = Backend()
    try await share(backend) { tap, path in
      let events = Self.buffer()
      let radio = RemoteRadio(path: path, use: .listening, events: events)
      try await radio.start()
      let beat = CharacteristicValue(
        address: Self.strap, service: BluetoothUUID(0x180D), characteristic: BluetoothUUID(0x2A37),
        data: [0, 72], confirmation: Confirmation(address: Self.strap, number: 1))
      // Until the daemon has the reader, it hears nothing.
      let first = Self.advertisement(Self.scale, ScanCommandTests.name)
      let sending = Task {
        while !Task.isCancelled {
          Self.add([first], to: tap)
          try await Task.sleep(for: .milliseconds(10))
        }
      }
      #expect(await Self.next(events) == first)
      sending.cancel()
      _ = await sending.result
      Self.add([.value(beat), .disconnected(Self.strap)], to: tap)
      var received: [RadioEvent] = []
      while let event = await Self.next(events), received.last != .disconnected(Self.strap) {
        if event != first { received.append(event) }
        if event == .disconnected(Self.strap) { break }
      }
      var unconfirmed = beat
      unconfirmed.confirmation = nil
      #expect(received == [.value(unconfirmed), .disconnected(Self.strap)])
      // The wishes of a command's own sessions are the hub's business.
      try await radio.send(.connect(Self.scale))
      try await radio.send(.confirm(Confirmation(address: Self.strap, number: 1)))
      #expect(radio.failure == nil)
      await radio.stop()
    }
    #expect(backend.commands.withLock { $0 }.isEmpty)
  }

  @Test
  func `a device with a link is known to who asks for it`() async throws {
    let backend = Backend()
    try await share(backend) { tap, path in
      Self.add(
        [
          Self.advertisement(Self.strap, ScanCommandTests.strap),
          Self.advertisement(Self.strap, ScanCommandTests.name), .connected(Self.strap),
          .services(Self.strap, Self.services), .connected(Self.other),
          Self.advertisement(Self.scale, ScanCommandTests.name),
        ], to: tap)
      let events = Self.buffer()
      let radio = RemoteRadio(path: path, use: .connecting, events: events)
      try await radio.start()
      var received: [RadioEvent] = []
      for _ in 0..<6 { if let event = await Self.next(events) { received.append(event) } }
      #expect(
        received == [
          Self.advertisement(Self.strap, ScanCommandTests.strap),
          Self.advertisement(Self.strap, ScanCommandTests.name), .connected(Self.strap),
          .services(Self.strap, Self.services),
          .advertisement(
            Advertisement(address: Self.other, addressType: .public, rssi: nil, data: [])),
          .connected(Self.other),
        ])
      // A new link is the command's, one that is there is the hub's.
      try await radio.send(.connect(Self.strap))
      try await radio.send(.connect(Self.scale))
      try await until("the first command") { backend.commands.withLock { !$0.isEmpty } }
      await radio.stop()
      try await until("the second command") { backend.commands.withLock { $0.count } == 2 }
    }
    #expect(
      backend.commands.withLock { $0 } == [.connect(Self.scale), .disconnect(Self.scale)])
  }

  @Test
  func `a link that the hub uses outlives the command that asked for it`() async throws {
    let backend = Backend()
    try await share(backend) { tap, path in
      let radio = RemoteRadio(path: path, use: .connecting, events: Self.buffer())
      try await radio.start()
      for device in [Self.strap, Self.scale, Self.other] { try await radio.send(.connect(device)) }
      try await until("three commands") { backend.commands.withLock { $0.count } == 3 }
      // The hub reads one of them, and has given up another.
      tap.hubSent(.subscribe(Self.strap, characteristic: BluetoothUUID(0x2A37)))
      tap.hubSent(.connect(Self.other))
      Self.add([.failed(Self.other, LinkError(.gone, .notHeard))], to: tap)
      await radio.stop()
      try await until("five commands") { backend.commands.withLock { $0.count } == 5 }
    }
    #expect(
      Set(backend.commands.withLock { $0.dropFirst(3) })
        == [.disconnect(Self.scale), .disconnect(Self.other)])
  }

  @Test
  func `bonds are listed, made with the person's digits, and deleted`() async throws {
    let backend = Backend()
    try await share(backend) { _, path in
      let radio = RemoteRadio(path: path, use: .bonds, events: Self.buffer())
      #expect(try await radio.bonds() == [BondedDevice(address: Self.scale, name: "Scale")])
      #expect(try await radio.forget(Self.scale))
      #expect(try await !radio.forget(Self.strap))
      let person = Person(digits: 123_456)
      try await radio.pair(Self.strap, prompt: person)
      #expect(person.asked.withLock { $0 } == ["show 12", "enter", "compare 345678"])
      await #expect(throws: RadioError.self) {
        try await radio.pair(Self.strap, prompt: Person(digits: nil))
      }
    }
    #expect(backend.pairings.withLock { $0 } == ["123456 true", "none true"])
  }

  @Test
  func `a refusal keeps its words, and a daemon that ends is named`() async throws {
    let events = Self.buffer()
    let lost = Mutex<RemoteRadio?>(nil)
    try await share(Backend(refusal: .notHeard)) { _, path in
      let radio = RemoteRadio(path: path, use: .recording, events: events)
      try await radio.start()
      lost.withLock { $0 = radio }
      do throws(RadioError) {
        try await radio.pair(Self.strap, prompt: Person(digits: 1))
        Issue.record("It is paired")
      } catch {
        #expect(error.message == RadioError.pairing(Self.strap, .notHeard).message)
      }
    }
    #expect(try await bounded("the radio's end") { await Self.next(events) } == nil)
    #expect(lost.withLock { $0 }?.failure?.message.contains("has ended") == true)
  }

  @Test(
    arguments: ["pair", "identify"])
  func `a command whose daemon ends says so, and not that the device is silent`(command: String)
    async throws
  {
    let conversation: Conversation = { client, outbox in
      guard let line = try? await client.next(),
        FrameCoding.frame(RadioRequest.self, line)?.bonds == true
      else { return }
      outbox.finish(with: FrameCoding.line(RadioFrame(bonds: [])))
    }
    try await serve(conversation) { store in
      let result = try await onThread {
        try MeasuredProcess.run(
          [command, Self.scale.description, "--seconds", "30"],
          environment: ["MEASURED_STORE": store])
      }
      #expect(result.status == 1)
      #expect(result.error.contains("The daemon, whose radio was used, has ended. Try again."))
      #expect(!result.error.contains("did not advertise"))
    }
  }

  @Test
  func `a daemon that refuses a conversation is quoted`() async throws {
    let count = Mutex(0)
    let conversation: Conversation = { client, _ in
      count.withLock { $0 += 1 }
      _ = try? await client.next()
    }
    try await serve(conversation) { store in
      let path = store + ".sock"
      let sockets = try await onThread {
        try (0..<LocalDoor.most).map { _ in
          let socket = try ClientSocket(path: path)
          try socket.begin("POST", "/api/v1/radio")
          return socket
        }
      }
      try await until("the conversations") { count.withLock { $0 } == LocalDoor.most }
      let events = Self.buffer()
      let radio = RemoteRadio(path: path, use: .recording, events: events)
      try await radio.start()
      #expect(await Self.next(events) == nil)
      let words = "The daemon does not share its radio: Too many commands are waiting."
      #expect(radio.failure?.message.hasPrefix(words) == true)
      do throws(RadioError) {
        _ = try await radio.bonds()
        Issue.record("It is not refused")
      } catch {
        #expect(error.message.hasPrefix(words))
      }
      await radio.stop()
      withExtendedLifetime(sockets) {}
    }
  }

  // MARK: Waiting for a device

  /// A radio that a command listens to; `hasWorked` if it had a controller.
  private static func opened(_ events: EventBuffer, hasWorked: Bool = true) throws -> OpenedRadio {
    OpenedRadio(
      radio: LiveRadio(backend: Backend(), events: events), loop: try EventLoop(name: "test"),
      mode: .kernel, hasHadController: { hasWorked })
  }

  @Test
  func `listening tells enough, the end of the time and the end of the radio apart`() async throws {
    let events = Self.buffer()
    let opened = try Self.opened(events)
    defer { opened.loop.stop() }
    events.push(Self.advertisement(Self.scale, ScanCommandTests.name))
    let satisfied = try await opened.listen(for: 60) { _ in .enough }
    #expect(satisfied == .enough)
    events.push(Self.advertisement(Self.scale, ScanCommandTests.name))
    let finished = try await opened.listen(for: 60) { _ in .finish(within: 0) }
    #expect(finished == .deadline)
    let waited = try await opened.listen(for: 0) { _ in .goOn }
    #expect(waited == .deadline)
    events.interrupt()
    let ended = try await opened.listen(for: 60) { _ in .goOn }
    #expect(ended == .end)
    let silence = OpenedRadio.Ending.end.silence(
      of: Self.scale, within: 60, advice: .verbatim("wake it"))
    #expect(silence.message == "The radio ended before \(Self.scale) advertised. Try again.")
    let silent = OpenedRadio.Ending.deadline.silence(
      of: Self.scale, within: 60, advice: .verbatim("wake it"))
    #expect(silent.message == "\(Self.scale) did not advertise within 60 s; wake it")
  }

  @Test
  func `silence without a controller is the controller's`() async throws {
    let opened = try Self.opened(Self.buffer(), hasWorked: false)
    defer { opened.loop.stop() }
    let failure = await #expect(throws: CommandFailure.self) {
      _ = try await opened.listen(for: 0) { _ in .goOn }
    }
    #expect(failure?.message.contains("no working Bluetooth controller") == true)
  }

  @Test
  func `a reader that reads nothing is bounded in what it keeps`() async {
    let tap = RadioTap()
    let reader = tap.read(links: false)
    for number in 0..<6_000 {
      Self.add(
        [
          Self.advertisement(
            DeviceAddress(rawValue: UInt64(number % 3_000)), ScanCommandTests.name),
          .value(
            CharacteristicValue(
              address: Self.strap, service: nil, characteristic: BluetoothUUID(0x2A37),
              data: [0, 72], confirmation: Confirmation(address: Self.strap, number: 1))),
        ], to: tap)
    }
    reader.finish()
    var count = 0
    while await reader.next() != nil { count += 1 }
    #expect(count <= 1_024 + 2_048 + 50)
  }
}
