import Care
import Foundation
import Localization

/// One sample in a list, with its history and the forms that change it.
struct SampleRow {
  let id: String
  let time: String
  let value: String
  let source: String
  let isDeleted: Bool
  let remarks: [String]
  let history: [String]
  let actions: Actions?

  /// The actions that a sample with a number offers.
  struct Actions {
    let back: String
    let correct: Correction?
    let delete: String?
    let isCorrection: Bool
    let restore: String?
    let move: Move?
  }

  /// The form to correct a value.
  struct Correction {
    let address: String
    let value: String
    let unit: String
    let symbol: String
  }

  /// The form to move a sample to another person.
  struct Move {
    let address: String
    let people: [Choice]
    let unassign: String
  }

  /// A person to choose.
  struct Choice {
    let id: String
    let name: String
  }
}

/// Makes the rows of a list of samples.
struct SampleRows {
  let reader: any StoreReader
  let viewer: Viewer
  let measure: Measure
  let people: [Patient]
  /// The address of the page to come back to.
  let back: String

  private var words: Language { viewer.language }

  /// The row of a sample.
  func row(_ sample: Sample) throws -> SampleRow {
    let number = try reader.number(of: sample.identity)
    let origin = try sample.corrects.flatMap { try reader.sample($0) }
    let isDeleted = sample.state != .live
    let time = words.time(sample.start, in: viewer.timeZone)
    let remarks = [
      isDeleted ? words.text("quantityPage.state." + sample.state.rawValue) : nil,
      origin.map { words.text("quantityPage.origin", ["value": measure.text($0.value)]) },
      sample.hasDistrustedClock ? words.text("source.doubt") : nil,
      sample.unassignedReason == nil
        || sample.patient != nil ? nil : words.text("quantityPage.unassigned"),
    ]
    return SampleRow(
      id: "s-" + (number.map(String.init) ?? String(sample.start.microseconds)), time: time,
      value: measure.text(sample.value), source: viewer.way(of: sample), isDeleted: isDeleted,
      remarks: words.remarks(of: sample.context) + remarks.compactMap(\.self),
      history: try history(of: sample, origin: origin),
      actions: viewer.may(.correct)
        ? number.map { actions(of: sample, number: $0, isDeleted: isDeleted) } : nil)
  }

  /// The changes that people made to a sample, oldest first.
  private func history(of sample: Sample, origin: Sample?) throws -> [String] {
    let changes = try reader.changes(of: sample.identity)
    let measured = origin.map { origin in
      words.text(
        "quantityPage.measured",
        [
          "value": measure.text(origin.value), "source": viewer.way(of: origin),
          "date": words.when(origin.start, isToday: false, viewer),
        ])
    }
    let steps = changes.enumerated().map { place, record in
      // A correction begins with its making, which is no move.
      line(record, isCorrection: place == 0 && sample.corrects != nil)
    }
    return (measured.map { [$0] } ?? []) + steps
  }

  private func line(_ record: SampleChangeRecord, isCorrection: Bool) -> String {
    let (key, patient): (String, String?) =
      switch record.change {
      case .assign(let patient): ("assigned", patient)
      case .unassign: ("unassigned", nil)
      case .disown: ("disowned", nil)
      case .delete: ("deleted", nil)
      case .restore: ("restored", nil)
      }
    let name = people.first { $0.id == patient }.map(words.fullName(of:)) ?? patient ?? ""
    let what = words.text(
      "quantityPage.change." + (isCorrection ? "corrected" : key),
      ["name": name, "date": words.when(record.date, isToday: false, viewer)])
    guard record.decidedBy == .person else {
      return words.text("quantityPage.byEvidence", ["what": what])
    }
    guard let reason = record.reason, !reason.isEmpty else { return what }
    return words.text("quantityPage.because", ["what": what, "reason": reason])
  }

  private func actions(
    of sample: Sample, number: Int64, isDeleted: Bool
  ) -> SampleRow.Actions {
    func address(_ action: String) -> String {
      LocalAddress("samples", String(number), action).description
    }
    guard !isDeleted else {
      return SampleRow.Actions(
        back: back, correct: nil, delete: nil, isCorrection: false, restore: address("restore"),
        move: nil)
    }
    let others = people.filter { $0.id != sample.patient }
    return SampleRow.Actions(
      back: back,
      correct: SampleRow.Correction(
        address: address("correct"), value: measure.entry(sample.value),
        unit: measure.entryUnit.code,
        symbol: measure.entryUnit.symbol),
      // To delete a correction is to let the measured value count again.
      delete: address("delete"), isCorrection: sample.corrects != nil, restore: nil,
      move: SampleRow.Move(
        address: address("assign"),
        people: others.map { SampleRow.Choice(id: $0.id, name: words.fullName(of: $0)) },
        unassign: address("unassign")))
  }
}
