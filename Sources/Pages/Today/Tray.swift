import Actions
import Agenda
import Care
import Foundation
import Localization

/// The questions that the box cannot decide, with the reason and one press each.
struct Tray {
  let questions: [Question]
  let missed: Missed?
  /// A link to the questions that do not fit.
  let more: More?

  var isEmpty: Bool { questions.isEmpty && missed == nil && more == nil }

  struct Question {
    let id: String
    let glyph: String
    var title: String
    var reason: String
    let choices: Choices?
    let target: TaskCard.Target?
    var later: Later?
  }

  /// When a reminder may come again.
  struct Later {
    let address: String
    let back: String
    let times: [LaterTime]
  }

  struct LaterTime {
    let minutes: String
    let title: String
    /// The button's label for a person who cannot see the card.
    let label: String
  }

  struct Choices {
    let address: String
    /// Where the answer that it is nobody's goes.
    let nobodyAddress: String
    /// The device that is asked about; `nil` where a reading is.
    let device: String?
    /// The patient who is looked for among the choices; `nil` where each choice is a person.
    var whom: String?
    let back: String
    let people: [Choice]
    /// The last button, and its label for a person who cannot see the card.
    let nobodyTitle: String
    let nobody: String
  }

  struct Choice {
    let patient: String
    let name: String
    /// The button's label for a person who cannot see the card.
    let label: String
    /// A second line: how probable it is, or when it was.
    let odds: String?
    /// The weighing that is the patient's.
    var sample: String?
  }

  /// Doses of the day of which nothing is known.
  struct Missed {
    let title: String
    let reason: String
    let events: [MissedEvent]
  }

  struct MissedEvent {
    let title: String
    let href: String
    let doneAddress: String
    let notDoneAddress: String
    let back: String
    let fieldID: String
  }

  struct More {
    let text: String
    let href: String
  }

  /// The most questions that are asked at once; a page of them is no help.
  private static let mostQuestions = 5
  /// The most samples that are read for them: streams are not asked about one by one.
  private static let mostSamples = 200
  /// How far back a reading is asked about.
  private static let days = 14.0
}

// MARK: - Reading

extension Tray {
  /// Reads what is to sort out on a day.
  init(
    _ reader: any StoreReader, day: CareDay, people: [Patient], setting: CardSetting
  ) throws {
    let viewer = setting.viewer
    let isToday = day.start <= viewer.now && viewer.now < day.end
    let from = isToday ? day.end - Self.days * 86_400 : day.start
    // Only those who can sort it out are asked.
    let waiting = viewer.may(.correct) ? try Waiting(reader, from: from, to: day.end) : Waiting()
    var readings = Self.readings(waiting.readings, patient: viewer.patient)
    let best =
      isToday && viewer.may(.correct) ? try WeighingQuestion(reader, viewer.weighings) : nil
    let prompts =
      isToday && viewer.may(.answer) ? try Self.prompts(reader, day: day, viewer: viewer) : []
    var asked = prompts.prefix(Self.mostQuestions).map { Self.question($0, setting: setting) }
    asked += waiting.devices.prefix(Self.mostQuestions).map {
      Self.question($0, people: people, setting: setting)
    }
    if let best, best.kind != .owner {
      let question = try Self.question(
        best, reader, people: people, viewer: viewer, back: setting.back, leadsOn: true)
      asked += [question].compactMap(\.self)
      // Which of them is the patient settles all of them.
      if case .weigher = best.kind { readings.removeAll { $0.quantity == .bodyMass } }
    }
    for sample in readings.suffix(Self.mostQuestions).reversed() {
      guard let number = try reader.number(of: sample.identity) else { continue }
      asked.append(
        Self.question(
          sample, number: number, people: people,
          best: best.flatMap { $0.sample.identity == sample.identity ? $0 : nil },
          viewer: viewer, back: setting.back, leadsOn: true))
    }
    if isToday { asked += try Self.conflicts(reader, people: people, setting: setting) }
    questions = asked
    let left = readings.count - min(readings.count, Self.mostQuestions)
    more =
      left == 0
      ? nil
      : More(
        text: viewer.language.text("tray.more", count: left),
        href: LocalAddress("measurements", items: [("patient", viewer.patient)]).description)
    let prompted = Set(prompts.flatMap(\.prompts).map(\.event.id))
    missed =
      isToday && viewer.may(.answer)
      ? Missed(day.events.filter { !prompted.contains($0.id) }, setting: setting) : nil
  }

