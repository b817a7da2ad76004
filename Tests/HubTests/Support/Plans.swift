/// Plans in their file format.
enum Plans {
  /// Los Angeles, one patient, the given tasks, and a strap of the patient's.
  static func john(
    expects: String? = "82 kg", tasks: String = weighIn, devices: String = strap
  ) -> String {
    let expectation = expects.map { ", expects: {bodyMass: \($0)}" } ?? ""
    return """
      timeZone: America/Los_Angeles
      patients:
        - {id: john, name: {given: John, family: Appleseed}\(expectation)}
      tasks:
      \(tasks)
      \(devices.isEmpty ? "" : "devices:\n\(devices)")
      """
  }

  /// John's strap.
  static let strap = #"  - {address: "A0:9E:1A:00:00:02", patient: john}"#

  /// John and Mary, with their expected weights.
  static func couple(_ john: String?, _ mary: String?, devices: String = "") -> String {
    func line(_ id: String, _ expects: String?) -> String {
      "  - {id: \(id)\(expects.map { ", expects: {bodyMass: \($0)}" } ?? "")}"
    }
    return """
      timeZone: America/Los_Angeles
      patients:
      \(line("john", john))
      \(line("mary", mary))
      \(devices.isEmpty ? "" : "devices:\n\(devices)")
      """
  }

  /// Weigh in once a day, at any time.
  static let weighIn = """
      - id: weigh-in
        patient: john
        title: Weigh yourself
        schedule:
          - {start: 2019-01-01, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
    """

  /// A daily number of steps.
  static func steps(_ count: Int) -> String {
    """
      - id: walk
        patient: john
        title: Walk
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, duration: allDay, targets: [{value: \(count), unit: count}]}
        linkage: {quantity: stepCount, type: cumulative, unit: count}
    """
  }

  /// Bend the left knee at 9 o'clock.
  static let knee = """
      - id: knee
        patient: john
        title: Bend the left knee
        schedule:
          - {start: 2026-11-01T09:00, interval: {days: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
    """
}
