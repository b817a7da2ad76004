package import Care
import Foundation

/// Something that the check of the machine and the store found.
package struct SetupFinding: Hashable, Sendable {
  /// What was found.
  package var title: String
  /// What to do.
  package var advice: String

  /// Makes a finding of texts in the viewer's language.
  package init(title: String, advice: String) {
    self.title = title
    self.advice = advice
  }
}

/// People, tasks, the plan's file, backup and findings.
package struct SetupPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let findings: [SetupFindingRow]
    let hasFindings: Bool
    let people: [Person]
    let tasks: [Group]
    let zone: String?
    let back: String
    let isWhole: Bool
  }

  private struct SetupFindingRow {
    let title: String
    let advice: String
  }

  private struct Person {
    let name: String
    let initial: String
    let tint: String
    let id: String
    let facts: [Fact]
  }

  private struct Fact {
    let title: String
    let value: String
  }

  private struct Group {
    let title: String
    let tasks: [Task]
  }

  private struct Task {
    let title: String
    let text: String?
    let lines: [String]
    let days: [Day]
    let isOptional: Bool
    let isEnded: Bool
  }

  private struct Day {
    let name: String
    let number: String
    let words: String
    let times: [String]
    let isDue: Bool
  }

  /// How many times of one day are listed.
  private static let timeLimit = 4

  /// Reads the page.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - viewer: Who looks at it.
  ///   - findings: What the check of the machine and the store found.
  ///   - notice: What just happened.
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, viewer: Viewer, findings: [SetupFinding] = [],
    notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let address = LocalAddress("setup")
    frame = Frame(
      viewer: viewer, title: words.text("frame.setup"), address: address,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    let people = try reader.patients()
    let order = try reader.planOrder()
    let places = Dictionary(
      order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    func place(_ task: CareTask) -> Int {
      places[TaskReference(patient: task.patient, task: task.id)] ?? .max
    }
    let histories = try reader.histories(patient: nil)
    let current = histories.compactMap { history in
      history.current(at: viewer.now).map { (history: history, task: $0) }
    }
    content = Content(
      findings: findings.map { SetupFindingRow(title: $0.title, advice: $0.advice) },
      hasFindings: !findings.isEmpty,
      people: people.enumerated().map { Self.person($0.element, place: $0.offset, words) },
      tasks: people.compactMap { person in
        let own = current.filter { $0.task.patient == person.id }
          .sorted { (place($0.task), $0.task.id) < (place($1.task), $1.task.id) }
        guard !own.isEmpty else { return nil }
        return Group(
          title: people.count > 1
            ? words.text("setup.tasksOf", ["name": person.displayName])
            : words.text("setup.tasks"),
          tasks: own.map { Self.task($0.history, $0.task, viewer) })
      }, zone: try reader.planTimeZone()?.identifier, back: address.description,
      isWhole: viewer.may(.wholePlan))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("setup", content, frame: frame) }

  private static func person(_ person: Patient, place: Int, _ words: Language) -> Person {
    let weight = person.expects[Quantity.bodyMass.rawValue].map {
      Measure(.bodyMass, for: person.units).text($0.value)
    }
    let facts: [(String, String?)] = [
      ("units", words.text("setup.units." + (person.units ?? .metric).rawValue)),
      ("zone", person.timeZone?.identifier), ("language", person.language),
      ("weight", weight),
      ("others", person.others.isEmpty ? nil : String(person.others.count)),
    ]
    return Person(
      name: person.displayName, initial: person.displayName.prefix(1).uppercased(),
      tint: Tint(place: place + 3).rawValue, id: person.id,
      facts: facts.compactMap { key, value in
        value.map { Fact(title: words.text("setup.person." + key), value: $0) }
      })
  }

  private static func task(
    _ history: TaskHistory, _ task: CareTask, _ viewer: Viewer
  ) -> Task {
    let words = viewer.language
    let days = DayGrid(endingOn: viewer.now + 6 * 86_400, count: 7, in: viewer.timeZone)
    // A task that is due too often to list has no times.
    let events = (try? history.events(from: days.start, to: days.end)) ?? []
    return Task(
      title: task.title, text: task.text,
      lines: task.isEnded ? [words.text("setup.ended")] : words.lines(of: task.schedule, viewer),
      days: days.starts.enumerated().map { place, day in
        let own = events.filter { days.place(of: $0.occurrence.start) == place }
        let times = own.map { event in
          event.occurrence.isAllDay
            ? words.text("setup.anytime") : words.time(event.occurrence.start, in: viewer.timeZone)
        }
        let shown = Array(times.prefix(timeLimit))
        return Day(
          name: words.weekday(day, in: viewer.timeZone, isShort: true),
          number: String(LocalDateTime(day, in: viewer.timeZone).day),
          words: words.weekdayDayMonth(day, in: viewer.timeZone),
          times: times.count > shown.count
            ? shown + [words.text("setup.moreTimes", ["count": String(times.count - shown.count)])]
            : shown, isDue: !own.isEmpty)
      }, isOptional: task.isOptional, isEnded: task.isEnded)
  }
}
