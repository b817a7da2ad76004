import Care
import Testing

/// Names in the order of their own language.
@Suite struct PersonNameTests {
  @Test(arguments: [
    ("Mary", "Hall", "Mary Hall", "MH"), ("美華", "林", "林美華", "林"), ("さくら", "田中", "田中さくら", "田"),
    ("민수", "김", "김민수", "김"), ("Mei-hua", "林", "Mei-hua 林", "M林"),
    ("Ágnes", "Kis", "Ágnes Kis", "ÁK"),
  ])
  func `a name in signs has its family first, and one in letters last`(
    given: String, family: String, full: String, initials: String
  ) {
    let name = PersonName(given: given, family: family)
    #expect(name.full == full)
    #expect(name.initials == initials)
  }

  @Test func `a part is the whole name of who has no other`() {
    #expect(PersonName(given: "美華").full == "美華")
    #expect(PersonName(family: "Hall").full == "Hall")
    #expect(PersonName().full == nil)
    #expect(PersonName().initials.isEmpty)
    #expect(Patient(id: "ann", name: PersonName()).displayName == "ann")
  }
}
