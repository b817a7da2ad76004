public import Care
import Foundation
public import GATT
import Motion

/// The decoded content of one frame.
struct FrameContent: Hashable, Sendable {
  /// The values in the frame's order.
  var values: [DecodedValue] = []
  /// The integers by their names in the definition, for its flag tests.
  var fields = FrameFields()
  /// The motion samples.
  var motion: MotionFrame?
  /// The number of the stored record, if the device numbers its records.
  var sequence: UInt16?
  /// The reason why an intact frame has no value.
  var note: FrameNote?
  /// How the frame deviates from its layout, though it was read.
  var layout: FrameNote?
  /// The measurement that a rule of the definition discards, with the rule; ``values`` has nothing of
  /// the frame then.
  var discarded: DiscardedValue?
  /// Whether another frame with more of the same measurement follows.
  var isComplemented = false
  /// The context that this frame adds to the earlier measurement with the same ``sequence``.
  var complement: MeasurementContext?
}

/// A value that is not taken, and why.
struct DiscardedValue: Hashable, Sendable {
  var value: DecodedValue
  /// The rule as it is written in the definition: `validIf: unit != 3`.
  var rule: String
}

/// The integers of a frame by their names in the definition, with their places in the frame.
struct FrameFields: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var name: String
    var number: Int64
    var place: Range<Int>
  }

  // In the frame's order. A linear search over a few short names needs no hashing.
  private var entries: [Entry] = []

  /// The number of a field; `nil` if the frame does not have it.
  subscript(name: String) -> Int64? { entries.first { $0.name == name }?.number }

  /// The bytes of a field; `nil` if the frame does not have it.
  func place(of name: String) -> Range<Int>? { entries.first { $0.name == name }?.place }

  /// Adds a field; one that repeats has its last number.
  mutating func set(_ name: String, _ number: Int64, at place: Range<Int>) {
    let entry = Entry(name: name, number: number, place: place)
    if let index = entries.firstIndex(where: { $0.name == name }) {
      entries[index] = entry
    } else {
      entries.append(entry)
    }
  }
}

/// The motion samples of one frame, before their times are known.
struct MotionFrame: Hashable, Sendable {
  /// The samples, oldest first; their times are 0 until a ``MotionTimeline`` assigns them.
  var samples: [MotionSample]
  /// The sensor's own time of the last sample in nanoseconds, if sent.
  var lastSampleNanoseconds: UInt64?
}

// MARK: - Sources

/// The source of a frame.
public enum FrameSource: Hashable, Sendable, CustomStringConvertible {
  /// The values of a characteristic.
  case characteristic(BluetoothUUID)
  /// The advertised data of a service.
  case serviceData(BluetoothUUID)
  /// The advertised data of a company.
  case manufacturerData(UInt16)
  /// The advertised data of any company, with the two bytes of its identifier before it: some
  /// scales put a part of the measurement there.
  case anyManufacturerData

  /// `characteristic 2A9D`, `service data 181B`, `manufacturer data 0x499`.
  public var description: String {
    switch self {
    case .characteristic(let uuid): "characteristic \(uuid)"
    case .serviceData(let uuid): "service data \(uuid)"
    case .manufacturerData(let company): "manufacturer data 0x" + String(company, radix: 16)
    case .anyManufacturerData: "manufacturer data of any company"
    }
  }
}

extension FrameSource {
  /// Whether it is advertised, so that several receivers can have the same frame.
  var isBroadcast: Bool {
    if case .characteristic = self { false } else { true }
  }

  /// The frames in an advertisement with their sources.
  static func frames(
    in advertisement: [UInt8], ofAnyCompany: Bool = true
  ) -> [(source: FrameSource, bytes: [UInt8])] {
    frames(in: AdvertisingData.readable(in: advertisement).data, ofAnyCompany: ofAnyCompany)
  }

