import Foundation
import Terminal

/// A plan with comments that a person edits.
struct ExamplePlan {
  /// The zone of its times.
  var timeZone: TimeZone
  /// Its first day, `2026-11-20`.
  var day: String

  /// The plan's file.
  var text: String {
    """
    # A care plan. Indent with spaces; text after # is a comment. Check it with:
    #   measured plan validate FILE
    # and take it over with:
    #   measured plan import FILE

    # The zone of all times below, by its IANA name.
    timeZone: \(timeZone.identifier)

    # The people. The id is what commands and the lines below use. What a person is expected to weigh
    # (kg, lb, st) tells two people on one scale apart.
    patients:
      - {id: anna, name: {given: Anna, family: Example}, expects: {bodyMass: 64 kg}}
      - {id: karl, name: {given: Karl, family: Example}, expects: {bodyMass: 82 kg}, units: metric}

    # Housemates of whom nothing is stored, if they use the scale, too.
    #others:
    #  - {weight: 75 kg}

    tasks:
      # A measurement completes it: any weight of Anna's on that day. measured quantities lists what
      # can be linked.
      - id: weigh-in
        patient: anna
        title: Weigh yourself
        instructions: Before breakfast, without shoes.
        schedule:
          - {start: \(day), interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass}

      # A goal for each day, reached by the sum of many samples.
      - id: walk
        patient: karl
        title: Walk 6000 steps
        schedule:
          - {start: \(day), interval: {days: 1}, duration: allDay, targets: [{value: 6000, unit: count}]}
        linkage: {quantity: stepCount}

      # Ticked off by hand, twice a day: measured done pills
      - id: pills
        patient: karl
        title: "Metformin, 500 mg"
        schedule:
          - {start: \(day)T08:00, interval: {days: 1}, duration: 2h}
          - {start: \(day)T20:00, interval: {days: 1}, duration: 2h}

      # Performed with a worn sensor.
      - id: left-knee
        patient: anna
        title: Bend the left knee
        schedule:
          - {start: \(day)T09:00, interval: {weeks: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}

    # Devices with an owner: measured scan shows addresses, measured devices list the definitions. A
    # scale for everybody has no patient. A recorded or wired sensor has a name: sensor: left-shank
    #devices:
    #  - {address: "A0:9E:1A:00:00:02", definition: polar-h10, patient: karl}

    """
  }
}
