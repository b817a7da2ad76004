import Access
package import Care
package import CareStore
package import Foundation
import Interchange
import Outlets

/// A plan that another system has, and that nobody has decided about: asked for once a day, and never taken
/// by itself.
package struct PlanProposal: Hashable, Sendable, Codable {
  /// When it was asked for.
  package var asked: Date?
  /// Why it could not be read, for people; `nil` if it could.
  package var problem: String?
  /// The plan as the text of a file; `nil` if it changes nothing, or somebody has decided.
  package private(set) var text: String?
  /// The digest of ``text``.
  package private(set) var digest: String?
  /// The digest of the last text that somebody took or did not want, so that it is not proposed again.
  package private(set) var settled: String?

  /// Makes a proposal of nothing.
  package init() {}

  /// The longest text that waits for somebody, in bytes.
  package static let longest = 1 << 20

  /// Takes note of what the other system has now.
  ///
  /// - Parameters:
  ///   - text: Its plan, if that would change something here; `nil` if not.
  ///   - now: The current time.
  package mutating func note(_ text: String?, at now: Date) {
    (asked, problem) = (now, nil)
    let digest = text.map(Self.digest(of:))
    let isNew = digest != nil && digest != settled
    (self.text, self.digest) = isNew ? (text, digest) : (nil, nil)
  }

  /// Takes note that it could not be read.
  package mutating func note(problem: String, at now: Date) {
    (asked, self.problem) = (now, String(problem.prefix(2_000)))
  }

  /// Takes note that somebody has decided.
  fileprivate mutating func settle() { (settled, text, digest) = (digest, nil, nil) }

  private static func digest(of text: String) -> String {
    ItemID(of: ["plan", text]).text
  }

  /// Whether it is to be asked for: once a local day, and after a failure once an hour.
  ///
  /// After the clock was set back nothing of before holds.
  package func isDue(at now: Date, in zone: TimeZone) -> Bool {
    guard let asked, asked <= now else { return true }
    guard problem == nil else { return now.timeIntervalSince(asked) >= 3_600 }
    return asked.rfc3339(in: zone).prefix(10) != now.rfc3339(in: zone).prefix(10)
  }

  /// The proposals of a store, by the names of their outlets.
  ///
  /// - Throws: `StoreError`.
  package static func all(in reader: any OutletReader) throws -> [String: PlanProposal] {
    try reader.planProposals().compactMapValues { text in
      try? JSONDecoder().decode(PlanProposal.self, from: Data(text.utf8))
    }
  }

  /// Stores it.
  ///
  /// - Throws: `StoreError`.
  package func keep(_ outlet: String, in writer: any OutletWriter) throws {
    try writer.putPlanProposal(outlet, String(decoding: try JSONText.of(self), as: UTF8.self))
  }
}

/// The proposal is another one now, or somebody has decided.
package struct ProposalGone: Error, Hashable {
  /// Makes the refusal.
  package init() {}
}

/// Takes a plan over that another system has, as a person has seen it.
package struct TakeProposal: MessageAction {
  package var outlet: String
  /// The digest of what was seen.
  package var digest: String
  /// The plan that its text says.
  package var plan: PlanDocument

  /// Makes the action.
  package init(_ outlet: String, digest: String, plan: PlanDocument) {
    (self.outlet, self.digest, self.plan) = (outlet, digest, plan)
  }

  /// - Throws: As ``ImportPlan``; ``ProposalGone``.
  package func perform(
    in writer: any MessageWriter, by performer: Performer, now: Date
  ) throws -> PlanImportReport {
    try performer.demand(.plan, on: .box)
    try settle(outlet, digest, in: writer)
    return try ImportPlan(plan, options: PlanImportOptions(isLive: true))
      .perform(in: writer, by: performer, now: now)
  }
}

/// Does not take over what another system has; it is not proposed again until it is another plan.
package struct DeclineProposal: MessageAction {
  package var outlet: String
  package var digest: String

  /// Makes the action.
  package init(_ outlet: String, digest: String) { (self.outlet, self.digest) = (outlet, digest) }

  package func perform(in writer: any MessageWriter, by performer: Performer, now: Date) throws {
    try performer.demand(.plan, on: .box)
    try settle(outlet, digest, in: writer)
  }
}

private func settle(_ outlet: String, _ digest: String, in writer: any MessageWriter) throws {
  guard var proposal = try PlanProposal.all(in: writer)[outlet], proposal.digest == digest else {
    throw ProposalGone()
  }
  proposal.settle()
  try proposal.keep(outlet, in: writer)
}
