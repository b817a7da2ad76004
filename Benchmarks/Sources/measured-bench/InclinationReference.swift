import Foundation
import Motion

/// VQF's directions for the same trials, from the package of its authors: `references/inclination.py`.
struct InclinationReference {
  /// The directions of each trial: VQF 6D, its offline variant, and a 2 Hz zero-phase low-pass of the
  /// accelerometer.
  let causal: [[SIMD3<Double>]]
  let whole: [[SIMD3<Double>]]
  let alone: [[SIMD3<Double>]]
  /// Nanoseconds a sample that VQF 6D took.
  let nanoseconds: String

  /// Runs the reference over the trials' files, or over their rows without rest.
  init(_ trials: [BroadTrial], withoutRests: Bool) throws {
    let python = try ReferencePython(
      "inclination.py", module: "vqf", packages: ["numpy", "vqf"])
    let (nanoseconds, tables) = try withReferenceFolder { folder in
      let nanoseconds = try python.output(
        [withoutRests ? "moving" : "all", folder.path] + trials.map(\.path))
      let tables = try trials.map { trial in
        let name = (trial.path as NSString).lastPathComponent + ".up"
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        return text.split(separator: "\n").map {
          $0.split(separator: " ").compactMap { Double($0) }
        }
      }
      return (nanoseconds, tables)
    }
    guard zip(tables, trials).allSatisfy({ $0.count == $1.samples.count }),
      tables.joined().allSatisfy({ $0.count == 9 })
    else {
      throw ReferencePython.Missing(
        description: "the reference gave other rows than it was given")
    }
    self.nanoseconds = nanoseconds.trimmingCharacters(in: .whitespacesAndNewlines)
    func directions(from column: Int) -> [[SIMD3<Double>]] {
      tables.map { $0.map { SIMD3($0[column], $0[column + 1], $0[column + 2]) } }
    }
    causal = directions(from: 0)
    whole = directions(from: 3)
    alone = directions(from: 6)
  }
}