  /// The single readings that may be a patient's, oldest first.
  private static func readings(_ samples: [Sample], patient: String?) -> [Sample] {
    let weighings = samples.filter { $0.quantity == .bodyMass }
    return samples.filter { sample in
      // The other values of a weighing are assigned together with the weight.
      if sample.quantity.isMeasuredWithWeight,
        weighings.contains(where: { $0.isWeight(with: sample.reading, at: sample.start) })
      {
        return false
      }
      guard let patient, let reason = UnassignedReason(sample)?.weighing else { return true }
      let named = Set(reason.patients + reason.odds.map(\.patient))
      return named.isEmpty || named.contains(patient)
    }
  }

  /// Readings that belong to no patient.
  private struct Waiting {
    /// Single readings, oldest first.
    var readings: [Sample] = []
    /// The latest reading of each device of which nobody has said whose it is, oldest first.
    var devices: [Sample] = []

    init() {}

    /// Reads what was measured from `from` on and before `to`.
    init(_ reader: any StoreReader, from: Date, to: Date) throws {
      let bindings = try reader.deviceBindings()
      var latest: [DeviceID: Sample] = [:]
      for quantity in try reader.quantities(of: .unassigned) where quantity.isPersonal {
        // Of each quantity: a stream must not hide what another device sends.
        let query = SampleQuery(
          owner: .unassigned, quantity: quantity, from: from, to: to, limit: mostSamples)
        for sample in try reader.samples(query) where sample.start < to {
          let isWeighing = quantity == .bodyMass || quantity.isMeasuredWithWeight
          if isWeighing || bindings.isOfHousehold(sample.device.address) {
            if !sample.reading.isStreamed { readings.append(sample) }
          } else if latest[sample.device.address].map({ $0.start <= sample.start }) ?? true {
            latest[sample.device.address] = sample
          }
        }
      }
      readings.sort { $0.start < $1.start }
      devices = latest.values.sorted {
        ($0.start, $0.device.address) < ($1.start, $1.device.address)
      }
    }
  }

  /// The question whose a device is, asked once for all that it sends.
  private static func question(
    _ latest: Sample, people: [Patient], setting: CardSetting
  ) -> Question {
    let viewer = setting.viewer
    let words = viewer.language
    let device = latest.device.address
    let units = people.first { $0.id == viewer.patient }?.units ?? people.first?.units
    let form = LocalAddress("devices", "add", items: [("device", device.text)]).description
    let title = words.text("tray.whoseDevice", ["device": viewer.deviceName(latest.device)])
    // Two devices can be of one kind.
    let asked = title + " " + device.text
    return Question(
      id: "device-" + device.text.filter { $0.isLetter || $0.isNumber }, glyph: "devices",
      title: title,
      reason: words.text(
        "tray.whoseDeviceWhy",
        [
          "quantity": words.title(of: latest.quantity),
          "value": words.figure(latest.quantity.text(latest.value, for: units)),
          "time": words.time(latest.start, relativeTo: viewer.now, in: viewer.timeZone),
          "address": device.text,
        ]),
      choices: viewer.may(.devices)
        ? Choices(
          address: LocalAddress("devices", "bind").description,
          nobodyAddress: LocalAddress("devices", "disown").description, device: device.text,
          back: setting.back,
          people: people.map {
            Choice(
              patient: $0.id, name: words.fullName(of: $0),
              label: words.text(
                "tray.nameFor", ["name": words.fullName(of: $0), "question": asked]), odds: nil)
          }, nobodyTitle: words.text("tray.nobody"),
          nobody: words.text("tray.nobodyFor", ["question": asked])) : nil,
      target: viewer.may(.devices)
        ? TaskCard.Target(href: form, caption: words.text("tray.shared"), style: "quiet") : nil)
  }

