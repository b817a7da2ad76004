import Motion
@_spi(Tuning) import Measurement

/// Prints how much of the step counter's accuracy is owed to the recordings that it was tuned on.
///
/// First each place with its constants. Then, of the hand's, four tables: the constants that ship; constants searched again without one source, or without
/// half of the recording groups, on what was left out; every constant moved by up to a tenth, a hundred
/// times; and the shortest bout. It takes some minutes.
func printStepsValidation(_ all: [StepRecording]) {
  // Of the hand's constants; the trunk's and the leg's differ from them by what a place shows.
  let recordings = all.filter { [nil, .forearm].contains($0.segment) }
  printPlaces(all)
  print("steps, MAPE %        oxford-opt oxford-val  pebble  false/h  without gestures")
  line("as it ships", StepErrors(on: recordings))
  line("rough, by hand", StepErrors(of: .rough, on: recordings))
  for source in Set(recordings.map(\.source)).sorted() {
    let tuning = GaitTuning.found(on: recordings.filter { $0.source != source })
    line(
      "without \(source)",
      StepErrors(of: tuning, on: recordings.filter { $0.source == source }))
  }
  let groups = Set(recordings.map(\.group)).sorted()
  for half in 0..<2 {
    let left = Set(groups.enumerated().filter { $0.offset % 2 == half }.map(\.element))
    let tuning = GaitTuning.found(on: recordings.filter { !left.contains($0.group) })
    line(
      "groups, other half \(half + 1)",
      StepErrors(of: tuning, on: recordings.filter { left.contains($0.group) }))
  }
  printJitter(recordings)
  for steps in stride(from: 4, through: 16, by: 2) {
    var tuning = GaitTuning.standard
    tuning.shortestBout = steps
    line("shortest bout \(steps)", StepErrors(of: tuning, on: recordings))
  }
}

/// How often every constant is moved, and which of the errors in their order are the median and the
/// 90th percentile.
private let draws = (count: 100, median: 49, most: 89)

/// The error at each place, and with every constant of the place moved by up to a tenth.
private func printPlaces(_ recordings: [StepRecording]) {
  print("by place, MAPE %     as it ships   median     90th")
  for source in Set(recordings.map(\.source)).sorted() {
    let own = recordings.filter { $0.source == source }
    guard let place = own.first, own.contains(where: { !$0.isNegative }) else { continue }
    let tuning = GaitTuning.worn(on: place.segment)
    var generator = SeededDraws(seed: 7)
    let errors = (0..<draws.count).map { _ in
      StepErrors(of: tuning.jittered(by: 0.1, using: &generator), on: own).absolute(source)
    }.sorted()
    print(
      column(source, width: 22), column(StepErrors(on: own).absolute(source), digits: 2),
      column(errors[draws.median], digits: 2), column(errors[draws.most], digits: 2))
  }
  print("")
}

/// The median and the 90th percentile of the draws in which every constant is moved.
private func printJitter(_ recordings: [StepRecording]) {
  var generator = SeededDraws(seed: 7)
  let all = (0..<draws.count).map { _ in
    StepErrors(of: GaitTuning.standard.jittered(by: 0.1, using: &generator), on: recordings)
  }
  for (name, rank) in [
    ("jitter 10 %, median", draws.median), ("jitter 10 %, 90th", draws.most),
  ] {
    func ranked(_ value: (StepErrors) -> Double) -> Double { all.map(value).sorted()[rank] }
    row(
      name,
      ["oxford-opt", "oxford-val", "pebble"].map { source in ranked { $0.absolute(source) } },
      ranked { $0.falseAnHour ?? 0 }, ranked { $0.ordinaryFalseAnHour ?? 0 })
  }
}

private func line(_ name: String, _ errors: StepErrors) {
  row(
    name,
    ["oxford-opt", "oxford-val", "pebble"].map {
      errors.sources.contains($0) ? errors.absolute($0) : nil
    }, errors.falseAnHour, errors.ordinaryFalseAnHour)
}

private func row(
  _ name: String, _ errors: [Double?], _ falseAnHour: Double?, _ withoutGestures: Double?
) {
  let cells = errors.map { $0.map { column($0, digits: 2, width: 9) } ?? "        -" }
  print(
    column(name, width: 22), cells.joined(separator: " "),
    falseAnHour.map { column($0, digits: 0) } ?? "       -",
    withoutGestures.map { column($0, digits: 0) } ?? "       -")
}
