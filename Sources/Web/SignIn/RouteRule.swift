import Access
import HTTPTypes
import Interchange
import Localization

/// The rights that a route needs, and its entry of the audit log.
struct RouteRule: Hashable, Sendable {
  /// The rights that a request needs.
  enum Demand: Hashable, Sendable {
    /// Nothing: whoever reaches the address.
    case open
    /// Any account or token.
    case signedIn
    /// The permission for at least one patient.
    ///
    /// A `patient` of the query has to be one of them, or the answer is 403 whether the patient
    /// exists or not. Queries read through ``DataScope``; changes ask ``WebContext/demand(_:on:)``
    /// about the patient of the changed thing.
    case some(Permission)
    /// The permissions for the whole box, each of them.
    case box(Set<Permission>)
  }

  let demand: Demand
  /// The action in the audit log; `nil` for no entry.
  let action: AuditEntry.Action?
  /// To what kind of thing.
  let object: AuditEntry.Object
  /// Who checks that a form comes from a page of the session.
  let checksToken: TokenCheck

  /// Who checks that a form comes from a page of the session.
  enum TokenCheck: Hashable, Sendable {
    /// The gate, before the route sees the request.
    case gate
    /// The route: the form is too long to be read twice.
    case route
  }

  /// The body that a change may have.
  let body: Body
  /// Whether only boxes send it, whose answers have no fields that are a browser's.
  let isOfBoxes: Bool
  /// Whether pages of other sites may send it: the request itself carries the right, and no cookie counts.
  let takesAnyOrigin: Bool

  /// Bodies of requests.
  enum Body: Hashable, Sendable {
    /// None: what comes is not read.
    case none
    /// Whole, in memory, of at most so many bytes.
    case whole(most: Int)
    /// In pieces, which the route reads by itself.
    case pieces

    /// A form or a JSON object.
    static let form = Body.whole(most: WebContext.longestForm)
    /// A form of somebody who has not signed in.
    static let open = Body.whole(most: 4 << 10)
    /// A plan.
    static let plan = Body.whole(most: PlanFileRoutes.largest)
  }

  private init(
    _ demand: Demand, _ action: AuditEntry.Action? = nil, _ object: AuditEntry.Object = .setting,
    checksToken: TokenCheck = .gate, body: Body? = nil, takesAnyOrigin: Bool = false,
    isOfBoxes: Bool = false
  ) {
    self.demand = demand
    self.action = action
    self.object = object
    self.checksToken = checksToken
    self.body = body ?? (demand == .open ? .open : .form)
    self.takesAnyOrigin = takesAnyOrigin
    self.isOfBoxes = isOfBoxes
  }

  /// The body that a request may have.
  func body(of method: HTTPRequest.Method) -> Body {
    [.get, .head, .delete].contains(method) ? .none : body
  }

  /// The rule of a route.
  ///
  /// - Parameters:
  ///   - method: The method; `HEAD` has the rule of `GET`.
  ///   - path: The route's path, `/api/v1/events/{event}`.
  /// - Returns: `nil` for a route without one, which is refused.
  static func of(_ method: HTTPRequest.Method, _ path: String) -> RouteRule? {
    let route = "\(method == .head ? "GET" : method.rawValue) \(path)"
    return table[route] ?? local[route]
  }

  /// The methods that a path takes.
  ///
  /// - Parameter path: A request's path, `/api/v1/events/17`.
  /// - Returns: Their names, sorted; none if there is no such path.
  static func methods(of path: String) -> [String] {
    func parts(_ path: some StringProtocol) -> [Substring] {
      path.split(separator: "/", omittingEmptySubsequences: true).map { Substring($0) }
    }
    let asked = parts(path)
    let methods = table.keys.compactMap { route -> String? in
      guard let space = route.firstIndex(of: " ") else { return nil }
      let pattern = parts(route[route.index(after: space)...])
      let isSame =
        pattern.count == asked.count
        && zip(pattern, asked).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
      return isSame ? String(route[..<space]) : nil
    }
    return (methods + (methods.contains("GET") ? ["HEAD"] : [])).sorted()
  }

