import ArgumentParser
import Assessments
import Care
import Interchange
import Measurement
import Motion
import Terminal

/// A command that computes an assessment from motion files.
///
/// Its figures have the names and units of the assessment's description, as events have them.
protocol AssessmentCommand: AsyncParsableCommand {
  var motion: MotionOptions { get }
  var plot: PlotOptions { get }
  /// The signal that `--plot` draws.
  var plotted: PlotOptions.Signal { get }
  var json: Bool { get }
  /// The assessment that the options ask for.
  var assessment: any Assessment { get }
  /// Options that are repeated in the JSON object.
  var repeatedOptions: [String: String] { get }

  /// Where the sensor of `file` was worn; `nil` if nobody stated it.
  func segment(of file: String) -> Segment?

  /// The person's height in metres; `nil` if it was not stated.
  var height: Double? { get }

  /// The recordings that one assessment of `file` is computed from, from the trunk outwards.
  func recordings(of file: String) throws -> [[MotionSample]]
}

extension AssessmentCommand {
  var repeatedOptions: [String: String] { [:] }
  var plotted: PlotOptions.Signal { .acceleration }

  var height: Double? { nil }

  func segment(of file: String) -> Segment? { nil }

  func recordings(of file: String) throws -> [[MotionSample]] { [try motion.samples(file)] }

  func run() async throws { try await measure(assessment) }

  /// Computes `assessment` from each file and prints its figures.
  func measure(_ assessment: any Assessment) async throws {
    try plot.check(motion.files)
    var drawn: (samples: [MotionSample], file: String)?
    try motion.forEachFile(isJSON: json) { file in
      let recordings = try recordings(of: file)
      if plot.file != nil { drawn = (recordings.last ?? [], file) }
      let input = AssessmentInput(recordings, on: segment(of: file), height: height)
      let output = AssessmentOutput(
        file: file, repeatedOptions: repeatedOptions, assessment: type(of: assessment),
        result: try assessment.result(of: input))
      if json { try Console.json(output) } else { Console.out(output.text) }
    }
    if let drawn { try await plot.draw(drawn.samples, plotted, of: drawn.file) }
  }
}

extension CommandConfiguration {
  /// The configuration of a command for one assessment.
  ///
  /// - Parameters:
  ///   - name: The command's name.
  ///   - assessment: The assessment.
  ///   - note: A sentence on the command's own options.
  ///   - examples: Its examples, one a line.
  init(
    _ name: String, _ assessment: any Assessment.Type, note: String? = nil, examples: [String]
  ) {
    let paragraphs = [
      [assessment.instructions, note].compactMap(\.self).joined(separator: " "),
      "Figures: " + assessment.figureList + ".",
      "Example:\n" + examples.map { "  " + $0 }.joined(separator: "\n"),
    ]
    self.init(
      commandName: name, abstract: assessment.summary,
      discussion: paragraphs.joined(separator: "\n\n"))
  }
}

extension Assessment {
  /// The figures that `measure` prints: the quality stands in place of the confidence.
  static var printedFigures: [FigureDescription] {
    figureDescriptions.filter { $0 != .confidence }
  }

  /// Its figures with their units, for a help text.
  static var figureList: String {
    printedFigures.map { figure in
      figure.unit.map { $0 == .one ? figure.kind : "\(figure.kind) (\($0.code))" } ?? figure.kind
    }.joined(separator: ", ")
  }
}

/// The figures of an assessment of one file, as JSON and for people.
struct AssessmentOutput: Encodable {
  var file: String
  var repeatedOptions: [String: String]
  var assessment: any Assessment.Type
  var result: AssessmentResult

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private func values(of figure: FigureDescription) -> [Value] {
    result.values.filter { $0.figure == figure }.map(\.value)
  }

  /// One key for each figure: its value, `null` if it is absent, an array if it can repeat.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(file, forKey: Key(stringValue: "file"))
    for (name, option) in repeatedOptions {
      try container.encode(option, forKey: Key(stringValue: name))
    }
    for figure in assessment.printedFigures {
      let values = values(of: figure).map {
        ScalarOutput(value: $0, quantity: figure.quantity, unit: figure.unit)
      }
      let key = Key(stringValue: figure.kind)
      if figure.presence == .repeated {
        try container.encode(values, forKey: key)
      } else {
        try container.encode(values.first, forKey: key)
      }
    }
    try container.encode(QualityOutput(result.quality), forKey: Key(stringValue: "quality"))
  }

  /// The file and the assessment's title, then a line for each figure.
  var text: String {
    let rows =
      assessment.printedFigures.map { figure in
        (figure.kind.spacedWords, Self.text(values(of: figure), figure.unit))
      } + [("confidence", result.quality.flaws ?? "good")]
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map { name, text in
      "  " + name + String(repeating: " ", count: width - name.count + 2) + text
    }
    return (["\(file): \(assessment.title.lowercased())"] + lines).joined(separator: "\n")
  }

  private static func text(_ values: [Value], _ unit: UnitOfMeasure?) -> String {
    guard !values.isEmpty else { return "–" }
    let texts = values.map { value in
      switch value {
      case .boolean(let flag): flag ? "yes" : "no"
      case .text(let word): word
      default: value.number?.plainText ?? "–"
      }
    }
    return ([texts.joined(separator: ", ")] + [unit?.symbol ?? ""].filter { !$0.isEmpty })
      .joined(separator: " ")
  }
}

extension String {
  /// A name in camel case as words: `walkOut` is `walk out`, `turn1` is `turn 1`.
  fileprivate var spacedWords: String {
    reduce(into: "") { words, letter in
      if letter.isUppercase || letter.isNumber { words.append(" ") }
      words += letter.lowercased()
    }
  }
}
