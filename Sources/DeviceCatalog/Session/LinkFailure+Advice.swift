import Foundation
import Radio

extension LinkFailure {
  /// What a person has to do about the failure.
  ///
  /// - Parameters:
  ///   - name: What the device is.
  ///   - address: Which device it is.
  ///   - pause: Seconds until it is tried again; `nil` where the link is still up.
  /// - Returns: Sentences for people; `nil` where waiting is enough.
  func advice(_ name: String, _ address: DeviceAddress, pause: TimeInterval?) -> String? {
    let next = pause.map { " It is tried again in \(Int($0) / 60) minutes." } ?? ""
    switch self {
    case .staleBond:
      return "\(name) (\(address)) no longer knows the bond that this machine keeps for it. Run"
        + " `measured forget \(address)`, set the device to pairing as its manual says, and run"
        + " `measured pair \(address)`.\(next)"
    case .unauthorized:
      return "\(name) (\(address)) speaks only to whom it has paired with. Set it to pairing as its"
        + " manual says, and run `measured pair \(address)`.\(next)"
    case .gone, .outOfSlots, .transient, .other:
      return nil
    }
  }
}
