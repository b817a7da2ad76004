import Access
package import Care
package import CareStore
package import Foundation
import Interchange
package import Outlets

/// Sets an outlet of measurements up, in place of the one of that name that was set up here.
package struct AddOutlet: MessageAction {
  package var name: String
  package var definition: OutletDefinition
  /// The secrets that were typed, by key; those of one that is changed stay while its address does.
  package var secrets: [String: Care.Secret<String>]
  /// The names of the outlets of the settings, which come first.
  package var reserved: Set<String>

  /// Makes the action; a value of a key without any is left out.
  package init(
    _ name: String, _ definition: OutletDefinition, secrets: [String: Care.Secret<String>] = [:],
    reserved: Set<String>
  ) {
    self.name = name
    self.definition = definition
    self.secrets = secrets
    self.reserved = reserved
    for (key, values) in definition.values where values.isEmpty {
      self.definition.values[key] = nil
    }
  }

  /// - Throws: As ``MessageAction``; ``OutletFlaw``.
  package func perform(in writer: any MessageWriter, by performer: Performer, now: Date) throws {
    try performer.demand(.administer, on: .box)
    let known = try writer.outletSettings()
    guard OutletDefinition.isName(name) else { throw OutletFlaw("name", .name(name)) }
    let people = try Outbox(writer, now: now, since: .distantPast).recipients.map(\.text)
    guard known[name] == nil, !reserved.contains(name), !people.contains(name) else {
      throw OutletFlaw("name", .nameTaken(name))
    }
    guard known.count < OutletDefinition.most else { throw OutletFlaw("name", .tooMany) }
    var definition = definition
    definition.isLeaving = false
    let keys = definition.kind.keys
    for key in keys {
      if key.isOfSettings, definition.values[key.name] != nil {
        throw OutletFlaw(key.name, .unknownKey)
      }
      if key.form == .secret {
        definition.values[key.name] = secrets[key.name].map { _ in [OutletDefinition.kept] }
      }
    }
    try definition.check()
    if definition.kind.needsSecret, definition["secretFile"] == nil {
      throw OutletFlaw("secretFile", .missing)
    }
    if let ids = definition.people {
      let patients = Set(try writer.patients().map(\.id))
      if let stranger = ids.subtracting(patients).min() {
        throw OutletFlaw("people", .nobody(stranger))
      }
      ids.sorted().forEach(performer.note)
    }
    for (key, secret) in secrets.sorted(by: { $0.key < $1.key }) {
      guard let address = definition.address(ofSecret: key) else {
        throw OutletFlaw(key, .unknownKey)
      }
      guard definition.takes(secret) else { throw OutletFlaw(key, .secret(definition.kind)) }
      try writer.keep(OutletSecret(outlet: name, address: address, secret: secret))
    }
    try writer.putOutletSettings(name, try definition.json)
    // All that is stored from this moment on is to leave, also before the daemon has seen it.
    try OutletCourse(after: try writer.lastNumber()).keep(name, in: writer)
  }
}

/// Takes an outlet away that was set up here.
///
/// Topics that a broker keeps are taken back first, by the daemon, unless it is removed once more meanwhile.
package struct RemoveOutlet: MessageAction {
  package var name: String

  /// Makes the action.
  package init(_ name: String) { self.name = name }

  package func perform(in writer: any MessageWriter, by performer: Performer, now: Date) throws {
    try performer.demand(.administer, on: .box)
    let known = try OutletDefinition.all(in: writer)
    guard var definition = known[name] else {
      throw UnknownOutlet(name: name, known: known.keys.sorted())
    }
    guard definition.kind == .mqtt, !definition.isLeaving,
      try writer.hasTopics(of: name)
    else { return try writer.forgetOutlet(name) }
    definition.isLeaving = true
    try writer.putOutletSettings(name, try definition.json)
    var course = try OutletCourse(name, in: writer)
    course.isPaused = false
    course.retryNow()
    try course.keep(name, in: writer)
  }
}

extension OutletDefinition {
  /// The outlets that were set up here, by name; one that this program cannot read is left out.
  ///
  /// - Throws: `StoreError`.
  package static func all(in reader: any OutletReader) throws -> [String: OutletDefinition] {
    try reader.outletSettings().compactMapValues(OutletDefinition.init(json:))
  }

  /// Reads what the store keeps; `nil` for what is no definition that may stand there.
  package init?(json: String) {
    guard let read = try? JSONDecoder().decode(OutletDefinition.self, from: Data(json.utf8)),
      (try? read.check()) != nil,
      !read.kind.keys.contains(where: { $0.isOfSettings && read.values[$0.name] != nil }),
      // A path in a secret's place would be read by the service, for whoever may write the store.
      read.kind.keys.allSatisfy({
        $0.form != .secret || [nil, Self.kept].contains(read[$0.name])
      })
    else { return nil }
    self = read
  }

