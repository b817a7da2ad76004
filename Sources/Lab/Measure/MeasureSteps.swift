import ArgumentParser
import Assessments
import Care
import Interchange
import Localization
import Measurement
import Motion
import Terminal
import Traces

/// `measured measure steps`.
struct MeasureSteps: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "steps", abstract: "Counts the steps in motion files.",
    discussion: """
      Wear the sensor anywhere on the body, any way round; 25 samples a second or more. Say where \
      with --on: a counter that knows it misses less of slow, short and uneven walks.

      Files are CSV with the columns t (s) and x,y,z or ax,ay,az, or as Axivity (OmGui CSV and CWA), \
      ActiGraph (CSV and GT3X), UK Biobank, phyphox, Sensor Logger, MetaWear and Movesense write \
      them, each in its own unit. Others need --columns, or --rate if they have no times.

      Example:
        measured measure steps walk-1.csv walk-2.csv --json
        measured measure steps day.gt3x --on pelvis --by bout --height 1.62
        measured measure steps day.gt3x --by minute --csv
        measured measure steps walk.csv --plot walk.svg
      """)

  @OptionGroup var motion: MotionOptions

  @OptionGroup var place: PlaceOptions

  @OptionGroup var person: HeightOption

  @Option(help: "Also print the steps of each minute, or of each bout of walking: minute or bout.")
  var by: Division?

  @OptionGroup var plot: PlotOptions

  @Flag(help: "Print CSV with a header: one row a file, minute or bout.")
  var csv = false

  @Flag(help: "Print JSON Lines.")
  var json = false

  /// The division by which steps are counted.
  enum Division: String, ExpressibleByArgument {
    case minute, bout
  }

  func validate() throws {
    guard !csv || !json else {
      throw ValidationError(LocalizedText("command.sample.csvOrJSON").message)
    }
    try plot.check(motion.files)
  }

  func run() async throws {
    if csv { Console.data(StepCount.csvHeader(by: by)) }
    var drawing: (count: StepCount, pen: PlotPen)?
    try motion.forEachFile(isJSON: json) { file in
      var count = StepCount(
        file: file, on: place.segment(of: file), height: person.millimetres)
      var pen = PlotPen(.acceleration)
      count.times.start = try motion.read(file) { block in
        count.add(block)
        if plot.file != nil { pen.add(block) }
      }
      count.finish()
      if case .refused(let refusal) = count.quality.verdict {
        throw refusal
      }
      if plot.file != nil { drawing = (count, pen) }
      if csv {
        for row in count.csvRows(by: by) { Console.data(row) }
      } else if json {
        try Console.json(count.line(by: by))
      } else {
        Console.out(count.text(by: by))
      }
    }
    if let (count, pen) = drawing {
      try await plot.write(pen, of: count.file, count.times, log: count.log)
    }
  }
}

/// The steps of one file.
private struct StepCount {
  let file: String
  var times = RecordingTimes()
  private(set) var log = StepLog()
  private var counter: StepCounter
  /// The speed of the bouts; `nil` for a sensor whose bouts have none.
  private var meter: WalkingSpeedMeter?
  private let height: Int64?
  private var first: Int64?
  /// The minutes from the first sample on that have samples.
  private var minutes: Set<Int64> = [0]

  init(file: String, on segment: Segment?, height: Int64?) {
    self.file = file
    counter = StepCounter(on: segment)
    self.height = height
    if segment == .trunk || segment == .pelvis { meter = WalkingSpeedMeter() }
  }

  var quality: SignalQuality { counter.quality }

  mutating func add(_ samples: [MotionSample]) {
    first = first ?? samples.first?.time
    var latest: Int64?
    for sample in samples {
      counter.add(sample, to: &log)
      meter?.add(sample)
      let minute = max(0, sample.time - (first ?? 0)) / 60_000_000
      if minute != latest { minutes.insert(minute) }
      latest = minute
    }
  }

  mutating func finish() { counter.finish(to: &log) }

  /// The steps of a minute or a bout.
  ///
  /// Times are in microseconds from the recording's first sample.
  struct Part {
    var begin: Int64
    var end: Int64
    var steps: Int
    var cadence: Int?
    var speed: WalkingSpeed?
  }

