import Assessments
package import Care
import Foundation
import Localization

/// The result of an event, in a reader's words and units.
struct EventResult {
  /// The value that counts; `nil` if there is none.
  var value: ValueText?
  /// The text beside the value: `98–109`, `of 6000`.
  var note: String?
  /// The remarks of the task's thresholds and its devices about the value.
  var says: String?
  /// When, how and from what: `07:05 by itself, Mi Scale 2`.
  var provenance: String?
  /// The other figures and the answers.
  var figures: [Figure] = []
  /// Who gave it.
  var giver: Giver?
  /// When it was given, on a clock.
  var time: String?

  /// Who gave an event its result.
  enum Giver {
    case sensor, person
  }

  struct Figure {
    let name: String
    let text: String
    var file: FileLink?
  }

  /// A picture or video that answers a question.
  struct FileLink {
    let href: String
    /// Whether browsers show it small on the page.
    let isPicture: Bool
    /// The question that the picture answers, as text for those who do not see it.
    let alternative: String

    init(_ attachment: Attachment, question: String) {
      href = LocalAddress("api", "v1", "attachments", attachment.sha256).description
      isPicture = attachment.type.kind == .picture
      alternative = question
    }
  }
}

/// A value as it is set: the numbers large, the units small.
struct ValueText {
  let parts: [Part]
  /// Whether it is too long for the largest size.
  let isLong: Bool
  /// The same in one line.
  let plain: String

  struct Part {
    let text: String
    let isUnit: Bool
  }

  init(_ text: String) {
    let grouped = text.groupingDigits
    plain = grouped
    isLong = grouped.count > 14
    let hasNumber = grouped.contains(where: \.isNumber)
    parts = grouped.split(separator: " ").enumerated().map { place, word in
      let isNumber = word.first.map { $0.isNumber || "-−+".contains($0) } ?? false
      return Part(text: (place > 0 ? " " : "") + word, isUnit: hasNumber && !isNumber)
    }
  }
}

// MARK: - Reading a result

extension EventResult {
  /// Reads what `event` came to, for a person with these units.
  init(
    _ event: Event, _ reader: any StoreReader, viewer: Viewer, units: PreferredUnits?
  ) throws {
    guard let outcome = event.outcome, outcome.answer.state == .done else { return }
    let words = viewer.language
    let shown = ShownValues(of: event, in: words, for: units)
    value = shown.text.map { ValueText(words.figure($0)) }
    note = shown.range.map(words.figure)
    let cautions = words.remarks(of: try reader.cautions(of: event))
    let remarks = event.thresholds.map(\.says) + cautions
    says = remarks.isEmpty ? nil : remarks.joined(separator: ", ")
    figures = shown.others.compactMap { value in
      words.answerText(value, of: event, units: units).map {
        let name = words.name(ofKind: value.kind, in: event.task.planned)
        guard case .attachment(let attachment) = value.value else {
          return Figure(name: name, text: $0.groupingDigits)
        }
        return Figure(name: name, text: $0, file: FileLink(attachment, question: name))
      }
    }
    let isByPerson =
      outcome.values.isEmpty || outcome.values.contains { $0.provenance == .manual }
    giver = isByPerson ? .person : .sensor
    let day = event.occurrence.start
    if let latest = shown.values.last ?? outcome.values.last {
      let device = try viewer.deviceName(of: latest, in: event, reader)
      time = words.time(
        outcome.answer.at ?? latest.time, relativeTo: day, in: viewer.timeZone)
      provenance = words.provenance(
        latest.provenance, at: outcome.answer.at ?? latest.time, device: device, day: day,
        in: viewer.timeZone)
    } else {
      time = words.time(
        outcome.answer.at ?? outcome.createdDate, relativeTo: day, in: viewer.timeZone)
      provenance = words.provenance(
        .manual, at: outcome.answer.at ?? outcome.createdDate, device: nil, day: day,
        in: viewer.timeZone)
    }
  }
}

extension Language {
  /// `07:05 by itself, Mi Scale 2`.
  func provenance(
    _ provenance: Provenance, at date: Date, device: String?, day: Date, in timeZone: TimeZone
  ) -> String {
    let time = time(date, relativeTo: day, in: timeZone)
    let key = "provenance." + provenance.rawValue
    guard let device else { return text(key, ["time": time]) }
    return text(key + "Device", ["time": time, "device": device])
  }
}

extension Viewer {
  /// The name of the device that measured a value of an event; `nil` if no device did.
  func deviceName(
    of value: OutcomeValue, in event: Event, _ reader: any StoreReader
  ) throws -> String? {
    guard value.provenance != .manual, let quantity = event.task.planned.quantity(of: value)
    else { return nil }
    let sample = try reader.samples(
      SampleQuery(
        owner: .patient(event.task.patient), quantity: quantity, from: value.time, to: value.time,
        limit: 1))
    return sample.last.map { deviceName($0.device) }
  }

  /// A device's name: the definition's, else its address.
  package func deviceName(_ device: DeviceIdentity) -> String {
    guard let definition = device.definition else { return device.address.text }
    return deviceNames[definition] ?? Self.name(ofDefinition: definition)
  }

  /// `Xiaomi Mi Scale 2` of `xiaomi-mi-scale-2`: words, those with a digit in capitals.
  private static func name(ofDefinition id: String) -> String {
    id.split(separator: "-").map { word in
      word.contains(where: \.isNumber)
        ? word.uppercased() : word.prefix(1).uppercased() + word.dropFirst()
    }.joined(separator: " ")
  }
}
