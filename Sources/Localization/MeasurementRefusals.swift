package import Assessments
import Care
package import Measurement
import Motion

// The keys and values of what keeps a measurement from giving figures: the problem and the advice.

extension MeasuringRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .assessment(let refusal): refusal.localized
    case .sensorLost: "unmeasured.sensorLost"
    case .noMovement: "unmeasured.noMovement"
    case .tooLong: "unmeasured.tooLong"
    }
  }
}

extension AssessmentRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .rangeOfMotion(let refusal): refusal.localized
    case .exercise(let refusal): refusal.localized
    case .timedUpAndGo(let refusal): refusal.localized
    case .chairStand(let refusal): refusal.localized
    case .walk(let refusal): refusal.localized
    case .tremor(let refusal): refusal.localized
    case .sway(let refusal): refusal.localized
    case .screen(let refusal): refusal.localized
    }
  }
}

// MARK: - The stream

extension SignalQuality.Refusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .noSamples: "unmeasured.noSamples"
    case .rateTooLow: "unmeasured.rateTooLow"
    case .shaken: "unmeasured.shaken"
    }
  }
}

extension LocalizedText {
  /// A silence of a sensor, to a tenth of a second.
  fileprivate static func dropout(_ milliseconds: Int64) -> LocalizedText {
    LocalizedText(
      "unmeasured.dropout",
      ["seconds": .figure("\(milliseconds / 1_000).\(milliseconds % 1_000 / 100)")])
  }
}

extension LocalizedText.Value {
  /// Where a sensor is worn.
  fileprivate init(_ segment: Segment) { self = .text(LocalizedText("body." + segment.rawValue)) }
}

// MARK: - Movements

extension RangeOfMotionRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .stream(let refusal): refusal.localized
    case .dropout(let milliseconds): .dropout(milliseconds)
    case .verticalAxis: "unmeasured.verticalAxis"
    case .severalAxes: "unmeasured.severalAxes"
    }
  }
}

extension ExerciseRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .stream(let refusal): refusal.localized
    case .dropout(let milliseconds): .dropout(milliseconds)
    case .verticalAxis: "unmeasured.verticalAxis"
    case .severalAxes: "unmeasured.severalAxes"
    case .noRepetition(let degrees, let partial):
      LocalizedText(
        partial > 0 ? "unmeasured.partialRepetitions" : "unmeasured.noRepetition",
        ["degrees": .init(degrees)]
      ).with("partial", .init(partial))
    }
  }
}

extension TimedUpAndGoRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .stream(let refusal): refusal.localized
    case .dropout(let milliseconds): .dropout(milliseconds)
    case .noWalk: "unmeasured.noWalkToMark"
    case .noStandUp: "unmeasured.noStandUp"
    case .noSitDown: "unmeasured.noSitDown"
    case .severalTasks(let count):
      LocalizedText("unmeasured.severalTasks", ["number": .init(count)])
    }
  }
}

extension ChairStandRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .stream(let refusal): refusal.localized
    case .dropout(let milliseconds): .dropout(milliseconds)
    case .place(let segment): LocalizedText("unmeasured.place", ["place": .init(segment)])
    case .noRest: "unmeasured.noRest"
    case .noStand(let degrees): LocalizedText("unmeasured.noStand", ["degrees": .init(degrees)])
    case .tooFewStands(let stands):
      LocalizedText("unmeasured.tooFewStands", ["stands": .init(stands)])
    case .tooShort(let seconds):
      LocalizedText("unmeasured.tooShortForStands", ["seconds": .init(seconds)])
    }
  }
}

// MARK: - Walks