  /// Gives a person the new id wherever an outlet names the old one.
  ///
  /// - Throws: `StoreError`.
  static func rename(_ old: String, to new: String, in writer: any OutletWriter) throws {
    for (name, definition) in try all(in: writer) {
      var renamed = definition
      renamed.values["people"] = definition.values["people"]?.map { $0 == old ? new : $0 }
      renamed.values["records"] = definition.values["records"]?.map { text in
        text.hasSuffix(" " + old) ? text.dropLast(old.count) + new : text
      }
      if renamed != definition { try writer.putOutletSettings(name, try renamed.json) }
    }
  }

  fileprivate var json: String {
    get throws { String(decoding: try JSONText.of(self), as: UTF8.self) }
  }

  /// The address that a secret opens.
  package func address(ofSecret key: String) -> String? {
    switch key {
    case "secretFile": self["address"]
    case "tokenFile": self["server"]
    default: nil
    }
  }

  /// Whether a text can open such a receiver.
  fileprivate func takes(_ secret: Care.Secret<String>) -> Bool {
    let text = secret.revealed
    guard (1...OutletSecret.longest).contains(text.utf8.count) else { return false }
    if kind == .webhook { return WebhookSecret(text) != nil }
    // It stands in a header.
    return text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}

// MARK: - How they do

/// How an outlet of measurements does.
package struct ReceiverStatus: Hashable, Sendable {
  /// A value that the receiver did not take.
  package struct Refused: Hashable, Sendable {
    package var name: String
    package var date: Date
    package var fault: DeliveryFault?
  }

  package var name: String
  /// Its kind and keys; `nil` of one that neither the settings nor the store describe any more.
  package var definition: OutletDefinition?
  /// Whether it stands in the settings, and is changed there alone.
  package var isOfSettings: Bool
  package var state: OutletStatus.State
  package var oldestUnsent: Date?
  package var lastSuccess: Date?
  /// Why the last attempt failed; `nil` while it works.
  package var fault: DeliveryFault?
  /// The oldest values that were refused, and how many there are.
  package var refused: [Refused]
  package var refusedCount: Int

  private static let mostRefused = 10

  /// Those of the settings and of a store, by name.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - settings: Those of the settings; they come before those of the store.
  /// - Returns: How each of them does.
  /// - Throws: `StoreError`.
  package static func all(
    in reader: any OutletReader, settings: [String: OutletDefinition]
  ) throws -> [ReceiverStatus] {
    let own = try OutletDefinition.all(in: reader)
    let names = Set(try reader.outletNames()).union(own.keys).union(settings.keys)
    return try names.sorted().map { name in
      let course = try OutletCourse(name, in: reader)
      let definition = settings[name] ?? own[name]
      let refused = try reader.refused(by: name, isDue: false, limit: mostRefused).map { item in
        Refused(
          name: item.name, date: item.date,
          fault: try? JSONDecoder().decode(DeliveryFault.self, from: Data(item.fault.utf8)))
      }
      return ReceiverStatus(
        name: name, definition: definition, isOfSettings: settings[name] != nil,
        state: course.isPaused ? .paused : course.fault == nil ? .ready : .failing,
        oldestUnsent: try oldestUnsent(name, course, definition, in: reader),
        lastSuccess: course.lastSuccess, fault: course.fault, refused: refused,
        refusedCount: try reader.refusedCount(by: name))
    }
  }

  private static func oldestUnsent(
    _ name: String, _ course: OutletCourse, _ definition: OutletDefinition?,
    in reader: any OutletReader
  ) throws -> Date? {
    // One that never began has nothing to send yet.
    guard let cursor = course.cursor, let scope = definition?.scope else { return nil }
    let page = try reader.feed(
      after: cursor, upTo: try reader.lastNumber(), openHour: 0, rows: 200, values: 200)
    let unread = page.entries.flatMap(\.items).first { scope.permits($0) }
    let noted = try definition?.mailbox.flatMap { _ in try DayLedger.oldest(of: name, in: reader) }
    return [noted, unread?.samples.map(\.arrival).min()].compactMap(\.self).min()
  }
}

extension OutletReader {
  /// Whether a broker may keep topics of an outlet: of an event it keeps none.
  ///
  /// - Throws: `StoreError`.
  package func hasTopics(of outlet: String) throws -> Bool {
    try published(by: outlet).contains { !$0.isEvent }
  }
}

extension MessageWriter {
  /// Whether measurements go by an outlet of this name.
  func isReceiver(_ name: String) throws -> Bool {
    if try outlet(name) != nil { return true }
    return try outletSettings()[name] != nil
  }

  /// Changes how far a receiver is.
  func changeReceiver(_ name: String, _ body: (inout OutletCourse) -> Void) throws {
    var course = try OutletCourse(name, in: self)
    body(&course)
    try course.keep(name, in: self)
  }
}
