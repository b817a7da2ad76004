import GATT
import StrictYAML

extension SessionScript {
  init(_ node: YAMLNode) throws(YAMLError) {
    var script = try node.mapping()
    start = try script.optional("start")?.elements(atMost: 64, SessionStep.init(_:)) ?? []
    end =
      try script.optional("end")?.elements(atMost: 16) { node throws(YAMLError) in
        let step = try SessionStep(node)
        guard case .write = step else {
          throw node.error("at the end of a session there is only time to write")
        }
        return step
      } ?? []
    keepAlive = try script.optional("keepAlive").map(KeepAlive.init(_:))
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
  /// The names of steps, as they are written.
  private enum Name: String, CaseIterable {
    case subscribe, read, write, waitFor, delay, echo, increment, consent, fetchRecords
  }

  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
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
    case .write:
      var write = try step.value.mapping()
      let characteristic = try write.required("characteristic").uuid()
      let payload = try Payload(&write)
      let withResponse = try write.optional("response")?.boolean() ?? true
      try write.finish()
      self = .write(characteristic, payload, withResponse: withResponse)
    case .waitFor: self = .waitFor(try Wait(step.value))
    case .consent: self = try Self.consent(step.value)
    case nil:
      throw step.location.error(
        "unknown step ‘\(step.key)’" + Spelling.suggestion(for: step.key, among: names))
    }
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
  /// What a write's `currentTime` may be.
  private enum Time: String, CaseIterable {
    case cts
    case dateTime
  }

  fileprivate init(_ write: inout MappingReader) throws(YAMLError) {
    let bytes = write.optional("hex")
    let time = write.optional("currentTime")
    switch (bytes, time) {
    case (let bytes?, nil): self = .bytes(try bytes.hexBytes())
    case (nil, let time?): self = try time.choice(of: Time.self) == .cts ? .currentTime : .dateTime
    default: throw write.location.error("a write needs either ‘hex’ or ‘currentTime’")
    }
  }
}
