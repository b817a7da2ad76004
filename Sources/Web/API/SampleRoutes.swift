import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import Localization
import Pages
import StrictYAML

/// Samples: what was measured, whose it is, and corrections.
struct SampleRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder

  /// The most samples of one answer.
  static let most = 10_000
  /// The samples of one answer, if the request does not say.
  static let usual = 1_000

  func add(to group: RouterGroup<WebContext>) {
    group.get("samples", use: list)
    group.post("samples", use: create)
    group.get("samples/:sample", use: one)
    group.get("samples/:sample/changes", use: changes)
    group.put("samples/:sample/assignment", use: assign)
    group.delete("samples/:sample/assignment", use: unassign)
    group.post("samples/:sample/correction", use: correct)
    group.delete("samples/:sample", use: delete)
    group.post("samples/:sample/restoration", use: restore)
  }

  // MARK: Reading

  private enum Whose: String, CaseIterable { case all, unassigned }
  private enum Flag: String, CaseIterable { case `true`, `false` }

  @Sendable private func list(_ request: Request, _ context: WebContext) async throws -> Response {
    let items = try QueryItems(
      request, known: ["patient", "owner", "quantity", "device", "from", "to", "last", "deleted"])
    let last = try items.number("last", in: 1...Self.most) ?? Self.usual
    let whose = try items.choice("owner", Whose.self)
    let quantity = try items["quantity"].map(Quantity.init(named:))
    let isDeleted = try items.choice("deleted", Flag.self) == .true
    let states: Set<Sample.State> = isDeleted ? [.deleted] : [.live]
    return try await responder.respondInParts(to: request, context, key: ["samples"] + items.key) {
      reader, now, body in
      let patient = try items["patient"].map { try reader.patient(named: $0) }
      let zone = try reader.zone(of: patient, at: now)
      let to = try items.date("to", in: zone)
      let query = SampleQuery(
        owner: patient.map { .patient($0) } ?? (whose == .unassigned ? .unassigned : .anyone),
        quantity: quantity, device: items["device"].map { DeviceID($0) },
        from: try items.date("from", in: zone), to: to, limit: last, states: states)
      let samples = try reader.samples(query).filter { sample in
        to.map { sample.start < $0 } ?? true
      }
      try body.writeList("samples") { body in
        for start in stride(from: 0, to: samples.count, by: 100) {
          try body.append(
            try samples[start..<min(start + 100, samples.count)].map {
              try SampleOutput($0, in: reader, zone)
            })
        }
      }
    }
  }

  /// Samples as JSON.
  private struct SampleList: Encodable, Sendable {
    var samples: [SampleOutput]
  }

  @Sendable private func one(_ request: Request, _ context: WebContext) async throws -> Response {
    let number = try Self.number(context)
    _ = try QueryItems(request, known: [])
    return try await responder.respond(to: request, context, key: ["sample", "\(number)"]) {
      reader, _ in
      let sample = try reader.sample(number: number)
      return try JSONText.of(
        try SampleOutput(sample, in: reader, reader.zone()))
    }
  }

  @Sendable private func changes(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let number = try Self.number(context)
    _ = try QueryItems(request, known: [])
    return try await responder.respond(to: request, context, key: ["changes", "\(number)"]) {
      reader, _ in
      let zone = try reader.zone()
      let changes = try reader.changes(of: try reader.identity(ofNumber: number))
      return try JSONText.of(ChangeList(changes: changes.map { ChangeOutput($0, in: zone) }))
    }
  }

  /// The history of a sample as JSON.
  private struct ChangeList: Encodable {
    var changes: [ChangeOutput]
  }

  func addTable(to router: Router<WebContext>) {
    router.get("measurements.csv", use: table)
  }

  /// The single readings of a person, or of everybody, oldest first; streams are no table for people.
  @Sendable private func table(_ request: Request, _ context: WebContext) async throws -> Response {
    let items = try QueryItems(request, known: ["patient", "quantity", "from", "to"])
    let quantity = try items["quantity"].map(Quantity.init(named:))
    return try await responder.respondInParts(
      to: request, context, key: ["measurements.csv"] + items.key, type: "text/csv; charset=utf-8"
    ) { reader, now, body in
      let patient = try items["patient"].map { try reader.patient(named: $0) }
      let zone = try reader.zone(of: patient, at: now)
      let table = ReadingTable(
        patient: patient, quantity: quantity, from: try items.date("from", in: zone),
        to: try items.date("to", in: zone))
      guard try table.count(in: reader) <= ReadingTable.most else {
        throw Fault(
          .malformed,
          "The table would have more than \(ReadingTable.most) readings. Ask for a shorter span, or"
            + " for one quantity.")
      }
      try body.write(Data((SampleOutput.csvHeading + "\r\n").utf8))
      try table.forEach(in: reader) { samples in
        let lines = try samples.map { try SampleOutput($0, in: reader, zone).csv + "\r\n" }
        try body.write(Data(lines.joined().utf8))
      }
    }
  }

  // MARK: Changes

  private struct SampleInput: JSONInput {
    var patient: String?
    var quantity: String
    var value: String
    var unit: String?
    var at: String?

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      patient = try body.optional("patient")?.string()
      quantity = try body.required("quantity").string()
      value = try body.required("value").scalar().text
      unit = try body.optional("unit")?.scalar().text
      at = try body.optional("at")?.string()
      try body.finish(meant: ["time": "at"])
    }
  }

  @Sendable private func create(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let input = try await JSONBody.decode(SampleInput.self, from: request, in: context)
    let quantity = try Quantity(named: input.quantity)
    let unit = try input.unit.map { try UnitOfMeasure(entered: $0) }
    return JSONBody.response(
      text: try await SampleChanges(environment, context).add(
        quantity, input.value, unit: unit, of: input.patient, at: input.at, isTyped: false,
        reading: text(context, .answer)), status: .created)
  }

  private struct AssignmentInput: JSONInput {
    var patient: String?
    var nobody: Bool?
    var reason: String?

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      patient = try body.optional("patient")?.string()
      nobody = try body.optional("nobody")?.boolean()
      reason = try body.optional("reason")?.scalar().text
      try body.finish()
    }
  }

  private struct CorrectionInput: JSONInput {
    var value: Double
    var unit: String?
    var reason: String?

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      value = try body.required("value").number()
      unit = try body.optional("unit")?.scalar().text
      reason = try body.optional("reason")?.scalar().text
      try body.finish()
    }
  }

  @Sendable private func assign(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let input = try await JSONBody.decode(AssignmentInput.self, from: request, in: context)
    guard (input.patient == nil) == (input.nobody == true) else {
      throw Fault(.malformed, "Give ‘patient’, or ‘nobody’ as true.")
    }
    return try await change(context, reason: input.reason) { reader in
      try input.patient.map { .assign(patient: try reader.patient(named: $0)) } ?? .disown
    }
  }

  @Sendable private func unassign(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    try await change(context, reason: nil) { _ in .unassign }
  }

  @Sendable private func delete(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    try await change(context, reason: nil) { _ in .delete }
  }

  @Sendable private func restore(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    try await change(context, reason: nil) { _ in .restore }
  }

  @Sendable private func correct(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    let number = try Self.number(context)
    let input = try await JSONBody.decode(CorrectionInput.self, from: request, in: context)
    let unit = try input.unit.map { try UnitOfMeasure(entered: $0) }
    return JSONBody.response(
      text: try await SampleChanges(environment, context).correct(
        number, to: input.value, unit: unit, reason: input.reason, reading: text(context)))
  }

  private func change(
    _ context: WebContext, reason: String?,
    _ change: @Sendable (any StoreReader) throws -> SampleChange
  ) async throws -> Response {
    JSONBody.response(
      text: try await SampleChanges(environment, context).change(
        try Self.number(context), reason: reason, change
      ) { [text = text(context)] result, reader in try text(result.samples, reader) })
  }

  /// The answer to a change: the changed samples as they are then, in the same transaction.
  private func text(
    _ context: WebContext, _ permission: Permission = .correct
  ) -> @Sendable ([Sample], any StoreReader) throws -> Data {
    let scope = context.scope(permission)
    return { samples, reader in
      let zone = try reader.zone()
      let reader = scope.reader(reader)
      return try JSONText.of(
        SampleList(
          samples: try samples.filter { scope.contains($0) }.map {
            try SampleOutput($0, in: reader, zone)
          }))
    }
  }

  /// The number of the sample that the path names.
  static func number(_ context: WebContext) throws -> Int64 {
    let text = try context.parameters.require("sample")
    guard let number = Int64(text), number > 0 else {
      throw Fault(.unknown, "‘\(text)’ is no number of a sample.")
    }
    return number
  }
}

