import Care
import Foundation
import GRDB

extension SQLTransaction {
  func runningTotal(
    of quantity: Quantity, device: DeviceID, userIndex: Int?
  ) throws -> StoredTotal? {
    try reading {
      try rows(
        "SELECT * FROM running_total WHERE device = ? AND quantity = ? AND user_index = ?",
        [device.text, quantity.rawValue, userIndex ?? -1], read: StoredTotal.init
      ).first
    }
  }

  /// Every total, to be checked.
  func runningTotals() throws -> [StoredTotal] {
    try reading { try rows("SELECT * FROM running_total", read: StoredTotal.init) }
  }

  func setRunningTotal(_ total: StoredTotal) throws {
    try changing {
      try requireStorable(total.device.text)
      guard total.total.isFinite, total.doubtful?.isFinite ?? true else {
        throw StoreError.refused(.sampleNotFinite(total.quantity))
      }
      try execute(
        """
        INSERT OR REPLACE INTO running_total (device, quantity, user_index, total, date, doubtful)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          total.device.text, total.quantity.rawValue, total.userIndex ?? -1, total.total,
          total.date.microseconds, total.doubtful,
        ])
    }
  }

  /// Removes the totals of the devices of a patient: those bound to them, and those given.
  func removeRunningTotals(of patient: String, and devices: Set<String>) throws {
    try execute(
      """
      DELETE FROM running_total WHERE device IN
        (SELECT address FROM device_binding WHERE patient = ?)
      """, [patient])
    for device in devices {
      try execute("DELETE FROM running_total WHERE device = ?", [device])
    }
  }
}

extension StoredTotal {
  /// Reads a row of the table `running_total`.
  fileprivate init(_ row: Row) throws {
    let userIndex: Int = try row.required("user_index")
    self.init(
      device: try row.device("device"),
      quantity: try row.parsed("quantity", Quantity.init(rawValue:)),
      userIndex: userIndex < 0 ? nil : userIndex, total: try row.required("total"),
      date: try row.date("date"), doubtful: try row.optional("doubtful"))
  }
}

// MARK: - Schema 8

extension Schema {
  /// The last totals of devices that count.
  ///
  /// Like the bindings of devices, they are not exchanged with other stores.
  static let runningTotals = """
    CREATE TABLE running_total (
      -- The device's address.
      device TEXT NOT NULL,
      -- The name in the registry.
      quantity TEXT NOT NULL,
      -- The user slot of the device; -1 without one.
      user_index INTEGER NOT NULL,
      -- What it sent last, in the quantity's canonical unit, and when, µs since 1970.
      total REAL NOT NULL,
      date INTEGER NOT NULL,
      -- A later total that nobody can have reached since; NULL if there is none.
      doubtful REAL,
      PRIMARY KEY (device, quantity, user_index)
    ) STRICT, WITHOUT ROWID;
    """
}
