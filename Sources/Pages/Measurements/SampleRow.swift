import Assessments
import Care
import Foundation
import Localization

/// One sample in a list, with its history and the forms that change it.
struct SampleRow {
  let id: String
  let time: String
  /// Which of a measurement's values it is: `Range`; `nil` for a plain one.
  let kindName: String?
  let value: String
  let source: String
  let isDeleted: Bool
  let remarks: [String]
  let history: [String]
  let actions: Actions?

  /// The actions that a sample with a number offers.
  struct Actions {
    let back: String
    let corrections: [Correction]
    let delete: String?
    let isCorrection: Bool
    let restore: String?
    let move: Move?
  }

  /// The form to correct a value.
  struct Correction {
    let address: String
    /// The name of the field.
    let label: String
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

  /// The rows of samples: the values of one measurement that a sensor made are one row.
  func rows(_ samples: [Sample]) throws -> [SampleRow] {
    var groups: [[Sample]] = []
    var places: [Measurement: Int] = [:]
    for sample in samples {
      guard sample.kind != nil, sample.provenance != .manual || sample.corrects != nil else {
        groups.append([sample])
        continue
      }
      let measurement = Measurement(
        device: sample.device.address, start: sample.start, end: sample.end, state: sample.state)
      if let place = places[measurement] {
        groups[place].append(sample)
      } else {
        places[measurement] = groups.count
        groups.append([sample])
      }
    }
    return try groups.map { group in
      let sorted = group.sorted {
        ($0.isResult ? 0 : 1, $0.kind ?? "") < ($1.isResult ? 0 : 1, $1.kind ?? "")
      }
      return try row(sorted[0], details: Array(sorted.dropFirst()))
    }
  }

  /// The parts that the values of one measurement share.
  private struct Measurement: Hashable {
    let device: DeviceID
    let start: Date
    let end: Date
    let state: Sample.State
  }

  private func name(_ sample: Sample) -> String? {
    sample.kind.flatMap { words.optionalText("figure." + $0) }
  }

  /// The row of a sample, with the other values of its measurement.
  private func row(_ sample: Sample, details: [Sample]) throws -> SampleRow {
    let number = try reader.number(of: sample.identity)
    let origin = try sample.corrects.flatMap { try reader.sample($0) }
    let isDeleted = sample.state != .live
    let time = words.time(sample.start, in: viewer.timeZone)
    let others = details.compactMap { detail in
      name(detail).map {
        words.text("quantityPage.detail", ["name": $0, "value": measure.text(detail.value)])
      }
    }
    let remarks = [
      isDeleted ? words.text("quantityPage.state." + sample.state.rawValue) : nil,
      origin.map { words.text("quantityPage.origin", ["value": measure.text($0.value)]) },
      sample.hasDistrustedClock ? words.text("source.doubt") : nil,
      sample.unassignedReason == nil
        || sample.patient != nil ? nil : words.text("quantityPage.unassigned"),
    ]
    return SampleRow(
      id: "s-" + (number.map(String.init) ?? String(sample.start.microseconds)), time: time,
      kindName: name(sample), value: measure.text(sample.value), source: viewer.way(of: sample),
      isDeleted: isDeleted,
      remarks: others + words.remarks(of: sample.context.subtracting(sample.measurand.place))
        + remarks.compactMap(\.self),
      history: try history(of: sample, origin: origin),
      actions: viewer.may(.correct)
        ? try number.map {
          try actions(of: sample, number: $0, details: details, isDeleted: isDeleted)
        } : nil)
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
    of sample: Sample, number: Int64, details: [Sample], isDeleted: Bool
  ) throws -> SampleRow.Actions {
    func address(_ action: String) -> String {
      LocalAddress("samples", String(number), action).description
    }
    guard !isDeleted else {
      return SampleRow.Actions(
        back: back, corrections: [], delete: nil, isCorrection: false, restore: address("restore"),
        move: nil)
    }
    let others = people.filter { $0.id != sample.patient }
    return SampleRow.Actions(
      back: back,
      corrections: try ([sample] + details).compactMap { one in
        try reader.number(of: one.identity).map { number in
          SampleRow.Correction(
            address: LocalAddress("samples", String(number), "correct").description,
            label: (details.isEmpty ? nil : name(one)) ?? words.text("quantityPage.form.value"),
            value: measure.entry(one.value),
            unit: measure.entryUnit.code, symbol: words.symbol(of: measure.entryUnit))
        }
      },
      // To delete a correction is to let the measured value count again.
      delete: address("delete"), isCorrection: sample.corrects != nil, restore: nil,
      move: SampleRow.Move(
        address: address("assign"),
        people: others.map { SampleRow.Choice(id: $0.id, name: words.fullName(of: $0)) },
        unassign: address("unassign")))
  }
}