/// A change of a sample as JSON.
private struct ChangeOutput: Encodable {
  /// `assign`, `unassign`, `disown`, `delete` or `restore`.
  var change: String
  var patient: String?
  var reason: String?
  var time: String

  init(_ record: SampleChangeRecord, in zone: TimeZone) {
    switch record.change {
    case .assign(let patient): (change, self.patient) = ("assign", patient)
    case .unassign: change = "unassign"
    case .disown: change = "disown"
    case .delete: change = "delete"
    case .restore: change = "restore"
    }
    reason = record.reason
    time = record.date.rfc3339(in: zone)
  }
}

// MARK: - The store

/// Changes of samples that the interface and the page make.
struct SampleChanges {
  let environment: WebEnvironment
  let context: WebContext

  init(_ environment: WebEnvironment, _ context: WebContext) {
    self.environment = environment
    self.context = context
  }

  /// Adds what a person read from an instrument: for the only person if none is named.
  ///
  /// - Returns: What `read` says of the samples, in the same transaction.
  /// - Throws: ``Fault`` for a time that is none, or for nobody of several; `EntryRefusal`, `StoreError`.
  func add<Read: Sendable>(
    _ quantity: Quantity, _ text: String, unit: UnitOfMeasure?, of patient: String?,
    at time: String?,
    isTyped: Bool, reading read: @Sendable ([Sample], any StoreReader) throws -> Read
  ) async throws -> Read {
    let (now, context) = (environment.now(), context)
    return try await environment.store.write { writer in
      let people = try context.scope(.answer).reader(writer).patients()
      guard let patient = patient ?? (people.count == 1 ? people.first?.id : nil) else {
        throw Fault(.malformed, "Say whose it is with ‘patient’.")
      }
      let zone = try writer.zone(of: patient, at: now)
      let date = try time.map { text throws(Fault) -> Date in
        guard let date = Date(text, in: zone) else {
          throw Fault(.malformed, "‘\(text)’ is no time; write 2026-11-20T07:10.")
        }
        return date
      }
      let added = try AddSample(
        quantity, text, unit: unit, of: patient, at: date, isTyped: isTyped
      ).perform(in: writer, by: context.performer, now: now)
      return try read(added.samples, writer)
    }
  }

