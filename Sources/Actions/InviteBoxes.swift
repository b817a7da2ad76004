import Access
package import Care
import CareStore
import Exchange
package import Foundation

/// Invites boxes to this centre, each by a code of its own.
package struct InviteBoxes: Action {
  /// The people whom each of the boxes has, by id; also those whom only a box knows.
  package var people: Set<String>
  /// So many new people are made for each box, and named after the cohort.
  package var newPeople: Int
  /// The group to which the boxes belong: who cares for their people.
  package var cohort: String
  /// For how many days the codes are good.
  package var days: Int
  /// The codes, one for each box.
  package var codes: [String]
  /// The devices that the box is to read.
  package var devices: [DeviceBinding]
  /// The name of the box in whose place it is to stand; its people and devices go to the new one.
  package var replaces: String?

  /// The most boxes at once.
  package static let mostBoxes = 100
  /// The most new people at once.
  package static let mostPeople = 1_000
  /// The most days for which a code is good.
  package static let mostDays = 30

  /// Makes the action.
  package init(
    people: Set<String> = [], newPeople: Int = 0, cohort: String, days: Int = 1, codes: [String],
    devices: [DeviceBinding] = [], replaces: String? = nil
  ) {
    (self.people, self.newPeople) = (people, newPeople)
    (self.cohort, self.days, self.codes) = (cohort, days, codes)
    (self.devices, self.replaces) = (devices, replaces)
  }

  /// A code, and the people of the box that joins by it.
  package struct Invited: Hashable, Sendable {
    package var code: String
    package var people: [String]
    package var expires: Date

    /// The line of an invitation's file, for a telephone that reads it.
    package func line(of address: String) -> String { "\(address) \(code)" }

    /// Makes an invitation.
    package init(code: String, people: [String], expires: Date) {
      (self.code, self.people, self.expires) = (code, people, expires)
    }
  }

  /// - Returns: The invitations, in the order of the codes.
  /// - Throws: As ``Action``; ``InvitationRefusal``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> [Invited] {
    try performer.demand(.administer, on: .box)
    guard cohort.wholeMatch(of: /[a-z0-9-]{1,40}/) != nil else { throw InvitationRefusal.cohort }
    guard newPeople > 0 || !people.isEmpty || replaces != nil, people.allSatisfy({ !$0.isEmpty })
    else {
      throw InvitationRefusal.nobody
    }
    guard (1...Self.mostDays).contains(days), (1...Self.mostBoxes).contains(codes.count),
      (0...Self.mostPeople / codes.count).contains(newPeople),
      let exchange = writer as? any RowExchange
    else { throw InvitationRefusal.tooMany }
    guard codes.count == 1 || devices.isEmpty && replaces == nil else {
      throw InvitationRefusal.severalKits
    }
    let former =
      try replaces.flatMap { try Centre().membership(of: $0, in: exchange)?.people } ?? []
    guard devices.allSatisfy({ $0.isOf(people.union(former)) }) else {
      throw InvitationRefusal.kitOfOthers
    }
    guard devices.count <= DeviceKit.most else { throw InvitationRefusal.longKit }
    var free = try freeIDs(exchange)
    let expires = now + Double(days) * 86_400
    return try codes.map { code in
      var invited = people
      for _ in 0..<newPeople {
        let id = free.next()
        _ = try exchange.put(Patient(id: id, name: PersonName(given: id)), now: now)
        invited.insert(id)
      }
      try Enrolment(Centre()).invite(
        Invitation(
          people: invited, cohort: cohort, expires: expires, devices: devices, replaces: replaces),
        code: code, in: exchange)
      return Invited(code: code, people: invited.union(former).sorted(), expires: expires)
    }
  }

  /// The ids `north-1`, `north-2`, … that nobody has or had.
  private struct FreeIDs {
    var cohort: String
    var taken: Set<String>
    var number = 0

    mutating func next() -> String {
      while true {
        number += 1
        let id = "\(cohort)-\(number)"
        if taken.insert(id).inserted { return id }
      }
    }
  }

  private func freeIDs(_ exchange: any RowExchange) throws -> FreeIDs {
    let known =
      try exchange.things(Patient.self, patient: nil, isDeleted: false)
      + exchange.things(Patient.self, patient: nil, isDeleted: true)
    return FreeIDs(cohort: cohort, taken: Set(known.map(\.id)).union(people))
  }
}

/// Why no box is invited.
package enum InvitationRefusal: String, Error, Hashable, Sendable {
  /// The cohort's name has other characters than small letters, digits and hyphens.
  case cohort
  /// The box would have nobody.
  case nobody
  /// More boxes, people or days than at once.
  case tooMany
  /// A kit, or the place of a box, is for one box.
  case severalKits
  /// The kit names a person whom the box does not have.
  case kitOfOthers
  /// The kit has more devices than a box can have.
  case longKit
}
