import Foundation

extension PlannedTask: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, patient, kind, title, instructions, schedule, linkage, activeTask
    case isOptional = "optional"
    case isResettable = "resettable"
    case effectiveDate
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      patient: try container.decode(String.self, forKey: .patient),
      kind: try container.decode(TaskKind.self, forKey: .kind),
      title: try container.decode(String.self, forKey: .title),
      instructions: try container.decodeIfPresent(String.self, forKey: .instructions),
      schedule: try container.decode(Schedule.self, forKey: .schedule),
      linkage: try container.decodeIfPresent(Linkage.self, forKey: .linkage),
      activeTask: try container.decodeIfPresent(ActiveTask.self, forKey: .activeTask),
      isOptional: try container.decode(Bool.self, forKey: .isOptional),
      isResettable: try container.decode(Bool.self, forKey: .isResettable),
      effectiveDate: try container.decodeIfPresent(CodedTime.self, forKey: .effectiveDate)?.date)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(patient, forKey: .patient)
    try container.encode(kind, forKey: .kind)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(instructions, forKey: .instructions)
    try container.encode(schedule, forKey: .schedule)
    try container.encodeIfPresent(linkage, forKey: .linkage)
    try container.encodeIfPresent(activeTask, forKey: .activeTask)
    try container.encode(isOptional, forKey: .isOptional)
    try container.encode(isResettable, forKey: .isResettable)
    try container.encodeIfPresent(effectiveDate.map(CodedTime.init), forKey: .effectiveDate)
  }
}
