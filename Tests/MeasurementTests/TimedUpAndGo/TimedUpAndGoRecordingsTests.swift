import Foundation
import Measurement
import Motion
import Testing

@testable import TestSupport

/// The measurement against video of 156 tasks by 16 people, a telephone in a front pocket.
///
/// Video begins and ends with what a thigh does not show: from the start to the first movement of
/// standing up people took 0 to 2.4 s, the thigh at rest to a thousandth of g, and from seated to
/// still 0 to 2.7 s. Against the seen movement itself, but for a constant, it is right to 0.26 s.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct TimedUpAndGoRecordingsTests {
  /// A row of the index: a file and when its phases were seen to begin and end, in seconds.
  private struct Truth {
    let file: String
    let times: [String: Double]

    subscript(_ from: String, _ to: String) -> Double {
      (times[to] ?? .nan) - (times[from] ?? .nan)
    }
  }

  private func truths() throws -> [Truth] {
    let text = try String(
      contentsOfFile: SharedData.path("timed-up-and-go/index.csv"), encoding: .utf8)
    let rows = text.split(whereSeparator: \.isNewline).map { $0.split(separator: ",") }
    let names = try #require(rows.first).map(String.init)
    return rows.dropFirst().map { row in
      let times = zip(names, row).compactMap { name, field in
        Double(field).map { (name, $0) }
      }
      return Truth(file: String(row[0]), times: Dictionary(uniqueKeysWithValues: times))
    }
  }

  /// Mean and 95th percentile of the magnitudes.
  private func spread(_ errors: [Double]) -> (mean: Double, most: Double) {
    let sorted = errors.map { abs($0) }.sorted()
    return (sorted.reduce(0, +) / Double(sorted.count), sorted[sorted.count * 95 / 100])
  }

  @Test
  func `times agree with video`() throws {
    var totals: [Double] = []
    var movements: [Double] = []
    var turns: [[Double]] = [[], [], [], []]
    var refusals: [TimedUpAndGoRefusal] = []
    let truths = try truths()
    for truth in truths {
      let samples = try MotionFile("timed-up-and-go/" + truth.file).samples
      do throws(TimedUpAndGoRefusal) {
        let result = try TimedUpAndGo.measure(samples)
        let alone = try TimedUpAndGo.measure(samples.map { $0.shifted(by: 0, hasRate: false) })
        #expect(alone.totalMicroseconds == result.totalMicroseconds)
        totals.append(result.total - truth["start", "end"])
        // Less the second that people begin before the thigh and finish after it.
        movements.append(result.total - 1 - truth["stand_start", "sit_end"])
        guard let walkOut = result.walkOut, let turn1 = result.turn1,
          let walkBack = result.walkBack, let turn2 = result.turn2
        else { continue }
        turns[0].append(walkOut - truth["stand_end", "turn1_start"])
        turns[1].append(turn1 - truth["turn1_start", "turn1_end"])
        turns[2].append(walkBack - truth["turn1_end", "turn2_start"])
        turns[3].append(turn2 - truth["turn2_start", "turn2_end"])
      } catch {
        refusals.append(error)
      }
    }
    #expect(truths.count == 156)
    // This person got up again without ever sitting still.
    #expect(refusals == [.noSitDown])
    #expect(spread(totals).mean < 0.67)
    #expect(spread(totals).most < 1.8)
    #expect(spread(movements).mean < 0.4)
    #expect(spread(movements).most < 0.95)
    for errors in turns {
      #expect(errors.count == 155)
      #expect(spread(errors).mean < 0.25)
    }
  }
  @Test
  func `either end of a recording may be cut`() throws {
    for truth in try truths() {
      let start = try #require(truth.times["start"])
      let end = try #require(truth.times["end"])
      let samples = try MotionFile("timed-up-and-go/" + truth.file).samples
      let task = Int64((start - 2.5) * 1e6)...Int64((end + 2.9) * 1e6)
      guard let whole = try? TimedUpAndGo.measure(samples) else { continue }
      var cut = try TimedUpAndGo.measure(samples.filter { task.contains($0.time) })
      cut.quality = whole.quality
      #expect(cut == whole, "\(truth.file)")
    }
  }
}
