import Testing

@testable import Access

struct RoleTests {
  /// The table of the documentation.
  static let table: [Role: Set<Permission>] = [
    .patient: [.read, .answer],
    .carer: [.read, .answer, .add, .correct, .plan, .devices],
    .provider: [.read],
    .administrator: [.read, .answer, .add, .correct, .plan, .devices, .administer],
  ]

  @Test
  func `each role and permission, on own and other patients, the tray and the box`() throws {
    for role in Role.allCases {
      let expected = try #require(Self.table[role])
      let patients: PatientScope = role == .administrator ? .all : .only(["john"])
      let grant = Grant(role.permissions, patients)
      for permission in Permission.allCases {
        let isGranted = expected.contains(permission)
        let isAll = role == .administrator
        #expect(grant.permits(permission, on: .patient("john")) == isGranted)
        #expect(grant.permits(permission, on: .patient("mary")) == (isGranted && isAll))
        #expect(
          grant.permits(permission, on: .tray)
            == ([.carer, .administrator].contains(role) && [.read, .correct].contains(permission)))
        let isBoxWide = isAll || (role == .carer && permission == .devices)
        #expect(grant.permits(permission, on: .box) == isBoxWide)
      }
    }
  }

  @Test
  func `a grant for no patient permits no tray`() {
    let grant = Grant(Role.carer.permissions, .only([]))
    #expect(!grant.permits(.read, on: .tray))
    #expect(!grant.permits(.read, on: .patient("john")))
  }

  @Test
  func `a provider of all patients reads the figures of the box`() {
    let grant = Grant(Role.provider.permissions, .all)
    #expect(grant.permits(.read, on: .box))
    #expect(!grant.permits(.read, on: .tray))
    #expect(!grant.permits(.administer, on: .box))
  }

  @Test
  func `an intersection permits what both permit`() {
    let first = Grant([.read, .plan], .only(["john", "mary"]))
    let second = Grant([.read, .answer], .only(["mary", "eve"]))
    #expect(first.intersection(second) == Grant([.read], .only(["mary"])))
    #expect(first.intersection(.everything) == first)
    #expect(Grant.everything.intersection(second) == second)
  }
}