extension WalkRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .stream(let refusal): refusal.localized
    case .dropout(let milliseconds): .dropout(milliseconds)
    case .noWalk: "unmeasured.noWalk"
    case .distance(let millimetres):
      LocalizedText("unmeasured.distance", ["distance": .figure("\(millimetres) mm")])
    case .backwards: "unmeasured.backwards"
    case .noWayBack(let steps): LocalizedText("unmeasured.noWayBack", ["steps": .init(steps)])
    case .tooShort(let seconds):
      LocalizedText("unmeasured.tooShortForWalk", ["seconds": .init(seconds)])
    }
  }
}

extension WalkingSpeedRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .place(let segment?):
      LocalizedText("unmeasured.placeForSpeed", ["place": .init(segment)])
    case .place(nil): "unmeasured.noPlace"
    case .noGyroscope: "unmeasured.noGyroscope"
    case .slow(let speed):
      LocalizedText(
        "unmeasured.slow", ["speed": .figure("\(Double(thousandths: speed).plainText) m/s")])
    case .walk(let refusal): refusal.localized
    case .fewSteps(let steps): LocalizedText("unmeasured.fewSteps", ["steps": .init(steps)])
    }
  }
}

// MARK: - Postures

extension TremorRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .stream(let refusal): refusal.localized
    case .rateBelow50(let rate):
      LocalizedText("unmeasured.rateBelow50", ["rate": .init(rate / 1_000)])
    case .tooShort(let seconds):
      LocalizedText("unmeasured.tooShortForTremor", ["seconds": .init(seconds)])
    }
  }
}

extension SwayRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .stream(let refusal): refusal.localized
    case .dropout(let milliseconds): .dropout(milliseconds)
    case .tooShort(let seconds):
      LocalizedText("unmeasured.tooShortForSway", ["seconds": .init(seconds)])
    case .axisUpright(let axis):
      LocalizedText("unmeasured.axisUpright", ["axis": .init(axis.rawValue)])
    case .moved: "unmeasured.moved"
    }
  }
}

// MARK: - Tests on a screen

/// A form leads back with the key alone, so these texts have no values.
extension ScreenRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .tooFewTaps: "refused.tooFewTaps"
    case .tooFewAttempts: "refused.tooFewAttempts"
    case .otherHand: "refused.otherHand"
    case .nothingPressed, .disorder, .tooMany, .repeated: "refused.performance"
    }
  }
}

// MARK: - Heart rates

extension HeartRateVariabilityRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .tooShort(let seconds):
      LocalizedText("unmeasured.tooFewBeats", ["seconds": .init(seconds)])
    case .tooManyArtefacts(let percent):
      LocalizedText("unmeasured.tooManyArtefacts", ["percent": .init(percent)])
    }
  }
}

extension HeartRateRecoveryRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .noPeak: "unmeasured.noPeak"
    case .noReadingAfterOneMinute: "unmeasured.noReadingAfterOneMinute"
    }
  }
}

// MARK: - Calibration

extension CalibrationRefusal: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .tooShort: "uncalibrated.tooShort"
    case .moved: "uncalibrated.moved"
    case .slanted: "uncalibrated.slanted"
    case .missing(let axis, let isUp):
      LocalizedText(
        isUp ? "uncalibrated.missingUp" : "uncalibrated.missingDown", ["axis": "\(axis)"])
    case .implausible: "uncalibrated.implausible"
    }
  }
}

// MARK: - Sessions

/// A form leads back with the key alone, so these texts have no values.
extension MeasuringFault: Localizable {
  package var localized: LocalizedText {
    switch self {
    case .noAssessment: "refused.noAssessment"
    case .notYet: "refused.notDueYet"
    case .answered: "refused.answered"
    case .noSensorPlaced: "refused.noSensorPlaced"
    case .sensorNotNear: "refused.sensorNotNear"
    case .busy: "refused.measuringElsewhere"
    case .tooMany: "refused.tooManySessions"
    case .unknown: "refused.sessionOver"
    case .wrongState(let state): state.isOver ? "refused.sessionOver" : "refused.otherState"
    case .unassigned: "refused.unassigned"
    }
  }
}