  /// The question that helps to tell those apart who use the scales; `leadsOn` to the page that shows
  /// why it is asked.
  static func question(
    _ best: WeighingQuestion, _ reader: any StoreReader, people: [Patient], viewer: Viewer,
    back: String, leadsOn: Bool
  ) throws -> Question? {
    guard let number = try reader.number(of: best.sample.identity) else { return nil }
    let words = viewer.language
    let units = people.first { $0.id == viewer.patient }?.units ?? people.first?.units
    let tracks = leadsOn && viewer.may(.readAll) ? Self.tracks(in: words) : nil
    switch best.kind {
    case .owner:
      return question(
        best.sample, number: number, people: people, best: best, viewer: viewer, back: back,
        leadsOn: leadsOn)
    case .confirmation(let patient):
      var asked = question(
        best.sample, number: number, people: people, best: nil, viewer: viewer, back: back,
        leadsOn: leadsOn)
      let name = people.first { $0.id == patient }.map(words.fullName(of:)) ?? patient
      asked.title = words.text(
        "tray.confirm",
        [
          "value": words.figure(Quantity.bodyMass.text(best.sample.value, for: units)),
          "name": name,
        ])
      asked.reason = words.text(
        "tray.confirmWhy",
        [
          "time": words.time(best.sample.start, relativeTo: viewer.now, in: viewer.timeZone),
          "device": viewer.deviceName(best.sample.device),
        ])
      return asked
    case .weigher(let patient):
      let name = people.first { $0.id == patient }.map(words.fullName(of:)) ?? patient
      let title = words.text("tray.weigher", ["name": name])
      let address = LocalAddress("weighings", "weigher").description
      let choices = try best.residents.compactMap { resident -> Choice? in
        guard let number = try reader.number(of: resident.latest.identity) else { return nil }
        let weight = words.text(
          "tray.about",
          ["weight": words.figure(Quantity.bodyMass.text(resident.weight, for: units))])
        return Choice(
          patient: patient, name: weight,
          label: words.text("tray.nameFor", ["name": weight, "question": title]),
          odds: words.time(resident.latest.start, relativeTo: viewer.now, in: viewer.timeZone),
          sample: String(number))
      }
      return Question(
        id: "weigher", glyph: TaskLook.glyph(.bodyMass), title: title,
        reason: (hints(best, for: units, in: words) + [words.text("tray.weigherWhy")])
          .joined(separator: " "),
        choices: Choices(
          address: address, nobodyAddress: address, device: nil, whom: patient, back: back,
          people: choices, nobodyTitle: words.text("tray.noneOfThese"),
          nobody: words.text("tray.noneFor", ["question": title])),
        target: tracks)
    }
  }

  /// The link to the page that shows whose the weighings are.
  private static func tracks(in words: Language) -> TaskCard.Target {
    TaskCard.Target(
      href: LocalAddress("weighings").description, caption: words.text("tray.tracks"),
      style: "quiet")
  }

  private static func question(
    _ sample: Sample, number: Int64, people: [Patient], best: WeighingQuestion?,
    viewer: Viewer, back: String, leadsOn: Bool
  ) -> Question {
    let words = viewer.language
    let units = people.first { $0.id == viewer.patient }?.units ?? people.first?.units
    let value = words.figure(sample.quantity.text(sample.value, for: units))
    let weighing = UnassignedReason(sample)?.weighing
    let odds = weighing?.odds ?? []
    // The odds are among the known people; they mislead where the reading fits none of them.
    let hasOdds = weighing.map { [.alike, .unclear, .witness].contains($0.doubt) } ?? false
    let choices = people.map { person in
      (person, odds.first { $0.patient == person.id }?.probability)
    }.sorted { ($0.1 ?? 0) > ($1.1 ?? 0) }
    let isWeight = sample.quantity == .bodyMass
    let title = words.text(
      isWeight ? "tray.whose" : "tray.whoseOther",
      ["value": value, "quantity": words.title(of: sample.quantity)])
    let time = words.time(sample.start, relativeTo: viewer.now, in: viewer.timeZone)
    // Two readings can be alike but for the number.
    let asked = [title, time, String(number)].joined(separator: " ")
    return Question(
      id: "reading-\(number)", glyph: TaskLook.glyph(sample.quantity),
      title: title,
      reason: ([
        words.text(
          "tray.when",
          [
            "time": time, "device": viewer.deviceName(sample.device),
            "reason": words.text(
              sample.unassignedText(for: units) { id in
                people.first { $0.id == id }.map(words.fullName(of:)) ?? id
              } ?? "unassigned.nothing"),
          ])
      ] + hints(best, for: units, in: words)).joined(separator: " "),
      choices: Choices(
        address: LocalAddress("samples", String(number), "assign").description,
        nobodyAddress: LocalAddress("samples", String(number), "assign").description, device: nil,
        back: back,
        people: choices.map { person, probability in
          Choice(
            patient: person.id, name: words.fullName(of: person),
            label: words.text(
              "tray.nameFor", ["name": words.fullName(of: person), "question": asked]),
            odds: (hasOdds ? probability : nil).map {
              words.text("tray.odds", ["percent": String($0.wholePercent)])
            })
        }, nobodyTitle: words.text("tray.nobody"),
        nobody: words.text("tray.nobodyFor", ["question": asked])),
      target: best != nil && leadsOn && viewer.may(.readAll) ? tracks(in: words) : nil)
  }