  /// Changes samples, and what was measured with each, in one transaction; what they say of whose the
  /// weights are follows.
  ///
  /// - Returns: What `read` says of the change, in the same transaction.
  func change<Read: Sendable>(
    _ number: Int64, with others: [Int64] = [], reason: String?,
    _ change: @Sendable (any StoreReader) throws -> SampleChange,
    reading read: @Sendable (ChangeSamples.Result, any StoreReader) throws -> Read
  ) async throws -> Read {
    let (now, context) = (environment.now(), context)
    return try await environment.store.write { writer in
      let samples = try ([number] + others).map {
        SampleSelection.sample(try context.sample($0, in: writer).identity)
      }
      let change = try change(context.scope(.correct).reader(writer))
      let result = try ChangeSamples(samples, change, reason: reason)
        .perform(in: writer, by: context.performer, now: now)
      return try read(result, writer)
    }
  }

  /// Puts a value in the place of a measured one.
  ///
  /// - Returns: What `read` says of the correction, in the same transaction.
  /// - Throws: `EntryRefusal` for a unit that the quantity is not measured in; what the store refuses.
  func correct<Read: Sendable>(
    _ number: Int64, to value: Double, unit: UnitOfMeasure?, reason: String?,
    reading read: @Sendable ([Sample], any StoreReader) throws -> Read
  ) async throws -> Read {
    let (now, context) = (environment.now(), context)
    return try await environment.store.write { writer in
      let identity = try context.sample(number, in: writer).identity
      let corrected = try CorrectSample(identity, to: .number(value), unit: unit, reason: reason)
        .perform(in: writer, by: context.performer, now: now).correction
      return try read([corrected], writer)
    }
  }
}

extension StoreReader {
  /// The sample of a number.
  ///
  /// - Throws: `StoreError.unknown(_:)` if there is none.
  func sample(number: Int64) throws -> Sample {
    guard let sample = try sample(try identity(ofNumber: number)) else {
      throw StoreError.unknown(.sampleNumber(number))
    }
    return sample
  }
}

extension Quantity {
  /// The quantity that a request names.
  init(named name: String) throws(Fault) {
    guard let quantity = Quantity(rawValue: name) else {
      throw Fault(.unknown, "There is no quantity ‘\(name)’.")
    }
    self = quantity
  }
}

extension SampleOutput {
  /// The sample as the interface shows it, with the reason in English.
  init(_ sample: Sample, in reader: any StoreReader, _ zone: TimeZone) throws {
    let reason = sample.unassignedText().map(LanguageCatalogue.embedded.english.text)
    self.init(try NumberedSample(sample, in: reader), reason: reason, in: zone)
  }
}
