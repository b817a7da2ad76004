import Care
import Foundation

extension PlanDocument {
  /// Of what is never told, and of rules that can never fire.
  func notifyDoubts(_ surroundings: PlanSurroundings) -> [PlanDoubt] {
    let ofTasks = tasks.enumerated().flatMap { index, task -> [PlanDoubt] in
      let path = PlanPath() / "tasks" / index
      return task.notifyDoubts(at: path) + task.absenceDoubts(at: path, devices, isPart: isPart)
    }
    return ofTasks
      + patients.enumerated().flatMap { index, patient in
        patient.notify.enumerated().compactMap { place, rule -> PlanDoubt? in
          guard let first = patient.notify.firstIndex(where: { $0.kind == rule.kind }),
            first == place, patient.notify.allSatisfy({ $0.kind != rule.kind || $0.after > 0 })
          else { return nil }
          return PlanDoubt(
            path: PlanPath() / "patients" / index / "notify" / place,
            reasons: [PlanPath() / "notify"],
            text: "patient \(patient.id): nobody is told of \(rule.kind.rawValue) at once")
        }
      }
  }
}

extension PlannedTask {
  /// The rules of whom to tell that can never hold.
  fileprivate func notifyDoubts(at path: PlanPath) -> [PlanDoubt] {
    notify.enumerated().compactMap { index, rule in
      let reason: String? =
        switch rule.kind {
        case .alert:
          thresholds.contains(where: \.alerts) || !rules.isEmpty
            ? nil : "it has no threshold that is an alert and no rule, so it never tells an alert"
        case .reminder:
          if reminder == nil, fallback == nil {
            "it has no ‘reminder’ and no ‘fallback’, so it never tells one"
          } else if let longest, rule.after >= longest {
            "the event is over before a reminder is told after \(Int(saturating: rule.after / 60)) min"
          } else {
            nil
          }
        case .missed:
          kind == .readOnly || isOptional ? "it is never due, so it is never missed" : nil
        case .question, .machine: nil
        }
      return reason.map {
        PlanDoubt(path: path / "notify" / index, text: "task \(id) of \(patient): \($0)")
      }
    }
  }

  /// The longest time in which one of its events can be done; `nil` for days.
  private var longest: TimeInterval? {
    let lengths = schedule.elements.map { element -> TimeInterval? in
      if case .seconds(let length) = element.duration { max(length, 86_400) } else { nil }
    }
    return lengths.contains(nil) ? nil : lengths.compactMap(\.self).max()
  }

  /// Rules about what is missing that can never fire.
  fileprivate func absenceDoubts(
    at path: PlanPath, _ devices: [DeviceBinding], isPart: Bool
  ) -> [PlanDoubt] {
    rules.enumerated().compactMap { index, rule in
      absenceDoubt(rule, devices, isPart: isPart).map {
        PlanDoubt(
          path: path / "rules" / index, reasons: [PlanPath() / "devices", path / "schedule"],
          text: "task \(id) of \(patient): \($0)")
      }
    }
  }

  private func absenceDoubt(
    _ rule: Rule, _ devices: [DeviceBinding], isPart: Bool
  ) -> String? {
    switch rule.trigger {
    case .missed(let count):
      if kind == .readOnly || isOptional { return "it is never due, so it is never missed" }
      guard let events = schedule.count, events < count else { return nil }
      return "it has \(events) events, so \(count) are never missed"
    case .silent(_, of: .device(let device)):
      guard !isPart, !devices.contains(where: { $0.address == device }) else { return nil }
      return "there is no device \(device.text) in this plan that could be silent"
    case .median(let days, _):
      let events = schedule.elements.reduce(0.0) {
        $0 + Double(days) * 86_400 / max(1, $1.interval.length)
      }
      guard events < 3 else { return nil }
      return "it is due less than three times in \(days) days, so there is no median to compare"
    case .silent, .results, .change: return nil
    }
  }
}
