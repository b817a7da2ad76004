import Access
import Actions
import Care
import Foundation
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// The context of one request.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Whether it came over a connection, whose end ends its stream.
  var isConnected = false
  /// The address that the connection came from; `nil` for a Unix socket.
  var peer: String?
  /// The address of this machine that the connection came to.
  var local: String?
  /// The client's address, behind a proxy also; `nil` for a Unix socket.
  var client: String?
  /// The path below which an ingress shows the page; `nil` for a request that does not come through one.
  var prefix: String?
  /// Who sends the request; `nil` before the gate has asked, and on an open route.
  var identity: Identity?
  /// Whether the sender may still do now what they could when the request came.
  var isStillValid: @Sendable () async -> Bool = { false }
  /// The route's additions to the request's entry of the audit log.
  let note = AuditNote()

  init(source: Source) {
    self.init(core: CoreRequestContextStorage(source: source))
    isConnected = true
    peer = source.channel.remoteAddress?.ipAddress
    local = source.channel.localAddress?.ipAddress
  }

  /// Makes the context of a request that came over no connection.
  init(core: CoreRequestContextStorage) {
    coreContext = core
  }

  /// The largest body of a form or a JSON object, in bytes.
  static let longestForm = 64 << 10

  var maxUploadSize: Int { Self.longestForm }
}

// MARK: - Permission

extension WebContext {
  /// The permissions of the sender; none without an identity.
  var grant: Grant { identity?.grant ?? Grant([], .only([])) }

  /// The part of the store that the sender may use with a permission.
  func scope(_ permission: Permission) -> DataScope {
    DataScope(grant: grant, permission: permission)
  }

  /// Whose the memory is that the request takes.
  var sender: MemoryBudget.Sender {
    switch identity?.subject {
    case .account(let id): .known("account \(id)")
    case .token(let id): .known("token \(id)")
    // The system protects the address; programs on it have addresses of their own.
    case .local: .known("local \(peer ?? "")")
    case .link, nil: .network(ClientNetwork.name(of: client ?? peer ?? ""))
    }
  }

  /// The sender, whose patients the audit log names.
  var performer: Performer { Performer(grant: grant, note: { [note] in note.name($0) }) }

  /// The name of the person who signed in; `nil` for a program and the machine itself.
  var personName: String? { identity?.formToken == nil ? nil : identity?.name }

  /// Demands a permission for what a request changes; the audit log names the patient.
  ///
  /// - Throws: `AccessDenied`.
  func demand(_ permission: Permission, on target: Target) throws(AccessDenied) {
    try performer.demand(permission, on: target)
  }

  /// The event that a request answers.
  ///
  /// - Throws: ``Fault`` as for an unknown event if the sender may not answer it.
  func event(_ id: String, in reader: any StoreReader, now: Date) throws -> Event {
    let event = try scope(.answer).reader(reader).event(id: id, now: now)
    try demand(.answer, on: .patient(event.task.patient))
    return event
  }

  /// The sample that a request changes.
  ///
  /// - Throws: `StoreError.unknown(_:)` as for an unknown sample if the sender may not change it.
  func sample(_ number: Int64, in reader: any StoreReader) throws -> Sample {
    let sample = try scope(.correct).reader(reader).sample(number: number)
    try demand(.correct, on: sample.patient.map { .patient($0) } ?? .tray)
    return sample
  }

  /// The key that separates the sender's answers from those of others: their permissions, and the
  /// token of their forms.
  var cacheKey: CacheKey {
    let formToken = identity?.formToken
    // Only a person's pages show a name.
    return CacheKey(
      grant: identity?.grant, name: formToken == nil ? nil : identity?.name, formToken: formToken)
  }
}

/// The part of a query's key that separates senders.
struct CacheKey: Hashable, Sendable {
  let grant: Grant?
  let name: String?
  let formToken: String?
}

/// A route's additions to its entry of the audit log.
final class AuditNote: Sendable {
  private struct State {
    var patient: String?
    var hasFailed = false
    var isNothing = false
  }

  private let state = Mutex(State())

  /// The patient whom the request concerns.
  var patient: String? { state.withLock(\.patient) }

  /// Whether nothing was changed, although the answer is no error.
  var hasFailed: Bool { state.withLock(\.hasFailed) }

  /// Whether nothing was tried: a form was only filled further.
  var isNothing: Bool { state.withLock(\.isNothing) }

  /// Names the patient; the last one holds.
  func name(_ patient: String) { state.withLock { $0.patient = patient } }

  /// Says that nothing was tried, so that there is no entry.
  func skip() { state.withLock { $0.isNothing = true } }

  /// Says that nothing was changed.
  func fail() { state.withLock { $0.hasFailed = true } }
}
