import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore
@testable import Exchange

/// The smallest histories in which a simpler protocol, or a simpler store, loses rows, brings back
/// what was erased, or never comes to rest.
struct CounterexamplesTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var steps: [Step]
    /// The sides that are found to be older then.
    var older: Set<OlderSide> = []
    var twins = false

    var testDescription: String { name }
  }

  private static let (a, b, x) = (Step.Who.box(0), Step.Who.box(1), Step.Who.box(2))

  static let cases: [Case] = [
    // Numbers.
    .init(
      name: "a stored row is changed",
      steps: [.w(a, .sample), .x(0), .w(a, .change, 0, 2), .x(0), .x(1)]),
    .init(
      name: "a version is followed",
      steps: [.w(a), .x(0), .w(a, .change, 0, 1), .x(0), .x(1)]),
    .init(
      name: "the last rows are erased, a new one is stored",
      steps: [.w(a, .sample, 1), .x(0), .erase(a, person: 1), .w(a, .sample, 0), .x(0)]),
    .init(
      name: "everything is pruned, a new row is stored",
      steps: [
        .w(a, .sample), .x(0), .backUp(.centre), .backUp(.centre), .x(0, 1), .prune(0),
        .w(a, .sample), .x(0),
      ]),
    .init(
      name: "two rows are stored at the centre around a session",
      steps: [.w(.centre), .x(0), .w(.centre), .x(0), .x(1)]),
    // Restorations.
    .init(
      name: "a box is set back, and writes",
      steps: [
        .w(a), .x(0), .backUp(a), .w(a), .x(0), .w(a), .x(0), .restore(a, 0), .w(a), .x(0),
      ], older: [.box]),
    .init(
      name: "a box is set back, and writes nothing",
      steps: [.w(a), .x(0), .backUp(a), .w(a), .x(0), .restore(a, 0)], older: [.box]),
    .init(
      name: "a box is set back to before its first session",
      steps: [.backUp(a), .w(a), .x(0), .restore(a, 0), .x(0)]),
    .init(
      name: "the centre is set back, and another box writes",
      steps: [
        .w(a), .x(0), .x(1), .backUp(.centre), .w(a), .x(0), .x(1), .restore(.centre, 0), .w(b),
        .x(1),
      ], older: [.centre]),
    .init(
      name: "the centre is set back, and nobody writes",
      steps: [.w(a), .x(0), .backUp(.centre), .w(a), .x(0), .restore(.centre, 0)],
      older: [.centre]),
    .init(
      name: "the centre is set back, and gives the same numbers to other rows",
      steps: [
        .w(.centre), .x(0), .x(1), .backUp(.centre), .w(.centre), .w(.centre), .x(0), .x(1),
        .restore(.centre, 0), .w(.centre), .w(.centre), .w(.centre), .x(1), .x(0),
      ], older: [.centre]),
    .init(
      name: "the centre is set back to before it knew the channel",
      steps: [.backUp(.centre), .w(a), .x(0), .restore(.centre, 0), .x(0)], older: [.unknown]),
    .init(
      name: "pruned, then the centre is set back",
      steps: [
        .backUp(.centre), .w(a, .sample), .x(0), .x(0, 1), .prune(0), .restore(.centre, 0),
      ], older: [.unknown]),
    // Copies.
    .init(
      name: "a copy of a box, both write",
      steps: [
        .w(a), .x(0), .clone(0), .w(a), .x(0), .w(.box(3)), .x(3), .w(a), .x(0), .w(.box(3)), .x(3),
      ], older: [.box], twins: true),
    .init(
      name: "a copy of a box, nobody writes", steps: [.clone(0), .x(0), .x(3), .x(0)], twins: true),
    .init(
      name: "a copy and a centre that was set back: equal numbers",
      steps: [
        .w(a), .x(0), .backUp(.centre), .clone(0), .w(a), .x(0), .restore(.centre, 0), .w(.box(3)),
        .x(3), .x(0),
      ], older: [.both], twins: true),
    .init(
      name: "a copy gets what its original wrote",
      steps: [.w(b), .x(1), .clone(1), .w(.box(3)), .x(3), .x(1)], older: [.box], twins: true),
    // People.
    .init(
      name: "erased at the centre while a box is offline and writes",
      steps: [
        .w(a), .x(0), .x(1), .w(a), .erase(.centre, person: 0), .w(a), .x(0), .x(1),
      ]),
    .init(
      name: "erased at a box that has sent nothing since",
      steps: [.w(a), .x(0), .x(1), .w(a), .erase(a, person: 0), .w(b), .x(1), .x(0), .x(1)]),
    .init(
      name: "a person comes to a box later",
      steps: [
        .w(a, .note, 1), .x(0), .w(b), .x(1), .w(a), .x(0), .x(1), .bind(1, person: 1), .x(1),
      ]),
    .init(
      name: "a sample is given to another person by their box",
      steps: [
        .w(a, .sample), .x(0), .w(.centre, .sample, 2), .x(2), .bind(2, person: 0), .x(2), .x(0),
        .x(1), .w(x, .assignment, 0, 1), .x(2), .x(1),
      ]),
    .init(
      name: "a sample is given to another person at the centre",
      steps: [
        .w(a, .sample), .x(0), .x(1), .w(.centre, .assignment, 2, 0), .x(1), .x(2),
      ]),
    .init(
      name: "a sample is given to a third person, whose box hears of the second, too",
      steps: [
        .w(a, .sample), .w(a, .assignment, 1, 0), .x(0), .w(.centre, .note, 2), .x(2),
        .w(.centre, .assignment, 2, 0), .x(2), .x(0),
      ]),
    .init(
      name: "nobody's sample is given to a person of another box at the centre",
      steps: [.w(a, .sample, 0, 4), .x(0), .w(.centre, .assignment, 2, 0), .x(0), .x(2)]),
    .init(
      name: "a person moves on while the box is offline",
      steps: [.w(a), .x(0), .w(a), .unbind(0, person: 0), .x(0)]),
    .init(
      name: "a replaced box returns with rows",
      steps: [.w(a), .replace(0), .x(3), .x(0), .x(3)]),
    .init(
      name: "a replaced box hears of what is erased",
      steps: [.w(a), .x(0), .replace(0), .erase(.centre, person: 0), .w(a), .x(3), .x(0)]),
    .init(
      name: "two centres in turn",
      steps: [
        .w(a), .x(0), .otherCentre(0), .w(a), .x(0), .otherCentre(0), .w(a), .x(0),
      ]),
    // Refused rows.
    .init(
      name: "the answer with a refusal is lost, the row is allowed later",
      steps: [
        .x(2, 1), .w(x, .note, 1), .x(2, 3, .unanswered), .bind(2, person: 1), .x(2),
      ]),
    .init(
      name: "a row is longer than a batch",
      steps: [.w(a, .long), .w(a, .sample), .x(0)]),
    // Requests.
    .init(
      name: "a slow request, then a smaller batch",
      steps: [
        .w(a), .x(0), .w(a), .w(a), .w(a), .w(a), .x(0, 3, .slow), .x(0, 3, .lost), .arriveLate(0),
        .x(0),
      ]),
    .init(
      name: "a slow request arrives after the next hello",
      steps: [
        .w(a), .x(0), .w(a), .w(a), .w(a), .w(a), .x(0, 3, .slow), .x(0, 2), .arriveLate(0), .x(0),
      ]),
    .init(
      name: "a request arrives twice, the second time late",
      steps: [.w(a), .x(0, 3, .repeated), .w(a), .x(0), .arriveLate(0), .x(0)]),
    .init(
      name: "an answer arrives after another session",
      steps: [.w(a), .x(0, 3, .late), .w(a), .x(0), .answerLate(0), .x(0)]),
    .init(
      name: "the box stops before it has taken rows",
      steps: [.w(a), .x(0), .x(1, 3, .stopped), .x(1)]),
    .init(
      name: "a box that erased a person gets a sample that was theirs",
      steps: [
        .w(.centre, .sample, 0, 25), .w(x, .hour, 0, 9), .w(.centre, .assignment, 2, 1),
        .erase(.box(5), person: 0),
      ]),
    // Five boxes of one card.
    .init(
      name: "five boxes of one card",
      steps: [
        .w(b), .x(1), .clone(1), .clone(1), .clone(1), .w(.box(3)), .w(.box(4)), .w(.box(5)), .w(b),
        .x(1), .x(3), .x(4), .x(5), .x(1), .x(3),
      ], older: [.box], twins: true),
  ]

  @Test(arguments: cases)
  func `holds`(_ example: Case) async throws {
    let town = try await HistoriesTests.play(example.steps, log: true)
    #expect(town.findings.isEmpty, "\(town.log?.joined(separator: "\n") ?? "")")
    var older: Set<OlderSide> = []
    for case .older(let side) in town.events { older.insert(side) }
    #expect(older == example.older, "\(town.log?.joined(separator: "\n") ?? "")")
    #expect(town.events.contains(.twin) == example.twins)
  }
}
