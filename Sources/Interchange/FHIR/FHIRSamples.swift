public import Care
import Foundation

// Samples and FHIR's Observation.

extension FHIRCoder {
  // MARK: Writing

  /// Samples as Observations: the pressures of one measurement are components of one.
  ///
  /// A correction takes the place of what it corrects, as `corrected`. What counts no longer is
  /// `entered-in-error`: an Observation is never deleted.
  public func encode(_ samples: [Sample]) throws(FHIRRefusal) -> [FHIRValue] {
    var panels: [PressureKey: [Sample]] = [:]
    for sample in samples where FHIRQuantity.pressures.contains(sample.quantity) {
      panels[PressureKey(sample), default: []].append(sample)
    }
    var observations: [FHIRValue] = []
    for sample in samples {
      guard FHIRQuantity.pressures.contains(sample.quantity),
        let panel = panels[PressureKey(sample)], let first = panel.first(where: \.isSystolic),
        panel.contains(where: { $0.quantity == .bloodPressureDiastolic }),
        Set(panel.map(\.quantity)).count == panel.count
      else {
        observations.append(try observation(sample))
        continue
      }
      // The panel stands where its systolic pressure does.
      if sample == first { observations.append(try panelObservation(first, panel)) }
    }
    return observations
  }

  /// The facts that the pressures of one measurement have in common.
  private struct PressureKey: Hashable {
    var device: String
    var start: Date
    var patient: String?
    var user: Int?
    var isCorrection: Bool
    var state: Sample.State

    init(_ sample: Sample) {
      device = sample.device.address.text
      start = sample.start
      patient = sample.patient
      user = sample.userIndex
      isCorrection = sample.corrects != nil
      state = sample.state
    }
  }

  private func observation(_ sample: Sample) throws(FHIRRefusal) -> FHIRValue {
    let facts = FHIRQuantity.of(sample.quantity)
    var resource = try frame(sample, facts)
    resource["code"] = concept(sample.quantity)
    resource["valueQuantity"] = valueQuantity(sample)
    resource.append(try sampleExtension(sample), to: "extension")
    return try finished(ordered(resource))
  }

  private func panelObservation(
    _ first: Sample, _ samples: [Sample]
  ) throws(FHIRRefusal) -> FHIRValue {
    var resource = try frame(
      first, FHIRQuantity(category: "vital-signs", profile: "bp"))
    let panel = FHIRCoding(
      system: FHIRName.loinc, code: FHIRQuantity.pressurePanel, display: "Blood pressure")
    resource["code"] = .object(["coding": .array([panel.value])])
    var components: [FHIRValue] = []
    for sample in samples {
      components.append(
        .object([
          "extension": .array([try sampleExtension(sample)]),
          "code": concept(sample.quantity), "valueQuantity": valueQuantity(sample),
        ]))
    }
    resource["component"] = .array(components)
    return try finished(ordered(resource))
  }

  /// The elements that every observation of a sample has.
  private func frame(_ sample: Sample, _ facts: FHIRQuantity) throws(FHIRRefusal) -> FHIRObject {
    let id = observationID(of: sample)
    var resource: FHIRObject = ["resourceType": "Observation", "id": .string(id)]
    if facts.category == "vital-signs" {
      let profiles = ["vitalsigns", facts.profile].compactMap(\.self).map {
        FHIRValue.string("http://hl7.org/fhir/StructureDefinition/" + $0)
      }
      resource["meta"] = .object(["profile": .array(profiles)])
    }
    resource["identifier"] = .array([FHIRName.identifier("observation", id)])
    resource["status"] =
      sample.state != .live
      ? "entered-in-error" : sample.corrects != nil ? "corrected" : "final"
    let category = FHIRCoding(system: FHIRName.category, code: facts.category)
    resource["category"] = .array([.object(["coding": .array([category.value])])])
    resource["subject"] = sample.patient.map(reference)
    if sample.start == sample.end {
      resource["effectiveDateTime"] = .string(
        try time(sample.start, at: "Observation.effectiveDateTime"))
    } else {
      resource["effectivePeriod"] = .object([
        "start": .string(try time(sample.start, at: "Observation.effectivePeriod.start")),
        "end": .string(try time(sample.end, at: "Observation.effectivePeriod.end")),
      ])
    }
    resource["issued"] = .string(try time(sample.arrival, at: "Observation.issued"))
    let method =
      switch sample.provenance {
      case .passive where facts.isEstimate: "estimated"
      case .passive: "measured"
      case .active: "performed"
      case .manual: "entered"
      }
    resource["method"] = .object([
      "coding": .array([FHIRCoding(system: FHIRName.codes("method"), code: method).value])
    ])
    let place = sample.measurand.place
    if !place.isEmpty {
      resource["bodySite"] = .object(["text": .string(place.names.joined(separator: " "))])
    }
    if sample.device.address != .entered {
      resource["device"] = FHIRName.reference("Device", [sample.device.address.text])
    }
    return resource
  }