  /// The frames in an advertisement that has been read, with their sources.
  ///
  /// - Parameters:
  ///   - content: The advertisement.
  ///   - ofAnyCompany: Whether manufacturer data is also given with its company's identifier.
  /// - Returns: Service data, then manufacturer data.
  static func frames(
    in content: AdvertisingData, ofAnyCompany: Bool
  ) -> [(source: FrameSource, bytes: [UInt8])] {
    let manufacturerData = content.manufacturerData
    return content.serviceData.map { (.serviceData($0.uuid), $0.data) }
      + manufacturerData.map { (.manufacturerData($0.company), $0.data) }
      + (ofAnyCompany
        ? manufacturerData.map { (.anyManufacturerData, whole($0.company, $0.data)) } : [])
  }

  /// Manufacturer data with the identifier of its company.
  static func whole(_ company: UInt16, _ data: [UInt8]) -> [UInt8] {
    [UInt8(company & 0xFF), UInt8(company >> 8)] + data
  }
}

// MARK: - Notes

/// The reason why an intact frame holds no measurement.
public enum FrameNote: Hashable, Sendable {
  /// The definition discards the measurement of the frame, by this rule.
  case discarded(rule: String)
  /// A frame had another length than its layout, in bytes: what both have was read.
  case otherLength(count: Int, expected: Int)
  /// A frame ended before or inside a field that its flags announce: what comes before was read.
  case cut(field: String)
  /// A scale could not determine the weight.
  case noWeight
  /// A scale's frame has no value.
  case noScaleValue
  /// A scale could not determine the body composition.
  case noBodyComposition
  /// A heart-rate sensor has no contact with the skin.
  case noSkinContact
  /// A heart-rate sensor detects no beat.
  case noHeartBeat
  /// A cuff could not determine the blood pressure.
  case noBloodPressure
  /// A cuff has no current pressure.
  case noCuffPressure
  /// A thermometer has no temperature.
  case noTemperature
  /// A pulse oximeter has no valid measurement.
  case noOximetry
  /// A glucose meter stored a record without a result.
  case noGlucoseResult
  /// A glucose meter measured a control solution instead of blood.
  case controlSolution
  /// A glucose meter could not determine the concentration.
  case noGlucoseConcentration
  /// A device does not know its battery level.
  case noBatteryLevel
  /// A sensor or machine sent no value of a movement.
  case noActivity
  /// A Polar sensor refused to stream its acceleration, with the status of its control point: 5
  /// another setting is needed, 10 the MTU is too small, 13 the sensor is charging.
  case streamRefused(status: UInt8)
  /// The frame is encrypted and the credentials have no key.
  case missingKey
  /// The key in the credentials does not decrypt the frame.
  case wrongKey
  /// This machine's libcrypto cannot decrypt the frame.
  case cipherUnavailable
  /// The frame is older than the last one: an advertisement that was recorded and sent again.
  case replayed
}

extension FrameNote {
  /// Whether a device tried to measure, and could not.
  package var isFailedMeasurement: Bool {
    switch self {
    case .noWeight, .noBodyComposition, .noBloodPressure, .noTemperature, .noOximetry,
      .noGlucoseResult, .noGlucoseConcentration:
      true
    default: false
    }
  }

  /// How a frame of that many bytes deviates from the layout of its characteristic.
  init(_ deviation: LayoutDeviation, count: Int) {
    switch deviation {
    case .longer(let extra): self = .otherLength(count: count, expected: count - extra)
    case .cut(let field): self = .cut(field: field)
    }
  }
}

extension FrameContent {
  /// Drops the values of a longer frame that their quantities cannot have: makers who append to a
  /// layout change it, too.
  ///
  /// - Throws: ``GATTError/trailing(count:)`` if no value is left: the frame has another layout.
  fileprivate mutating func dropImpossible(_ deviation: LayoutDeviation) throws(GATTError) {
    guard case .longer(let extra) = deviation, !values.isEmpty else { return }
    values.removeAll { !$0.quantity.possible.contains($0.value) }
    if values.isEmpty { throw .trailing(count: extra) }
  }
}

