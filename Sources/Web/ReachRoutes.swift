import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import Localization
import Outlets
import Pages
import StrictYAML

/// The ways by which messages reach people, and the messages on their way: forms and interface.
struct ReachRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder
  let site: Site

  func add(to router: Router<WebContext>) {
    channelForm(router, "add") { form, person, reader in
      guard let kind = form["kind"].flatMap(Channel.Kind.init), let address = form["address"],
        let channel = Channel(kind, address)
      else { throw ChannelRefusal.malformed(form["address"] ?? "") }
      return try .adding(channel, secret: form["secret"], to: person, in: reader)
    }
    channelForm(router, "remove") { form, person, reader in
      try .removing(try Self.channel(form["channel"]), from: person, in: reader)
    }
    channelForm(router, "move") { form, person, reader in
      guard let place = form["to"].flatMap({ Int($0) }) else {
        throw Fault(.malformed, "The form names no place.")
      }
      return try .moving(
        try Self.channel(form["channel"]), to: place, of: person, in: reader)
    }
    router.post("connect/channels/test", use: testForm)
    outletForm(router, "pause") { PauseOutlet($0, true) }
    outletForm(router, "resume") { PauseOutlet($0, false) }
    outletForm(router, "retry") { RetryRefused($0) }
  }

  func addInterface(to group: RouterGroup<WebContext>) {
    group.get("channels", use: channels)
    group.put("channels", use: setChannels)
    group.post("channels/test", use: test)
    group.get("outlets", use: outlets)
    outletCall(group, "pause") { PauseOutlet($0, true) }
    outletCall(group, "resume") { PauseOutlet($0, false) }
    outletCall(group, "retry") { RetryRefused($0) }
    outletCall(group, "remove") { RemoveOutlet($0) }
    group.post("outlets", use: addOutlet)
    group.post("outlets/test", use: testOutlet)
  }

  private static func channel(_ text: String?) throws(ChannelRefusal) -> Channel {
    guard let channel = text.flatMap({ Channel($0) }) else { throw .malformed(text ?? "") }
    return channel
  }

  // MARK: Forms

  private func channelForm(
    _ router: Router<WebContext>, _ name: String,
    _ action:
      @escaping @Sendable (FormBody, ReachedPerson, any StoreReader) throws -> SetChannels
  ) {
    router.post(RouterPath("connect/channels/" + name)) { request, context in
      let form = try await FormBody(request, context)
      let now = environment.now()
      let notice: Notice
      do {
        notice = try await environment.store.write { writer in
          let person = ReachedPerson(patient: form["patient"], contact: form["contact"])
          // The form says nothing of whom its sender may not know.
          try context.demand(.plan, on: person.patient.map { .patient($0) } ?? .box)
          let change = try action(form, person, writer)
          return try change.perform(in: writer, by: context.performer, now: now)
            .map(Notice.planEdited) ?? .planUnchanged
        }
      } catch let refusal as ChannelRefusal {
        notice = .refused(refusal.code)
      } catch let error as StoreError {
        notice = Notice(error)
      }
      if case .refused = notice { context.note.fail() }
      return PageRoutes.redirect(to: FormRoutes.address(form.back, notice))
    }
  }

  @Sendable private func testForm(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let form = try await FormBody(request, context)
    let viewer = Viewer(of: request, context, site: site, now: environment.now())
    let words = viewer.language
    let text: String
    do {
      text = words.text(of: try await result(of: form["channel"], words, context))
    } catch let fault as Fault where fault.kind == .refused {
      text = fault.message
    } catch let refusal as ChannelRefusal {
      text = words.text(refusal.localized)
    }
    return .page(
      MessagePage(
        viewer: viewer, title: words.text("channel.tested"), text: text,
        back: (form.back, words.text("channel.back"))
      ).html(site), status: .ok)
  }

  /// Tries a channel of somebody whose plan the sender may change.
  private func result(
    of text: String?, _ words: Language, _ context: WebContext
  ) async throws -> DeliveryResult {
    let channel = try Self.channel(text)
    let known = try await environment.store.read { try $0.channels() }
      .filter { $0.channel == channel }
    guard
      known.contains(where: { entry in
        context.grant.permits(.plan, on: entry.person.patient.map { .patient($0) } ?? .box)
      })
    else { throw ChannelRefusal.unknown(channel.text) }
    guard let test = environment.test else {
      throw Fault(.refused, words.text("channel.cannotSend"))
    }
    return try await test(channel, words)
  }

  private func outletForm<A: MessageAction>(
    _ router: Router<WebContext>, _ name: String, _ action: @escaping @Sendable (String) -> A
  ) {
    router.post(RouterPath("setup/outlets/" + name)) { request, context in
      let form = try await FormBody(request, context)
      try await environment.perform(action(form["name"] ?? ""), context, site)
      return PageRoutes.redirect(to: form.back)
    }
  }

  // MARK: Channels

  /// A person's channels as JSON, without their secrets.
  private struct PersonOutput: Encodable {
    var patient: String?
    var contact: String?
    var channels: [Channel]
  }

  private struct ChannelList: Encodable {
    var people: [PersonOutput]
  }

  private static func list(_ reader: any StoreReader) throws -> ChannelList {
    var people: [PersonOutput] = []
    for entry in try reader.channels() {
      if people.last?.patient == entry.person.patient, people.last?.contact == entry.person.contact
      {
        people[people.count - 1].channels.append(entry.channel)
      } else {
        people.append(
          PersonOutput(
            patient: entry.person.patient, contact: entry.person.contact,
            channels: [entry.channel]))
      }
    }
    return ChannelList(people: people)
  }

  @Sendable private func channels(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    let scope = context.scope(.plan)
    // A contact of everybody is the whole plan's.
    let isWhole = context.grant.permits(.plan, on: .box)
    return try await responder.respond(to: request, context, key: ["channels"]) { reader, _ in
      var list = try Self.list(scope.reader(reader))
      list.people.removeAll { $0.patient == nil && !isWhole }
      return try JSONText.of(list)
    }
  }

  private struct ChannelsInput: JSONInput {
    var person: ReachedPerson
    var channels: [Channel] = []
    var secrets: [ChannelSecret] = []

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      person = ReachedPerson(
        patient: try body.optional("patient")?.string(),
        contact: try body.optional("contact")?.string())
      for node in try body.required("channels").sequence() {
        var body = try node.mapping()
        let named = try body.required("channel")
        let secret = body.optional("secret")
        try body.finish()
        let text = try named.string()
        guard let channel = Channel(text) else {
          throw named.error("‘\(text)’ is no channel, such as email:nora@example.org")
        }
        channels.append(channel)
        guard let secret else { continue }
        guard let secret = ChannelSecret(channel, try secret.string()) else {
          throw named.error("its secret does not open it")
        }
        secrets.append(secret)
      }
      try body.finish()
      guard person.patient != nil || person.contact != nil else {
        throw node.error("give ‘patient’, ‘contact’ or both")
      }
    }
  }

  @Sendable private func setChannels(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let input = try await JSONBody.decode(ChannelsInput.self, from: request, in: context)
    let action = SetChannels(input.person, input.channels, secrets: input.secrets)
    let (_, text) = try await environment.perform(action, context) { _, reader in
      try JSONText.of(
        PersonOutput(
          patient: input.person.patient, contact: input.person.contact,
          channels: try reader.channels(of: input.person)))
    }
    return JSONBody.response(text: text)
  }

  private struct TestInput: JSONInput {
    var channel: String

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      channel = try body.required("channel").string()
      try body.finish()
    }
  }

  private struct TestOutput: Encodable {
    var state: String
    var reason: String?
  }

  @Sendable private func test(_ request: Request, _ context: WebContext) async throws -> Response {
    let input = try await JSONBody.decode(TestInput.self, from: request, in: context)
    let words = site.language(for: request)
    let result = try await result(of: input.channel, words, context)
    return try JSONBody.response(
      TestOutput(
        state: result.state, reason: result == .delivered ? nil : words.text(of: result)))
  }

  // MARK: Outlets

  private struct RefusedOutput: Encodable {
    var id: String
    var kind: String
    var due: String
    var reason: String?
  }

  private struct OutletOutput: Encodable {
    var name: String
    var kind: String
    var state: String
    var oldestUnsent: String?
    var lastSuccess: String?
    var reason: String?
    var refused: [RefusedOutput]
  }

  private struct OutletList: Encodable {
    var outlets: [OutletOutput]
  }

  private static func list(
    _ reader: any MessageReader, _ receivers: [ReceiverStatus], _ words: Language, now: Date
  ) throws -> OutletList {
    let zone = try reader.zone()
    let measurements = receivers.map { outlet in
      OutletOutput(
        name: outlet.name, kind: outlet.definition?.kind.rawValue ?? "unknown",
        state: outlet.state.rawValue, oldestUnsent: outlet.oldestUnsent?.rfc3339(in: zone),
        lastSuccess: outlet.lastSuccess?.rfc3339(in: zone),
        reason: outlet.fault.map { words.text(of: $0) },
        refused: outlet.refused.map { item in
          RefusedOutput(
            id: item.name, kind: "measurement", due: item.date.rfc3339(in: zone),
            reason: item.fault.map { words.text(of: $0) })
        })
    }
    return OutletList(
      outlets: try OutletStatus.all(in: reader, now: now).map { outlet in
        OutletOutput(
          name: outlet.recipient.text, kind: outlet.kind, state: outlet.state.rawValue,
          oldestUnsent: outlet.oldestUnsent?.rfc3339(in: zone),
          lastSuccess: outlet.lastSuccess?.rfc3339(in: zone),
          reason: outlet.fault.map { words.text(of: $0) },
          refused: outlet.refused.map { item in
            RefusedOutput(
              id: item.id.text, kind: item.kind.rawValue, due: item.due.rfc3339(in: zone),
              reason: item.fault.map { words.text(of: $0) })
          })
      } + measurements)
  }

  @Sendable private func outlets(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    return try await outletList(request)
  }

  private struct OutletInput: JSONInput {
    var name: String

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      name = try body.required("name").string()
      try body.finish()
    }
  }

  private func outletCall<A: MessageAction>(
    _ group: RouterGroup<WebContext>, _ name: String, _ action: @escaping @Sendable (String) -> A
  ) {
    group.post(RouterPath("outlets/" + name)) { request, context in
      let input = try await JSONBody.decode(OutletInput.self, from: request, in: context)
      try await environment.perform(action(input.name), context, site)
      return try await outletList(request)
    }
  }

  private func outletList(_ request: Request) async throws -> Response {
    let (words, now) = (site.language(for: request), environment.now())
    return try JSONBody.response(
      try await environment.store.readMessages { reader in
        try Self.list(reader, try environment.receiverStatus(reader), words, now: now)
      })
  }

  /// A new outlet of measurements, with the keys of the settings.
  private struct NewOutlet: JSONInput {
    var name: String
    var definition: OutletDefinition
    var secrets: [String: Care.Secret<String>] = [:]

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      name = try body.required("name").string()
      definition = OutletDefinition(try body.required("kind").choice())
      for key in definition.kind.typedKeys {
        guard let value = body.optional(key.typedName) else { continue }
        if key.form == .secret {
          secrets[key.name] = Care.Secret(try value.string())
        } else {
          definition.values[key.name] = try value.texts(of: key)
        }
      }
      try body.finish()
    }
  }

  @Sendable private func addOutlet(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let input = try await JSONBody.decode(NewOutlet.self, from: request, in: context)
    let action = AddOutlet(
      input.name, input.definition, secrets: input.secrets, reserved: environment.reservedOutlets)
    do {
      try await environment.perform(action, context, site)
    } catch let flaw as OutletFlaw {
      throw Fault(.refused, site.language(for: request).text(flaw.localized))
    }
    return try await outletList(request)
  }

  @Sendable private func testOutlet(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let input = try await JSONBody.decode(OutletInput.self, from: request, in: context)
    let words = site.language(for: request)
    let result = try await environment.tryOutlet(input.name, words)
    if result != .delivered { context.note.fail() }
    return try JSONBody.response(
      TestOutput(
        state: result.state, reason: result == .delivered ? nil : words.text(of: result)))
  }
}
