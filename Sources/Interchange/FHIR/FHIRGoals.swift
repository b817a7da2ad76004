import Care
import Foundation

// The targets of tasks and the goals of R4.

extension FHIRCoder {
  /// The goals of a task: one for each target of what a sensor measures for it.
  ///
  /// Its schedule says the targets, too, and is what is read back.
  func goals(_ task: PlannedTask) throws(FHIRRefusal) -> [FHIRValue] {
    guard task.linkages.count == 1, let linkage = task.linkages.first else { return [] }
    var goals: [FHIRValue] = []
    var known: Set<TargetValue> = []
    for target in task.schedule.elements.flatMap(\.targets) where known.insert(target).inserted {
      let unit = target.unit ?? linkage.unit
      guard let value = target.value.number.flatMap(FHIRDecimal.init(exactly:)) else { continue }
      let side = target.isAtMost ? "high" : "low"
      let parts = [task.patient, task.id, side, value.description, unit.code, target.kind ?? ""]
      goals.append(
        try finished([
          "resourceType": "Goal", "id": .string(FHIRName.id(of: "Goal", parts)),
          "identifier": .array([FHIRName.identifier("goal", task.id)]),
          "lifecycleStatus": "active", "description": .object(["text": .string(task.title)]),
          "subject": reference(to: task.patient),
          "target": .array([
            .object([
              "measure": concept(linkage.quantity),
              "detailRange": .object([side: quantity(value, unit)]),
            ])
          ]),
        ]))
    }
    return goals
  }

  /// Gives the tasks of a person that measure it the targets of a goal.
  ///
  /// A goal in words alone, and one that is over, are only named.
  func read(goal node: FHIRNode, into tasks: inout [PlannedTask]) throws(FHIRRefusal) {
    let isOwn = node.list("identifier").contains {
      $0.value.object?["system"]?.text == FHIRName.system("goal")
    }
    guard !isOwn else {
      node.take()
      return
    }
    let over = ["completed", "cancelled", "rejected", "entered-in-error"]
    let status = try node.text(
      "lifecycleStatus", among: ["proposed", "planned", "accepted", "active", "on-hold"] + over)
    if let status, over.contains(status) {
      node.take()
      node.log.note(node.path + ".lifecycleStatus (\(status))")
      return
    }
    let patient = try node.required(try person(node["subject"]), "subject")
    node["lifecycleStatus"]?.take()
    for target in node.list("target") {
      let quantity = try measure(of: target)
      let limit = try limit(of: target, quantity)
      let meant = tasks.indices.filter { index in
        tasks[index].patient == patient && tasks[index].linkages.map(\.quantity) == [quantity]
      }
      guard !meant.isEmpty else {
        throw target.refusal(.unknownReference(quantity.rawValue), of: "measure")
      }
      for index in meant {
        let elements = tasks[index].schedule.elements.map { element in
          element.targets.contains(limit)
            ? element : element.withTargets(element.targets + [limit]) ?? element
        }
        do throws(ScheduleError) {
          tasks[index].schedule = try Schedule(elements)
        } catch {
          throw target.refusal(.invalid(error.name))
        }
      }
    }
  }

  private func measure(of target: FHIRNode) throws(FHIRRefusal) -> Quantity {
    let concept = try target.required(target["measure"]?.take().object, "measure")
    let codings = (concept["coding"]?.elements ?? []).compactMap(\.object)
    let found = Set(
      codings.flatMap { coding in
        quantities(system: coding["system"]?.text ?? "", code: coding["code"]?.text ?? "")
      })
    guard let quantity = found.first, found.count == 1 else {
      let words = codings.first?["code"]?.text ?? concept["text"]?.text ?? ""
      throw target.refusal(.unsupportedValue(words), of: "measure")
    }
    return quantity
  }

  private func limit(
    of target: FHIRNode, _ quantity: Quantity
  ) throws(FHIRRefusal) -> TargetValue {
    let (side, isAtMost): (FHIRNode, Bool)
    if let range = target["detailRange"] {
      switch (range["low"], range["high"]) {
      case (let low?, nil): (side, isAtMost) = (low, false)
      case (nil, let high?): (side, isAtMost) = (high, true)
      default: throw range.refusal(.unsupported)
      }
    } else if let value = target["detailQuantity"] {
      let comparator = try value.text("comparator", among: [">=", "<="])
      // Of what adds up more is meant; of anything else both could be.
      guard comparator != nil || quantity.aggregation == .cumulative else {
        throw value.refusal(.missing, of: "comparator")
      }
      (side, isAtMost) = (value, comparator == "<=")
    } else {
      throw target.refusal(.missing, of: "detail")
    }
    let unit = try unit(side, mayCompare: true)
    let number = try side.required(side.number("value"), "value").double
    guard number.isFinite, quantity.convert(number, from: unit, to: quantity.unit) != nil else {
      throw side.refusal(.unsupportedValue(unit.code), of: "code")
    }
    return TargetValue(value: .double(number), unit: unit, isAtMost: isAtMost)
  }
}