extension Characteristic {
  /// Decodes a whole frame.
  ///
  /// - Parameters:
  ///   - frame: The bytes.
  ///   - content: What the value means.
  /// - Returns: The content, with how the frame deviates from its layout.
  /// - Throws: ``FrameDefect/malformed(_:)``.
  static func decode(
    _ frame: [UInt8], _ content: (Self) -> FrameContent
  ) throws(FrameDefect) -> FrameContent {
    do throws(GATTError) {
      let (value, deviation) = try read(frame)
      var content = content(value)
      guard let deviation else { return content }
      content.layout = FrameNote(deviation, count: frame.count)
      try content.dropImpossible(deviation)
      return content
    } catch {
      throw .malformed(error)
    }
  }
}

// MARK: - Values

/// One value of a frame.
public struct DecodedValue: Hashable, Sendable {
  /// The measured quantity.
  public var quantity: Quantity
  /// The value in the quantity's canonical unit.
  public var value: Double
  /// The value in the frame's own unit, if that is another one.
  public var sourceValue: SourceValue?
  /// The time on the device's clock; `nil` if the frame has none or the device does not know it.
  public var time: LocalDateTime?
  /// Whether ``time`` is counted back from the arrival.
  public var isDatedByAge = false
  /// The index of the user on the device, if the frame has one.
  public var userIndex: Int?
  /// Whether the device streams the value, so that equal bytes are distinct measurements.
  public var isStreamed: Bool
  /// How the device counts, if the value is a running total.
  public var counter: RunningTotal?
  /// The device's remarks on how the measurement came about.
  public var context: MeasurementContext = []

  /// The bytes of this value alone, if the frame has optional other values; `nil` for the whole
  /// frame.
  var raw: [UInt8]?

  /// The canonical unit of ``value``.
  public var unit: UnitOfMeasure { quantity.unit }

  /// Makes a value from a number of a frame.
  ///
  /// - Returns: `nil` if `unit` is no unit of `quantity`, or the number is not finite.
  init?(
    _ quantity: Quantity, _ number: Double, _ unit: UnitOfMeasure? = nil,
    time: LocalDateTime? = nil, userIndex: Int? = nil, isStreamed: Bool = false
  ) {
    let unit = unit ?? quantity.unit
    guard number.isFinite, let value = unit.convert(number, to: quantity.unit) else { return nil }
    self.quantity = quantity
    self.value = value
    self.sourceValue = unit == quantity.unit ? nil : SourceValue(value: number, unit: unit)
    self.time = time
    self.userIndex = userIndex
    self.isStreamed = isStreamed
  }
}

// MARK: - Device clock

extension LocalDateTime {
  /// The time on a device's clock; `nil` if it does not know its year, month or day.
  init?(_ time: DateTime?) {
    guard let time, time.isKnown else { return nil }
    self.init(
      year: Int(time.year), month: Int(time.month), day: Int(time.day), hour: Int(time.hour),
      minute: Int(time.minute), second: Int(time.second))
  }

  /// The time some minutes later, without daylight-saving time; what is no real date and time stays
  /// as sent.
  func adding(minutes: Int) -> LocalDateTime {
    guard let date = resolved(in: .gmt) else { return self }
    return LocalDateTime(date.addingTimeInterval(Double(minutes) * 60), in: .gmt)
  }
}

// MARK: - Frame decoders

/// The decoders of one device: a definition's records, and their codecs with their state.
struct FrameDecoders: Sendable {
  /// A frame's content and the record by which it was decoded.
  struct Decoded: Sendable {
    var content: FrameContent
    /// The index of the record in the definition; `nil` for an adopted characteristic without a
    /// record.
    var record: Int?
  }

  private let records: [RecordRule]
  private let joinsFrames: Bool
  private let context: CodecContext
  /// By name, not by record: a codec may use the frames of one characteristic to read another's.
  private var codecs: [CodecName: any Codec] = [:]

