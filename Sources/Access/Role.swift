/// What a person is to the patients of a box.
package enum Role: String, Hashable, Sendable, Codable, CaseIterable {
  /// A patient: their own day and values.
  case patient
  /// Who helps patients: everything of theirs.
  case carer
  /// Who treats patients: reads, changes nothing.
  case provider
  /// Who looks after the box: everything.
  case administrator
}
