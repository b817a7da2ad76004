import Care
import Foundation

/// A thing as a plan file, a person and the last import describe it, merged key by key.
///
/// The keys are those of a plan. A key that only one side changed since the base has that side's
/// value. A key that both changed differently has the file's, unless the person's is preferred.
struct PlanMerge<Thing: PlanContent> {
  /// The thing as it is to be.
  let merged: Thing
  /// The keys that only the person changed, sorted.
  let kept: [String]
  /// The keys that both changed to different values, sorted.
  let contested: [String]

  /// Merges; without a base, whatever differs was changed by both.
  init(base: Thing?, file: Thing, shown: Thing, prefersShown: Bool) throws {
    let (old, new, own) = (try base?.fields(), try file.fields(), try shown.fields())
    var merged = new
    var kept: [String] = []
    var contested: [String] = []
    for key in Set(new.keys).union(own.keys).sorted() where own[key] != new[key] {
      if let old, own[key] == old[key] { continue }
      let isContested = old.map { new[key] != $0[key] } ?? true
      if isContested { contested.append(key) } else { kept.append(key) }
      if !isContested || prefersShown { merged[key] = own[key] }
    }
    self.merged = try Thing(fields: merged)
    self.kept = kept
    self.contested = contested
  }
}

/// A thing of a plan that is merged by its keys.
protocol PlanContent: Codable, Hashable {}

extension Patient: PlanContent {}
extension Contact: PlanContent {}
extension CarePlan: PlanContent {}
extension Note: PlanContent {}
extension PlannedTask: PlanContent {}

extension PlanContent {
  /// The values by key.
  fileprivate func fields() throws -> [String: PlanValue] {
    var fields = try JSON.value([String: PlanValue].self, from: JSON.text(self))
    // One linkage and several are the same key.
    if let single = fields.removeValue(forKey: "linkage") { fields["linkages"] = .list([single]) }
    return fields
  }

  fileprivate init(fields: [String: PlanValue]) throws {
    self = try JSON.value(Self.self, from: JSON.text(fields))
  }

  /// The keys in which it differs from another one, sorted.
  func differences(from other: Self) throws -> [String] {
    let (own, others) = (try fields(), try other.fields())
    return Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }.sorted()
  }
}

/// A value of JSON.
private enum PlanValue: Hashable, Codable {
  case null
  case flag(Bool)
  case whole(Int64)
  case number(Double)
  case text(String)
  case list([PlanValue])
  case fields([String: PlanValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .flag(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .whole(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([PlanValue].self) {
      self = .list(value)
    } else {
      self = .fields(try container.decode([String: PlanValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let value): try container.encode(value)
    case .whole(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .fields(let value): try container.encode(value)
    }
  }
}
