import Assessments
import Care
import Foundation
import Localization

/// The goals and thresholds of a plan that a chart of one measurand shows.
struct ChartLimits {
  let tasks: [PlannedTask]
  /// The moment whose goals hold.
  let now: Date

  /// The lines in the person's unit, goals first; equal ones once.
  func lines(of measurand: Measurand, _ measure: Measure, _ words: Language) -> [AxisLabel] {
    var lines: [AxisLabel] = []
    for task in tasks {
      for asked in task.values(of: measurand) {
        func position(_ number: Double, _ unit: UnitOfMeasure?) -> Double? {
          asked.quantity.convert(number, from: unit ?? asked.unit, to: measurand.quantity.unit)
            .map(measure.charted)
        }
        func add(_ number: Double, _ unit: UnitOfMeasure?, _ text: (String) -> String) {
          guard let position = position(number, unit), position.isFinite,
            !lines.contains(where: { $0.position == position })
          else { return }
          let value = measure.mark(position.rounded(to: measure.digits))
          lines.append(AxisLabel(position: position, text: text(value)))
        }
        for target in targets(of: task, measurand)
        where target.kind.map({ $0 == asked.kind }) ?? true {
          guard let number = target.value.number else { continue }
          add(number, target.unit) { words.text("chart.goal", ["value": $0]) }
        }
        for threshold in task.thresholds where threshold.kind.map({ $0 == asked.kind }) ?? true {
          for limit in threshold.limits {
            add(limit, nil) { words.text("chart.limit", ["says": threshold.says, "value": $0]) }
          }
        }
      }
    }
    return lines
  }

  /// The goals in force; of what adds up those of whole days, since the chart shows days.
  private func targets(of task: PlannedTask, _ measurand: Measurand) -> [TargetValue] {
    task.schedule.elements.filter { element in
      element.end.map { now < $0 } ?? true
        && (measurand.quantity.aggregation == .discrete || element.duration == .allDay)
    }.flatMap(\.targets)
  }
}

extension PlannedTask {
  /// The part of a measurand that the task asks for: the kind of its values, in which unit and quantity.
  fileprivate func values(
    of measurand: Measurand
  ) -> [(kind: String?, unit: UnitOfMeasure, quantity: Quantity)] {
    if !linkages.isEmpty {
      return linkages.filter {
        [$0.quantity, $0.quantity.counterpart].contains(measurand.quantity)
      }.map { (valueKind(of: $0), $0.unit, $0.quantity) }
    }
    guard let activeTask, let kind = measurand.quantity.figureKinds.first,
      figures.contains(where: { $0.kind == kind && $0.quantity == measurand.quantity }),
      Measurand(measurand.quantity, in: MeasurementContext(activeTask)) == measurand
    else { return [] }
    return [(kind, measurand.quantity.unit, measurand.quantity)]
  }
}

extension Threshold {
  /// The numbers at which its condition begins or ends.
  fileprivate var limits: [Double] {
    switch condition {
    case .above(let limit), .atLeast(let limit), .below(let limit), .atMost(let limit),
      .equal(let limit):
      [limit]
    case .between(let lower, let upper, _): [lower, upper]
    }
  }
}
