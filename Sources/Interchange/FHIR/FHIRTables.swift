/// The releases of FHIR that are read and written.
public enum FHIRRelease: String, Hashable, Sendable, CaseIterable {
  /// DSTU2, 1.0.2.
  case dstu2
  /// R4, 4.0.1.
  case r4
}

/// An element of a type, as a release describes it.
struct FHIRElement: Hashable, Sendable {
  /// The name of its key: `status`, `valueQuantity`.
  var name: String
  /// The type of its value.
  var type: String
  var isList = false
  var isRequired = false
  /// Whether it describes, so that it may be left out of a plan: it is named to the reader then.
  ///
  /// Whatever else is not taken over refuses its resource.
  var isDescriptive = false
}

/// The types and resources of a release, each described once.
///
/// An element is `name:Type`; then `*` for a list, `!` for one that has to be there and `~` for one
/// that describes. `value[x]:A|B` is one of `valueA` and `valueB`.
struct FHIRTables: Sendable {
  /// The elements of each type, by key.
  let types: [String: [String: FHIRElement]]

  /// The tables of a release.
  static func of(_ release: FHIRRelease) -> FHIRTables { release == .r4 ? r4 : dstu2 }

  private static let r4 = FHIRTables(r4Types)
  private static let dstu2 = FHIRTables(dstu2Types)

  private init(_ descriptions: [String: String]) {
    types = descriptions.mapValues { description in
      var elements: [String: FHIRElement] = [:]
      for word in description.split(whereSeparator: \.isWhitespace) {
        for element in Self.elements(word) { elements[element.name] = element }
      }
      return elements
    }
  }