  /// The routes that only the Unix socket serves, whose permissions decide.
  static let local: [String: RouteRule] = [
    "GET /api/v1/daemon": RouteRule(.box([.administer])),
    "POST /api/v1/radio": RouteRule(.box([.administer]), body: .pieces),
  ]

  /// Every route of the page and the interface.
  static let table: [String: RouteRule] = [
    // Before signing in.
    "GET /signin": RouteRule(.open),
    // The routes write their own entries: the sender is known only afterwards.
    "POST /signin": RouteRule(.open),
    "GET /claim": RouteRule(.open),
    "POST /claim": RouteRule(.open),
    "GET /answer": RouteRule(.open),
    // A telephone's program answers from a page of its own.
    "POST /answer": RouteRule(.open, takesAnyOrigin: true),
    "GET /assets/{name}": RouteRule(.open),
    // The address itself is the right.
    "GET /calendar/{token}": RouteRule(.open),
    "GET /api/v1/health": RouteRule(.open),
    "GET /api/v1/ready": RouteRule(.open),

    // Routes that show no person's data.
    "GET /": RouteRule(.signedIn),
    "GET /favicon.ico": RouteRule(.signedIn),
    "GET /api/v1/openapi.json": RouteRule(.signedIn),
    "GET /reference": RouteRule(.signedIn),
    "POST /language": RouteRule(.signedIn),
    "GET /account": RouteRule(.signedIn),
    "POST /account/passcode": RouteRule(.signedIn, .change, .passcode),
    "POST /signout": RouteRule(.signedIn, .signOut, .session),

    // Counts of the whole box.
    "GET /metrics": RouteRule(.box([.read])),

    // Pages.
    "GET /changes": RouteRule(.some(.read)),
    "GET /morning": RouteRule(.some(.read), .read, .event),
    "GET /morning.csv": RouteRule(.some(.read), .export, .event),
    "GET /measurements.csv": RouteRule(.some(.read), .export, .sample),
    "GET /today": RouteRule(.some(.read), .read, .event),
    "GET /events/{event}": RouteRule(.some(.read), .read, .event),
    "GET /events/{event}/measure": RouteRule(.some(.read), .read, .event),
    "GET /events/{event}/perform": RouteRule(.some(.answer), .read, .event),
    "GET /measurements": RouteRule(.some(.read), .read, .sample),
    "GET /measurements/{quantity}": RouteRule(.some(.read), .read, .sample),
    "GET /insights": RouteRule(.some(.read), .read, .report),
    "GET /weighings": RouteRule(.box([.read]), .read, .sample),
    "GET /report": RouteRule(.some(.read), .read, .report),
    "GET /connect": RouteRule(.some(.read), .read, .message),
    "GET /consent": RouteRule(.some(.read), .read, .plan),
    "GET /devices": RouteRule(.some(.read), .read, .device),
    "GET /setup": RouteRule(.some(.plan), .read, .plan),
    "GET /setup/task": RouteRule(.some(.plan), .read, .plan),
    "GET /setup/tasks": RouteRule(.some(.plan), .read, .plan),
    "GET /setup/person": RouteRule(.some(.plan), .read, .patient),

    // Forms.
    "POST /events/{event}/done": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/answer": RouteRule(
      .some(.answer), .answer, .event, checksToken: .route, body: .pieces),
    "POST /events/{event}/skip": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/not-done": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/add": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/perform": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/undo": RouteRule(.some(.answer), .undo, .event),
    "POST /events/{event}/remove": RouteRule(.some(.answer), .undo, .event),
    "POST /events/{event}/put-back": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/snooze": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/measure/start": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/measure/done": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/measure/again": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/measure/keep": RouteRule(.some(.answer), .answer, .event),
    "POST /events/{event}/measure/cancel": RouteRule(.some(.answer), .answer, .event),
    "POST /weighings/weigher": RouteRule(.some(.correct), .assign, .sample),
    "POST /weighings/unassign": RouteRule(.some(.correct), .assign, .sample),
    "POST /samples": RouteRule(.some(.answer), .create, .sample),
    "POST /samples/{sample}/assign": RouteRule(.some(.correct), .assign, .sample),
    "POST /samples/{sample}/unassign": RouteRule(.some(.correct), .assign, .sample),
    "POST /samples/{sample}/delete": RouteRule(.some(.correct), .delete, .sample),
    "POST /samples/{sample}/restore": RouteRule(.some(.correct), .restore, .sample),
    "POST /samples/{sample}/correct": RouteRule(.some(.correct), .change, .sample),
    "POST /firings/{firing}/undo": RouteRule(.some(.plan), .undo, .plan),
    "POST /morning/seen": RouteRule(.some(.correct), .answer, .message),
    "POST /messages": RouteRule(.some(.answer), .create, .message),
    "POST /connect/channels/add": RouteRule(.some(.plan), .change, .contact),
    "POST /connect/channels/remove": RouteRule(.some(.plan), .change, .contact),
    "POST /connect/channels/move": RouteRule(.some(.plan), .change, .contact),
    "POST /connect/channels/test": RouteRule(.some(.plan), .create, .message),
    "GET /setup/outlets": RouteRule(.box([.plan]), .read, .setting),
    "POST /setup/outlets": RouteRule(.box([.administer]), .create, .setting),
    "POST /setup/outlets/remove": RouteRule(.box([.administer]), .delete, .setting),
    "POST /setup/outlets/test": RouteRule(.box([.plan]), .create, .message),
    "GET /setup/outlets/plan": RouteRule(.box([.plan]), .read, .plan),
    "POST /setup/outlets/plan/take": RouteRule(.box([.plan]), .import, .plan),
    "POST /setup/outlets/plan/decline": RouteRule(.box([.plan]), .change, .plan),
    "GET /connect/calendar": RouteRule(.some(.plan)),
    "POST /connect/calendar/add": RouteRule(.some(.plan), .create, .plan),
    "POST /connect/calendar/remove": RouteRule(.some(.plan), .delete, .plan),
    "POST /setup/outlets/pause": RouteRule(.box([.plan]), .change, .message),
    "POST /setup/outlets/resume": RouteRule(.box([.plan]), .change, .message),
    "POST /setup/outlets/retry": RouteRule(.box([.plan]), .change, .message),
    "POST /consent/agree": RouteRule(.some(.answer), .answer, .plan),
    "POST /consent/withdraw": RouteRule(.some(.answer), .answer, .plan),
    "POST /setup/plan": RouteRule(.box([.plan]), .read, .plan, body: .plan),
    "POST /setup/plan/take": RouteRule(.box([.plan]), .import, .plan, body: .plan),
    "GET /setup/history": RouteRule(.box([.add]), .read, .sample),
    "POST /setup/history": RouteRule(
      .box([.add]), .import, .sample, checksToken: .route, body: .pieces),
    "POST /setup/history/take": RouteRule(.box([.add]), .import, .sample),
    "GET /devices/add": RouteRule(.box([.devices]), .read, .device),
    "POST /devices/bind": RouteRule(.box([.devices]), .change, .device),
    "POST /devices/unbind": RouteRule(.box([.devices]), .delete, .device),
    "POST /devices/disown": RouteRule(.box([.devices]), .assign, .device),
    "POST /setup/task": RouteRule(.some(.plan), .change, .task),
    "POST /setup/video": RouteRule(
      .some(.plan), .change, .task, checksToken: .route, body: .pieces),
    "POST /setup/tasks": RouteRule(.some(.plan), .change, .task),
    "POST /setup/person": RouteRule(.some(.plan), .change, .patient),
    "GET /setup/contact": RouteRule(.some(.plan), .read, .contact),
    "POST /setup/contact": RouteRule(.some(.plan), .change, .contact),
    "POST /setup/zone": RouteRule(.box([.plan]), .change, .plan),
    "POST /setup/end": RouteRule(.some(.plan), .change, .plan),
    "POST /setup/delete": RouteRule(.some(.plan), .delete, .plan),
    "POST /setup/revive": RouteRule(.some(.plan), .restore, .plan),
    "POST /setup/centre/join": RouteRule(.box([.administer]), .create, .setting),
    "POST /setup/centre/leave": RouteRule(.box([.administer]), .delete, .setting),
    "GET /setup/boxes": RouteRule(.box([.administer]), .read, .setting),
    "POST /setup/boxes/invite": RouteRule(.box([.administer]), .create, .setting),
    "GET /setup/accounts": RouteRule(.box([.administer]), .read, .account),
    "GET /devices/pair": RouteRule(.box([.devices]), .read, .device),
    "POST /devices/pair": RouteRule(.box([.devices]), .change, .device),
    "POST /devices/pair/answer": RouteRule(.box([.devices]), .change, .device),
    "POST /devices/pair/cancel": RouteRule(.box([.devices]), .change, .device),
    "POST /setup/backup": RouteRule(.box([.administer, .read]), .export, .backup),
    "POST /setup/accounts/add": RouteRule(.box([.administer]), .create, .account),
    "POST /setup/accounts/change": RouteRule(.box([.administer]), .change, .account),
    "POST /setup/accounts/code": RouteRule(.box([.administer]), .change, .passcode),
    "POST /setup/accounts/remove": RouteRule(.box([.administer]), .delete, .account),
    "POST /setup/tokens/add": RouteRule(.box([.administer]), .create, .token),
    "POST /setup/tokens/revoke": RouteRule(.box([.administer]), .delete, .token),
    "GET /setup/audit": RouteRule(.box([.administer]), .read, .auditLog),
    "POST /setup/undo": RouteRule(.some(.plan), .undo, .plan),

