import Care
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
    let device = DeviceBinding(
      address: try reader.required("address").deviceAddress(),
      definition: try reader.optional("definition")?.identifier(), patient: owner,
      userIndex: try reader.optional("userIndex")?.integer(in: 0...255),
      placement: try placement(reader.optional("placement")))
    try reader.finish()
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
  /// A Bluetooth address, in capitals as readings give it, or a recorded sensor's name.
  func deviceAddress() throws(YAMLError) -> String {
    let text = try identifier()
    let bytes = text.split(separator: ":", omittingEmptySubsequences: false)
    let isAddress =
      bytes.count == 6 && bytes.allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
    return isAddress ? text.uppercased() : text
  }
}