  func concept(_ quantity: Quantity) -> FHIRValue {
    .object([
      "coding": .array(codings(of: quantity).map(\.value)), "text": .string(quantity.title),
    ])
  }

  /// The value to the digits that its quantity has.
  private func valueQuantity(_ sample: Sample) -> FHIRValue? {
    let (quantity, unit) = written(sample.quantity, sample.value)
    return quantity.map { self.quantity($0, unit) }
  }

  private func written(
    _ quantity: Quantity, _ value: Double
  ) -> (value: FHIRDecimal?, unit: UnitOfMeasure) {
    let rounded = FHIRDecimal(plain: quantity.rounded(value, in: quantity.unit))
    guard let other = FHIRQuantity.of(quantity).unit else { return (rounded, quantity.unit) }
    return (rounded?.shifted(by: other.places), other.unit)
  }

  /// The facts for which FHIR has no place: the reading as it was received, and whose it is.
  private func sampleExtension(_ sample: Sample) throws(FHIRRefusal) -> FHIRValue {
    let reading = sample.reading
    func time(_ date: Date) -> FHIRValue { .string(date.rfc3339(in: .gmt)) }
    func number(_ value: Double?) throws(FHIRRefusal) -> FHIRValue? {
      guard let value else { return nil }
      guard let decimal = FHIRDecimal(exactly: value) else {
        throw FHIRRefusal(at: "Observation.valueQuantity", .notExpressible)
      }
      return .number(decimal)
    }
    var fields = FHIRObject()
    fields["identity"] = .string(sample.identity.text)
    let (value, unit) = written(reading.quantity, reading.value)
    if value.flatMap({ unit.convert($0.double, to: reading.quantity.unit) }) != reading.value {
      fields["value"] = try number(reading.value)
    }
    if let source = reading.sourceValue {
      fields["sourceValue"] = try number(source.value)
      fields["sourceUnit"] = .string(source.unit.code)
    }
    fields["deviceTime"] = reading.deviceTime.map { .string($0.description) }
    fields["arrival"] = time(reading.arrival)
    if let interval = reading.interval {
      fields["from"] = time(interval.start)
      fields["to"] = time(interval.end)
    }
    fields["device"] = .string(reading.device.address.text)
    fields["definition"] = reading.device.definition.map { .string($0) }
    fields["userIndex"] = reading.userIndex.map { .integer($0) }
    if reading.ordinal != 0 { fields["ordinal"] = .integer(reading.ordinal) }
    fields["kind"] = reading.kind.map { .string($0) }
    for (key, flag) in [
      ("streamed", reading.isStreamed), ("broadcast", reading.isBroadcast),
      ("clockTrusted", sample.isClockTrusted),
    ] where flag {
      fields[key] = true
    }
    if !reading.raw.isEmpty { fields["raw"] = .string(reading.raw.hexString) }
    if let counter = reading.counter {
      fields["counter"] = .string(counter.period.rawValue)
      fields["counterLimit"] = try number(counter.limit)
    }
    fields["total"] = try number(reading.total)
    if !reading.context.isEmpty {
      fields["context"] = .array(reading.context.names.map { .string($0) })
    }
    fields["discardedBy"] = reading.discardedBy.map { .string($0) }
    fields["unassignedReason"] = sample.unassignedReason.map { .string($0) }
    if sample.state != .live { fields["state"] = .string(sample.state.rawValue) }
    fields["corrects"] = sample.corrects.map { .string($0.text) }
    fields["provenance"] = .string(sample.provenance.rawValue)
    return Self.extension("sample", json: .object(fields))
  }

  /// The elements in FHIR's order: people read files.
  private func ordered(_ resource: FHIRObject) -> FHIRObject {
    var ordered = FHIRObject()
    let keys = [
      "resourceType", "id", "meta", "extension", "identifier", "status", "category", "code",
    ]
    for key in keys { if let value = resource[key] { ordered.appendNew(key, value) } }
    for member in resource.members where !keys.contains(member.key) {
      ordered.appendNew(member.key, member.value)
    }
    return ordered
  }

