/// How a person sways while standing still, from the acceleration of the lower back.
///
/// The measures of Mancini et al. 2012 (ISway, J Neuroeng Rehabil 9:59, table 2), in units of
/// acceleration: low-passed at 3.5 Hz and made level by gravity. Proven on made-up movement only: each
/// figure within 2 % of its definition. A sensor's noise of 2 mg adds up to 2 % to the root mean
/// square, 10 % to range and path, and 25 % to the jerk of a steady person.
public struct Sway: Hashable, Sendable {
  /// The sway along one level direction.
  public struct Direction: Hashable, Sendable {
    /// Root mean square of the acceleration about its mean, in micrometres per square second.
    public var rms: Int64
    /// The largest acceleration less the smallest, in micrometres per square second.
    public var range: Int64
    /// The acceleration's total way, Σ|Δa|, in micrometres per square second.
    public var path: Int64
    /// The mean speed, |∫a|, in micrometres a second.
    ///
    /// Less the straight line that best fits ∫a, which is what a constant error of the sensor
    /// integrates to.
    public var meanVelocity: Int64
    /// How often a second the acceleration goes to and fro, in thousandths of a hertz.
    ///
    /// The path a second over 4√2 rms, which for a sine is its frequency (Prieto et al. 1996, IEEE
    /// Trans Biomed Eng 43:956).
    public var meanFrequency: Int64
    /// The smoothness: half the integral of the squared rate of change of acceleration, in square
    /// millimetres over s⁵.
    public var jerk: Int64
  }

  /// To the front and to the back.
  public var anteroposterior: Direction
  /// To the left and to the right.
  public var mediolateral: Direction
  /// The area of the ellipse in which 95 % of the accelerations lie, in square millimetres over s⁴.
  ///
  /// 5.991 π √det of their covariance, 5.991 being the 95th percentile of χ² with two degrees of
  /// freedom.
  public var ellipseArea: Int64
  /// Microseconds that were measured, 25 000 000...30 000 000; path and jerk grow with them.
  public var duration: Int64
  /// What the samples were worth.
  public var quality: SignalQuality

  /// The jerk of both directions together, in square millimetres over s⁵ (Mancini's JERK).
  public var jerk: Int64 { anteroposterior.jerk + mediolateral.jerk }
}
