import Care
import Foundation
import Interchange
import Testing

/// Resources that other systems write.
@Suite struct FHIRForeignTests {
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private static func read(
    _ text: String, mapping: FHIRMapping = FHIRMapping(), start: Date? = nil,
    patient: String? = nil
  ) throws -> FHIRReading<PlanDocument> {
    let value = try FHIRJSON.value(of: Data(text.utf8))
    return try FHIRCoder(
      FHIRRelease(of: value), mapping: mapping, timeZone: berlin, start: start, patient: patient
    ).plan(value)
  }

  private static func refusal(_ text: String) -> FHIRRefusal? {
    #expect(throws: FHIRRefusal.self) { try read(text, patient: "p") }
  }

  @Test func `a care plan of DSTU2 becomes tasks of a person`() throws {
    let reading = try Self.read(
      """
      {"resourceType":"CarePlan","id":"plan1","status":"active","subject":{"reference":"Patient/pat1"},
      "description":"Recovery","author":[{"reference":"Practitioner/1"}],
      "activity":[{"detail":{"code":{"text":"ABC"},"status":"scheduled","prohibited":false,
      "scheduledTiming":{"repeat":{"boundsPeriod":{"start":"2026-11-01T09:00:00+01:00"},
      "duration":3600,"durationUnits":"s","frequency":1,"period":2,"periodUnits":"d"}},
      "description":"Slowly"}}]}
      """)
    let plan = reading.value
    #expect(plan.isPart)
    let task = try #require(plan.tasks.first)
    #expect(
      (task.id, task.patient, task.title) == ("plan1-abc", "pat1", "ABC")
        && task.instructions == "Slowly" && task.group == "Recovery" && task.carePlan == nil)
    let element = try #require(task.schedule.elements.first)
    #expect(element.interval == Interval(days: 2))
    #expect(element.duration == .seconds(3600))
    #expect(reading.omitted == ["CarePlan.author"])
  }

  @Test func `a medicine becomes a button with its dose`() throws {
    let reading = try Self.read(
      """
      {"resourceType":"MedicationRequest","id":"24","status":"active","intent":"order",
      "medicationCodeableConcept":{"coding":[{"system":"http://www.nlm.nih.gov/research/umls/rxnorm",
      "code":"197361","display":"Amlodipine 5 mg"}]},
      "subject":{"reference":"Patient/pat1"},"authoredOn":"2026-11-20",
      "requester":{"display":"Dr Lin"},
      "dosageInstruction":[{"text":"one tablet in the morning","timing":{"repeat":{"frequency":1,
      "period":1,"periodUnit":"d","timeOfDay":["08:00:00"]}},"route":{"text":"by mouth"},
      "doseAndRate":[{"doseQuantity":{"value":1,"unit":"tablet"}}]},
      {"timing":{"repeat":{"frequency":1,"period":1,"periodUnit":"d","timeOfDay":["20:00:00"]}},
      "doseAndRate":[{"doseQuantity":{"value":0.5,"unit":"tablet"}}]}]}
      """)
    let tasks = reading.value.tasks
    #expect(tasks.map(\.id) == ["24", "24-2"])
    #expect(tasks.map(\.text) == ["1 tablet", "0.5 tablet"])
    #expect(tasks.map(\.instructions) == ["one tablet in the morning\nby mouth", nil])
    #expect(tasks.map(\.glyph) == [.standard(.medication), .standard(.medication)])
    #expect(tasks.map(\.title) == ["Amlodipine 5 mg", "Amlodipine 5 mg"])
    #expect(tasks[0].userInfo == ["http://www.nlm.nih.gov/research/umls/rxnorm": "197361"])
    #expect(
      tasks[0].schedule.startDate == Date(rfc3339: "2026-11-20T08:00:00+01:00"))
    #expect(reading.omitted == ["MedicationRequest.requester"])
  }

  @Test func `an order of DSTU2 says its dose in words`() throws {
    let task = try #require(
      try Self.read(
        """
        {"resourceType":"MedicationOrder","id":"24","status":"active",
        "patient":{"reference":"Patient/pat1"},"medicationCodeableConcept":{"text":"Spray"},
        "dateWritten":"2026-11-20","dosageInstruction":[{"text":"2 puffs every 2-4 hours",
        "asNeededBoolean":true}]}
        """
      ).value.tasks.first)
    #expect(task.text == "2 puffs every 2-4 hours" && task.isOptional)
    #expect(task.schedule.elements.map(\.duration) == [.allDay])
  }

  @Test func `a request for a measurement is linked to its quantity`() throws {
    let task = try #require(
      try Self.read(
        """
        {"resourceType":"ServiceRequest","id":"bp","status":"active","intent":"order",
        "code":{"coding":[{"system":"http://loinc.org","code":"85354-9"}],"text":"Blood pressure"},
        "subject":{"reference":"Patient/p"},"occurrenceTiming":{"repeat":{
        "boundsPeriod":{"start":"2026-11-20"},"frequency":2,"period":1,"periodUnit":"d",
        "timeOfDay":["07:00:00","19:00:00"]}}}
        """
      ).value.tasks.first)
    #expect(task.linkages.map(\.quantity) == [.bloodPressureSystolic, .bloodPressureDiastolic])
    #expect(task.kind == .assessment && task.schedule.elements.count == 2)
  }

  @Test func `a questionnaire is a survey of every day`() throws {
    let task = try #require(
      try Self.read(
        """
        {"resourceType":"Questionnaire","id":"mood","title":"How are you?","status":"active",
        "item":[{"linkId":"1","type":"group","text":"Now","item":[
        {"linkId":"1.1","text":"Mood","type":"choice","required":true,"answerOption":[
        {"valueCoding":{"code":"g","display":"good"}},{"valueString":"bad"}]},
        {"linkId":"1.2","text":"Pain","type":"integer","extension":[
        {"url":"http://hl7.org/fhir/StructureDefinition/minValue","valueInteger":0},
        {"url":"http://hl7.org/fhir/StructureDefinition/maxValue","valueInteger":10}]}]}]}
        """, start: Date(rfc3339: "2026-11-20T12:00:00+01:00"), patient: "john"
      ).value.tasks.first)
    #expect(task.survey.map(\.kind) == ["1.1", "1.2"])
    #expect(task.survey.map(\.type) == [.choice, .scale])
    #expect(task.survey[0].choices == ["good", "bad"] && task.survey[1].isOptional)
    #expect(task.isOptional && task.patient == "john" && task.title == "How are you?")
  }

  // MARK: Goals

  private static func goal(_ target: String, status: String = "active") -> String {
    """
    {"resourceType":"Bundle","type":"collection","entry":[{"resource":
    {"resourceType":"ServiceRequest","id":"w","status":"active","intent":"order",
    "code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}],"text":"Weight"},
    "subject":{"reference":"Patient/p"},"occurrenceTiming":{"repeat":{
    "boundsPeriod":{"start":"2026-11-20"},"frequency":1,"period":1,"periodUnit":"d",
    "timeOfDay":["07:00:00"]}}}},{"resource":
    {"resourceType":"ServiceRequest","id":"s","status":"active","intent":"order",
    "code":{"coding":[{"system":"http://loinc.org","code":"55423-8"}],"text":"Walk"},
    "subject":{"reference":"Patient/p"},"occurrenceTiming":{"repeat":{
    "boundsPeriod":{"start":"2026-11-20"},"frequency":1,"period":1,"periodUnit":"d",
    "timeOfDay":["08:00:00"]}}}},{"resource":
    {"resourceType":"Goal","id":"g","lifecycleStatus":"\(status)",
    "description":{"text":"Less weight"},"subject":{"reference":"Patient/p"}\(target)}}]}
    """
  }

  private static func target(_ code: String, _ detail: String) -> String {
    #","target":[{"measure":{"coding":[{"system":"http://loinc.org","code":""# + code
      + #""}]},"dueDate":"2027-03-01","# + detail + "}]"
  }

  private static let kilograms =
    #""unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}"#

  @Test(arguments: [
    (
      "29463-7", #""detailRange":{"high":{"value":78.5,"# + kilograms + "}", 0,
      TargetValue(value: .double(78.5), unit: .kilogram, isAtMost: true)
    ),
    (
      "29463-7", #""detailRange":{"low":{"value":52,"# + kilograms + "}", 0,
      TargetValue(value: .double(52), unit: .kilogram)
    ),
    (
      "29463-7", #""detailQuantity":{"comparator":"<=","value":78.5,"# + kilograms, 0,
      TargetValue(value: .double(78.5), unit: .kilogram, isAtMost: true)
    ),
    (
      "55423-8", #""detailQuantity":{"value":6000,"unit":"steps","code":"1"}"#, 1,
      TargetValue(value: .double(6000), unit: .one)
    ),
  ])
  func `a goal becomes the target of the task that measures it`(
    code: String, detail: String, task: Int, target: TargetValue
  ) throws {
    let reading = try Self.read(Self.goal(Self.target(code, detail)))
    let targets = reading.value.tasks.map { $0.schedule.elements.flatMap(\.targets) }
    #expect(targets == (task == 0 ? [[target], []] : [[], [target]]))
    #expect(
      reading.omitted.filter { $0.contains("entry[2]") } == [
        "Bundle.entry[2].resource.description", "Bundle.entry[2].resource.target[0].dueDate",
      ])
  }

  @Test func `a goal in words, or one that is over, is named and changes nothing`() throws {
    for text in [
      Self.goal(""),
      Self.goal(Self.target("29463-7", #""detailString":"less""#), status: "completed"),
    ] {
      let reading = try Self.read(text)
      #expect(reading.value.tasks.allSatisfy { $0.schedule.elements.allSatisfy(\.targets.isEmpty) })
      #expect(reading.omitted.contains { $0.hasPrefix("Bundle.entry[2].resource.") })
    }
  }

  @Test(arguments: [
    (
      "8302-2", #""detailRange":{"high":{"value":1,"unit":"m","code":"m"}}"#, "measure",
      FHIRRefusal.Reason.unknownReference("height")
    ),
    ("99999-9", #""detailString":"less""#, "measure", .unsupportedValue("99999-9")),
    (
      "29463-7", #""detailQuantity":{"value":78.5,"# + kilograms, "detailQuantity.comparator",
      .missing
    ),
    (
      "29463-7",
      #""detailRange":{"low":{"value":70,"# + kilograms + #","high":{"value":78.5,"# + kilograms
        + "}", "detailRange", .unsupported
    ),
    ("29463-7", #""detailString":"less""#, "detail", .missing),
    (
      "29463-7",
      #""detailRange":{"high":{"value":78,"unit":"m","system":"http://unitsofmeasure.org","code":"m"}}"#,
      "detailRange.high.code", .unsupportedValue("m")
    ),
  ])
  func `a goal that no target can say is refused with its path`(
    code: String, detail: String, path: String, reason: FHIRRefusal.Reason
  ) {
    #expect(
      Self.refusal(Self.goal(Self.target(code, detail)))
        == FHIRRefusal(at: "Bundle.entry[2].resource.target[0].\(path)", reason))
  }

  static let broken: [(change: (String, String), path: String, reason: FHIRRefusal.Reason)] = [
    (("\"active\"", "\"on-hold\""), "status", .unsupportedValue("on-hold")),
    (("\"plan\"", "\"proposal\""), "intent", .unsupportedValue("proposal")),
    (("\"status\"", "\"doNotPerform\":true,\"status\""), "doNotPerform", .unsupported),
    (("\"status\"", "\"colour\":1,\"status\""), "colour", .unknownElement),
    (("\"status\"", "\"quantityRange\":{},\"status\""), "quantityRange", .unsupported),
    (
      ("\"status\"", "\"modifierExtension\":[{\"url\":\"u\"}],\"status\""),
      "modifierExtension[0]", .unsupported
    ),
    (("\"subject\"", "\"subjekt\""), "subjekt", .unknownElement),
    (("\"intent\":\"plan\",", ""), "intent", .missing),
    (("\"2026-11-20\"", "\"2026-13-20\""), "occurrenceDateTime", .wrongType(expected: "dateTime")),
    (("\"2026-11-20\"", "\"2026-11\""), "occurrenceDateTime", .unsupportedValue("2026-11")),
    (("\"2026-11-20\"", "[]"), "occurrenceDateTime", .wrongType(expected: "dateTime")),
    (
      ("\"status\"", "\"instantiatesCanonical\":[\"q\"],\"status\""),
      "instantiatesCanonical", .unknownReference("q")
    ),
  ]

  @Test(arguments: broken)
  func `what changes the meaning refuses the resource`(
    _ change: (String, String), _ path: String, _ reason: FHIRRefusal.Reason
  ) {
    let valid = """
      {"resourceType":"ServiceRequest","status":"active","intent":"plan","code":{"text":"Walk"},
      "subject":{"reference":"Patient/p"},"occurrenceDateTime":"2026-11-20"}
      """
    #expect(throws: Never.self) { try Self.read(valid) }
    let refusal = Self.refusal(valid.replacing(change.0, with: change.1))
    #expect(refusal == FHIRRefusal(at: "ServiceRequest." + path, reason))
  }

  @Test func `another type of resource is refused by its place`() {
    let text = """
      {"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient",
      "id":"p"}},{"resource":{"resourceType":"Medication"}}]}
      """
    #expect(
      Self.refusal(text)
        == FHIRRefusal(at: "Bundle.entry[1].resource", .unknownResource("Medication")))
  }

  @Test func `a mapping names people, codes and tasks`() throws {
    var mapping = FHIRMapping()
    mapping.patients = ["Patient/4711": "john"]
    mapping.codes = [.bodyMass: [FHIRCoding(system: "urn:x", code: "W")]]
    mapping.reading = { resource in
      resource["code"] = .object(["text": "Renamed", "coding": resource["code"]?.object?["coding"]])
    }
    let task = try #require(
      try Self.read(
        """
        {"resourceType":"ServiceRequest","status":"active","intent":"plan",
        "code":{"coding":[{"system":"urn:x","code":"W"}]},
        "subject":{"reference":"https://clinic.example/fhir/Patient/4711"},
        "occurrenceDateTime":"2026-11-20"}
        """, mapping: mapping
      ).value.tasks.first)
    #expect((task.patient, task.title, task.linkage?.quantity) == ("4711", "Renamed", .bodyMass))
    mapping.patients = ["4711": "john"]
    #expect(
      try Self.read(
        """
        {"resourceType":"ServiceRequest","status":"active","intent":"plan","code":{"text":"W"},
        "subject":{"reference":"Patient/4711"},"occurrenceDateTime":"2026-11-20"}
        """, mapping: mapping
      ).value.tasks.first?.patient == "john")
  }

  @Test func `vital signs are those of FHIR's profiles`() throws {
    let time = try #require(Date(rfc3339: "2026-11-20T07:00:00+01:00"))
    func sample(_ quantity: Quantity, _ value: Double) -> Sample {
      Sample(
        reading: Reading(
          quantity: quantity, value: value, arrival: time,
          device: DeviceIdentity(address: "A0:9E:1A:00:00:02")), patient: "p", start: time,
        end: time)
    }
    let coder = FHIRCoder(timeZone: Self.berlin)
    let resources = try coder.encode([
      sample(.height, 1.785), sample(.bloodPressureSystolic, 121),
      sample(.bloodPressureDiastolic, 79), sample(.oxygenSaturation, 97.4),
    ])
    let texts = resources.map { String(decoding: FHIRJSON.text(of: $0), as: UTF8.self) }
    #expect(texts.count == 3)
    #expect(
      texts[0].contains(
        #""valueQuantity":{"value":178.5,"unit":"cm","system":"http://unitsofmeasure.org","code":"cm"}"#
      ))
    #expect(texts[1].contains(#""code":"85354-9""#) && texts[1].contains(#""value":121,"#))
    #expect(!texts[1].contains(#""status":"final","valueQuantity""#))
    let first = try #require(texts[2].range(of: "2708-6"))
    let second = try #require(texts[2].range(of: "59408-5"))
    #expect(first.lowerBound < second.lowerBound)
  }

  @Test func `an hour of a strap is one observation`() throws {
    let time = try #require(Date(rfc3339: "2026-11-20T07:00:00Z"))
    let beats = [0.0, 1, 1.5, 4].map { offset in
      Sample(
        reading: Reading(
          quantity: .heartRate, value: 60 + offset, arrival: time + offset,
          device: DeviceIdentity(address: "A0:9E:1A:00:00:02"), isStreamed: true), patient: "p",
        start: time + offset, end: time + offset)
    }
    let value = try FHIRCoder(timeZone: .gmt).series(beats)
    #expect(value.object?["valueSampledData"]?.object?["data"]?.text == "60 61.25 E E 64")
  }
}
