import Terminal

/// The synthetic patient's care plan.
enum DemoPlan {
  /// The plan as the text of a plan file.
  static let text = """
    timeZone: Europe/Berlin
    patients:
      - {id: alex, name: {given: Alex, family: Example}, expects: {bodyMass: 82 kg}}
    tasks:
      - id: weigh-in
        patient: alex
        title: Weigh yourself
        instructions: Before breakfast, without shoes.
        glyph: scale
        schedule:
          - {start: 2026-10-05, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
      - id: medicine
        patient: alex
        title: Metformin
        text: 500 mg
        instructions: With food.
        glyph: medication
        schedule:
          - {start: 2026-10-05T08:00, interval: {days: 1}, duration: 2h}
          - {start: 2026-10-05T14:00, interval: {days: 1}, duration: 2h}
          - {start: 2026-10-05T20:00, interval: {days: 1}, duration: 2h}
      - id: knee
        patient: alex
        title: Bend the left knee
        instructions: Strap the sensor to the shank, sit down, and bend the knee three times.
        glyph: {custom: joint}
        schedule:
          - {start: 2026-11-02T09:00, interval: {days: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
      - id: knee-evening
        patient: alex
        title: Bend the left knee again
        instructions: Strap the sensor to the shank, sit down, and bend the knee twice.
        glyph: {custom: joint}
        schedule:
          - {start: 2026-11-08T18:00, end: 2026-11-09, interval: {days: 1}, duration: 4h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
      - id: walk
        patient: alex
        title: Walk 900 steps
        glyph: activeLife
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay, targets: [{value: 900, unit: count}]}
        linkage: {quantity: stepCount, type: cumulative, unit: count}
      - id: pulse
        patient: alex
        title: Heart rate on the walk
        glyph: cardio
        schedule:
          - {start: 2026-11-02T17:00, interval: {days: 1}, duration: 2h}
        linkage: {quantity: heartRate, type: discrete, unit: bpm}
        optional: true
      - id: stretch
        patient: alex
        title: Stretch for ten minutes
        instructions: Calves, thighs and back, each side twice.
        glyph: physicalTherapy
        schedule:
          - {start: 2026-10-05, interval: {days: 1}, duration: allDay}
      - id: check-in
        patient: alex
        title: Evening check-in
        glyph: mentalHealth
        schedule:
          - {start: 2026-10-05T18:00, interval: {days: 1}, duration: 4h}
        survey:
          - {kind: pain, title: "How strong was the pain today?", type: scale, minimum: 0, maximum: 10, anchors: [no pain, the worst imaginable]}
          - {kind: sleep, title: "How long did you sleep?", type: number, minimum: 0, maximum: 24, unit: h}
          - {kind: knee, title: "A picture of the knee", type: photo, optional: true}
      - id: water
        patient: alex
        title: Water
        instructions: One entry a glass.
        glyph: {custom: water}
        optional: true
        style: buttonLog
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
      - id: swelling
        patient: alex
        kind: readOnly
        title: When the knee swells
        instructions: Cool it, put the leg up, leave the exercise out for a day, and say so in the check-in.
        glyph: adultLearning
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
    contacts:
      - {id: physio, patient: alex, name: {given: Robin, family: Sample}, role: Physiotherapist, category: careTeam, phoneNumbers: [{label: practice, value: "+49 30 5550100"}], emailAddresses: [{label: practice, value: robin@example.org}]}
      - {id: kim, patient: alex, name: {given: Kim, family: Example}, title: daughter, category: personal, phoneNumbers: [{label: mobile, value: "+49 151 5550101"}], messagingNumbers: [{label: mobile, value: "+49 151 5550101"}]}
    devices:
      - {address: "\(strap)", definition: polar-h10, patient: alex}
      - {address: "\(shank)", definition: witmotion-bwt901ble, patient: alex, placement: {joint: knee, side: left, segment: shank}}
    """

  /// The chest strap's address.
  static let strap = "A0:9E:1A:00:00:02"
  /// The shank sensor's address.
  static let shank = "D2:4F:71:00:00:03"
}
