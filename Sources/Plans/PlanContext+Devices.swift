import Care
import Motion
import StrictYAML

extension PlanContext {
  /// The devices of a plan, each address and user slot once.
  func devices(_ node: YAMLNode?, of patients: [Patient]) throws(YAMLError) -> [DeviceBinding] {
    var devices: [DeviceBinding] = []
    for element in try node?.sequence() ?? [] {
      let device = try device(element, of: patients)
      let isTaken = devices.contains {
        $0.address == device.address && $0.userIndex == device.userIndex
      }
      guard !isTaken else {
        let slot = device.userIndex.map { ", user \($0)," } ?? ""
        throw element.error("the device \(device.address)\(slot) is given twice")
      }
      devices.append(device)
    }
    return devices
  }

  private func device(_ node: YAMLNode, of patients: [Patient]) throws(YAMLError) -> DeviceBinding {
    var reader = try node.mapping()
    var owner: String?
    if let node = reader.optional("patient") { owner = try patient(node, of: patients) }
    let code = reader.optional("consentCode")
    let device = DeviceBinding(
      address: try reader.required("address").deviceID(),
      definition: try reader.optional("definition")?.identifier(), patient: owner,
      userIndex: try reader.optional("userIndex")?.integer(in: 0...255),
      placement: try placement(reader.optional("placement")),
      key: try reader.optional("key")?.deviceKey(), consentCode: try code?.consentCode())
    try reader.finish()
    if let code, device.userIndex == nil {
      throw code.error("a consent code opens one user's slot: give its ‘userIndex’ too")
    }
    return device
  }

  private func placement(_ node: YAMLNode?) throws(YAMLError) -> Placement? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let placement = Placement(
      joint: try reader.optional("joint")?.choice(), side: try reader.optional("side")?.choice(),
      segment: try reader.optional("segment")?.choice())
    try reader.finish()
    return placement
  }
}

extension YAMLNode {
  /// A Bluetooth address, or a recorded sensor's name.
  func deviceID() throws(YAMLError) -> DeviceID { DeviceID(try identifier()) }

  // What is wrong with a secret is told without it: the message ends up in a log.

  /// Sixteen bytes in hex.
  fileprivate func deviceKey() throws(YAMLError) -> Secret<[UInt8]> {
    guard let key = [UInt8](hex: try string()), key.count == 16 else {
      throw error(
        "the key must be 32 hex digits, as the vendor's account gives it; in quotes where it looks"
          + " like a number")
    }
    return Secret(key)
  }

  /// Four digits at most.
  fileprivate func consentCode() throws(YAMLError) -> Secret<UInt16> {
    guard let code = UInt16(try string()), code <= 9999 else {
      throw error("the consent code must be a number from 0 to 9999")
    }
    return Secret(code)
  }
}
