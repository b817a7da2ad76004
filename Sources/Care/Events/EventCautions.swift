import Foundation

extension MeasurementContext {
  /// The remarks of devices that cast doubt on a value, or that every reader of it must know: all
  /// but places, meals and kinds of samples.
  public static let cautions: MeasurementContext = [
    .bodyMovement, .cuffTooLoose, .irregularPulse, .pulseAboveRange, .pulseBelowRange,
    .improperPosition, .batteryLow, .sensorFault, .sampleInsufficient, .stripInsertionError,
    .wrongSensorType, .resultTooHigh, .resultTooLow, .sensorTooWarm, .sensorTooCold,
    .readInterrupted, .deviceFault, .timeFault, .calibrationNeeded,
  ]
}

extension StoreReader {
  /// The devices' doubts about the values of a linked event: ``MeasurementContext/cautions`` of the
  /// samples that count for it.
  ///
  /// - Parameter event: The event, with its outcome.
  /// - Returns: Their union; empty without samples, for sums and for heart rates, which have none.
  /// - Throws: ``StoreError``.
  /// - Complexity: At most ``Linkage/mostListed`` samples of each linkage are read, the latest.
  public func cautions(of event: Event) throws -> MeasurementContext {
    guard event.outcome?.answer.state == .done else { return [] }
    return try event.task.linkages.reduce(into: MeasurementContext()) { cautions, linkage in
      guard linkage.type == .discrete, linkage.quantity != .heartRate else { return }
      let samples = try samples(
        SampleQuery(
          owner: .patient(event.task.patient), quantity: linkage.quantity, device: linkage.device,
          from: event.occurrence.start, to: event.occurrence.linkageEnd, limit: Linkage.mostListed))
      for sample in samples where event.takes(sample) { cautions.formUnion(sample.context) }
    }.intersection(.cautions)
  }
}
