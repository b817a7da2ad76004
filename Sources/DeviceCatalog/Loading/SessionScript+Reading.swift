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
    try script.finish()
  }
}

extension SessionStep {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    let pairs = try node.pairs()
    guard pairs.count == 1, let step = pairs.first else {
      throw node.error("a step is one of ‘subscribe’, ‘read’, ‘write’, ‘waitFor’, ‘delay’")
    }
    switch step.key {
    case "subscribe": self = .subscribe(try step.value.uuid())
    case "read": self = .read(try step.value.uuid())
    case "delay": self = .delay(try step.value.seconds())
    case "write":
      var write = try step.value.mapping()
      let characteristic = try write.required("characteristic").uuid()
      let payload = try Payload(&write)
      let withResponse = try write.optional("response")?.boolean() ?? true
      try write.finish()
      self = .write(characteristic, payload, withResponse: withResponse)
    case "waitFor":
      var wait = try step.value.mapping()
      self = .waitFor(
        try wait.required("characteristic").uuid(), try wait.required("bytes").pattern(),
        timeout: try wait.required("seconds").seconds())
      try wait.finish()
    default:
      let steps = ["subscribe", "read", "write", "waitFor", "delay"]
      throw step.location.error(
        "unknown step ‘\(step.key)’" + Spelling.suggestion(for: step.key, among: steps))
    }
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
