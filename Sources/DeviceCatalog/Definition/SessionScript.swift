import Foundation
import GATT
import StrictYAML

/// The steps on a link: `start` after service discovery, `end` before disconnecting.
struct SessionScript: Hashable, Sendable {
  var start: [SessionStep] = []
  /// Where each step of `start` stands in the file.
  var startOrigins: [YAMLLocation] = []
  var end: [SessionStep] = []
  /// A periodic write that keeps the link up.
  var keepAlive: KeepAlive?
  /// The writes, one after each frame that fits.
  var answers: [AnswerRule] = []
  /// How many seconds the device needs after its discovery before the first step.
  var rest: Double?
  /// The password that the device sends while it is paired.
  var password: PasswordRule?
  /// The codec of what is exchanged after `start`, before the device sends its measurements.
  var handshake: HandshakeCodec?

  /// A write that is repeated every few seconds while the link is up.
  struct KeepAlive: Hashable, Sendable {
    var characteristic: BluetoothUUID
    var bytes: [UInt8]
    var withResponse: Bool
    /// The interval.
    var seconds: Double
  }
}

/// One step of a session, performed in order.
indirect enum SessionStep: Hashable, Sendable {
  /// Subscribe to notifications or indications.
  case subscribe(BluetoothUUID)
  /// Read a value.
  case read(BluetoothUUID)
  /// Write bytes, or the time.
  case write(BluetoothUUID, Payload, withResponse: Bool)
  /// Write what makes the device delete what it has stored, unless something that it sent over this
  /// link could not be read.
  case delete(BluetoothUUID, Payload, withResponse: Bool)
  /// Wait for a value, at most for some seconds.
  case waitFor(Wait)
  /// Wait for some seconds.
  case delay(Double)
  /// Read some values and write them back unchanged, which confirms them to the device.
  case echo([BluetoothUUID])
  /// Read a counter of 32 bits and write the next number.
  case increment(BluetoothUUID)
  /// Send the consent of each user in the plan to the user control point, and perform some steps
  /// for each whose consent the device accepts.
  case consent(BluetoothUUID, then: [SessionStep])
  /// Request the new records by the record access control point.
  case fetchRecords(BluetoothUUID)

  /// The bytes of a write.
  enum Payload: Hashable, Sendable {
    case bytes([UInt8])
    /// The local time in the plan's zone, as a Current Time (10 bytes, `2A2B`).
    case currentTime
    /// The local time in the plan's zone, as a Date Time (7 bytes, `2A08`).
    case dateTime
    /// Bytes that are put together when they are written.
    case assembled(WriteTemplate)
  }

  /// A value to wait for.
  struct Wait: Hashable, Sendable {
    var characteristic: BluetoothUUID
    /// The beginning of the value.
    var bytes: BytePattern
    /// Its length; `nil` for any.
    var length: Int?
    var seconds: Double
    /// Whether the remaining steps are skipped without it.
    var isRequired = false

    /// Whether a value of the characteristic is the awaited one.
    func accepts(_ value: [UInt8]) -> Bool {
      bytes.matches(value) && (length ?? value.count) == value.count
    }
  }

  /// The characteristics that the step uses.
  var characteristics: [BluetoothUUID] {
    switch self {
    case .subscribe(let uuid), .read(let uuid), .write(let uuid, _, _), .delete(let uuid, _, _),
      .increment(let uuid), .fetchRecords(let uuid):
      [uuid]
    case .waitFor(let wait): [wait.characteristic]
    case .echo(let uuids): uuids
    case .consent(let uuid, let then): [uuid] + then.flatMap(\.characteristics)
    case .delay: []
    }
  }

  /// Whether the next step waits for the device or for a time.
  var takesTime: Bool {
    switch self {
    case .subscribe: false
    case .write(_, _, let withResponse), .delete(_, _, let withResponse): withResponse
    default: true
    }
  }
}

// MARK: - Reading

extension SessionScript {
  init(_ node: YAMLNode) throws(YAMLError) {
    var script = try node.mapping()
    let startNode = script.optional("start")
    start = try startNode?.elements(atMost: 64, SessionStep.init(_:)) ?? []
    startOrigins = try startNode?.sequence().map(\.location) ?? []
    end =
      try script.optional("end")?.elements(atMost: 16) { node throws(YAMLError) in
        let step = try SessionStep(node)
        guard case .write = step else {
          throw node.error("at the end of a session there is only time to write")
        }
        return step
      } ?? []
    keepAlive = try script.optional("keepAlive").map(KeepAlive.init(_:))
    answers =
      try script.optional("answers")?.elements(atMost: 32, AnswerRule.rules(_:)).flatMap(\.self)
      ?? []
    password = try script.optional("password").map(PasswordRule.init(_:))
    handshake = try script.optional("handshake")?.choice()
    rest = try script.optional("rest")?.seconds()
    try script.finish()
  }
}

extension SessionScript.KeepAlive {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var rule = try node.mapping()
    characteristic = try rule.required("characteristic").uuid()
    bytes = try rule.required("hex").hexBytes()
    withResponse = try rule.optional("response")?.boolean() ?? true
    seconds = try rule.required("every").seconds()
    try rule.finish()
  }
}

