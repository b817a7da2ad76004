import Care
import Foundation
import Localization
import Motion

/// The words of the questions.
extension SetupConversation {
  /// The next turn, with the answers of the plan so far in brackets.
  var plainTurn: Turn {
    switch step {
    case .zone: .ask(Question(text: "Time zone", standard: plan.timeZone.identifier))
    case .person: .ask(personQuestion)
    case .units(let place):
      .ask(
        Question(
          text: "\(name(place))'s units: metric (kg), us (lb) or uk (st)",
          standard: (plan.patients[place].units ?? .metric).rawValue))
    case .weight(let place): .ask(weightQuestion(place))
    case .language(let place):
      .ask(
        Question(
          text:
            "\(name(place))'s language on the page: \(context.languages.joined(separator: ", "))"
            + " or - for the browser's",
          standard: plan.patients[place].language ?? "-"))
    case .listen:
      .ask(
        Question(
          text:
            "Shall I listen for devices? Step on the scale or put the strap on meanwhile (y, n)",
          standard: "y"))
    case .again: .ask(Question(text: "Listen for another device (y, n)", standard: "n"))
    case .owner: .ask(ownerQuestion)
    case .weighed: .ask(weighedQuestion)
    case .place:
      .ask(
        Question(
          text: "Where is it worn, such as left-shank or trunk; - to leave it open",
          standard: waiting.first.flatMap { binding(of: $0.address)?.placement?.text } ?? "-"))
    case .task(let place): .ask(taskQuestion(place))
    case .detail: .ask(detailQuestion)
    case .page:
      .ask(
        Question(
          text: "Who may open the page: me on this machine (here), the house after signing in"
            + " (home) or no one (off)",
          standard: context.page?.rawValue))
    case .save: .ask(Question(text: "Save this (y, n)", standard: "y"))
    case .listening: .listen
    case .ended(let turn): turn
    }
  }

  func name(_ place: Int) -> String { plan.patients[place].displayName }

  private var personQuestion: Question {
    guard !plan.patients.isEmpty else {
      return Question(text: "Who lives here? Type the name of one person; others follow")
    }
    return Question(
      text: "Another person's name, or one to change: \(plan.patients.map(\.displayName).quoted)",
      standard: "go on")
  }

  private func weightQuestion(_ place: Int) -> Question {
    let patient = plan.patients[place]
    let unit =
      switch patient.units {
      case .us: "in lb"
      case .uk: "such as 10 st 4 lb"
      case .metric, nil: "in kg"
      }
    return Question(
      text:
        "\(name(place))'s usual weight \(unit), by which a scale tells people apart; - for none",
      standard: weightText(patient) ?? "-")
  }

  private func weightText(_ patient: Patient) -> String? {
    patient.expects[Quantity.bodyMass.rawValue].map {
      Quantity.bodyMass.text($0.value, for: patient.units)
    }
  }

  private var ownerQuestion: Question {
    guard let device = waiting.first else { return Question(text: "Whose is it") }
    let bound = binding(of: device.address)
    let standard: String? =
      if let bound {
        bound.patient.map(displayName) ?? unboundWord(device)
      } else if plan.devices.contains(where: { $0.address == device.address }) {
        // Each of its users is bound.
        unboundWord(device)
      } else if device.readings.isEmpty {
        "none"
      } else if device.weight != nil, plan.patients.count > 1 {
        "all"
      } else {
        plan.patients.count == 1 ? plan.patients[0].displayName : nil
      }
    let meaning =
      device.tellsPeople ? "the readings tell" : "each reading waits until you say whose it is"
    let words = ownerWords(device).dropLast().map { word in
      word == unboundWord(device) ? "\(word) (\(meaning))" : word
    }
    return Question(
      text: "Whose is it: \(words.joined(separator: ", ")) or none (not of this house)",
      standard: standard)
  }

  private var weighedQuestion: Question {
    let weight = waiting.first?.weight ?? 0
    let names = plan.patients.map(\.displayName).joined(separator: ", ")
    let nearest = plan.patients.compactMap { patient -> (Double, String)? in
      patient.expects[Quantity.bodyMass.rawValue].map {
        (abs($0.value - weight), patient.displayName)
      }
    }.min { $0.0 < $1.0 }
    // As far as a weight changes from one month to the next.
    let standard = nearest.flatMap { $0.0 <= weight * 0.08 ? $0.1 : nil }
    return Question(
      text: "Who was on the scale: \(names) or none", standard: standard ?? "none")
  }

  private func taskQuestion(_ place: Int) -> Question {
    let patient = plan.patients[place]
    let isFirst = !knownPeople.contains(patient.id) && !addedTasks.contains(place)
    return Question(
      text: "What should \(patient.displayName) do:"
        + " \(SetupTaskKind.allCases.map(\.rawValue).joined(separator: ", "))",
      standard: isFirst ? "weigh" : "go on")
  }

  private var detailQuestion: Question {
    switch details.first {
    case .title:
      Question(text: task.kind == .pills ? "Which pills, such as Metformin 500 mg" : "What is it")
    case .side: Question(text: "Which knee, left or right", standard: "left")
    case .unit: Question(text: "What does the meter show, mmol/L or mg/dL", standard: glucoseUnit)
    case .goal:
      Question(
        text: task.kind.goal?.question.dropLast().description ?? "Goal",
        standard: (current?.goal ?? task.kind.goal?.standard).map(String.init))
    case .times, nil:
      Question(
        text: "When, such as 08:00 20:00, or any for any time of the day",
        standard: timesText(current?.times ?? task.kind.times))
    }
  }

  /// The unit of the glucose meter that was received, else the one of the person's country.
  private var glucoseUnit: String {
    let readings = devices.flatMap(\.readings).map(\.quantity)
    if readings.contains(.bloodGlucoseMass) { return UnitOfMeasure.milligramPerDecilitre.name }
    guard case .detail(let place) = step, plan.patients[place].units == .us,
      !readings.contains(.bloodGlucose)
    else { return UnitOfMeasure.millimolePerLitre.name }
    return UnitOfMeasure.milligramPerDecilitre.name
  }

  private func timesText(_ times: [String]) -> String {
    times.isEmpty ? "any" : times.joined(separator: " ")
  }
}

extension Placement {
  /// The place as it is typed: `left-shank`.
  fileprivate var text: String? {
    let words = [side?.rawValue, segment?.rawValue ?? joint?.rawValue].compactMap(\.self)
    return words.isEmpty ? nil : words.joined(separator: "-")
  }
}
