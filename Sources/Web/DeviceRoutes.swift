import Access
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
  }

  @Sendable private func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let query = try QueryItems(
      request, known: ["device", "slot", "owner", "lang"], allowsEmpty: true)
    guard let device = query["device"] else { throw Fault(.malformed, "Give ‘device’.") }
    let slot = try query.number("slot", in: 0...255)
    let id = DeviceID(device)
    let title = environment.nearby()?.first { $0.address == id }.flatMap { $0.title ?? $0.name }
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
    let isNear = environment.nearby()?.contains { $0.address == DeviceID(device) } == true
    let isAddress = DeviceID(device).isAddress
    let slot = form["slot"].flatMap { Int($0) }
    guard form["slot"] == nil || (0...255).contains(slot ?? -1) else {
      throw Fault(.malformed, "A slot is a number from 0 to 255.")
    }
    // A sensor of a recording has a name in place of an address.
    let isKnown = try await environment.store.read { reader in
      try reader.deviceBindings().contains { $0.address == DeviceID(device) }
        || !reader.samples(SampleQuery(device: DeviceID(device), limit: 1)).isEmpty
    }
    guard isAddress || isNear || isKnown else {
      throw Fault(.malformed, "‘\(device)’ is no address of a device, such as A0:9E:1A:00:00:02.")
    }
    return try await change(form, context, of: DeviceID(device), to: form["patient"]) {
      writer, current, now in
      let patient = try form["patient"].map { try writer.patient(named: $0) }
      let coded = CodedBinding(
        address: device, definition: current.first { $0.userIndex == slot }?.definition,
        patient: patient, userIndex: slot, placement: place.fields)
      try writer.bind(try coded.binding, now: now)
    }
  }

  @Sendable private func unbind(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    guard let device = form["device"] else { throw Fault(.malformed, "The form names no device.") }
    return try await change(form, context, of: DeviceID(device), to: nil) { writer, _, now in
      try writer.unbind(DeviceID(device), now: now)
    }
  }

  /// Changes the bindings of a device as one edit; whose it was and whose it is to be have to be
  /// the sender's patients.
  private func change(
    _ form: FormBody, _ context: WebContext, of device: DeviceID, to patient: String?,
    _ body: @Sendable (any StoreWriter, [DeviceBinding], Date) throws -> Void
  ) async throws -> Response {
    let (now, review) = (environment.now(), environment.review)
    let notice: Notice
    do {
      notice = try await environment.store.write { writer in
        let current = try writer.deviceBindings().filter { $0.address == device }
        let people = current.compactMap(\.patient) + (patient.map { [$0] } ?? [])
        for person in people { try context.demand(.devices, on: .patient(person)) }
        let number = try writer.editPlan(now: now) { writer in
          try body(writer, current, now)
          try review(writer, now)
        }
        return number.map(Notice.planEdited) ?? .planUnchanged
      }
    } catch let error as StoreError {
      notice = Notice(error)
    }
    if case .refused = notice { context.note.fail() }
    return PageRoutes.redirect(to: FormRoutes.address("/devices", notice))
  }
}

/// A binding in the words of a plan, whose types of the body's parts belong to another room.
private struct CodedBinding: Encodable {
  var address: String
  var definition: String?
  var patient: String?
  var userIndex: Int?
  var placement: [String: String]?

  var binding: DeviceBinding {
    get throws {
      try JSONDecoder().decode(DeviceBinding.self, from: JSONEncoder().encode(self))
    }
  }
}

extension DevicePlace {
  /// The keys of a placement; `nil` for a device that is not worn.
  fileprivate var fields: [String: String]? {
    guard self != .none else { return nil }
    return ["joint": joint, "side": side, "segment": segment].compactMapValues(\.self)
  }
}