  /// The minutes of the recording that have samples, or the bouts in it.
  func parts(by division: MeasureSteps.Division) -> [Part] {
    let first = first ?? 0
    switch division {
    case .bout:
      return log.bouts.map { bout in
        Part(
          begin: bout.begin - first, end: bout.end - first, steps: bout.steps,
          cadence: bout.cadence,
          speed: speed(of: bout))
      }
    case .minute:
      let counts = log.steps.reduce(into: [Int64: Int]()) { counts, step in
        counts[max(0, step.time - first) / 60_000_000, default: 0] += 1
      }
      return minutes.sorted().map { minute in
        Part(
          begin: minute * 60_000_000, end: (minute + 1) * 60_000_000, steps: counts[minute] ?? 0)
      }
    }
  }

  /// The speed of a bout; `nil` where no method holds.
  private func speed(of bout: WalkingBout) -> WalkingSpeed? {
    try? meter?.steps(in: bout.begin..<max(bout.begin, bout.end)).speed(height: height)
  }

  // MARK: For people

  func text(by division: MeasureSteps.Division?) -> String {
    let flaw = AssessmentQuality(quality).flaws.map { "; \($0)" } ?? ""
    let total =
      "\(file): \(log.steps.count) steps in \(RecordingTimes.text(quality.duration))\(flaw)"
    guard let division else { return total }
    let rows = parts(by: division).map { part in
      let begin = times.clock((first ?? 0) + part.begin) ?? RecordingTimes.text(part.begin)
      let end = division == .bout ? " for \(RecordingTimes.text(part.end - part.begin))" : ""
      let cadence = part.cadence.map { ", \($0) a minute" } ?? ""
      let speed = part.speed.map { ", \(Double(thousandths: $0.speed).plainText) m/s" } ?? ""
      return "  \(begin)\(end)  \(part.steps) steps\(cadence)\(speed)"
    }
    return ([total] + rows).joined(separator: "\n")
  }

  // MARK: CSV

  static func csvHeader(by division: MeasureSteps.Division?) -> String {
    switch division {
    case nil: "file,duration,steps,quality"
    case .minute: "file,start,time,steps"
    case .bout: "file,start,time,duration,steps,cadence,walkingSpeed,strideLength"
    }
  }

  func csvRows(by division: MeasureSteps.Division?) -> [String] {
    func seconds(_ microseconds: Int64) -> String { Double(millionths: microseconds).plainText }
    let name = file
    guard let division else {
      let verdict = quality.verdict == .good ? "good" : "low"
      return [CSVLine([name, seconds(quality.duration), String(log.steps.count), verdict]).text]
    }
    return parts(by: division).map { part in
      let time = times.clock((first ?? 0) + part.begin) ?? ""
      let start = [name, seconds(part.begin), time]
      switch division {
      case .minute: return CSVLine(start + [String(part.steps)]).text
      case .bout:
        let cadence = part.cadence.map { String($0) } ?? ""
        let duration = seconds(part.end - part.begin)
        let speed = [part.speed?.speed, part.speed?.strideLength].map { thousandths in
          thousandths.map { Double(thousandths: $0).plainText } ?? ""
        }
        return CSVLine(start + [duration, String(part.steps), cadence] + speed).text
      }
    }
  }

  // MARK: JSON

  func line(by division: MeasureSteps.Division?) -> Line {
    var line = Line(
      file: file, steps: log.steps.count, quality: QualityOutput(AssessmentQuality(quality)))
    switch division {
    case .minute: line.minutes = parts(by: .minute).map { linePart($0, hasDuration: false) }
    case .bout: line.bouts = parts(by: .bout).map { linePart($0, hasDuration: true) }
    case nil: break
    }
    return line
  }

  private func linePart(_ part: Part, hasDuration: Bool) -> Line.Part {
    Line.Part(
      start: Double(millionths: part.begin), time: times.clock((first ?? 0) + part.begin),
      duration: hasDuration ? Double(millionths: part.end - part.begin) : nil, steps: part.steps,
      cadence: part.cadence, walkingSpeed: part.speed.map { Double(thousandths: $0.speed) },
      strideLength: part.speed.map { Double(thousandths: $0.strideLength) })
  }

  struct Line: Encodable {
    var file: String
    var steps: Int
    var minutes: [Part]?
    var bouts: [Part]?
    var quality: QualityOutput

    struct Part: Encodable {
      /// Seconds from the recording's first sample.
      var start: Double
      /// The device's clock.
      var time: String?
      /// Seconds.
      var duration: Double?
      var steps: Int
      /// Steps a minute.
      var cadence: Int?
      /// Metres a second, and metres.
      var walkingSpeed: Double?
      var strideLength: Double?
    }
  }
}