extension SessionStep {
  /// The names of the steps in a definition.
  private enum Name: String, CaseIterable {
    case subscribe, read, write, waitFor, delay, echo, increment, consent, fetchRecords
  }

  init(_ node: YAMLNode) throws(YAMLError) {
    let names = Name.allCases.map(\.rawValue)
    let pairs = try node.pairs()
    guard pairs.count == 1, let step = pairs.first else {
      throw node.error("a step is one of \(names.map { "‘\($0)’" }.joined(separator: ", "))")
    }
    switch Name(rawValue: step.key) {
    case .subscribe: self = .subscribe(try step.value.uuid())
    case .read: self = .read(try step.value.uuid())
    case .delay: self = .delay(try step.value.seconds())
    case .increment: self = .increment(try step.value.uuid())
    case .fetchRecords: self = .fetchRecords(try step.value.uuid())
    case .echo:
      self = .echo(
        try step.value.elements(atMost: 16) { node throws(YAMLError) in try node.uuid() })
    case .write: try self.init(write: step.value)
    case .waitFor: self = .waitFor(try Wait(step.value))
    case .consent: self = try Self.consent(step.value)
    case nil:
      throw step.location.error(
        .unknownKey(
          step.key, noun: "step", meant: Spelling.Suggestion(for: step.key, among: names)))
    }
  }

  /// Reads the mapping of a `write`.
  init(write node: YAMLNode) throws(YAMLError) {
    var write = try node.mapping()
    let characteristic = try write.required("characteristic").uuid()
    let payload = try Payload(&write)
    let withResponse = try write.optional("response")?.boolean() ?? true
    let deletes = try write.optional("deletes")?.boolean() ?? false
    try write.finish()
    self =
      deletes
      ? .delete(characteristic, payload, withResponse: withResponse)
      : .write(characteristic, payload, withResponse: withResponse)
  }

  private static func consent(_ node: YAMLNode) throws(YAMLError) -> SessionStep {
    var consent = try node.mapping()
    let characteristic = try consent.required("characteristic").uuid()
    let then =
      try consent.optional("then")?.elements(atMost: 32) {
        node throws(YAMLError) -> SessionStep in
        let step = try SessionStep(node)
        if case .consent = step { throw node.error("a consent within a consent") }
        return step
      } ?? []
    try consent.finish()
    return .consent(characteristic, then: then)
  }
}

extension SessionStep.Wait {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var wait = try node.mapping()
    characteristic = try wait.required("characteristic").uuid()
    bytes = try wait.required("bytes").pattern()
    length = try wait.optional("length")?.integer(in: 1...512)
    seconds = try wait.required("seconds").seconds()
    isRequired = try wait.optional("required")?.boolean() ?? false
    try wait.finish()
  }
}

extension SessionStep.Payload {
  /// The values of a write's `currentTime`.
  private enum Time: String, CaseIterable {
    case cts
    case dateTime
  }

  init(_ write: inout MappingReader) throws(YAMLError) {
    let bytes = write.optional("hex")
    let time = write.optional("currentTime")
    let parts = write.optional("data")
    let maskNode = write.optional("mask")
    let mask = try maskNode.map(UnmaskRule.init(_:))
    if let maskNode, parts == nil { throw maskNode.error("only ‘data’ is masked") }
    let cipherNode = write.optional("cipher")
    let cipher: WriteCipher? = try cipherNode?.choice()
    if let cipherNode, parts == nil { throw cipherNode.error("only ‘data’ is encrypted") }
    switch (bytes, time, parts) {
    case (let bytes?, nil, nil): self = .bytes(try bytes.hexBytes())
    case (nil, let time?, nil):
      self = try time.choice(of: Time.self) == .cts ? .currentTime : .dateTime
    case (nil, nil, let parts?):
      self = .assembled(try WriteTemplate(parts, mask: mask, cipher: cipher))
    default: throw write.location.error("a write needs one of ‘hex’, ‘currentTime’, ‘data’")
    }
  }
}

// MARK: - Payload

extension SessionStep.Payload {
  /// Whether it needs the password of the device.
  var needsPassword: Bool {
    if case .assembled(let template) = self { template.needsPassword } else { false }
  }

  /// The bytes to write; `nil` if they need bytes of a frame that did not come.
  func bytes(_ context: WriteContext) -> [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .assembled(let template): template.bytes(context)
    case .currentTime, .dateTime: clock(at: context.time, in: context.timeZone)
    }
  }

  private func clock(at time: Date, in timeZone: TimeZone) -> [UInt8] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second, .weekday], from: time)
    func part(_ value: Int?) -> UInt8 { UInt8(clamping: value ?? 0) }
    let year = UInt16(clamping: parts.year ?? 0)
    let dateTime: [UInt8] = [
      UInt8(year & 0xFF), UInt8(year >> 8), part(parts.month), part(parts.day), part(parts.hour),
      part(parts.minute), part(parts.second),
    ]
    guard self == .currentTime else { return dateTime }
    // Foundation numbers the days of the week from Sunday, 1; Current Time from Monday, 1.
    let weekday = UInt8(clamping: ((parts.weekday ?? 2) + 5) % 7 + 1)
    return dateTime + [weekday, 0, 1]
  }
}
