import Care
import Foundation
import GRDB
import Motion

extension SQLTransaction {
  func planRevision() throws -> Int64 {
    try reading { try row("SELECT plan_revision FROM store")?.optional("plan_revision") ?? 0 }
  }

  func planTimeZone() throws -> TimeZone? {
    try reading {
      try row("SELECT plan_time_zone FROM store")?
        .optionalParsed("plan_time_zone", TimeZone.init(identifier:))
    }
  }

  func patients() throws -> [Patient] {
    try reading {
      let versions = try liveVersions(of: .patient, patient: nil)
      return try Set(versions.map(\.id)).sorted().compactMap { id in
        try tips(of: .patient, patient: id, id: id).last?.decode(Patient.self)
      }
    }
  }

  func deviceBindings() throws -> [DeviceBinding] {
    try reading {
      try rows("SELECT * FROM device_binding ORDER BY address, user_index") { row in
        DeviceBinding(
          address: DeviceID(try row.text("address")), definition: try row.optional("definition"),
          patient: try row.optional("patient"), userIndex: try row.optional("user_index"),
          placement: try row.optionalParsed("placement") { text in
            try? JSON.value(Placement.self, from: text)
          },
          key: (try row.optional("key") as Data?).map { Secret([UInt8]($0)) },
          consentCode: (try row.optional("consent_code") as UInt16?).map(Secret.init(_:)))
      }
    }
  }

  /// Refuses an id that is nobody's.
  func requirePatient(_ id: String) throws {
    let known = try patients().map(\.id)
    guard !known.contains(id) else { return }
    let others = known.isEmpty ? "There is none yet; import a plan." : "There is \(list(known))."
    throw StoreError.unknown("There is no patient ‘\(id)’. \(others)")
  }

  private func list(_ names: [String]) -> String {
    names.map { "‘\($0)’" }.joined(separator: ", ")
  }
}
