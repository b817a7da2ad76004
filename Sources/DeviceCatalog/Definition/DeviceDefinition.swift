import StrictYAML

/// What a file of `Devices/` says of a kind of device: how to recognise it, what to do when a link is
/// up, and how its bytes become readings.
///
/// A file is one YAML mapping; unknown keys are errors. `Devices/README.md` is its commented
/// template. In short:
///
/// - `id`, `name`, `vendor`, `description`: what it is.
/// - `match`: `any` and `all` of clauses by `service`, `serviceData`, `manufacturerData` (each with
///   `length` and `bytes`) and `namePrefix`. The more a rule asks for, the higher its score, and the
///   highest is taken.
/// - `link`: `mode: advertisement` or `connect`, `bond: none` or `required`, `history`.
/// - `session`: steps (`subscribe`, `write`, `read`, `waitFor`, `delay`, `echo`, `increment`,
///   `consent`, `fetchRecords`) to `start` and to `end`, and what to `keepAlive`.
/// - `records`: for each source of frames, the `fields` (type, place, flags, scale, unit, quantity)
///   and `motion` in them, or the `codec` that reads what fields cannot say; with `commit` the rule
///   by which an advertised measurement is final.
/// - `vectors`: frames with what must come of them, and where they were taken from.
///
/// Frames are read with every bound checked: one that is too short is refused as a whole.
public struct DeviceDefinition: Sendable {
  /// The name that plans and the command line use: `xiaomi-mi-scale-2`.
  public let id: String
  /// What people read: `Mi Body Composition Scale 2`.
  public let name: String
  /// Who makes it.
  public let vendor: String
  /// What it is and what it needs, for people.
  public let description: String
  /// How its data is come by.
  public let link: Link
  /// The recorded or derived frames that prove the definition.
  public let vectors: [DefinitionVector]

  let match: MatchRule
  let session: SessionScript
  let records: [RecordRule]
  let origin: YAMLLocation
}

extension DeviceDefinition {
  /// How a device's data is come by.
  public struct Link: Hashable, Sendable {
    /// Whether the data is in the advertisements or behind a connection.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
      /// Everything is in the advertisements: never connect.
      case advertisement
      /// Connect, discover, and follow the session's steps.
      case connect
    }

    /// Whether the device speaks only to someone it has paired with.
    public enum Bond: String, Hashable, Sendable, CaseIterable {
      /// It speaks to anyone.
      case none
      /// It must be paired first (`measured pair`).
      case required
    }

    /// Advertisement or connection.
    public var mode: Mode
    /// What pairing it needs.
    public var bond: Bond
    /// Whether a device whose data is in the advertisements stores it too, so that now and then it
    /// is connected to for what nobody heard.
    public var keepsHistory: Bool

    /// Makes a link.
    public init(mode: Mode, bond: Bond = .none, keepsHistory: Bool = false) {
      self.mode = mode
      self.bond = bond
      self.keepsHistory = keepsHistory
    }
  }
}
