// The results that performed measurements are known by; what goes with a result is kept beside it.
extension Quantity {
  /// The time of a timed up and go, s.
  public static let timedUpAndGo = Quantity(registered: "timedUpAndGo")
  /// The time of five stands from a chair, s.
  public static let fiveTimesSitToStand = Quantity(registered: "fiveTimesSitToStand")
  /// Stands from a chair in 30 s, 1.
  public static let chairStandCount = Quantity(registered: "chairStandCount")
  /// The speed of a timed walk, m/s.
  public static let walkingSpeed = Quantity(registered: "walkingSpeed")
  /// A distance that somebody walked, m, cumulative.
  public static let distanceWalked = Quantity(registered: "distanceWalked")
  /// How far somebody got in six minutes, m.
  public static let sixMinuteWalkDistance = Quantity(registered: "sixMinuteWalkDistance")
  /// Steps in a six-minute walk, 1; they count as steps of the day by themselves.
  public static let sixMinuteWalkSteps = Quantity(registered: "sixMinuteWalkSteps")
  /// Root mean square of a limb's acceleration between 3 and 12 Hz, m/s².
  public static let tremorAcceleration = Quantity(registered: "tremorAcceleration")
  /// Root mean square of the acceleration with which a standing person sways, m/s².
  public static let swayAcceleration = Quantity(registered: "swayAcceleration")
}