    // The interface.
    "GET /api/v1/morning": RouteRule(.some(.read), .read, .event),
    "GET /api/v1/events": RouteRule(.some(.read), .read, .event),
    "GET /api/v1/events/{event}": RouteRule(.some(.read), .read, .event),
    "PUT /api/v1/events/{event}/outcome": RouteRule(.some(.answer), .answer, .event),
    "POST /api/v1/events/{event}/outcome/values": RouteRule(.some(.answer), .answer, .event),
    "POST /api/v1/events/{event}/outcome/restoration": RouteRule(
      .some(.answer), .answer, .event, body: Body.none),
    "POST /api/v1/events/{event}/snooze": RouteRule(.some(.answer), .answer, .event),
    "POST /api/v1/events/{event}/performance": RouteRule(.some(.answer), .answer, .event),
    "DELETE /api/v1/events/{event}/outcome/values": RouteRule(.some(.answer), .undo, .event),
    "DELETE /api/v1/events/{event}/outcome": RouteRule(.some(.answer), .undo, .event),
    "POST /api/v1/events/{event}/attachments": RouteRule(
      .some(.answer), .answer, .upload, body: .pieces),
    "GET /api/v1/attachments/{sha256}": RouteRule(.some(.read), .read, .upload),
    "GET /api/v1/sessions": RouteRule(.some(.read), .read, .event),
    "POST /api/v1/sessions": RouteRule(.some(.answer), .answer, .event),
    "GET /api/v1/sessions/{session}": RouteRule(.some(.read), .read, .event),
    "POST /api/v1/sessions/{session}/start": RouteRule(
      .some(.answer), .answer, .event, body: Body.none),
    "POST /api/v1/sessions/{session}/done": RouteRule(
      .some(.answer), .answer, .event, body: Body.none),
    "POST /api/v1/sessions/{session}/again": RouteRule(
      .some(.answer), .answer, .event, body: Body.none),
    "POST /api/v1/sessions/{session}/keep": RouteRule(
      .some(.answer), .answer, .event, body: Body.none),
    "POST /api/v1/sessions/{session}/cancel": RouteRule(
      .some(.answer), .answer, .event, body: Body.none),
    "GET /api/v1/weighings": RouteRule(.box([.read]), .read, .sample),
    "PUT /api/v1/patients/{patient}/weigher": RouteRule(.some(.correct), .assign, .sample),
    "GET /api/v1/samples": RouteRule(.some(.read), .read, .sample),
    "POST /api/v1/samples": RouteRule(.some(.answer), .create, .sample),
    "GET /api/v1/samples/{sample}": RouteRule(.some(.read), .read, .sample),
    "GET /api/v1/samples/{sample}/changes": RouteRule(.some(.read), .read, .sample),
    "PUT /api/v1/samples/{sample}/assignment": RouteRule(.some(.correct), .assign, .sample),
    "DELETE /api/v1/samples/{sample}/assignment": RouteRule(.some(.correct), .assign, .sample),
    "POST /api/v1/samples/{sample}/correction": RouteRule(.some(.correct), .change, .sample),
    "DELETE /api/v1/samples/{sample}": RouteRule(.some(.correct), .delete, .sample),
    "POST /api/v1/samples/{sample}/restoration": RouteRule(
      .some(.correct), .restore, .sample, body: Body.none),
    "GET /api/v1/patients": RouteRule(.some(.read), .read, .patient),
    "PUT /api/v1/patients/{patient}/presence": RouteRule(.some(.answer), .answer, .patient),
    "GET /api/v1/contacts": RouteRule(.some(.read), .read, .contact),
    "PUT /api/v1/contacts/{contact}": RouteRule(.some(.plan), .change, .contact),
    "DELETE /api/v1/contacts/{contact}": RouteRule(.some(.plan), .delete, .contact),
    "GET /api/v1/channels": RouteRule(.some(.plan), .read, .contact),
    "PUT /api/v1/channels": RouteRule(.some(.plan), .change, .contact),
    "POST /api/v1/channels/test": RouteRule(.some(.plan), .create, .message),
    "GET /api/v1/outlets": RouteRule(.box([.plan]), .read, .message),
    "POST /api/v1/outlets": RouteRule(.box([.administer]), .create, .setting),
    "POST /api/v1/outlets/remove": RouteRule(.box([.administer]), .delete, .setting),
    "POST /api/v1/outlets/test": RouteRule(.box([.plan]), .create, .message),
    "POST /api/v1/outlets/pause": RouteRule(.box([.plan]), .change, .message),
    "POST /api/v1/outlets/resume": RouteRule(.box([.plan]), .change, .message),
    "POST /api/v1/outlets/retry": RouteRule(.box([.plan]), .change, .message),
    "PUT /api/v1/plan/zone": RouteRule(.box([.plan]), .change, .plan),
    "GET /api/v1/consents": RouteRule(.some(.read), .read, .plan),
    "POST /api/v1/consents": RouteRule(.some(.answer), .answer, .plan),
    "GET /api/v1/messages": RouteRule(.some(.read), .read, .message),
    "POST /api/v1/messages": RouteRule(.some(.answer), .create, .message),
    "GET /api/v1/firings": RouteRule(.some(.read), .read, .message),
    "POST /api/v1/firings/{firing}/undo": RouteRule(
      .some(.plan), .undo, .plan, body: Body.none),
    "GET /api/v1/devices": RouteRule(.some(.read), .read, .device),
    "GET /api/v1/adherence": RouteRule(.some(.read), .read, .report),
    // Boxes of this centre: their signatures, or the code of an invitation, are the right.
    "POST /api/v1/exchange": RouteRule(.open, body: .pieces, isOfBoxes: true),
    "POST /api/v1/exchange/boxes": RouteRule(.open, isOfBoxes: true),
    // Phones, and other programs that only add.
    "GET /api/v1/phones/noop": RouteRule(.some(.add)),
    "POST /api/v1/phones/noop": RouteRule(.some(.add), .import, .sample, body: .pieces),
    "POST /api/v1/phones/openscale": RouteRule(
      .some(.add), .import, .sample, body: .whole(most: ScaleMessage.largest)),
    "POST /api/v1/phones/health-auto-export": RouteRule(
      .some(.add), .import, .sample, body: .pieces),
    "PUT /api/v1/tasks/{task}/video": RouteRule(
      .some(.plan), .change, .task, body: .pieces),
    "DELETE /api/v1/tasks/{task}/video": RouteRule(.some(.plan), .change, .task),
    "GET /api/v1/plan": RouteRule(.box([.plan]), .export, .plan),
    "PUT /api/v1/plan": RouteRule(.box([.plan]), .import, .plan, body: .plan),
  ]
}
