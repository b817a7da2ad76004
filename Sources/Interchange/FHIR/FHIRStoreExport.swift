package import Care
package import Foundation

/// A store as FHIR resources, one after the other, of bounded memory: a day at a time.
package struct FHIRStoreExport {
  /// The coder.
  package var coder: FHIRCoder
  /// The plan that is in force.
  package var plan: PlanDocument
  /// Whose; `nil` for everyone.
  package var patient: String?
  /// The earliest start of what is written; `nil` for everything.
  package var from: Date?
  /// Everything later is of no use yet.
  package var now: Date

  /// Makes an export.
  package init(
    coder: FHIRCoder, plan: PlanDocument, patient: String?, from: Date?, now: Date
  ) {
    self.coder = coder
    self.plan = plan
    self.patient = patient
    self.from = from
    self.now = now
  }

  /// Gives each resource to `body`: people, plan and devices first, so that references are known.
  ///
  /// - Throws: ``FHIRRefusal``, what the store throws, and what `body` throws.
  package func forEach(
    in reader: any StoreReader, _ body: (FHIRValue) throws -> Void
  ) throws {
    let entries = try coder.encode(plan).object?["entry"]?.elements ?? []
    for entry in entries { if let resource = entry.object?["resource"] { try body(resource) } }
    for person in plan.patients {
      try events(of: person.id, in: reader, body)
      try samples(of: person.id, in: reader, body)
    }
    for stored in try reader.firings(FiringQuery(patient: patient, from: from))
    where stored.firing.isMessage
      && plan.patients.contains(where: { $0.id == stored.firing.event.patient })
    {
      try body(try coder.encode(stored.firing))
    }
  }

  // MARK: Answers

  private func events(
    of person: String, in reader: any StoreReader, _ body: (FHIRValue) throws -> Void
  ) throws {
    let starts = try reader.histories(patient: person).flatMap(\.versions).map {
      min($0.effectiveDate, $0.schedule.startDate)
    }
    guard var day = from ?? starts.min() else { return }
    while day < now {
      let end = min(day + 7 * 86_400, now + 1)
      let query = EventQuery(patient: person, from: day, to: end, now: now)
      // An event that lasts longer is of the week in which it starts.
      for event in try reader.events(query)
      where event.occurrence.start >= day && event.occurrence.start < end {
        guard let outcome = event.outcome else { continue }
        try write(outcome, of: event.task.planned, body)
      }
      day = end
    }
  }

  private func write(
    _ outcome: Outcome, of task: PlannedTask, _ body: (FHIRValue) throws -> Void
  ) throws {
    let resource = try coder.encode(outcome, of: task)
    try body(resource)
    let answers = outcome.values.filter { value in
      task.survey.contains { $0.kind == value.kind }
    }
    var targets = [resource.ownReference].compactMap { $0?.object?["reference"]?.text }
    if !answers.isEmpty {
      let response = try coder.response(outcome, to: task)
      try body(response)
      targets += [response.ownReference].compactMap { $0?.object?["reference"]?.text }
    }
    // A value of a sensor names its device itself.
    guard outcome.values.isEmpty || outcome.values.contains(where: { $0.provenance == .manual })
    else { return }
    try body(
      try coder.encode(
        FHIRProvenance(targets: targets, recorded: outcome.createdDate, agent: .person)))
  }

  // MARK: Samples

  private func samples(
    of person: String, in reader: any StoreReader, _ body: (FHIRValue) throws -> Void
  ) throws {
    var devices: Set<DeviceID> = []
    var end = now
    // A deleted sample is retracted; a corrected one is written with its new value.
    let states: Set<Sample.State> = [.live, .deleted]
    func query(from: Date?, to: Date, limit: Int?) -> SampleQuery {
      SampleQuery(
        owner: .patient(person), from: from, to: to, limit: limit, states: states)
    }
    while let last = try reader.samples(query(from: nil, to: end, limit: 1)).last {
      let latest = min(last.start, end)
      let days = latest.microseconds.flooredDivision(by: 86_400_000_000).quotient
      let day = max(
        Date(microseconds: days * 86_400_000_000), from ?? .distantPast)
      guard day <= latest else { return }
      let samples = try reader.samples(query(from: day, to: end, limit: nil))
        .filter { $0.start >= day && $0.start <= end }
      for sample in samples where devices.insert(sample.device.address).inserted {
        guard sample.device.address != .entered else { continue }
        try body(try coder.encode(sample.reading.device))
      }
      try write(samples, in: reader, body)
      end = Date(microseconds: day.microseconds - 1)
    }
  }

  private func write(
    _ samples: [Sample], in reader: any StoreReader, _ body: (FHIRValue) throws -> Void
  ) throws {
    let singles = samples.filter { !$0.reading.isStreamed }
    for resource in try coder.encode(singles) { try body(resource) }
    for sample in singles where sample.corrects != nil {
      let change = try reader.changes(of: sample.identity).last
      try body(
        try coder.encode(
          FHIRProvenance(
            targets: [coder.observationReference(of: sample)],
            recorded: change?.date ?? sample.arrival, agent: .person, reason: change?.reason)))
    }
    // A sample that was moved is retracted where it was.
    for sample in singles where try reader.assignment(of: sample) != nil {
      let earlier = try reader.changes(of: sample.identity).compactMap { record -> String? in
        guard case .assign(let patient) = record.change, patient != sample.patient else {
          return nil
        }
        return patient
      }
      for patient in Set(earlier).sorted() {
        var moved = sample
        (moved.patient, moved.state) = (patient, .deleted)
        for resource in try coder.encode([moved]) { try body(resource) }
      }
    }
    let streams = Dictionary(
      grouping: samples.filter { $0.reading.isStreamed && $0.state == .live }
    ) { sample in
      let hour = sample.start.microseconds.flooredDivision(by: 3_600_000_000).quotient
      return StreamHour(
        quantity: sample.quantity, device: sample.device.address.text, hour: hour)
    }
    for hour in streams.keys.sorted() {
      try body(try coder.series(streams[hour] ?? []))
    }
  }

  /// The samples of one Observation of a stream: a quantity, a device and an hour.
  private struct StreamHour: Hashable, Comparable {
    var quantity: Quantity
    var device: String
    var hour: Int64

    static func < (a: StreamHour, b: StreamHour) -> Bool {
      (a.hour, a.device, a.quantity.rawValue) < (b.hour, b.device, b.quantity.rawValue)
    }
  }
}

