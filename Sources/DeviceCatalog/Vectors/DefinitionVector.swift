import Care
import Motion
import Radio
import StrictYAML

/// Recorded or derived frames with what must come of them.
public struct DefinitionVector: Sendable {
  /// Where frames come from.
  public enum Provenance: String, Hashable, Sendable, CaseIterable {
    /// Recorded from a real device, by whoever ``DefinitionVector/from`` names.
    case real
    /// Written after a specification or another vector.
    case derived
  }

  /// What it shows: `stable with impedance`.
  public let name: String
  /// Whether a device ever sent the frames.
  public let provenance: Provenance
  /// The recording or specification that they were taken from.
  public let from: String

  /// The device's address; a made-up one unless encryption depends on it.
  let address: DeviceAddress
  /// What opens the frames, where they are encrypted: published with them, and nobody's secret.
  let key: [UInt8]?
  let frames: [Frame]
  let expected: [Expected]
  /// How many of the frames must be refused.
  let rejected: Int
  let origin: YAMLLocation

  /// One frame, and when it comes.
  struct Frame: Hashable, Sendable {
    /// Seconds from the first.
    var at: Double
    var content: Content

    enum Content: Hashable, Sendable {
      case source(RecordSource, [UInt8])
      /// The AD structures of a whole advertisement.
      case advertisement([UInt8])
    }
  }

  /// One output that must come.
  enum Expected: Hashable, Sendable {
    case reading(Quantity, Double, time: LocalDateTime?, source: SourceValue?, user: Int?)
    /// A motion sample, its time left out of the comparison.
    case motion(MotionSample)

    var isReading: Bool { sample == nil }

    var sample: MotionSample? {
      guard case .motion(let sample) = self else { return nil }
      return sample
    }
  }
}
