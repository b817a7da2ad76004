/// The made-up patient's care plan.
enum DemoPlan {
  /// The plan as a file would hold it.
  static let text = """
    timeZone: Europe/Berlin
    patients:
      - {id: alex, name: {given: Alex, family: Example}, expects: {bodyMass: 82 kg}}
    tasks:
      - id: weigh-in
        patient: alex
        title: Weigh yourself
        instructions: Before breakfast, without shoes.
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
      - id: knee
        patient: alex
        title: Bend the left knee
        schedule:
          - {start: 2026-11-02T09:00, interval: {days: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
      - id: walk
        patient: alex
        title: Walk 900 steps
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay, targets: [{value: 900, unit: count}]}
        linkage: {quantity: stepCount, type: cumulative, unit: count}
      - id: pulse
        patient: alex
        title: Heart rate on the walk
        schedule:
          - {start: 2026-11-02T17:00, interval: {days: 1}, duration: 2h}
        linkage: {quantity: heartRate, type: discrete, unit: bpm}
        optional: true
    devices:
      - {address: "\(strap)", definition: polar-h10, patient: alex}
      - {address: "\(shank)", definition: witmotion-bwt901ble, patient: alex, placement: {joint: knee, side: left, segment: shank}}
    """

  /// The chest strap's address.
  static let strap = "A0:9E:1A:00:00:02"
  /// The shank sensor's address.
  static let shank = "D2:4F:71:00:00:03"
}