  // MARK: Single items

  /// The id of an item's Observation: that of ``encode(_:)-([Sample])`` and ``series(_:)``.
  package func id(of item: FeedItem) -> String {
    guard let first = item.samples.first else { return item.origin.bytes.hexString }
    return item.hour == nil ? observationID(of: first) : seriesID(of: first)
  }

  /// The Observation of an item.
  package func observation(of item: FeedItem) throws(FHIRRefusal) -> FHIRValue {
    if item.hour != nil { return try series(item.samples) }
    guard let first = item.samples.first else {
      throw FHIRRefusal(at: "Observation", .notExpressible)
    }
    guard item.samples.count > 1 else { return try observation(first) }
    let panel = try panelObservation(first, item.samples)
    guard case .object(var resource) = panel, item.samples.contains(where: { $0.corrects != nil })
    else { return panel }
    resource["status"] = "corrected"
    return .object(resource)
  }

  /// The Observation of what counts no more, under the name that it had.
  package func retraction(of item: HeldItem) throws(FHIRRefusal) -> FHIRValue {
    try finished([
      "resourceType": "Observation", "id": .string(item.name),
      "identifier": .array([FHIRName.identifier("observation", item.name)]),
      "status": "entered-in-error", "code": concept(item.quantity),
      "subject": reference(to: item.patient),
      "effectiveDateTime": .string(
        try time(item.start, at: "Observation.effectiveDateTime")),
    ])
  }

  /// The person of an item, by id alone: a name is no part of a measurement.
  package func person(_ id: String) -> FHIRValue {
    .object([
      "resourceType": "Patient", "id": .string(FHIRName.id(of: "Patient", [id])),
      "identifier": .array([FHIRName.identifier("patient", id)]),
    ])
  }

  /// A resource whose references name identifiers, for a server that gives ids of its own.
  package func withoutIDs(_ resource: FHIRValue, device: DeviceID?) -> FHIRValue {
    guard case .object(var object) = resource else { return resource }
    object["id"] = nil
    if case .object(var subject)? = object["subject"], subject["identifier"] != nil {
      subject["reference"] = nil
      object["subject"] = .object(subject)
    }
    if object["device"] != nil {
      object["device"] = device.map {
        .object(["identifier": FHIRName.identifier("device", $0.text)])
      }
    }
    return .object(object)
  }

  private func seriesID(of sample: Sample) -> String {
    let hour = sample.start.microseconds.flooredDivision(by: 3_600_000_000).quotient
    let identity = "\(sample.device.address.text)|\(sample.quantity.rawValue)|hour|\(hour)"
    return FHIRName.id(of: "Observation", [sample.patient ?? "", identity])
  }

  // MARK: Series

  /// The beats or other streamed values of an hour as one Observation of SampledData, one value a
  /// second: the mean of those that fall in it, `E` without one.
  ///
  /// Cumulative values are one Observation of their sum. The single values cannot be read back from
  /// either.
  ///
  /// - Parameter samples: Streamed samples of one quantity, device, person and hour.
  /// - Returns: The resource.
  /// - Throws: ``FHIRRefusal`` for no samples, or those of more than two hours.
  public func series(_ samples: [Sample]) throws(FHIRRefusal) -> FHIRValue {
    let sorted = samples.sorted { $0.start < $1.start }
    guard let first = sorted.first, first.patient != nil,
      let last = sorted.map(\.end).max(), last.timeIntervalSince(first.start) <= 7200
    else { throw FHIRRefusal(at: "Observation", .notExpressible) }
    let facts = FHIRQuantity.of(first.quantity)
    // A profile of vital signs asks for one value.
    var resource = try frame(first, FHIRQuantity(category: facts.category))
    let id = seriesID(of: first)
    resource["id"] = .string(id)
    resource["identifier"] = .array([FHIRName.identifier("observation", id)])
    resource["code"] = concept(first.quantity)
    resource["effectiveDateTime"] = nil
    resource["effectivePeriod"] = .object([
      "start": .string(try time(first.start, at: "Observation.effectivePeriod.start")),
      "end": .string(try time(last, at: "Observation.effectivePeriod.end")),
    ])
    let quantity = first.quantity
    resource["issued"] = .string(
      try time(sorted.map(\.arrival).max() ?? last, at: "Observation.issued"))
    if quantity.aggregation == .cumulative {
      let sum = Linkage.countedOnce(sorted).reduce(0) { $0 + $1.value }
      let (value, unit) = written(quantity, sum)
      resource["valueQuantity"] = value.map { self.quantity($0, unit) }
      return try finished(ordered(resource))
    }
    var cells: [Int: (sum: Double, count: Double)] = [:]
    for sample in sorted {
      let cell = Int(saturating: sample.start.timeIntervalSince(first.start))
      let (sum, count) = cells[cell] ?? (0, 0)
      cells[cell] = (sum + sample.value, count + 1)
    }
    let length = (cells.keys.max() ?? 0) + 1
    let data = (0..<length).map { cell in
      cells[cell].flatMap { written(quantity, ($0.sum / $0.count)).value?.description } ?? "E"
    }
    resource["valueSampledData"] = .object([
      "origin": FHIRDecimal("0").map {
        self.quantity($0, FHIRQuantity.of(quantity).unit?.unit ?? quantity.unit)
      },
      "period": .integer(1000), "dimensions": .integer(1),
      "data": .string(data.joined(separator: " ")),
    ])
    return try finished(ordered(resource))
  }