  /// Who uses the scale, and how much an answer settles.
  private static func hints(
    _ best: WeighingQuestion?, for units: PreferredUnits?, in words: Language
  ) -> [String] {
    guard let best else { return [] }
    let weights = best.residents.map { words.figure(Quantity.bodyMass.text($0.weight, for: units)) }
    return [
      weights.count > 1
        ? words.text(
          "tray.residents", ["number": String(weights.count), "weights": words.list(weights)])
        : nil,
      best.settled > 1 ? words.text("tray.settles", count: best.settled) : nil,
    ].compactMap(\.self)
  }

  /// The conflicts between changes or answers that several boxes made independently.
  private static func conflicts(
    _ reader: any StoreReader, people: [Patient], setting: CardSetting
  ) throws -> [Question] {
    let viewer = setting.viewer
    let words = viewer.language
    let answers = try (viewer.may(.answer) ? reader.outcomeConflicts() : [])
      .filter { viewer.patient == nil || $0.event.patient == viewer.patient }
      .suffix(mostQuestions)
      .compactMap { conflict -> Question? in
        let key = conflict.event
        guard let event = try reader.event(key) else { return nil }
        return Question(
          id: "answers-" + TaskCard.key(event) + "-\(event.occurrence.index)", glyph: "question",
          title: words.text("tray.twoAnswers", ["title": event.task.title]),
          reason: words.text(
            "tray.twoAnswersWhy",
            ["day": words.day(key.start, relativeTo: viewer.now, in: viewer.timeZone)]),
          choices: nil,
          target: TaskCard.Target(
            href: setting.link(event), caption: words.text("today.answer"), style: "main"))
      }
    let changes = try (viewer.may(.plan) ? reader.conflicts() : [])
      .filter { viewer.patient == nil || $0.thing.patient == viewer.patient }
      .suffix(mostQuestions)
      .enumerated().map { place, conflict in
        let own = conflict.shownVersion
        return Question(
          id: "versions-\(place)", glyph: "setup",
          title: words.text("tray.twoVersions", ["title": own.title ?? conflict.thing.id]),
          reason: words.text(
            "tray.twoVersionsWhy",
            ["date": words.day(own.createdDate, relativeTo: viewer.now, in: viewer.timeZone)]),
          choices: nil,
          target: TaskCard.Target(
            href: LocalAddress("setup").description, caption: words.text("tray.compare"),
            style: "main"))
      }
    return answers + changes
  }
}

extension Tray.Missed {
  /// The events of the day that a person does, that are over, and of which nothing is known.
  init?(_ events: [Event], setting: CardSetting) {
    let viewer = setting.viewer
    let words = viewer.language
    let open = events.filter { event in
      Adherence.counts(event) && event.task.kind == .task && event.outcome == nil
        && event.task.linkages.isEmpty && event.task.activeTask == nil && event.task.survey.isEmpty
        && event.state(at: viewer.now) == .missed
    }
    guard !open.isEmpty else { return nil }
    title = words.text("tray.missed", count: open.count)
    reason = words.text("tray.missedWhy", count: open.count)
    self.events = open.map { event in
      let time = setting.time(of: event)
      let title = words.text("tray.missedEvent", ["title": event.task.title, "time": time])
      return Tray.MissedEvent(
        title: setting.name(of: event).map {
          words.text("tray.missedOf", ["name": $0, "event": title])
        } ?? title,
        href: setting.link(event), doneAddress: setting.address(event, "done"),
        notDoneAddress: setting.address(event, "not-done"), back: setting.back,
        fieldID: "reason-" + TaskCard.key(event) + "-\(event.occurrence.index)")
    }
  }
}
