import Attribution
import Foundation

/// Lets the program judge four homes of each kind, and prints how many weighings are whose else than in
/// one process, and which of a home's are the first and the last: the year is replayed as a scale's
/// broadcasts, and each answer given by `samples assign`.
///
/// - Parameters:
///   - program: The program, built for release.
///   - options: Which homes.
/// - Throws: What keeps the year from being written, or the program from taking it.
func printHouseholds(by program: String, _ options: HouseholdOptions) throws {
  print(
    "\nHouseholds through \(program), four of each kind, seeds from \(options.seeds.lowerBound)")
  print(column("", width: 38) + "answers   weighings   answered   differ")
  for line in options.lines {
    for isAnswered in [false, true] {
      let simulation = options.simulation(of: line, isAnswered: isAnswered)
      var sum = (weighings: 0, answers: 0, differences: 0)
      var differences: [String] = []
      for seed in options.seeds.prefix(4) {
        let judged = simulation.judged(seed: seed)
        let home = try withReferenceFolder { folder in
          try HouseholdProgram(program: program, folder: folder)
            .owners(of: judged, in: simulation.year(seed: seed).household)
        }
        sum.weighings += judged.weighings.count
        sum.answers += judged.answers.count
        let differing = home.indices.filter { home[$0] != judged.owner(of: $0) }
        sum.differences += differing.count
        if let first = differing.first, let last = differing.last {
          differences.append(
            "  seed \(seed): \(differing.count) of \(home.count), from \(first) (day"
              + " \(judged.weighings[first].day), \(judged.owner(of: first) ?? "nobody"), by the program"
              + " \(home[first] ?? "nobody")) to \(last) (day \(judged.weighings[last].day))")
        }
      }
      print(
        column(line.name, width: 38) + column(isAnswered ? "monthly" : "none", width: 8)
          + column(Double(sum.weighings), digits: 0, width: 11)
          + column(Double(sum.answers), digits: 0, width: 11)
          + column(Double(sum.differences), digits: 0, width: 9))
      for difference in differences { print(difference) }
    }
  }
}

extension HouseholdSimulation.Judged {
  /// The patient who has a weighing in the end.
  fileprivate func owner(of index: Int) -> String? {
    switch weighings[index].label {
    case .patient(let patient), .entered(let patient): return patient
    case .nobody: return nil
    case .none: break
    }
    guard case .patient(let patient) = verdicts[index].decision else { return nil }
    return patient
  }
}

/// A home's year by the program's commands.
private struct HouseholdProgram {
  let program: String
  let folder: URL

  private struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  /// The first weighing's midnight: 2026-01-05 in UTC.
  private static let start = Date(timeIntervalSince1970: 1_767_571_200)

  private var store: String { folder.appending(path: "home.sqlite").path }

  /// The patient who has each weighing after the year, by its minute.
  func owners(
    of judged: HouseholdSimulation.Judged, in household: Household
  ) throws -> [String?] {
    try importPlan(of: household, called: "Home")
    var from = 0
    for answer in judged.answers {
      let to = judged.weighings.firstIndex { $0.day > answer.day } ?? judged.weighings.count
      try replay(judged.weighings[from..<to])
      from = to
      // Otherwise all are judged again once a week.
      try importPlan(of: household, called: "Day \(answer.day)")
      let minute = judged.weighings[answer.weighing].minute
      guard let number = try samples()[minute]?.id else {
        throw Failed(description: "the weighing of minute \(minute) does not wait")
      }
      let owner = judged.owners[answer.weighing].map { ["--patient", $0] } ?? ["--nobody"]
      _ = try run(["samples", "assign", "\(number)", "--store", store] + owner)
    }
    try replay(judged.weighings[from...])
    // A changed plan judges all again, those after the last answer too.
    try importPlan(of: household, called: "Household")
    // A weighing that was laid aside as nobody’s is not listed.
    let samples = try samples()
    return judged.weighings.map { samples[$0.minute]?.patient }
  }

  private func importPlan(of household: Household, called name: String) throws {
    let people = household.people.map {
      let patient = $0.patient ?? ""
      return "  - {id: \(patient), name: {given: \(name)}, "
        + "expects: {bodyMass: \(Double($0.weight ?? 0) / 1_000) kg}}\n"
    }
    let file = folder.appending(path: "plan.yaml")
    try Data(("timeZone: UTC\npatients:\n" + people.joined()).utf8).write(to: file)
    _ = try run(["plan", "import", file.path, "--store", store])
  }

  /// Replays the broadcasts of a Mi scale: a stable weight, which is then removed.
  private func replay(_ weighings: ArraySlice<Weighing>) throws {
    var text = #"{"measured-trace":1,"start":"2026-01-05T00:00:00Z","adapter":"hci0"}"# + "\n"
    for weighing in weighings {
      let parts = Calendar.utc.dateComponents(
        [.year, .month, .day, .hour, .minute],
        from: Self.start + Double(weighing.minute) * 60)
      for (second, flags) in [(0, "24"), (2, "a4")] {
        let year = parts.year ?? 0
        let weight = weighing.weight / 5
        let time = [parts.month, parts.day, parts.hour, parts.minute, 0].map { $0 ?? 0 }
        let bytes =
          [year & 0xFF, year >> 8] + time + [0xFD, 0xFF, weight & 0xFF, weight >> 8]
        let data =
          "02010603021b1810161b1802" + flags
          + bytes.map { String(format: "%02x", $0) }.joined()
        text +=
          #"{"t":\#(weighing.minute * 60 + second),"type":"advertisement","address":"#
          + #""5C:CA:D3:70:D4:A2","addressType":"public","rssi":-61,"data":"\#(data)"}"# + "\n"
      }
    }
    let file = folder.appending(path: "weighings.jsonl")
    try Data(text.utf8).write(to: file)
    _ = try run(["replay", file.path, "--store", store])
  }

  private struct Listed: Decodable {
    var id: Int
    var time: String
    var patient: String?
  }

  /// The stored weighings by their minute.
  private func samples() throws -> [Int: Listed] {
    let output = try run(
      ["samples", "list", "--quantity", "bodyMass", "--json", "--store", store])
    let format = ISO8601DateFormatter()
    var result: [Int: Listed] = [:]
    for line in output.split(separator: "\n") {
      let listed = try JSONDecoder().decode(Listed.self, from: Data(line.utf8))
      guard let date = format.date(from: listed.time) else {
        throw Failed(description: "\(listed.time) is no time")
      }
      result[Int(date.timeIntervalSince(Self.start)) / 60] = listed
    }
    return result
  }

  private func run(_ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(description: "\(arguments.joined(separator: " ")) failed")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

extension Calendar {
  fileprivate static var utc: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }
}