  init(_ definition: DeviceDefinition, _ context: CodecContext = .none) {
    records = definition.records
    joinsFrames = records.contains(where: \.isJoined)
    self.context = context
  }

  /// The content of `bytes` from `source`; `nil` if no record describes them, because a device may
  /// also send other formats.
  ///
  /// - Parameters:
  ///   - bytes: The frame.
  ///   - source: Where it comes from.
  ///   - arrival: When the bytes arrived, for times that are counted back from it.
  /// - Returns: The content with its record.
  /// - Throws: ``FrameDefect``.
  mutating func decode(
    _ bytes: [UInt8], from source: FrameSource, at arrival: Date? = nil
  ) throws(FrameDefect) -> Decoded? {
    guard bytes.count <= AttributeProtocol.maximumValueLength else {
      throw .oversized(count: bytes.count)
    }
    guard records.contains(where: { $0.source == source }) else {
      guard case .characteristic(let uuid) = source,
        var codec = CodecName(adopted: uuid)?.codec(context)
      else { return nil }
      return Decoded(content: try codec.decode(bytes))
    }
    guard let index = rule(for: bytes, from: source) else { return nil }
    let bytes = records[index].unmask?.unmasked(bytes, of: context.address) ?? bytes
    switch records[index].content {
    case .fields(let fields, let motion):
      let record = records[index]
      let isOther = record.length.map { $0 != bytes.count } ?? false
      if let length = record.length, isOther, !record.takes(bytes) {
        throw .wrongLength(count: bytes.count, expected: length)
      }
      try record.checksum?.verify(bytes)
      var content = try RecordInterpreter.read(
        isOther ? Array(bytes.prefix(record.length ?? 0)) : bytes, fields: fields, motion: motion,
        of: record, time: FrameTime(arrival: arrival, timeZone: context.timeZone))
      if isOther, let length = record.length {
        content.layout = .otherLength(count: bytes.count, expected: length)
      }
      return Decoded(content: content, record: index)
    case .codec(let name):
      try records[index].checksum?.verify(bytes)
      var codec = codecs[name] ?? name.codec(context)
      defer { codecs[name] = codec }
      return Decoded(content: try codec.decode(bytes), record: index)
    case .nothing:
      try records[index].checksum?.verify(bytes)
      return nil
    }
  }

  /// Whether a record says that such frames of `source` have nothing to read.
  func ignores(_ bytes: [UInt8], from source: FrameSource) -> Bool {
    guard let index = rule(for: bytes, from: source) else { return false }
    if case .nothing = records[index].content { return true }
    return false
  }

  /// The values of a frame that is final by itself.
  func finalValues(of decoded: Decoded) -> [DecodedValue] {
    decoded.record.flatMap { records[$0].commit }?.final(decoded.content) ?? decoded.content.values
  }

  /// The frames in a value of `source`: the value itself, or its parts if the record joins them.
  func frames(in value: [UInt8], from source: FrameSource) -> [[UInt8]] {
    guard joinsFrames, let index = rule(for: value, from: source), records[index].isJoined,
      let length = records[index].length, value.count > length,
      value.count.isMultiple(of: length)
    else { return [value] }
    return stride(from: 0, to: value.count, by: length).map {
      Array(value[$0..<min($0 + length, value.count)])
    }
  }

  /// The first record that fits; else the longest that takes the frame at another length; else the
  /// first with a matching beginning, which will refuse it.
  private func rule(for value: [UInt8], from source: FrameSource) -> Int? {
    var first: Int?
    var near: Int?
    for index in records.indices
    where records[index].source == source && records[index].begins(value) {
      if records[index].fits(value) { return index }
      first = first ?? index
      let length = records[index].length ?? 0
      if records[index].takes(value), near.map({ length > records[$0].length ?? 0 }) ?? true {
        near = index
      }
    }
    return near ?? first
  }
}
