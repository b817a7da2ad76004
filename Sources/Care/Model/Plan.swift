public import Foundation

/// A plan, as a plan file describes it: people, tasks and devices, in one time zone.
public struct PlanDocument: Hashable, Sendable {
  /// The plan's zone: times without an offset, and device clocks, are read in it.
  public var timeZone: TimeZone
  /// The people.
  public var patients: [Patient]
  /// Their tasks.
  public var tasks: [PlannedTask]
  /// Their devices.
  public var devices: [DeviceBinding]
  /// The care plans that group the tasks.
  public var carePlans: [CarePlan]
  /// The people and offices to call.
  public var contacts: [Contact]
  /// Notes on patients and tasks.
  public var notes: [Note]
  /// The secrets of its people's channels; a plan that a store exports has none.
  public var channelSecrets: [ChannelSecret] = []
  /// The own videos of its tasks that are in files beside it; a plan that a store exports has none.
  package var videos: [PlanVideoFile] = []
  /// Whether it is a part of a store's plan: tasks of people whom the store knows.
  ///
  /// It adds and changes its tasks, and leaves everything else of the plan as it is.
  public var isPart = false

  /// Makes a plan.
  public init(
    timeZone: TimeZone, patients: [Patient], tasks: [PlannedTask], devices: [DeviceBinding] = [],
    carePlans: [CarePlan] = [], contacts: [Contact] = [], notes: [Note] = []
  ) {
    self.timeZone = timeZone
    self.patients = patients
    self.tasks = tasks
    self.devices = devices
    self.carePlans = carePlans
    self.contacts = contacts
    self.notes = notes
  }
}

/// A video in a file beside a plan.
package struct PlanVideoFile: Hashable, Sendable {
  /// The bytes of the file.
  package var attachment: Attachment
  /// Where it is.
  package var path: String

  /// Makes a file.
  package init(_ attachment: Attachment, at path: String) {
    (self.attachment, self.path) = (attachment, path)
  }
}

/// A named group of tasks of one patient.
public struct CarePlan: Hashable, Sendable {
  /// The care plan's id, unique within a patient.
  public var id: String
  /// The id of the patient.
  public var patient: String
  /// Its name for people.
  public var title: String
  /// When it takes effect; `nil` for the moment of import.
  public var effectiveDate: Date?
  /// The document that the patient is asked to agree to before it begins; `nil` if it asks nothing.
  public var consent: ConsentDocument?

  /// Makes a care plan.
  public init(
    id: String, patient: String, title: String, effectiveDate: Date? = nil,
    consent: ConsentDocument? = nil
  ) {
    self.id = id
    self.patient = patient
    self.title = title
    self.effectiveDate = effectiveDate
    self.consent = consent
  }
}

/// A remark on a patient or on one of the patient's tasks.
public struct Note: Hashable, Sendable {
  /// The note's id, unique within a patient.
  public var id: String
  /// The id of the patient.
  public var patient: String
  /// The task that it is about, by id; `nil` for the patient.
  public var task: String?
  /// Its title.
  public var title: String?
  /// The text of the note.
  public var content: String
  /// Who wrote it.
  public var author: String?
  /// When it was written.
  public var date: Date?

  /// Makes a note.
  public init(
    id: String, patient: String, task: String? = nil, title: String? = nil, content: String,
    author: String? = nil, date: Date? = nil
  ) {
    self.id = id
    self.patient = patient
    self.task = task
    self.title = title
    self.content = content
    self.author = author
    self.date = date
  }
}

// MARK: - Coding

extension CarePlan: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, patient, title, effectiveDate, consent
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      patient: try container.decode(String.self, forKey: .patient),
      title: try container.decode(String.self, forKey: .title),
      effectiveDate: try container.decodeIfPresent(CodedTime.self, forKey: .effectiveDate)?.date,
      consent: try container.decodeIfPresent(ConsentDocument.self, forKey: .consent))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(patient, forKey: .patient)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(effectiveDate.map(CodedTime.init), forKey: .effectiveDate)
    try container.encodeIfPresent(consent, forKey: .consent)
  }
}

extension Note: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, patient, task, title, content, author, date
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      patient: try container.decode(String.self, forKey: .patient),
      task: try container.decodeIfPresent(String.self, forKey: .task),
      title: try container.decodeIfPresent(String.self, forKey: .title),
      content: try container.decode(String.self, forKey: .content),
      author: try container.decodeIfPresent(String.self, forKey: .author),
      date: try container.decodeIfPresent(CodedTime.self, forKey: .date)?.date)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(patient, forKey: .patient)
    try container.encodeIfPresent(task, forKey: .task)
    try container.encodeIfPresent(title, forKey: .title)
    try container.encode(content, forKey: .content)
    try container.encodeIfPresent(author, forKey: .author)
    try container.encodeIfPresent(date.map(CodedTime.init), forKey: .date)
  }
}