  // MARK: Reading

  /// The samples of an Observation: one, or one for each component of a panel.
  ///
  /// Of a foreign one the device is its reference, and its id stands for the raw frame.
  public func samples(_ value: FHIRValue) throws(FHIRRefusal) -> FHIRReading<[Sample]> {
    let node = try opened(value, "Observation")
    for key in ["identifier", "category"] { node[key]?.take() }
    let id = node.text("id")
    let status = try node.text(
      "status", among: ["final", "amended", "corrected", "entered-in-error"])
    let patient = try person(node["subject"])
    let span = try span(node)
    let issued = node.text("issued").flatMap(FHIRTime.init)?.start(in: timeZone)
    var sample = Sample(
      reading: Reading(
        quantity: .bodyMass, value: 0, arrival: issued ?? span.end,
        interval: span.duration > 0 ? span : nil,
        device: DeviceIdentity(address: .entered), raw: Array((id ?? "").utf8)),
      patient: patient, start: span.start, end: span.end,
      state: status == "entered-in-error" ? .deleted : .live)
    let method = node["method"]?.take().object
    let methods = (method?["coding"]?.elements ?? []).compactMap { $0.object?["code"]?.text }
    if let device = node["device"] {
      device.take()
      let object = device.value.object
      let words = object?["display"]?.text ?? object?["reference"]?.text
      sample.reading.device.address = DeviceID(try device.required(words, "reference"))
    }
    sample.provenance =
      methods.contains("entered") || !node.has("device")
      ? .manual : methods.contains("performed") ? .active : .passive
    var samples: [Sample] = []
    if node.has("component") {
      node["code"]?.take()
      for component in node.list("component") {
        samples.append(try self.sample(component, like: sample, of: component))
      }
    } else {
      samples.append(try self.sample(node, like: sample, of: node))
    }
    if let site = node["bodySite"] {
      site.take()
      let words = site.value.object?["text"]?.text ?? ""
      let isOwn = samples.allSatisfy { $0.measurand.place.names.joined(separator: " ") == words }
      if !isOwn { throw site.refusal(.unsupportedValue(words)) }
    }
    return FHIRReading(value: samples, omitted: try node.finish())
  }

  private func span(_ node: FHIRNode) throws(FHIRRefusal) -> DateInterval {
    func moment(_ text: String, _ key: String) throws(FHIRRefusal) -> Date {
      guard let time = FHIRTime(text), time.precision >= .second,
        let date = time.start(in: timeZone)
      else { throw node.refusal(.unsupportedValue(text), of: key) }
      return date
    }
    if let key = ["effectiveDateTime", "effectiveInstant"].first(where: node.has),
      let text = node.text(key)
    {
      let date = try moment(text, key)
      return DateInterval(start: date, end: date)
    }
    guard let period = node["effectivePeriod"], let from = period.text("start"),
      let to = period.text("end")
    else { throw node.refusal(.missing, of: "effective[x]") }
    let (start, end) = (try moment(from, "effectivePeriod"), try moment(to, "effectivePeriod"))
    guard start <= end else {
      throw node.refusal(.contradiction(rule: "per-1"), of: "effectivePeriod")
    }
    return DateInterval(start: start, end: end)
  }