  private static func elements(_ word: Substring) -> [FHIRElement] {
    let parts = word.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return [] }
    let types = parts[1].prefix { !"*!~".contains($0) }
    let marks = parts[1].dropFirst(types.count)
    return types.split(separator: "|").map { type in
      var name = String(parts[0])
      if name.hasSuffix("[x]") {
        name = name.dropLast(3) + type.prefix(1).uppercased() + type.dropFirst()
      }
      return FHIRElement(
        name: name, type: String(type), isList: marks.contains("*"),
        isRequired: marks.contains("!"), isDescriptive: marks.contains("~"))
    }
  }

  /// The types of R4 and DSTU2 that hold one JSON value of their own.
  static let primitives: Set<String> = [
    "base64Binary", "boolean", "canonical", "code", "date", "dateTime", "decimal", "id", "instant",
    "integer", "markdown", "positiveInt", "string", "time", "unsignedInt", "uri", "url", "xhtml",
  ]

  /// The elements of every resource.
  private static let resource = """
    resourceType:code! id:id~ meta:Meta~ implicitRules:uri language:code~
    """
  private static let domain =
    resource + """
       text:Narrative~ contained:Resource* extension:Extension*~ modifierExtension:Extension*
      """

  // MARK: Types of both releases

  private static let common: [String: String] = [
    "Extension": """
    extension:Extension* url:uri! value[x]:base64Binary|boolean|code|date|dateTime|decimal|id\
    |instant|integer|markdown|positiveInt|string|time|unsignedInt|uri|Attachment|CodeableConcept\
    |Coding|Identifier|Period|Quantity|Range|Reference|Timing|Duration|HumanName|canonical|url
    """,
    "Meta": """
    extension:Extension*~ versionId:id~ lastUpdated:instant~ source:uri~ profile:canonical*~
    security:Coding*~ tag:Coding*~
    """,
    "Narrative": "status:code!~ div:xhtml!~",
    "Identifier": """
    use:code~ type:CodeableConcept~ system:uri~ value:string~ period:Period~ assigner:Reference~
    """,
    "Coding": "system:uri version:string~ code:code display:string userSelected:boolean~",
    "CodeableConcept": "coding:Coding* text:string",
    "Reference": "reference:string type:uri~ identifier:Identifier display:string~",
    "Period": "extension:Extension*~ start:dateTime end:dateTime",
    "Quantity":
      "extension:Extension*~ value:decimal comparator:code unit:string system:uri code:code",
    "Duration": "value:decimal comparator:code unit:string~ system:uri~ code:code",
    "Age": "value:decimal comparator:code unit:string~ system:uri~ code:code",
    "Range": "low:Quantity high:Quantity",
    "Ratio": "numerator:Quantity denominator:Quantity",
    "SampledData": """
    origin:Quantity! period:decimal! factor:decimal lowerLimit:decimal upperLimit:decimal
    dimensions:positiveInt! data:string
    """,
    "Attachment": """
    extension:Extension*~ contentType:code language:code~ data:base64Binary url:url size:unsignedInt
    hash:base64Binary title:string~ creation:dateTime~
    """,
    "Annotation": """
    author[x]:Reference|string~ time:dateTime~ text:markdown!
    """,
    "Address": """
    use:code~ type:code~ text:string~ line:string*~ city:string~ district:string~ state:string~
    postalCode:string~ country:string~ period:Period~
    """,
    "Bundle.link": "relation:string! url:uri!",
    "Bundle.entry.search": "mode:code score:decimal",
    "Bundle.entry.request": """
    method:code! url:uri! ifNoneMatch:string ifModifiedSince:instant ifMatch:string
    ifNoneExist:string
    """,
    "Bundle.entry.response": """
    status:string! location:uri etag:string lastModified:instant outcome:Resource
    """,
  ]

  // MARK: R4

  private static let r4Types = common.merging([
    "ContactPoint": "system:code value:string use:code~ rank:positiveInt~ period:Period~",
    "HumanName": """
    extension:Extension*~ use:code~ text:string family:string given:string* prefix:string*~
    suffix:string*~ period:Period~
    """,
    "Dosage": """
    extension:Extension*~ modifierExtension:Extension* sequence:integer text:string
    additionalInstruction:CodeableConcept* patientInstruction:string timing:Timing
    asNeeded[x]:boolean|CodeableConcept site:CodeableConcept route:CodeableConcept
    method:CodeableConcept doseAndRate:Dosage.doseAndRate* maxDosePerPeriod:Ratio
    maxDosePerAdministration:Quantity maxDosePerLifetime:Quantity
    """,
    "Dosage.doseAndRate": """
    type:CodeableConcept~ dose[x]:Range|Quantity rate[x]:Ratio|Range|Quantity
    """,
    "Timing": """
    extension:Extension*~ modifierExtension:Extension* event:dateTime* repeat:Timing.repeat
    code:CodeableConcept
    """,
    "Timing.repeat": """
    extension:Extension*~ bounds[x]:Duration|Range|Period count:positiveInt countMax:positiveInt
    duration:decimal durationMax:decimal durationUnit:code frequency:positiveInt
    frequencyMax:positiveInt period:decimal periodMax:decimal periodUnit:code dayOfWeek:code*
    timeOfDay:time* when:code* offset:unsignedInt
    """,
    "Patient": domain + """
       identifier:Identifier*~ active:boolean name:HumanName* telecom:ContactPoint*~ gender:code
      birthDate:date deceased[x]:boolean|dateTime address:Address*~
      maritalStatus:CodeableConcept~ multipleBirth[x]:boolean|integer~ photo:Attachment*~
      contact:Patient.contact*~ communication:Patient.communication*
      generalPractitioner:Reference*~ managingOrganization:Reference~ link:Patient.link*
      """,
    "Patient.contact": """
    relationship:CodeableConcept*~ name:HumanName~ telecom:ContactPoint*~ address:Address~
    gender:code~ organization:Reference~ period:Period~
    """,
    "Patient.communication": "language:CodeableConcept! preferred:boolean~",
    "Patient.link": "other:Reference! type:code!",
    "CarePlan": domain + """
       identifier:Identifier*~ instantiatesCanonical:canonical*~ instantiatesUri:uri*~
      basedOn:Reference*~ replaces:Reference*~ partOf:Reference*~ status:code! intent:code!
      category:CodeableConcept*~ title:string description:string~ subject:Reference!
      encounter:Reference~ period:Period created:dateTime~ author:Reference~
      contributor:Reference*~ careTeam:Reference*~ addresses:Reference*~ supportingInfo:Reference*~
      goal:Reference*~ activity:CarePlan.activity* note:Annotation*~
      """,
    "CarePlan.activity": """
    extension:Extension*~ modifierExtension:Extension* outcomeCodeableConcept:CodeableConcept*~
    outcomeReference:Reference*~ progress:Annotation*~ reference:Reference
    detail:CarePlan.activity.detail
    """,
    "CarePlan.activity.detail": """
    extension:Extension*~ modifierExtension:Extension* kind:code~ instantiatesCanonical:canonical*
    instantiatesUri:uri*~ code:CodeableConcept reasonCode:CodeableConcept*~
    reasonReference:Reference*~ goal:Reference*~ status:code! statusReason:CodeableConcept~
    doNotPerform:boolean scheduled[x]:Timing|Period|string location:Reference~
    performer:Reference*~ product[x]:CodeableConcept|Reference dailyAmount:Quantity
    quantity:Quantity description:string
    """,
    "Goal": domain + """
       identifier:Identifier*~ lifecycleStatus:code! achievementStatus:CodeableConcept~
      category:CodeableConcept*~ priority:CodeableConcept~ description:CodeableConcept!~
      subject:Reference! start[x]:date|CodeableConcept~ target:Goal.target* statusDate:date~
      statusReason:string~ expressedBy:Reference~ addresses:Reference*~ note:Annotation*~
      outcomeCode:CodeableConcept*~ outcomeReference:Reference*~
      """,
    "Goal.target": """
    extension:Extension*~ modifierExtension:Extension* measure:CodeableConcept
    detail[x]:Quantity|Range|CodeableConcept|string|boolean|integer|Ratio due[x]:date|Duration~
    """,
    "ServiceRequest": domain + """
       identifier:Identifier*~ instantiatesCanonical:canonical* instantiatesUri:uri*~
      basedOn:Reference* replaces:Reference*~ requisition:Identifier status:code! intent:code!
      category:CodeableConcept*~ priority:code~ doNotPerform:boolean code:CodeableConcept
      orderDetail:CodeableConcept* quantity[x]:Quantity|Ratio|Range subject:Reference!
      encounter:Reference~ occurrence[x]:dateTime|Period|Timing
      asNeeded[x]:boolean|CodeableConcept authoredOn:dateTime~ requester:Reference~
      performerType:CodeableConcept~ performer:Reference*~ locationCode:CodeableConcept*~
      locationReference:Reference*~ reasonCode:CodeableConcept*~ reasonReference:Reference*~
      insurance:Reference*~ supportingInfo:Reference*~ specimen:Reference*~
      bodySite:CodeableConcept* note:Annotation* patientInstruction:string
      relevantHistory:Reference*~
      """,
    "MedicationRequest": domain + """
       identifier:Identifier*~ status:code! statusReason:CodeableConcept~ intent:code!
      category:CodeableConcept*~ priority:code~ doNotPerform:boolean
      reported[x]:boolean|Reference~ medication[x]:CodeableConcept|Reference
      subject:Reference! encounter:Reference~ supportingInformation:Reference*~
      authoredOn:dateTime~ requester:Reference~ performer:Reference~ performerType:CodeableConcept~
      recorder:Reference~ reasonCode:CodeableConcept*~ reasonReference:Reference*~
      instantiatesCanonical:canonical*~ instantiatesUri:uri*~ basedOn:Reference*
      groupIdentifier:Identifier~ courseOfTherapyType:CodeableConcept~ insurance:Reference*~
      note:Annotation* dosageInstruction:Dosage*
      dispenseRequest:MedicationRequest.dispenseRequest~
      substitution:MedicationRequest.substitution~ priorPrescription:Reference~
      detectedIssue:Reference*~ eventHistory:Reference*~
      """,
    "MedicationRequest.dispenseRequest": """
    initialFill:MedicationRequest.dispenseRequest.initialFill~ dispenseInterval:Duration~
    validityPeriod:Period~ numberOfRepeatsAllowed:unsignedInt~ quantity:Quantity~
    expectedSupplyDuration:Duration~ performer:Reference~
    """,
    "MedicationRequest.dispenseRequest.initialFill": "quantity:Quantity~ duration:Duration~",
    "MedicationRequest.substitution": """
    allowed[x]:boolean|CodeableConcept~ reason:CodeableConcept~
    """,
    "Task": domain + """
       identifier:Identifier*~ instantiatesCanonical:canonical~ instantiatesUri:uri~
      basedOn:Reference* groupIdentifier:Identifier~ partOf:Reference*~ status:code!
      statusReason:CodeableConcept businessStatus:CodeableConcept~ intent:code! priority:code~
      code:CodeableConcept~ description:string~ focus:Reference~ for:Reference encounter:Reference~
      executionPeriod:Period authoredOn:dateTime lastModified:dateTime~ requester:Reference~
      performerType:CodeableConcept*~ owner:Reference~ location:Reference~
      reasonCode:CodeableConcept~ reasonReference:Reference~ insurance:Reference*~
      note:Annotation*~ relevantHistory:Reference*~ restriction:Task.restriction
      input:Task.input* output:Task.output*
      """,
    "Task.restriction": "repetitions:positiveInt period:Period recipient:Reference*~",
    "Task.input": "type:CodeableConcept! value[x]:" + taskValues + "!",
    "Task.output": "extension:Extension*~ type:CodeableConcept! value[x]:" + taskValues + "!",
    "Observation": domain + """
       identifier:Identifier* basedOn:Reference*~ partOf:Reference*~ status:code!
      category:CodeableConcept*~ code:CodeableConcept! subject:Reference focus:Reference*
      encounter:Reference~ effective[x]:dateTime|Period|Timing|instant issued:instant
      performer:Reference*~ value[x]:Quantity|CodeableConcept|string|boolean|integer|Range|Ratio\
      |SampledData|time|dateTime|Period dataAbsentReason:CodeableConcept
      interpretation:CodeableConcept*~ note:Annotation*~ bodySite:CodeableConcept
      method:CodeableConcept specimen:Reference~ device:Reference
      referenceRange:Observation.referenceRange*~ hasMember:Reference*~ derivedFrom:Reference*~
      component:Observation.component*
      """,
    "Observation.referenceRange": """
    low:Quantity~ high:Quantity~ type:CodeableConcept~ appliesTo:CodeableConcept*~ age:Range~
    text:string~
    """,
    "Observation.component": """
    extension:Extension*~ modifierExtension:Extension* code:CodeableConcept!
    value[x]:Quantity|CodeableConcept|string|boolean|integer|Range|Ratio|SampledData|time|dateTime\
    |Period dataAbsentReason:CodeableConcept interpretation:CodeableConcept*~
    referenceRange:Observation.referenceRange*~
    """,
    "Questionnaire": domain + """
       url:uri identifier:Identifier*~ version:string~ name:string title:string
      derivedFrom:canonical*~ status:code! experimental:boolean~ subjectType:code*~ date:dateTime~
      publisher:string~ contact:ContactDetail*~ description:markdown useContext:UsageContext*~
      jurisdiction:CodeableConcept*~ purpose:markdown~ copyright:markdown~ approvalDate:date~
      lastReviewDate:date~ effectivePeriod:Period~ code:Coding*~ item:Questionnaire.item*
      """,
    "ContactDetail": "name:string~ telecom:ContactPoint*~",
    "UsageContext": "code:Coding!~ value[x]:CodeableConcept|Quantity|Range|Reference~",
    "Questionnaire.item": """
    extension:Extension*~ modifierExtension:Extension* linkId:string! definition:uri~ code:Coding*~
    prefix:string~ text:string type:code! enableWhen:Questionnaire.item.enableWhen*
    enableBehavior:code required:boolean repeats:boolean readOnly:boolean maxLength:integer
    answerValueSet:canonical answerOption:Questionnaire.item.answerOption*
    initial:Questionnaire.item.initial* item:Questionnaire.item*
    """,
    "Questionnaire.item.enableWhen": """
    question:string! operator:code! answer[x]:boolean|decimal|integer|date|dateTime|time|string\
    |Coding|Quantity|Reference!
    """,
    "Questionnaire.item.answerOption": """
    extension:Extension*~ value[x]:integer|date|time|string|Coding|Reference!
    initialSelected:boolean
    """,
    "Questionnaire.item.initial": """
    value[x]:boolean|decimal|integer|date|dateTime|time|string|uri|Attachment|Coding|Quantity\
    |Reference!
    """,
    "QuestionnaireResponse": domain + """
       identifier:Identifier~ basedOn:Reference*~ partOf:Reference*~ questionnaire:canonical
      status:code! subject:Reference encounter:Reference~ authored:dateTime author:Reference~
      source:Reference~ item:QuestionnaireResponse.item*
      """,
    "QuestionnaireResponse.item": """
    extension:Extension*~ linkId:string! definition:uri~ text:string~
    answer:QuestionnaireResponse.item.answer* item:QuestionnaireResponse.item*
    """,
    "QuestionnaireResponse.item.answer": """
    extension:Extension*~ value[x]:boolean|decimal|integer|date|dateTime|time|string|uri|Attachment\
    |Coding|Quantity|Reference item:QuestionnaireResponse.item*
    """,
    "Device": domain + """
       identifier:Identifier* definition:Reference~ udiCarrier:Device.udiCarrier*~ status:code
      statusReason:CodeableConcept*~ distinctIdentifier:string~ manufacturer:string~
      manufactureDate:dateTime~ expirationDate:dateTime~ lotNumber:string~ serialNumber:string~
      deviceName:Device.deviceName*~ modelNumber:string~ partNumber:string~ type:CodeableConcept~
      specialization:Device.specialization*~ version:Device.version*~ property:Device.property*~
      patient:Reference owner:Reference~ contact:ContactPoint*~ location:Reference~ url:uri~
      note:Annotation*~ safety:CodeableConcept*~ parent:Reference~
      """,
    "Device.udiCarrier": """
    deviceIdentifier:string~ issuer:uri~ jurisdiction:uri~ carrierAIDC:base64Binary~
    carrierHRF:string~ entryType:code~
    """,
    "Device.deviceName": "name:string!~ type:code!~",
    "Device.specialization": "systemType:CodeableConcept!~ version:string~",
    "Device.version": "type:CodeableConcept~ component:Identifier~ value:string!~",
    "Device.property":
      "type:CodeableConcept!~ valueQuantity:Quantity*~ valueCode:CodeableConcept*~",
    "Flag": domain + """
       identifier:Identifier* status:code! category:CodeableConcept* code:CodeableConcept!
      subject:Reference! period:Period encounter:Reference author:Reference
      """,
    "Provenance": domain + """
       target:Reference*! occurred[x]:Period|dateTime recorded:instant! policy:uri*
      location:Reference reason:CodeableConcept* activity:CodeableConcept agent:Provenance.agent*!
      entity:Provenance.entity* signature:Signature*
      """,
    "Provenance.agent": """
    type:CodeableConcept role:CodeableConcept* who:Reference! onBehalfOf:Reference
    """,
    "Provenance.entity": "role:code! what:Reference! agent:Provenance.agent*",
    "Signature": """
    type:Coding*! when:instant! who:Reference! onBehalfOf:Reference targetFormat:code sigFormat:code
    data:base64Binary
    """,
    "Bundle": resource + """
       identifier:Identifier~ type:code! timestamp:instant~ total:unsignedInt~ link:Bundle.link*~
      entry:Bundle.entry* signature:Signature~
      """,
    "Bundle.entry": """
    link:Bundle.link*~ fullUrl:uri~ resource:Resource search:Bundle.entry.search~
    request:Bundle.entry.request~ response:Bundle.entry.response~
    """,
  ]) { $1 }

  private static let taskValues = """
    boolean|code|date|dateTime|decimal|instant|integer|string|time|base64Binary|Attachment\
    |CodeableConcept|Quantity|Reference
    """

  // MARK: DSTU2

  private static let dstu2Types = common.merging([
    "Reference": "reference:string display:string~",
    "ContactPoint": "system:code value:string use:code~ rank:positiveInt~ period:Period~",
    "HumanName": """
    extension:Extension*~ use:code~ text:string family:string* given:string* prefix:string*~
    suffix:string*~ period:Period~
    """,
    "Timing": """
    extension:Extension*~ modifierExtension:Extension* event:dateTime* repeat:Timing.repeat
    code:CodeableConcept
    """,
    "Timing.repeat": """
    extension:Extension*~ bounds[x]:Quantity|Range|Period count:integer duration:decimal
    durationMax:decimal durationUnits:code frequency:integer frequencyMax:integer period:decimal
    periodMax:decimal periodUnits:code when:code
    """,
    "Patient": domain + """
       identifier:Identifier*~ active:boolean name:HumanName* telecom:ContactPoint*~ gender:code
      birthDate:date deceased[x]:boolean|dateTime address:Address*~
      maritalStatus:CodeableConcept~ multipleBirth[x]:boolean|integer~ photo:Attachment*~
      contact:Patient.contact*~ animal:Patient.animal communication:Patient.communication*
      careProvider:Reference*~ managingOrganization:Reference~ link:Patient.link*
      """,
    "Patient.animal": "species:CodeableConcept! breed:CodeableConcept genderStatus:CodeableConcept",
    "Patient.contact": """
    relationship:CodeableConcept*~ name:HumanName~ telecom:ContactPoint*~ address:Address~
    gender:code~ organization:Reference~ period:Period~
    """,
    "Patient.communication": "language:CodeableConcept! preferred:boolean~",
    "Patient.link": "other:Reference! type:code!",
    "CarePlan": domain + """
       identifier:Identifier*~ subject:Reference status:code! context:Reference~ period:Period
      author:Reference*~ modified:dateTime~ category:CodeableConcept*~ description:string
      addresses:Reference*~ support:Reference*~ relatedPlan:CarePlan.relatedPlan*~
      participant:CarePlan.participant*~ goal:Reference*~ activity:CarePlan.activity*
      note:Annotation~
      """,
    "CarePlan.relatedPlan": "code:code~ plan:Reference!~",
    "CarePlan.participant": "role:CodeableConcept~ member:Reference~",
    "CarePlan.activity": """
    extension:Extension*~ modifierExtension:Extension* actionResulting:Reference*~
    progress:Annotation*~ reference:Reference detail:CarePlan.activity.detail
    """,
    "CarePlan.activity.detail": """
    extension:Extension*~ modifierExtension:Extension* category:CodeableConcept~
    code:CodeableConcept reasonCode:CodeableConcept*~ reasonReference:Reference*~
    goal:Reference*~ status:code statusReason:CodeableConcept~ prohibited:boolean!
    scheduled[x]:Timing|Period|string location:Reference~ performer:Reference*~
    product[x]:CodeableConcept|Reference dailyAmount:Quantity quantity:Quantity description:string
    """,
    "MedicationOrder": domain + """
       identifier:Identifier*~ dateWritten:dateTime~ status:code dateEnded:dateTime
      reasonEnded:CodeableConcept~ patient:Reference prescriber:Reference~ encounter:Reference~
      reason[x]:CodeableConcept|Reference~ note:string medication[x]:CodeableConcept|Reference!
      dosageInstruction:MedicationOrder.dosageInstruction*
      dispenseRequest:MedicationOrder.dispenseRequest~ substitution:MedicationOrder.substitution~
      priorPrescription:Reference~
      """,
    "MedicationOrder.dosageInstruction": """
    extension:Extension*~ modifierExtension:Extension* text:string
    additionalInstructions:CodeableConcept timing:Timing asNeeded[x]:boolean|CodeableConcept
    site[x]:CodeableConcept|Reference route:CodeableConcept method:CodeableConcept
    dose[x]:Range|Quantity rate[x]:Ratio|Range maxDosePerPeriod:Ratio
    """,
    "MedicationOrder.dispenseRequest": """
    medication[x]:CodeableConcept|Reference~ validityPeriod:Period~
    numberOfRepeatsAllowed:positiveInt~ quantity:Quantity~ expectedSupplyDuration:Duration~
    """,
    "MedicationOrder.substitution": "type:CodeableConcept!~ reason:CodeableConcept~",
    "Bundle": resource + """
       type:code! total:unsignedInt~ link:Bundle.link*~ entry:Bundle.entry* signature:Signature~
      """,
    "Signature": "type:Coding*! when:instant! contentType:code! blob:base64Binary!",
    "Bundle.entry": """
    link:Bundle.link*~ fullUrl:uri~ resource:Resource search:Bundle.entry.search~
    request:Bundle.entry.request~ response:Bundle.entry.response~
    """,
  ]) { $1 }
}