extension FHIRCoder {
  /// The reference of a sample's observation.
  func observationReference(of sample: Sample) -> String {
    "Observation/" + observationID(of: sample)
  }

  /// A correction keeps the identity of what it corrects; a sample moved to another person is
  /// another observation.
  func observationID(of sample: Sample) -> String {
    let root = sample.corrects ?? sample.identity
    return FHIRName.id(of: "Observation", [sample.patient ?? "", root.text])
  }
}

// MARK: - Files

extension FHIRValue {
  /// The entry of a transaction that stores this resource under its own id, once or again.
  package var transactionEntry: FHIRValue {
    let reference = ownReference?.object?["reference"]
    return .object([
      "fullUrl": uuidURL, "resource": self,
      "request": .object(["method": "PUT", "url": reference]),
    ])
  }

  /// The type of the resource.
  package var resourceType: String? { object?["resourceType"]?.text }
}

extension FHIRRelease {
  /// The release in which a resource or Bundle is written: only DSTU2 has orders of medicines, and
  /// care plans without an intent.
  public init(of value: FHIRValue) {
    let entries = value.object?["entry"]?.elements ?? []
    let resources = [value] + entries.compactMap { $0.object?["resource"] }
    let isOld = resources.contains { resource in
      switch resource.resourceType {
      case "MedicationOrder": true
      case "CarePlan": resource.object?["intent"] == nil
      default: false
      }
    }
    self = isOld ? .dstu2 : .r4
  }
}
