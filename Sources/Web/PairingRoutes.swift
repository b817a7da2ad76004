import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Pages

/// Pairing a device on the page.
struct PairingRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    router.get("devices/pair") { request, context in
      let query = try QueryItems(
        request, known: ["device", "refused", "lang"], allowsEmpty: true)
      return try await page(
        try Self.device(query["device"]), isRefused: query["refused"] != nil, query, request,
        context)
    }
    router.post("devices/pair") { request, context in
      let device = try Self.device(try await FormBody(request, context)["device"])
      // If another device is being paired, its page says so.
      _ = try desk().start(device)
      return Self.redirect(to: device)
    }
    router.post("devices/pair/answer") { request, context in
      let form = try await FormBody(request, context)
      let device = try Self.device(form["device"])
      if let answer = form["equal"] {
        try desk().answer(.isEqual(answer == "yes"), for: device)
      } else {
        guard let passkey = Self.passkey(form["passkey"] ?? "") else {
          return Self.redirect(to: device, isRefused: true)
        }
        try desk().answer(.passkey(passkey), for: device)
      }
      return Self.redirect(to: device)
    }
    router.post("devices/pair/cancel") { request, context in
      let device = try Self.device(try await FormBody(request, context)["device"])
      try desk().answer(.cancelled, for: device)
      return Self.redirect(to: device)
    }
  }

  private func desk() throws(Fault) -> PairingDesk {
    guard let desk = environment.pairing else { throw Fault(.unknown, "No radio is running.") }
    return desk
  }

  private func page(
    _ device: DeviceID, isRefused: Bool, _ query: QueryItems, _ request: Request,
    _ context: WebContext
  ) async throws -> Response {
    let state = try desk().state(of: device)
    let found = environment.nearby()?.first { $0.address == device }
    let (zone, binding) = try await environment.store.read { reader in
      (try reader.zone(), try reader.deviceBindings().first { $0.address == device })
    }
    let viewer = Viewer(
      of: request, context, query, site: site, now: environment.now(), timeZone: zone,
      deviceNames: environment.deviceNames)
    let title =
      found.flatMap { $0.title ?? $0.name }
      ?? viewer.deviceName(DeviceIdentity(address: device, definition: binding?.definition))
    let page = PairingPage(
      device: device, title: title, state: state, isRefused: isRefused, viewer: viewer)
    var response = Response.page(page.html(site), status: .ok)
    // A page that asks is not refreshed, because the person's input would be lost.
    switch state {
    case .waiting, .shows:
      if let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "2" }
    case .ready, .asksPasskey, .asksWhetherEqual, .paired, .failed: break
    }
    response.remember(query, site: site)
    return response
  }

  private static func device(_ text: String?) throws(Fault) -> DeviceID {
    guard let text, DeviceID(text).isAddress else {
      throw Fault(.malformed, "The address of a device is missing, such as A0:9E:1A:00:00:02.")
    }
    return DeviceID(text)
  }

  /// Six digits as a person types them: `123 456`.
  private static func passkey(_ text: String) -> UInt32? {
    let digits = text.filter { !$0.isWhitespace && $0 != "-" }
    guard digits.count == 6, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return UInt32(digits)
  }

  private static func redirect(to device: DeviceID, isRefused: Bool = false) -> Response {
    let address = LocalAddress(
      "devices", "pair", items: [("device", device.text), ("refused", isRefused ? "1" : nil)])
    return PageRoutes.redirect(to: address.description)
  }
}