  private func sample(
    _ node: FHIRNode, like template: Sample, of valueNode: FHIRNode
  ) throws(FHIRRefusal) -> Sample {
    let concept = node["code"]?.take()
    guard let quantity = quantity(of: concept) else {
      let code = concept?.object?["coding"]?.elements?.first?.object?["code"]?.text
      throw node.refusal(
        .unsupportedValue(code ?? concept?.object?["text"]?.text ?? ""), of: "code")
    }
    guard let value = valueNode["valueQuantity"] else {
      throw node.refusal(
        node.has("dataAbsentReason") ? .unsupported : .missing, of: "valueQuantity")
    }
    let unit = try unit(value)
    let number = try value.required(value.number("value"), "value")
    guard number.double.isFinite,
      let canonical = quantity.convert(number.double, from: unit, to: quantity.unit)
    else { throw value.refusal(.unsupportedValue(unit.code), of: "code") }
    var sample = template
    sample.reading.quantity = quantity
    sample.reading.value = canonical
    if unit != quantity.unit, FHIRQuantity.of(quantity).unit?.unit != unit {
      sample.reading.sourceValue = SourceValue(value: number.double, unit: unit)
    }
    guard let own = try node.extended(FHIRName.extension("sample")) else { return sample }
    let path = node.path + ".extension(sample)"
    try read(Self.json(own, at: path), into: &sample, at: path)
    return sample
  }

  /// Reads what ``sampleExtension(_:)`` wrote.
  private func read(
    _ json: FHIRValue, into sample: inout Sample, at path: String
  ) throws(FHIRRefusal) {
    let fields = try Self.decoded(SampleFields.self, json, at: path)
    func date(_ text: String?) -> Date? { text.flatMap { Date(rfc3339: $0) } }
    let raw = fields.raw.map { [UInt8](hex: $0) } ?? []
    guard let raw, let arrival = date(fields.arrival) else {
      throw FHIRRefusal(at: path, .invalid("raw, arrival"))
    }
    var reading = sample.reading
    reading.value = fields.value ?? reading.value
    reading.sourceValue = nil
    if let value = fields.sourceValue, let unit = fields.sourceUnit {
      reading.sourceValue = SourceValue(value: value, unit: unit)
    }
    reading.deviceTime = fields.deviceTime.flatMap { LocalDateTime($0) }
    reading.arrival = arrival
    reading.interval = nil
    if let start = date(fields.from), let end = date(fields.to), start <= end {
      reading.interval = DateInterval(start: start, end: end)
    }
    reading.device = DeviceIdentity(
      address: DeviceID(fields.device), definition: fields.definition)
    reading.userIndex = fields.userIndex
    reading.ordinal = fields.ordinal ?? 0
    reading.kind = fields.kind
    reading.isStreamed = fields.streamed ?? false
    reading.isBroadcast = fields.broadcast ?? false
    reading.raw = raw
    reading.counter = fields.counter.flatMap(RunningTotal.Period.init).map {
      RunningTotal($0, limit: fields.counterLimit)
    }
    reading.total = fields.total
    for name in fields.context ?? [] {
      guard let context = MeasurementContext(name: name) else {
        throw FHIRRefusal(at: path, .unsupportedValue(name))
      }
      reading.context.formUnion(context)
    }
    reading.discardedBy = fields.discardedBy
    sample = Sample(
      identity: SampleIdentity(text: fields.identity), reading: reading,
      patient: sample.patient, unassignedReason: fields.unassignedReason, start: sample.start,
      end: sample.end, isClockTrusted: fields.clockTrusted ?? false,
      provenance: fields.provenance, state: fields.state ?? .live,
      corrects: fields.corrects.map { SampleIdentity(text: $0) })
  }

  /// The fields of a sample that FHIR has no place for.
  private struct SampleFields: Decodable {
    var identity: String
    var value: Double?
    var sourceValue: Double?
    var sourceUnit: UnitOfMeasure?
    var deviceTime: String?
    var arrival: String
    var from: String?
    var to: String?
    var device: String
    var definition: String?
    var userIndex: Int?
    var ordinal: Int?
    var kind: String?
    var streamed: Bool?
    var broadcast: Bool?
    var clockTrusted: Bool?
    var raw: String?
    var counter: String?
    var counterLimit: Double?
    var total: Double?
    var context: [String]?
    var discardedBy: String?
    var unassignedReason: String?
    var state: Sample.State?
    var corrects: String?
    var provenance: Provenance
  }
}

extension Sample {
  fileprivate var isSystolic: Bool { reading.quantity == .bloodPressureSystolic }
}

extension FHIRDecimal {
  /// The digits without a `.0`, for a number that is whole.
  fileprivate init?(plain number: Double) {
    if let whole = Int64(exactly: number), abs(number) < 1e15 {
      self.init(whole)
    } else {
      self.init(exactly: number)
    }
  }
}
