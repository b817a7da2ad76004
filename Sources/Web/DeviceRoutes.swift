import Access
import Actions
import Care
import CareStore
import Foundation
import Hummingbird
import Pages

/// Adding devices, giving them to other people, and removing them.
struct DeviceRoutes {
  let environment: WebEnvironment
  let site: Site

  func add(to router: Router<WebContext>) {
    router.get("devices/add", use: show)
    router.post("devices/bind", use: bind)
    router.post("devices/unbind", use: unbind)
    router.post("devices/disown", use: disown)
  }

  @Sendable private func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let query = try QueryItems(
      request, known: ["device", "slot", "owner", "lang"], allowsEmpty: true)
    guard let device = query["device"] else { throw Fault(.malformed, "Give ‘device’.") }
    let slot = try query.number("slot", in: 0...255)
    let id = DeviceID(device)
    let title = environment.nearby()?.first { $0.address == id }.flatMap { $0.title ?? $0.name }
    guard try await isDevice(id) else {
      return PageRoutes.redirect(
        to: FormRoutes.address("/devices", .refused("noAddress", field: "device")))
    }
    return try await environment.store.read { reader in
      let viewer = Viewer(
        of: request, context, query, site: site, now: environment.now(),
        timeZone: try reader.zone(), deviceNames: environment.deviceNames)
      let page = try DeviceFormPage(
        context.scope(.devices).reader(reader), device: id, slot: slot, owner: query["owner"],
        title: title, viewer: viewer)
      var response = Response.page(page.html(site), status: .ok)
      response.remember(query, site: site)
      return response
    }
  }

  @Sendable private func bind(_ request: Request, _ context: WebContext) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let device = form["device"], device.utf8.count <= 64,
      let place = DevicePlace(form["place"] ?? "")
    else { throw Fault(.malformed, "The form names no device or place.") }
    let slot = form["slot"].flatMap { Int($0) }
    guard form["slot"] == nil || (0...255).contains(slot ?? -1) else {
      throw Fault(.malformed, "A slot is a number from 0 to 255.")
    }
    guard try await isDevice(DeviceID(device)) else {
      throw Fault(.malformed, "‘\(device)’ is no address of a device, such as A0:9E:1A:00:00:02.")
    }
    return try await change(DeviceID(device), form, context) { writer in
      let current = try writer.deviceBindings().filter { $0.address == DeviceID(device) }
      let patient = try form["patient"].map { try writer.patient(named: $0) }
      return .bind(
        DeviceBinding(
          address: DeviceID(device), definition: current.first { $0.userIndex == slot }?.definition,
          patient: patient, userIndex: slot, placement: place.placement))
    }
  }

  /// Whether it is the address of a device, or a name that is known: a sensor of a recording has one in
  /// place of an address.
  private func isDevice(_ device: DeviceID) async throws -> Bool {
    if device.isAddress || environment.nearby()?.contains(where: { $0.address == device }) == true {
      return true
    }
    return try await environment.store.read { reader in
      try reader.deviceBindings().contains { $0.address == device }
        || !reader.samples(SampleQuery(device: device, limit: 1)).isEmpty
    }
  }

  @Sendable private func unbind(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let device = form["device"] else { throw Fault(.malformed, "The form names no device.") }
    return try await change(DeviceID(device), form, context) { _ in .unbind }
  }

  /// Says that a device is nobody's here, with what it has measured.
  @Sendable private func disown(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let device = form["device"] else { throw Fault(.malformed, "The form names no device.") }
    let now = environment.now()
    let span = SampleSelection.span(device: DeviceID(device), from: nil, to: nil)
    return try await respond(form, context) {
      try await environment.store.write { writer in
        _ = try ChangeSamples([span], .disown, reason: form["reason"])
          .perform(in: writer, by: context.performer, now: now)
        return .deviceDisowned
      }
    }
  }

  /// Changes the bindings of a device as one edit.
  private func change(
    _ device: DeviceID, _ form: FormBody, _ context: WebContext,
    _ change: @Sendable (any StoreReader) throws -> ChangeDevice.Change
  ) async throws -> Response {
    let now = environment.now()
    return try await respond(form, context) {
      try await environment.store.write { writer in
        try ChangeDevice(device, try change(writer))
          .perform(in: writer, by: context.performer, now: now)
          .map(Notice.planEdited) ?? .planUnchanged
      }
    }
  }

  /// Returns to the page that asked, else to the devices, with what happened.
  private func respond(
    _ form: FormBody, _ context: WebContext, _ change: () async throws -> Notice
  ) async throws -> Response {
    let notice: Notice
    do {
      notice = try await change()
    } catch let error as StoreError {
      notice = Notice(error)
    }
    if case .refused = notice { context.note.fail() }
    let page = form["return"] == nil ? "/devices" : form.back
    return PageRoutes.redirect(to: FormRoutes.address(page, notice))
  }
}
